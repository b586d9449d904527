"""A model server that is away leaves no verdict behind: the same call with the server back really asks it."""

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest
from kept_smt import KeptSmt
from model_server import Answer, Server, server_error
from scripted_code import Scripted, model_at, run
from scripted_models import DOUBLE, Script, every_role

from goedels_poetry import GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.search.tasks.code import CodeTask

AWAY: dict[str, Answer | None] = {
    "nothing listens": None,
    "HTTP 500 all through": server_error(),
    "HTTP 503": Answer(status=503, body="{}"),
    "the key is not accepted": Answer(status=401, body='{"error": {"message": "bad key"}}'),
    "every connection is reset": Answer(cut_after=0),
    "no reply in time": Answer("late", delay=5),
}


@pytest.fixture(scope="module")
def language() -> Iterator[KeptSmt]:
    kept = KeptSmt()
    yield kept
    asyncio.run(kept.finish())


@dataclass
class Place:
    """One data directory, and one address at which a server may be."""

    home: Path
    port: int
    language: KeptSmt
    calls: int = 0
    """Requests that the last call has sent to the server."""

    @property
    def settings(self) -> Settings:
        model = model_at(f"http://127.0.0.1:{self.port}/v1") | {"timeout_seconds": 1.0}
        budgets = {"wall_seconds": 60}
        return Settings(home=self.home, models={"default": model}, symbolic_queries=0, budgets=budgets)

    async def prove(self, script: Script | None, theorem: str = DOUBLE, *, again: str = "") -> RunResult:
        """With the server answering by ``script``, or away. ``again``: a run to resume."""
        server = Server(script, self.port) if script is not None else None
        with server or nullcontext():
            async with GoedelsPoetryFramework(self.settings, language=self.language) as framework:
                result = await (framework.aresume(again) if again else framework.arun(theorem, name="t.smt2"))
        self.calls = server.calls if server is not None else 0
        return result

    def listed(self, run_id: str) -> tuple[str, Verdict | None]:
        """Status and verdict in the list of runs."""
        with GoedelsPoetryFramework(self.settings) as framework:
            return next((run.status, run.verdict) for run in framework.runs() if run.run_id == run_id)


@pytest.fixture
def place(tmp_path: Path, language: KeptSmt) -> Place:
    with Server([]) as server:
        return Place(tmp_path / "home", server.port, language)


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", AWAY)
async def test_what_was_not_decided_while_the_server_was_away_is_asked_again(place: Place, how: str) -> None:
    answer = AWAY[how]
    without = await place.prove(None if answer is None else [answer])
    assert without.verdict is Verdict.UNKNOWN
    assert "the same command asks it again" in without.reason
    assert place.listed(without.run_id) == ("stopped", None)
    answered = await place.prove(every_role)
    assert (answered.verdict, place.calls > 0) == (Verdict.PROVED, True)
    kept = await place.prove(every_role)
    assert (kept.verdict, kept.run_id, place.calls) == (Verdict.PROVED, answered.run_id, 0)


async def test_a_run_that_could_not_ask_is_resumed_by_asking(place: Place) -> None:
    without = await place.prove(None)
    answered = await place.prove(every_role, again=without.run_id)
    assert (answered.verdict, place.calls > 0) == (Verdict.PROVED, True)


async def test_a_function_that_could_not_be_written_is_asked_for_again(tmp_path: Path) -> None:
    task = CodeTask("The double of x.", "def double(x: int) -> int", examples=(("double(2)", "4"),), model_first=True)
    with Server([]) as server:
        url, port = server.url, server.port
    settings = Settings(home=tmp_path, models={"default": model_at(url)})
    done = await run(task, settings)
    assert done.result.verdict in (Verdict.UNKNOWN, Verdict.TESTED), "small functions are enumerated"
    script = Scripted("def double(x: int) -> int:\n    return 2 * x")
    with Server(script, port):
        again = await run(task, settings)
    assert (again.result.verdict, len(script.asked)) == (Verdict.TESTED, 1)
