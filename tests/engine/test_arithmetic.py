"""Goals about functions of numbers, of every kind that the strategies are for; each is closed at the first sketch."""

from __future__ import annotations

import pytest
from searches import is_complete, job

POWERS = """
(define-fun-rec two ((n Int)) Int (ite (<= n 0) 1 (* 2 (two (- n 1)))))
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec fast ((b Int) (n Int)) Int
  (ite (<= n 0) 1 (ite (= (mod n 2) 0) (* (fast b (div n 2)) (fast b (div n 2))) (* b (fast b (- n 1))))))
(define-fun-rec double ((a Int) (n Int)) Int
  (ite (<= n 0) 0 (ite (= (mod n 2) 0) (double (+ a a) (div n 2)) (+ a (double (+ a a) (div n 2))))))
(define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
(define-fun-rec log ((n Int)) Int (ite (<= n 1) 0 (+ 1 (log (div n 2)))))
"""
ACKERMANN = """
(define-fun-rec ack ((m Int) (n Int)) Int
  (ite (<= m 0) (+ n 1) (ite (<= n 0) (ack (- m 1) 1) (ack (- m 1) (ack m (- n 1))))))
"""
PARITY = """
(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool))
  ((ite (<= n 0) true (od (- n 1))) (ite (<= n 0) false (ev (- n 1)))))
(define-fun-rec fib ((n Int)) Int (ite (<= n 0) 0 (ite (= n 1) 1 (+ (fib (- n 1)) (fib (- n 2))))))
"""
ARRAYS = """
(define-fun-rec total ((a (Array Int Int)) (l Int) (h Int)) Int
  (ite (>= l h) 0 (+ (total a l (- h 1)) (select a (- h 1)))))
(define-fun-rec up ((a (Array Int Int)) (l Int) (h Int)) Int (ite (>= l h) 0 (+ (select a l) (up a (+ l 1) h))))
"""
BITS = """
(define-fun-rec times ((n Int) (x (_ BitVec 16))) (_ BitVec 16) (ite (<= n 0) #x0000 (bvadd x (times (- n 1) x))))
"""


@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 4) (> (fact n) (two n)))))", "numeric-lemma"),
        (f"{POWERS}(prove (forall ((a Int) (n Int)) (=> (>= n 0) (= (double a n) (* a n)))))", "recursion-induction"),
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 1) (<= (two (log n)) n))))", "recursion-induction"),
        (
            f"{POWERS}(prove (forall ((n Int)) (=> (>= n 0) (exists ((k Int)) (and (>= k 0) (> (two k) n))))))",
            "witness",
        ),
        (f"{POWERS}(prove (forall ((n Int)) (=> (>= n 2) (= (mod (fact n) 2) 0))))", "recursion-induction"),
        (f"{ACKERMANN}(prove (forall ((n Int)) (=> (>= n 0) (= (ack 2 n) (+ (* 2 n) 3)))))", "equations-from-data"),
        (f"{PARITY}(prove (forall ((n Int)) (=> (>= n 0) (= (= (mod (fib n) 2) 0) (= (mod n 3) 0)))))", ""),
        (f"{PARITY}(prove (forall ((n Int)) (=> (>= n 0) (ev (* n (+ n 1))))))", ""),
        (
            f"{PARITY}(prove (forall ((n Int)) (=> (and (>= n 0) (od n)) (exists ((k Int)) (= n (+ (* 2 k) 1))))))",
            "witness",
        ),
        ("(prove (forall ((n Int)) (=> (>= n 0) (= (mod (- (* n n n) n) 6) 0))))", "integer-induction"),
        (
            f"{ARRAYS}(prove (forall ((a (Array Int Int)) (l Int) (h Int))(=> (<= l h) (= (total a l h) (up a l h)))))",
            "lemma-from-failed-step",
        ),
        (
            f"{ARRAYS}(prove (forall ((a (Array Int Int)) (h Int) (i Int) (j Int))"
            "(=> (<= 0 i) (< i h) (<= 0 j) (< j h)"
            "(= (total (store (store a i (select a j)) j (select a i)) 0 h) (total a 0 h)))))",
            "numeric-lemma",
        ),
        (
            f"{BITS}(prove (forall ((n Int) (x (_ BitVec 16)) (y (_ BitVec 16)))"
            "(=> (>= n 0) (= (times n (bvadd x y)) (bvadd (times n x) (times n y))))))",
            "recursion-induction",
        ),
    ],
)
@pytest.mark.sample(3)
def test_a_goal_about_numbers_is_closed(theorem: str, strategy: str) -> None:
    found = job("sketch", theorem)
    assert found["ok"], found["reason"]
    sketch = found["value"]["sketch"]
    assert sketch["strategy"].startswith(strategy)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
