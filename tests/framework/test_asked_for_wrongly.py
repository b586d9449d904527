"""What a caller gets wrong in Python is told by name: a run that is none, an option that is none, a missing key."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_language import ToyLanguage, theorem

from goedels_poetry import GoedelsPoetryFramework, Outcome, Settings, Verdict, agent
from goedels_poetry.errors import UnknownRun

HOPELESS = {"proof": None, "exhausted": True}
EASY = "(declare-const p Bool)(prove (or p (not p)))"


@pytest.fixture
def framework(tmp_path: Path) -> Iterator[GoedelsPoetryFramework]:
    with GoedelsPoetryFramework(Settings(home=tmp_path, use_memory=False)) as made:
        yield made


def test_a_result_names_its_run_and_anything_else_is_told_what_does(framework: GoedelsPoetryFramework) -> None:
    result = framework.run(EASY, name="easy.smt2")
    assert framework.page(result) == framework.page(result.run_id)
    assert str(framework.tree(result)) == str(framework.tree(result.run_id))
    assert framework.get_state(framework.runs()[0].run_id).values["verdict"] == "proved"
    for foreign in (object(), None, 3, Path("run")):
        with pytest.raises(UnknownRun, match=r"is no run: give its id, a RunResult, or the config of a snapshot"):
            framework.page(foreign)  # type: ignore[arg-type]
    for config in ({}, {"configurable": {}}, {"configurable": 3}, {"configurable": {"thread_id": 3}}):
        with pytest.raises(UnknownRun, match=r"configurable\.thread_id"):
            framework.get_state(config)
    with pytest.raises(UnknownRun, match="has no run"):
        framework.page(framework.run("(assert", name="broken.smt2"))


def test_a_misspelt_option_is_refused_and_the_right_one_named(framework: GoedelsPoetryFramework) -> None:
    result = framework.run(EASY, name="easy.smt2", options={"asume_definitions": True})
    assert (result.verdict, result.run_id) == (Verdict.INVALID, "")
    assert result.reason == "options: there is no `asume_definitions` (there are theorem, assume_definitions)"
    assert framework.run(EASY, name="easy.smt2", options={"assume_definitions": True}).verdict is Verdict.PROVED


def test_goals_in_a_queue_that_nobody_serves_name_the_agent_that_sent_them_there(tmp_path: Path) -> None:
    @agent(queue="retrieve", name="doorman")
    async def doorman(node: Any, deps: Any) -> Any:
        return lambda txn: txn.put(replace(node, queue="waiting room")) and "sent on"

    given = Settings(home=tmp_path, use_memory=False)
    with GoedelsPoetryFramework(given, language=ToyLanguage(), agents=[doorman]) as framework:
        result = framework.run(theorem(goals={"T": HOPELESS}), name="t.toy")
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == "no agent serves the queue waiting room, where doorman has sent goal 0"


def test_an_outcome_without_what_it_should_have_says_which_key_is_missing(tmp_path: Path) -> None:
    class Careless(ToyLanguage):
        async def verify(self, goal: Any, candidate: Any) -> Outcome:
            return Outcome(True, {})

    given = Settings(home=tmp_path, use_memory=False)
    with GoedelsPoetryFramework(given, language=Careless()) as framework:
        result = framework.run(theorem(), name="t.toy")
        with framework.open_store(result.run_id) as store:
            said = json.dumps([event.reason for event in store.events()])
    assert result.verdict is not Verdict.PROVED
    assert "the value of an Outcome lacks `proof`" in said and "KeyError: 'proof'" not in said


def test_an_outcome_is_data_like_any() -> None:
    outcome = Outcome(True, {"proof": [1]})
    for same in (copy.deepcopy(outcome), pickle.loads(pickle.dumps(outcome)), replace(outcome)):
        assert same == outcome and same.value["proof"] == [1] and same.value.get("other") is None
    assert json.loads(json.dumps(outcome.value)) == {"proof": [1]}
