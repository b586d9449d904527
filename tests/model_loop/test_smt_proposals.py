"""What a model writes about an SMT goal is read by our parser only, and taken for no more than it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from scripted_models import REVERSE, REVERSE_SKETCH

from goedels_poetry.protocol.base import Goal
from goedels_poetry.smt.language import SmtLanguage

GOAL = Goal(REVERSE, {}, "0", "")
LEMMA = REVERSE_SKETCH["lemmas"][0]["statement"]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def smt() -> AsyncIterator[SmtLanguage]:
    language = SmtLanguage()
    yield language
    await language.aclose()


async def test_a_fingerprint_is_taken_from_the_lemmas_and_the_rule_whatever_they_are_called(smt: SmtLanguage) -> None:
    async def fingerprint(**proposal: Any) -> str:
        found = await smt.read_sketch(GOAL, proposal)
        assert found.ok, found.reason
        return str(found.value["sketch"]["fingerprint"])

    one = await fingerprint(lemmas=[LEMMA], why="first")
    renamed = LEMMA.replace("x", "p").replace("y", "q").replace("emptq", "empty")
    assert one == await fingerprint(lemmas=[{"statement": renamed}], why="quite another idea", strategy="new")
    other = "(forall ((x List)) (= (append x empty) x))"
    two = await fingerprint(lemmas=[LEMMA, other])
    assert two == await fingerprint(lemmas=[other, LEMMA]) != one
    assert one != await fingerprint(lemmas=[LEMMA], induction={"on": ["xs"]})


async def test_a_sketch_is_completed_by_the_symbolic_engine(smt: SmtLanguage) -> None:
    sketch = (await smt.read_sketch(GOAL, REVERSE_SKETCH)).value["sketch"]
    assert sketch["deterministic"] is False
    done = await smt.verify_sketch(GOAL, sketch)
    assert done.ok, done.reason
    whole = done.value["sketch"]
    assert whole["fingerprint"] == sketch["fingerprint"]
    lemma, main = whole["children"]
    assert "sketch" not in lemma, "the lemma is a goal like any other"
    assert "candidate" not in lemma
    assert main["waits_for"] == [0]


async def test_lemmas_are_proved_at_once_from_the_earlier_ones_where_one_induction_does_it(smt: SmtLanguage) -> None:
    nothing = "(forall ((x List)) (= (append x empty) x))"
    associative = "(forall ((x List) (y List) (z List)) (= (append (append x y) z) (append x (append y z))))"
    idle = "(forall ((x List)) (= (append (append x empty) (append x empty)) (append x x)))"
    sketch = (await smt.read_sketch(GOAL, {"lemmas": [idle, nothing, associative, LEMMA]})).value["sketch"]
    said = [child["waits_for"] for child in sketch["children"]]
    assert said == [[], [0], [0, 1], [0, 1, 2]], "all earlier ones, unless it says"
    whole = (await smt.verify_sketch(GOAL, sketch)).value["sketch"]
    assert all("sketch" in child for child in whole["children"])
    assert [child["waits_for"] for child in whole["children"]] == [[], [], [0, 1], [2]], "what nobody cites is left out"


async def test_a_false_lemma_is_refuted_with_a_counterexample(smt: SmtLanguage) -> None:
    wrong = "(forall ((x List) (y List)) (= (append x y) (append y x)))"
    sketch = (await smt.read_sketch(GOAL, {"lemmas": [wrong]})).value["sketch"]
    found = await smt.verify_sketch(GOAL, sketch)
    assert not found.ok
    assert found.value["refuted_child"] == 0
    assert found.value["counterexample"]["values"]


async def test_lemmas_that_do_not_give_the_goal_are_rejected_with_the_case_that_stays_open(smt: SmtLanguage) -> None:
    proposal = {"lemmas": ["(forall ((x List)) (= (append x empty) x))"], "induction": "xs"}
    sketch = (await smt.read_sketch(GOAL, proposal)).value["sketch"]
    found = await smt.verify_sketch(GOAL, sketch)
    assert not found.ok
    assert "cases stay open" in found.reason
    assert "(reverse (reverse (cons" in found.value["report"]
    sketch = (await smt.read_sketch(GOAL, proposal | {"leave_open": True})).value["sketch"]
    assert (await smt.verify_sketch(GOAL, sketch)).ok


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("ACCEPT", "not JSON"),
        ("[1, 2]", "object"),
        ({"lemmas": []}, "neither"),
        ({"lemmas": "true"}, "list"),
        ({"lemmas": [7]}, "text"),
        ({"lemmas": ["sorry"]}, "sorry"),
        ({"lemmas": ["(check-sat)"]}, "check-sat"),
        ({"lemmas": ["true) (assert false"]}, ""),
        ({"lemmas": ["(append xs xs)"]}, ""),
        ({"lemmas": ["(= ys ys)"]}, "ys"),
        ({"lemmas": ["(forall ((xs List)) (= (reverse (reverse xs)) xs))"]}, "goal itself"),
        ({"lemmas": ["(forall ((q List)) (= (reverse (reverse q)) q))"]}, "goal itself"),
        ({"lemmas": ["(" * 5000 + ")" * 5000]}, ""),
        ({"lemmas": ["true"] * 50}, "at most"),
        ({"lemmas": ["x" * 30_000]}, "characters"),
        ({"lemmas": [], "induction": {"on": ["zs"]}}, "variables of the goal are xs"),
        ({"lemmas": [], "induction": 7}, "induction"),
        ({"lemmas": [], "witness": ["xs"]}, "existential"),
        ({"lemmas": [], "cases": "(reverse xs)"}, ""),
    ],
)
async def test_what_cannot_be_used_is_refused_with_a_reason(smt: SmtLanguage, reply: Any, words: str) -> None:
    found = await smt.read_sketch(GOAL, reply)
    assert not found.ok
    assert words in found.reason
    assert found.reason


async def test_instances_close_a_goal_without_quantified_facts(smt: SmtLanguage) -> None:
    goal = Goal(REVERSE, {}, "0.0_0000", "(sequent () () (= (reverse empty) empty))")
    proposal = {"instances": [{"of": "definition", "name": "reverse", "at": ["empty"]}], "ground_only": True}
    found = await smt.read_candidate(goal, proposal)
    assert (await smt.verify(goal, found.value["candidate"])).ok


async def test_a_search_within_a_number_of_queries_is_the_same_each_time(smt: SmtLanguage) -> None:
    few = await smt.sketch_within(GOAL, 3, leave_open=False)
    assert few.exhausted
    assert few.cost["solver_calls"] <= 4
    found = [await smt.sketch_within(GOAL, 300, leave_open=False) for _ in range(2)]
    assert found[0].ok
    assert found[0].value == found[1].value
