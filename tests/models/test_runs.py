"""Models in whole runs: faults, budgets, recordings, kill -9. The server answers by script."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kept_smt import KeptSmt
from model_server import Answer, Server

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.models.reachability import look
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings

ROOT = Path(__file__).parents[2]
EASY = "(declare-const p Bool) (prove (or p (not p)))"


def settings(server: Server | None, home: Path, calls: int | None = None, **files: Any) -> Settings:
    # The symbolic search is cut short: these tests are about what happens around the model.
    own = {"model": "m", "base_url": server.url, "retries": 0, "timeout_seconds": 1} if server else {}
    return Settings(
        home=home,
        symbolic_queries=0,
        use_memory=False,
        budgets=Budgets(model_calls=calls, wall_seconds=30),
        models=ModelsSettings(default=ModelSettings(**own), **files),
    )


Prove = Callable[[str, Settings], Awaitable[RunResult]]


@pytest.fixture(scope="module")
def language() -> Iterator[KeptSmt]:
    kept = KeptSmt()
    yield kept
    asyncio.run(kept.finish())


@pytest.fixture
def prove(language: KeptSmt) -> Prove:
    async def run(theorem: str, chosen: Settings) -> RunResult:
        async with GoedelsPoetryFramework(chosen, language=language) as framework:
            return await framework.arun(theorem, name="theorem.smt2")

    return run


async def test_a_model_is_not_asked_for_what_the_symbolic_agents_prove(prove: Prove, tmp_path: Path) -> None:
    with Server([Answer("ACCEPT")]) as server:
        result = await prove(EASY, settings(server, tmp_path))
    assert result.verdict is Verdict.PROVED and server.calls == 0


async def test_a_model_that_has_the_first_turn_leaves_the_symbolic_agents_theirs(prove: Prove, tmp_path: Path) -> None:
    with Server([Answer("ACCEPT")]) as server:
        chosen = settings(server, tmp_path).model_copy(update={"model_first": True})
        result = await prove(EASY, chosen)
    assert result.verdict is Verdict.PROVED and server.calls == 2, "its reply, and the same sent back"


def command(home: Path, *arguments: object) -> dict[str, Any]:
    environment = dict(os.environ) | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment |= {"GOEDELS_POETRY__SYMBOLIC_QUERIES": "0"}
    return {"args": [sys.executable, "-m", "goedels_poetry", *map(str, arguments)], "env": environment}


@pytest.mark.parametrize(("call", "calls"), [(False, 0), (True, 1)])
async def test_the_examination_spends_at_most_one_tiny_call(tmp_path: Path, call: bool, calls: int) -> None:
    with Server([Answer("yes")]) as server:
        found = {seen.what: seen for seen in await look(settings(server, tmp_path), call=call)}
        assert server.calls == calls
    assert found["model of prover"].words.startswith(f"m at {server.url}")
    assert found[f"server {server.url}"].words == "can be reached"
    assert not call or found["call of m"].words == "answers 'yes'"
    gone = {seen.what: seen for seen in await look(settings(server, tmp_path), call=call)}
    assert not gone[f"server {server.url}"].ok
