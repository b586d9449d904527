"""Models in whole runs: faults, budgets, recordings, kill -9. The server answers by script."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import FAULTS, Answer, Server
from scripted_models import KeptLanguage

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.models.reachability import look
from goedels_poetry.models.record import Recording
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings

ROOT = Path(__file__).parents[2]
HARD = """
(declare-datatypes ((N 0)) (((zero) (succ (pred N)))))
(define-fun-rec plus ((x N) (y N)) N (ite ((_ is zero) x) y (succ (plus (pred x) y))))
(define-fun-rec times ((x N) (y N)) N (ite ((_ is zero) x) zero (plus y (times (pred x) y))))
(prove (forall ((x N) (y N)) (= (times x y) (times y x))))
"""
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
def language() -> Iterator[KeptLanguage]:
    kept = KeptLanguage()
    yield kept
    asyncio.run(kept.finish())


@pytest.fixture
def prove(language: KeptLanguage) -> Prove:
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


async def test_every_fault_in_one_run_and_the_budget_on_calls_holds(prove: Prove, tmp_path: Path) -> None:
    faults = [fault for name, fault in FAULTS.items() if name != "30 s delay"]
    turn = iter(range(10**6))
    with Server(lambda _: faults[next(turn) % len(faults)]) as server:
        result = await prove(HARD, settings(server, tmp_path, calls=10))
    assert result.verdict in (Verdict.UNKNOWN, Verdict.OUT_OF_BUDGET)
    assert 0 < server.calls <= 10
    spent = result.metrics["models"]
    assert spent["calls"] == server.calls == sum(role["calls"] for role in spent["by_role"].values())
    assert spent["faults"] == spent["replies"]


async def test_a_recorded_run_is_replayed_without_any_network(prove: Prove, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with Server([Answer("ACCEPT")]) as server:
        recorded = await prove(HARD, settings(server, tmp_path / "a", 4, record=file, record_note="scripted"))
    assert Recording.load(file).roles["prover"]["model"] == "m"
    replayed = await prove(HARD, settings(None, tmp_path / "b", 4, replay=file))
    assert server.calls == 4
    assert replayed.verdict is recorded.verdict is Verdict.OUT_OF_BUDGET
    for name in ("steps", "attempts", "nodes"):
        assert replayed.metrics[name] == recorded.metrics[name]


def command(home: Path, *arguments: object) -> dict[str, Any]:
    environment = dict(os.environ) | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment |= {"GOEDELS_POETRY__SYMBOLIC_QUERIES": "0"}
    return {"args": [sys.executable, "-m", "goedels_poetry", *map(str, arguments)], "env": environment}


@pytest.mark.whole("model_loop/test_loop.py::test_after_kill_9_only_calls_that_were_in_flight_are_repeated")
def test_kill_9_and_resume_repeats_at_most_what_was_in_flight(tmp_path: Path) -> None:
    theorem = tmp_path / "theorem.smt2"
    theorem.write_text(HARD)
    asked: list[str] = []

    def script(body: dict[str, Any]) -> Answer:
        asked.append(json.dumps([body["messages"], body.get("temperature")]))
        return Answer(f"nonsense {len(asked)}", delay=0.05)

    with Server(script) as server:
        common = ("prove", theorem, "--model", "m", "--base-url", server.url, "--timeout", 30, "--max-model-calls")
        running = subprocess.Popen(**command(tmp_path, *common, 1000, "--json", "-q"), stdout=subprocess.DEVNULL)
        while len(asked) < 4 and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait(10)
        before, in_flight = len(asked), server.most_at_once
        done = subprocess.run(
            **command(tmp_path, *common, 12, "--resume", "--json", "-q"), capture_output=True, timeout=60
        )
    assert before >= 4
    assert json.loads(done.stdout)["verdict"] in ("unknown", "out_of_budget")
    # The samples of one beam look alike on the wire: at most those that were in flight are asked for again.
    assert sum(question in asked[:before] for question in asked[before:]) <= in_flight


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
