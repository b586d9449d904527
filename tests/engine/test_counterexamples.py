"""False goals of many kinds are refuted, with small values; true goals never are."""

from __future__ import annotations

from typing import Any

import pytest

from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.smt.jobs import symbolic as jobs
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.refutation.narrow import Narrowing
from goedels_poetry.smt.refutation.refute import Refuter, interpretation

NAT = """
(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((next a) (next (plus a y))))))
(define-fun-rec times ((x N) (y N)) N (match x ((zero zero) ((next a) (plus y (times a y))))))
(define-fun-rec odd_times ((x N) (y N)) N
  (match x ((zero zero) ((next a) (match a ((zero y) ((next b) (plus y (times a y)))))))))
"""
LIST = """
(declare-datatypes ((L 0)) (((empty) (link (first Int) (rest L)))))
(define-fun-rec size ((x L)) Int (match x ((empty 0) ((link h t) (+ 1 (size t))))))
(define-fun-rec rising ((x L)) Bool
  (match x ((empty true) ((link a t) (match t ((empty true) ((link b u) (and (< a b) (rising t)))))))))
(define-fun-rec within ((x L) (n Int)) Bool
  (match x ((empty true) ((link a t) (and (<= 0 a) (< a n) (within t n))))))
(define-fun-rec get ((x L) (n Int)) Int (match x ((empty (- 1)) ((link a t) (ite (= n 0) a (get t (- n 1)))))))
(define-fun-rec ring ((x L) (n Int) (m Int)) Bool
  (ite (<= n 0) (distinct (get x 0) (get x m)) (and (distinct (get x n) (get x (- n 1))) (ring x (- n 1) m))))
"""
WORD = """
(declare-datatypes ((B 0)) (((open) (close))))
(declare-datatypes ((W 0)) (((stop) (sign (b B) (w W)))))
(define-fun-rec balanced ((x W) (n Int)) Bool (match x ((stop (= n 0)) ((sign s r) (match s
  ((open (balanced r (+ n 1))) (close (and (> n 0) (balanced r (- n 1))))))))))
(define-fun-rec long ((x W)) Int (match x ((stop 0) ((sign s r) (+ 1 (long r))))))
"""
HEAP = """
(declare-datatypes ((T 0)) (((leaf) (node (left T) (key Int) (right T)))))
(define-fun-rec heap ((t T)) Bool (match t ((leaf true) ((node l k r) (and
  (match l ((leaf true) ((node a b c) (<= k b)))) (match r ((leaf true) ((node a b c) (<= k b)))) (heap l) (heap r))))))
(define-fun-rec merge ((s T) (t T)) T (match s ((leaf t) ((node a b c) (match t ((leaf s) ((node d e f)
  (ite (<= b e) (node (merge c t) b a) (node (merge f s) e d)))))))))
"""


def judged(theorem: str) -> dict[str, Any]:
    result: dict[str, Any] = jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]
    return result


REFUTED = {
    "a sparse hypothesis, at the end of a long list": (
        f"{LIST}(prove (forall ((x L)) (=> (and (rising x) (within x 6)) (< (size x) 6))))",
        {"x": "(link 0 (link 1 (link 2 (link 3 (link 4 (link 5 empty))))))"},
    ),
    "a colouring that exists": (
        f"{LIST}(prove (forall ((x L)) (not (and (within x 3) (= (size x) 9) (ring x 8 8)))))",
        None,
    ),
    "a word with many signs": (
        f"{WORD}(prove (forall ((x W)) (=> (balanced x 0) (< (long x) 10))))",
        None,
    ),
    "two heaps": (
        f"{HEAP}(prove (forall ((s T) (t T)) (=> (and (heap s) (heap t)) (= (merge s t) (merge t s)))))",
        None,
    ),
    "bit vectors": (
        "(prove (forall ((x (_ BitVec 32))) (=> (bvult #x00000010 x) (bvult #x00000010 (bvmul x #x00000010)))))",
        None,
    ),
    "a far number": ("(prove (forall ((n Int)) (distinct (* n n) 1522756)))", None),
    "an inner quantifier": ("(prove (forall ((n Int)) (exists ((m Int)) (and (> m 0) (< m 5) (= n (* 2 m))))))", None),
    "premises that are theorems": (
        f"{NAT}(assert (forall ((x N) (y N)) (= (plus x y) (plus y x))))"
        "(assert (forall ((x N) (y N) (z N)) (= (plus x (plus y z)) (plus (plus x y) z))))"
        "(prove (forall ((x N) (y N)) (= (times x y) (odd_times x (plus y y)))))",
        {"x": "(next zero)", "y": "(next zero)"},
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", REFUTED)
def test_a_false_goal_is_refuted(kind: str) -> None:
    theorem, values = REFUTED[kind]
    found = judged(theorem)
    assert found["verdict"] == "refuted"
    assert values is None or found["counterexample"]["values"] == values


TRUE = {
    "a ring of odd length has no colouring with two": (
        f"{LIST}(prove (forall ((x L)) (not (and (within x 2) (= (size x) 9) (ring x 8 8)))))"
    ),
    "a balanced word has even length": f"{WORD}(prove (forall ((x W)) (=> (balanced x 0) (= (mod (long x) 2) 0))))",
    "merging heaps gives a heap": (
        f"{HEAP}(prove (forall ((s T) (t T)) (=> (and (heap s) (heap t)) (heap (merge s t)))))"
    ),
    "few numbers rise": f"{LIST}(prove (forall ((x L)) (=> (and (rising x) (within x 4)) (<= (size x) 4))))",
    "products commute": f"{NAT}(prove (forall ((x N) (y N)) (= (times x y) (times y x))))",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("goal", TRUE)
def test_narrowing_refutes_no_true_goal(goal: str) -> None:
    problem = parse_problem(TRUE[goal])
    evaluator = Evaluator(problem.signature, (), interpret=interpretation(problem, 0), fuel=20_000)
    search = Narrowing(sequent_of(problem.goal, problem.signature.names), Refuter(problem.signature, evaluator))
    assert search.run(150_000) is None


def test_premises_that_cannot_be_proved_are_not_passed_over() -> None:
    """The values make the goal false, but nobody knows whether the premise holds."""
    premise = "(assert (forall ((x N) (y N)) (= (times x (next y)) (odd_times x y))))"
    assert judged(f"{NAT}{premise}(prove (forall ((x N)) (= x zero)))")["verdict"] != "refuted"


LOOP = "(define-fun-rec down ((n Int)) Int (ite (= n 0) 0 (+ 1 (down (- n 1)))))"


def test_a_call_that_does_not_end_refutes_nothing() -> None:
    assert judged(f"{LOOP}(prove (= (down (- 1)) 7))")["verdict"] != "refuted"
    assert judged(f"{LOOP}(prove (forall ((n Int)) (=> (< n 0) (= (down n) 7))))")["verdict"] != "refuted"
