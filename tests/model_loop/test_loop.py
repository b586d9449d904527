"""Models and symbolic agents together: cheap symbolic attempts first, then the model; nothing is taken on trust."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import (
    DOUBLE,
    FIBONACCI,
    FIBONACCI_GOAL,
    GOOD_SKETCH,
    ITERATION,
    REVERSE,
    WithModel,
    backtracking,
    every_role,
    fenced,
    good_model,
    is_root,
    prompt_of,
    role_of,
)

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.search.memory import node_state
from goedels_poetry.store.results import Event
from goedels_poetry.store.state import ROOT


async def test_a_model_lemma_proves_what_the_symbolic_agents_cannot(with_model: WithModel) -> None:
    alone = await with_model(None, budgets={"wall_seconds": 1}).arun(FIBONACCI, name="f.smt2")
    assert alone.verdict is Verdict.OUT_OF_BUDGET
    with Server(good_model) as server:
        framework = with_model(server)
        result = await framework.arun(FIBONACCI, name="f.smt2")
        assert (result.verdict, result.trust_level) == (Verdict.PROVED, "L3")
        assert result.metrics["models"]["calls"] == server.calls > 0
        first = server.calls
        again = await framework.arun(FIBONACCI, name="f.smt2", fresh=True)
        assert (again.verdict, server.calls) == (Verdict.PROVED, first), "a second identical run calls nobody"
        assert again.run_id != result.run_id
        state = _state(framework, result.run_id)
        assert state.status == "verified"
        assert [trace.status for trace in state.history][-1] == "success"
        said = framework.conversation(result.run_id)
        sketches = [entry for entry in said if entry["kind"] == "model" and entry["role"] == "sketcher"]
        assert ITERATION in sketches[0]["exchange"]["replies"][0]["text"]
        assert FIBONACCI_GOAL in sketches[0]["exchange"]["messages"][-1][1]
        assert json.loads(json.dumps(said)) == said


def _state(framework: Any, run_id: str) -> Any:
    with framework.open_store(run_id) as store:
        return node_state(store, ROOT)


async def test_what_the_symbolic_agents_close_costs_no_call(with_model: WithModel) -> None:
    with Server(good_model) as server:
        result = await with_model(server, symbolic_queries=300).arun(REVERSE, name="r.smt2")
        assert (result.verdict, server.calls) == (Verdict.PROVED, 0)
        assert result.metrics["models"].get("calls", 0) == 0


async def test_a_failed_subgoal_is_rolled_back_and_the_next_sketch_is_asked_with_all_that_is_known(
    with_model: WithModel,
) -> None:
    events: list[Event] = []
    with Server(backtracking) as server:
        framework = with_model(server, symbolic_queries=12)
        result = await framework.arun(FIBONACCI, name="f.smt2", on_event=events.append)
        assert result.verdict is Verdict.PROVED
        assert result.metrics["backtracks"] >= 1
        prompts = [prompt_of(asked) for asked in server.requests]
        told = next(text for text in prompts if "The subgoal that failed" in text and '- "lemmas"' in text)
        assert "(fib (plus n m))" in told.partition("The subgoal that failed")[2], "the failed subgoal is named"
        assert "why the old approach failed" in told
        assert "0.0_0000" not in told, "ids say nothing to a model"
        with framework.open_store(result.run_id) as store:
            decisions = [e.entry for e in store.history("0.0_0000") if e.kind == "decision"]
        assert decisions[-1]["move"] == "backtrack"
        assert "the lemma needs others first" in decisions[-1]["reason"]


async def test_an_illegal_or_unreadable_decision_falls_back_to_the_policy(with_model: WithModel) -> None:
    answers = iter([fenced({"reason": "done", "decision": "ACCEPT"}), Answer("ACCEPT")])

    def stubborn(asked: dict[str, Any]) -> Answer:
        return next(answers, Answer("ACCEPT")) if role_of(asked) == "decider" else backtracking(asked)

    with Server(stubborn) as server:
        framework = with_model(server, symbolic_queries=12, budgets={"depth": 2, "model_calls": 24})
        result = await framework.arun(FIBONACCI, name="f.smt2")
        assert result.verdict is not Verdict.REFUTED
        said = framework.conversation(result.run_id)
        decisions = [entry for entry in said if entry["kind"] == "decision" and entry["node"] == "0.0_0000"]
        by_policy = [entry for entry in decisions if "by policy" in entry["reason"]]
        assert by_policy
        assert all(entry["move"] in entry["legal"] for entry in decisions)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("good", "asked_for", "given_up"), [(1, 1, 0), (2, 3, 1)])
async def test_a_beam_is_asked_for_when_its_first_sample_does_not_hold(
    with_model: WithModel, good: int, asked_for: int, given_up: int
) -> None:
    """Round two may ask for three samples. The first comes alone; of the others the first that holds ends the wait.

    They are shown what was wrong with the first.
    """
    rounds: list[str] = []

    def beam(asked: dict[str, Any]) -> Answer:
        after = len(rounds) >= 2 and asked["messages"][-2]["content"] == "hm"
        if role_of(asked) == "sketcher" and (after or is_root(asked, FIBONACCI_GOAL)):
            rounds.append(prompt_of(asked))
            if len(rounds) <= good:
                return Answer("hm")
            return fenced(GOOD_SKETCH) if len(rounds) == good + 1 else Answer("late", delay=30)
        return good_model(asked)

    with Server(beam) as server:
        result = await with_model(server).arun(FIBONACCI, name="f.smt2")
        assert result.verdict is Verdict.PROVED
        assert len(rounds) == 1 + asked_for, "one sample, and what the second round needed"
        assert all(said.startswith("Your reply could not be read") for said in rounds[2:])
        assert server.given_up == given_up, "the connections of the slow ones are closed"
        assert result.metrics["models"]["by_role"]["sketcher"].get("faults", 0) == good + 1, "it was sent back once"


RUN = """
import json, sys
from goedels_poetry import GoedelsPoetryFramework, Settings
with GoedelsPoetryFramework(Settings(**json.loads(sys.argv[1]))) as framework:
    print(framework.run(sys.argv[2], name="double.smt2").verdict)
"""


def test_after_kill_9_only_calls_that_were_in_flight_are_repeated(tmp_path: Path) -> None:
    def slow(asked: dict[str, Any]) -> Answer:
        answer = every_role(asked)
        return Answer(answer.text, delay=0.05)

    def settings(server: Server, home: str) -> dict[str, Any]:
        model = {"model": "scripted", "base_url": server.url, "retries": 0}
        limits = {"symbolic_queries": 0, "budgets": {"wall_seconds": 90}}
        return {"home": str(tmp_path / home), "models": {"default": model}, **limits}

    # every role is asked, and the solvers have little to do
    environment = dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parents[2])}

    def start(server: Server) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", RUN, json.dumps(settings(server, "cut")), DOUBLE]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    with Server(slow) as server, GoedelsPoetryFramework(Settings(**settings(server, "whole"))) as framework:
        assert framework.run(DOUBLE, name="double.smt2").verdict is Verdict.PROVED
        whole = [prompt_of(asked) for asked in server.requests]
    chance = random.Random(3)
    calls = chance.randrange(1, len(whole))
    with Server(slow) as server:
        process = start(server)
        while server.calls < calls and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.1)  # while replies come in, and after
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        process = start(server)
        assert process.communicate(timeout=100)[0].strip() == "proved"
        asked_again = Counter(map(prompt_of, server.requests)) - Counter(whole)
        assert asked_again.total() <= 3, "no beam here is wider, and one goal is worked on at a time"
