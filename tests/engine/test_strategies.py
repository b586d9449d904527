"""Each strategy of the symbolic sketcher closes the kind of goal that it is for, and no false goal is closed."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

NAT = """
(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((next a) (next (plus a y))))))
(define-fun-rec minus ((x N) (y N)) N
  (match x ((zero zero) ((next a) (match y ((zero x) ((next b) (minus a b))))))))
(define-fun-rec half ((x N)) N
  (match x ((zero zero) ((next a) (match a ((zero zero) ((next b) (next (half b)))))))))
"""
SEQ = """
(declare-sort E 0)
(declare-datatypes ((S 0)) (((none) (more (first E) (rest S)))))
(define-fun-rec join ((x S) (y S)) S (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec back ((x S)) S (match x ((none none) ((more e r) (join (back r) (more e none))))))
(define-fun-rec turn ((x S) (y S)) S (match x ((none y) ((more e r) (turn r (more e y))))))
"""
INT = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (<= n 0) 0 (ite (= n 1) 1 (+ (fib (- n 1)) (fib (- n 2))))))
(define-fun-rec fib_from ((n Int) (a Int) (b Int)) Int (ite (<= n 0) a (fib_from (- n 1) b (+ a b))))
(define-fun-rec common ((a Int) (b Int)) Int
  (ite (or (<= a 0) (<= b 0)) 0 (ite (= a b) a (ite (> a b) (common (- a b) b) (common a (- b a))))))
"""


@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{NAT}(prove (forall ((x N)) (= (plus x zero) x)))", "structural-induction"),
        (f"{NAT}(prove (forall ((x N) (y N)) (= (minus x (plus x y)) zero)))", "structural-induction"),
        (f"{NAT}(prove (forall ((x N)) (= (half (plus x x)) x)))", "interpretation"),
        (f"{NAT}(prove (forall ((x N) (y N)) (= (minus (plus x y) y) x)))", "interpretation"),
        (f"{SEQ}(prove (forall ((x S)) (= (back (back x)) x)))", "lemma-from-failed-step"),
        (f"{SEQ}(prove (forall ((x S)) (= (turn x none) (back x))))", ""),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1))))))", "recursion-induction"),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 4) (>= (power 2 n) (* n n)))))", "integer-induction"),
        (
            f"{INT}(prove (forall ((a Int) (b Int)) (=> (and (> a 0) (> b 0)) (= (common a b) (common b a)))))",
            "recursion-induction",
        ),
        (f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (fib_from n 0 1) (fib n)))))", "strengthening"),
    ],
)
def test_a_strategy_closes_the_goals_it_is_for(theorem: str, strategy: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"].startswith(strategy)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{NAT}(prove (forall ((x N) (y N)) (= (minus x y) (minus y x))))",
        f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n n)))))",
        f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (= (fib_from n 1 1) (fib n)))))",
    ],
)
def test_no_plan_for_a_false_goal_is_complete(theorem: str) -> None:
    banned: list[str] = []
    for _ in range(2):
        found = job("sketch", theorem, banned=banned, seconds=2)
        if not found["ok"]:
            break
        assert not is_complete(found["value"]["sketch"])
        banned.append(found["value"]["sketch"]["fingerprint"])
    judged = job("judge", theorem)["value"]
    assert judged["verdict"] == "refuted"
    assert judged["counterexample"]["values"]


def test_a_counterexample_is_the_simplest_that_was_found() -> None:
    judged = job("judge", f"{INT}(prove (forall ((n Int)) (=> (>= n 0) (<= (fib n) 54))))")["value"]
    assert judged["counterexample"]["values"] == {"n": "10"}


def test_contradictory_premises_are_named_and_no_others() -> None:
    theorem = """
    (declare-const x Int)
    (assert (! (> x 3) :named large))
    (assert (! (> x 0) :named idle))
    (assert (! (< x 2) :named small))
    (prove (= x 7))
    """
    judged = job("judge", theorem)["value"]
    assert judged["verdict"] == "inconsistent"
    assert [line.split()[0] for line in judged["core"]] == ["large", "small"]
