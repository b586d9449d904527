"""What is left to do as a variable, sums that begin anywhere, and numbers inside of results."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

LISTS = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
"""
MACHINE = f"""{LISTS}
(declare-datatypes ((E 0)) (((number (value Int)) (plus (left E) (right E)))))
(define-fun-rec worth ((e E)) Int (match e (((number n) n) ((plus a b) (+ (worth a) (worth b))))))
(declare-datatypes ((I 0)) (((push (pushed Int)) (add))))
(declare-datatypes ((C 0)) (((done) (do (now I) (later C)))))
(define-fun-rec then ((x C) (y C)) C (match x ((done y) ((do i r) (do i (then r y))))))
(define-fun-rec code ((e E)) C
  (match e (((number n) (do (push n) done)) ((plus a b) (then (code a) (then (code b) (do add done)))))))
(define-fun-rec run ((c C) (s L)) L
  (match c ((done s) ((do i r) (match i (((push n) (run r (more n s)))
    (add (ite (or ((_ is none) s) ((_ is none) (rest s))) none
      (run r (more (+ (first s) (first (rest s))) (rest (rest s))))))))))))
"""
DIGITS = "(define-fun-rec digits ((n Int) (t Int)) Int (ite (> n 0) (digits (div n 10) (+ t (mod n 10))) t))"
RUNS = f"""{LISTS}
(declare-datatypes ((P 0)) (((pair (item Int) (times Int)))))
(declare-datatypes ((R 0)) (((nothing) (run (head P) (tail R)))))
(define-fun-rec again ((v Int) (n Int)) L (ite (<= n 0) none (more v (again v (- n 1)))))
(define-fun-rec decode ((r R)) L
  (match r ((nothing none) ((run p q) (join (again (item p) (times p)) (decode q))))))
(define-fun-rec encode ((x L)) R
  (match x ((none nothing) ((more e r)
    (ite (and ((_ is run) (encode r)) (= (item (head (encode r))) e))
      (run (pair e (+ (times (head (encode r))) 1)) (tail (encode r))) (run (pair e 1) (encode r)))))))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "strategy"),
    [
        (f"{MACHINE}(prove (forall ((e E)) (= (run (code e) none) (more (worth e) none))))", "loop-invariant"),
        (f"{DIGITS}(prove (forall ((n Int)) (=> (>= n 0) (<= (digits n 0) n))))", "loop-accumulator"),
        (f"{RUNS}(prove (forall ((x L)) (= (decode (encode x)) x)))", "strengthening"),
    ],
    ids=["a machine that runs what was compiled", "a sum that is bounded", "runs that are coded and decoded"],
)
def test_a_goal_about_the_first_state_follows_from_one_about_any(theorem: str, strategy: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"] == strategy
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_a_machine_that_adds_wrongly_is_not_proved() -> None:
    wrong = MACHINE.replace("(+ (first s) (first (rest s)))", "(first s)")
    answer = job("sketch", f"{wrong}(prove (forall ((e E)) (= (run (code e) none) (more (worth e) none))))", seconds=2)
    assert not answer["ok"] or not is_complete(answer["value"]["sketch"])
