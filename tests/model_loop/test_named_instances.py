"""Instances that a model names, and those that go without saying: no quantifier, so that any solver confirms them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted_models import KeptLanguage, Server, WithModel, always, role_of

from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.language import SmtLanguage

GROWING = """
(declare-fun f (Int) Int)
(assert (forall ((n Int)) (=> (>= n 0) (> (f (+ n 1)) (f (f n))))))
(prove (forall ((n Int)) (=> (>= n 0) (= (f n) n))))
"""
ABOVE = "(sequent ((k Int) (n Int)) ((<= 0 k) (<= k n)) (>= (f n) k))"
STEP = "(sequent ((n Int)) ((>= n 0)) (> (f (+ n 1)) (f n)))"
AT_N = "(sequent ((n Int)) ((>= n 0)) (>= (f n) n))"
FURTHER = "(sequent ((d Int) (m Int)) ((<= 0 m) (>= d 1) (<= (f m) (f (+ m (- d 1))))) (<= (f m) (f (+ m d))))"


def goal(statement: str, *facts: str) -> Goal:
    return Goal(GROWING, {}, "0", statement, scope=tuple((f"step {i}", fact) for i, fact in enumerate(facts)))


async def test_instances_alone_answer_a_question_about_a_sketch(smt: SmtLanguage) -> None:
    """Neither lemma nor rule: whoever needs a fact at one point says so, whatever was asked for."""
    reply = {"lemmas": [], "instances": [{"of": "fact", "name": "F1", "at": {"k": "n", "n": "n"}}], "ground_only": True}
    read = await smt.read_sketch(goal(AT_N, ABOVE), reply)
    assert read.ok, read.reason
    assert read.value["sketch"]["strategy"] == "model-instances"
    done = await smt.verify_sketch(goal(AT_N, ABOVE), read.value["sketch"])
    assert done.ok, done.reason
    sketch = done.value["sketch"]
    assert sketch["children"] == [] and sketch["query"]["instances"] and not sketch["query"]["quantified"]


async def test_a_sketch_without_anything_is_still_told_so(smt: SmtLanguage) -> None:
    read = await smt.read_sketch(goal(AT_N, ABOVE), {"lemmas": [], "instances": []})
    assert not read.ok and "neither a new lemma nor an induction" in read.reason


@pytest.mark.parametrize(("statement", "fact"), [(AT_N, ABOVE), (FURTHER, STEP)])
async def test_a_query_that_did_not_stand_is_put_in_plain_instances(
    smt: SmtLanguage, statement: str, fact: str
) -> None:
    """No pattern of ``f n`` says what ``k`` is; the conclusion does. ``f (n + 1)`` is ``f (m + d)``."""
    done = await smt.correct(goal(statement, fact), {"query": {}}, None)
    assert done.ok, done.reason
    assert not done.value["candidate"]["query"]["quantified"]
    assert (await smt.verify(goal(statement, fact), done.value["candidate"])).ok


REMAINDER = """
(declare-datatypes ((Nat 0)) (((zero) (succ (p Nat)))))
(define-fun-rec lt ((x Nat) (y Nat)) Bool
  (match y ((zero false) ((succ z) (match x ((zero true) ((succ n) (lt n z))))))))
(define-fun-rec minus ((x Nat) (y Nat)) Nat
  (match x ((zero zero) ((succ z) (match y (((succ w) (minus z w)) (zero x)))))))
(define-fun-rec rem ((x Nat) (y Nat)) Nat
  (match y ((zero zero) ((succ z) (ite (lt x y) x (rem (minus x y) y))))))
(prove (forall ((x Nat) (y Nat)) (=> (distinct y zero) (lt (rem x y) y))))
"""
LESS = "(forall ((n Nat) (m Nat)) (=> (and (distinct m zero) (not (lt n m))) (< (size!Nat (minus n m)) (size!Nat n))))"


async def test_a_hypothesis_below_a_measure_does_not_wait_for_the_measure_not_to_be_negative(smt: SmtLanguage) -> None:
    """``0 <= size (minus x y)`` is a condition of the hypothesis, and nobody would name a fact for it."""
    reply = {
        "lemmas": [
            {"name": "less", "statement": LESS, "induction": {"on": ["n", "m"]}},
            "(forall ((n Nat) (m Nat)) (=> (not (lt n m)) (= (rem n m) (rem (minus n m) m))))",
            "(forall ((n Nat) (m Nat)) (=> (and (distinct m zero) (lt n m)) (= (rem n m) n)))",
        ],
        "induction": {"measure": "(size!Nat x)"},
        "instances": [
            {"of": "hypothesis", "at": {"x": "(minus x y)"}},
            {"of": "lemma", "name": "less", "at": ["x", "y"]},
            {"of": "lemma", "name": "1", "at": ["x", "y"]},
            {"of": "lemma", "name": "2", "at": ["x", "y"]},
        ],
    }
    asked = Goal(REMAINDER, {}, "0", "")
    read = await smt.read_sketch(asked, reply)
    assert read.ok, read.reason
    done = await smt.verify_sketch(asked, read.value["sketch"])
    assert done.ok, done.reason
    assert '"args": ["(minus x y)"]' in json.dumps(done.value["sketch"]), "an instance for the size of what is named"


async def test_it_is_told_where_an_equation_may_be_used(smt: SmtLanguage) -> None:
    """Of a function that was not shown to end; a lemma that is to hold elsewhere cannot be proved."""
    told = (await smt.describe(Goal(REMAINDER, {}, "0", "")))["definitions"]
    assert "proofs may use its equation only elsewhere, where each of its calls makes size!Nat(x) smaller" in told


async def test_a_model_is_not_asked_about_queries_of_the_search(
    with_model: WithModel, monkeypatch: pytest.MonkeyPatch, kept_language: KeptLanguage
) -> None:
    """What the search found and no solver confirms in time is its own affair: nobody else can read or mend it."""

    async def unconfirmed(goal: Goal, candidate: dict[str, Any]) -> Outcome:
        return Outcome(False, {"report": "unknown: rlimit"}, "not confirmed (unknown)")

    monkeypatch.setattr(kept_language, "verify", unconfirmed)
    with Server(always("I do not know.")) as server:
        framework = with_model(server, symbolic_queries=0, budgets={"wall_seconds": 60, "agent_steps": 6})
        await framework.arun("(prove (forall ((x Int)) (= x x)))", name="t.smt2")
        assert server.requests, "it is asked about the goal, as if nothing had been found"
        assert role_of(server.requests[0]) != "decider"
        told = [str(message["content"]) for asked in server.requests for message in asked["messages"]]
        assert not any('"quantified"' in text or "Rejected proof" in text for text in told)
