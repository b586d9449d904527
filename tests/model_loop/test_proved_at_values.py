"""Refutations by a model where a hypothesis, a premise or the negated conclusion is proved at its values."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import Server
from scripted_models import WithModel, fenced

from goedels_poetry import Verdict
from goedels_poetry.protocol.base import Goal, Outcome
from goedels_poetry.smt.language import SmtLanguage


async def confirmed(smt: SmtLanguage, theorem: str, at: Any, statement: str = "") -> Outcome:
    goal = Goal(theorem, {}, "0", statement)
    found = await smt.read_sketch(goal, {"refuted": {"at": at}})
    assert found.ok, found.reason
    return await smt.confirm_refutation(goal, found.value["refutation"])


FALLING = """
(declare-fun f (Int) Int)
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ (f n) (sum (- n 1)))))
(prove (forall ((n Int)) (=> (and (>= n 9) (> (f 1) 0) (forall ((k Int)) (>= (f (+ k 1)) (- (f k) 1)))) (> (sum n) n))))
"""
RISING = """
(define-fun-rec sum ((a (Array Int Int)) (n Int)) Int (ite (<= n 0) 0 (+ (select a (- n 1)) (sum a (- n 1)))))
(prove (forall ((a (Array Int Int)) (n Int))
  (=> (and (>= n 1) (forall ((i Int)) (=> (>= i 0) (>= (select a (+ i 1)) (select a i)))))
      (<= (* n (select a 0)) (* 2 (sum a n))))))
"""
BOUNDED = """
(declare-fun f (Int) Int)
(declare-const c Int)
(define-fun-rec iter ((n Int) (x Int)) Int (ite (<= n 0) x (iter (- n 1) (f x))))
(assert (forall ((n Int) (x Int)) (=> (> x 5) (> (iter n x) 5))))
(assert (forall ((x Int)) (=> (> x c) (> (f x) c))))
(prove (forall ((x Int)) (=> (forall ((y Int)) (=> (>= y x) (>= (f y) x))) (> (f c) c))))
"""
FALLING_GOAL = "(sequent ((n Int)) ((> (f 1) 0) (forall ((k Int)) (>= (f (+ k 1)) (- (f k) 1)))) (> (sum n) (- n)))"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "at"),
    [
        pytest.param(RISING, {"a": "((as const (Array Int Int)) (- 1))", "n": "1"}, id="of an array"),
        pytest.param(
            BOUNDED,
            {"f": "(lambda ((x Int)) x)", "c": "7"},
            id="of a declared function and a constant, beside a premise",
        ),
    ],
)
async def test_a_refutation_that_is_proved_at_the_values_has_a_certificate(
    with_model: WithModel, theorem: str, at: Any
) -> None:
    with Server(lambda asked: fenced({"refuted": {"at": at}})) as server:
        result = await with_model(server, model_first=True).arun(theorem, name="proved_at_values.smt2")
    assert result.verdict is Verdict.REFUTED, result.reason
    assert result.certificate is not None and result.trust_level in ("L2", "L3")
    assert result.metrics["models"]["calls"] == 1


async def test_a_hypothesis_about_all_integers_is_proved_at_the_values(smt: SmtLanguage) -> None:
    at = {"n": "9", "f": "(lambda ((k Int)) (- 2 k))"}
    root = await confirmed(smt, FALLING, at)
    assert root.value["detail"]["reason"].startswith("false for n = 9, f = fun k. 2 - k"), root.reason
    subgoal = await confirmed(smt, FALLING, at, FALLING_GOAL)
    assert subgoal.value["refuted"]["values"]["n"] == "9", subgoal.reason


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"n": "9", "f": "(lambda ((k Int)) (ite (> k 1000) (- (* 2 k)) (- 2 k)))"}, "undecided whether H3 holds"),
        ({"n": "9", "f": "(lambda ((k Int)) 2)"}, "the goal holds"),
        ({"n": "9", "f": "(lambda ((k Int)) (ite (= k 1) 1 (* k k k k (- 1000))))"}, "H3"),
    ],
)
async def test_a_hypothesis_about_all_integers_that_is_not_proved_refutes_nothing(
    smt: SmtLanguage, at: Any, words: str
) -> None:
    done = await confirmed(smt, FALLING, at)
    assert not done.ok
    assert words in done.reason
    assert not {"refuted", "open"} & done.value.keys()


async def test_a_conclusion_that_something_exists_is_denied_by_proof(smt: SmtLanguage) -> None:
    theorem = "(define-fun-rec d ((n Int)) Int (ite (<= n 0) 0 (+ 2 (d (- n 1)))))"
    theorem += "(prove (forall ((m Int)) (exists ((n Int)) (and (>= n 0) (< (* 2 n) m)))))"
    done = await confirmed(smt, theorem, {"m": "0"})
    assert done.value["detail"]["reason"] == "false for m = 0", done.reason
    assert done.value["detail"]["refuted_by"] == "negation"
