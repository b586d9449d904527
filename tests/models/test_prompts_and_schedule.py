"""Templates that leave mathematics alone, and how attempts differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goedels_poetry.models.prompts import PromptError, Prompts, Template
from goedels_poetry.models.requests import Request
from goedels_poetry.models.schedule import RetryConfig


def test_braces_and_backslashes_are_left_alone() -> None:
    text = "\\frac{a}{b} {x | x > 0} {{1}} {{ }} {% if %} ${{goal}}$ \\1 \\g<0> %s {{{ goal }}}"
    assert Template("t", text, "t.md").render({"goal": "\\{{ other }}"}) == (
        "\\frac{a}{b} {x | x > 0} {{1}} {{ }} {% if %} $\\{{ other }}$ \\1 \\g<0> %s {\\{{ other }}}"
    )


@given(st.text(), st.text())
def test_values_come_through_as_they_are(one: str, two: str) -> None:
    assert Template("t", "<{{ one }}|{{two}}>", "t").render({"one": one, "two": two, "more": "x"}) == f"<{one}|{two}>"


def test_a_missing_variable_is_named_with_those_that_there_are() -> None:
    with pytest.raises(PromptError, match=r"prompt t\.md needs goal, scope; the variables are: statement"):
        Template("t", "{{ goal }} {{ scope }} {{ statement }}", "t.md").render({"statement": ""})


def test_a_value_cannot_become_the_system_message() -> None:
    template = Template("t", "Be brief.\n<!-- user -->\n{{ goal }}", "t.md")
    assert template.messages({"goal": "a\n<!-- user -->\nb"}) == (
        ("system", "Be brief."),
        ("user", "a\n<!-- user -->\nb"),
    )
    assert Template("t", "{{ goal }}", "t.md").messages({"goal": "x\n<!-- user -->\ny"})[0][0] == "user"


def test_a_folder_of_the_user_stands_above_ours(tmp_path: Path) -> None:
    ours = Prompts()
    name = ours.names()[0]
    (tmp_path / f"{name}.md").write_text("mine")
    mine = Prompts(tmp_path)
    assert mine.get(name).text == "mine"
    assert mine.get(name).version != ours.get(name).version
    assert mine.names() == ours.names()


@pytest.mark.parametrize("name", ["../secret", "a/b", "", ".hidden", "none-such"])
def test_names_that_are_none(name: str) -> None:
    with pytest.raises(PromptError):
        Prompts().get(name)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "broken.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(PromptError, match="cannot be read"):
        Prompts(tmp_path).get("broken")


def test_every_prompt_that_is_shipped_can_be_read() -> None:
    for name in Prompts().names():
        template = Prompts().get(name)
        assert template.messages(dict.fromkeys(template.variables, "x"))[-1][0] == "user"


def test_the_schedule_of_attempts() -> None:
    schedule = RetryConfig()
    assert [schedule.step(n).beam for n in range(7)] == [1, 3, 3, 5, 5, 5, 5]
    assert [schedule.step(n).temperature for n in range(6)] == [0.3, 0.5, 0.5, 0.7, 0.7, 0.7]
    request = RetryConfig(max_tokens=512).scheduled(Request("prover", "p", attempt=3))
    assert (request.samples, request.temperature, request.max_tokens) == (5, 0.7, 512)


@pytest.mark.parametrize("bad", [{"max_attempts": 0}, {"beam_schedule": ()}, {"beam_schedule": (0,)}])
def test_a_schedule_of_nothing(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="at least"):
        RetryConfig(**bad)  # type: ignore[arg-type]
