"""Goals about loops: the first state becomes any state that keeps an invariant, and the invariant is found."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.smt.conjecture.loops import loop_statements
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (= i 0) e (nth r (- i 1)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec place ((i Int) (x L) (n Int)) Int
  (match x (((more e r) (ite (= e n) i (place (+ i 1) r n))) (none (- 1)))))
(define-fun-rec bisect ((x L) (n Int) (low Int) (high Int)) Int (ite (<= low high)
  (let ((m (div (+ low high) 2))) (ite (= (nth x m) n) m
    (ite (< (nth x m) n) (bisect x n (+ m 1) high) (bisect x n low (- m 1))))) (- 1)))
"""
NUMBERS = """
(define-fun-rec add ((i Int) (n Int) (t Int)) Int (ite (< i n) (add (+ i 1) n (+ t i)) t))
(define-fun-rec root ((n Int) (r Int)) Int (ite (<= (* (+ r 1) (+ r 1)) n) (root n (+ r 1)) r))
(define-fun-rec fib ((n Int)) Int (ite (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(define-fun-rec walk ((i Int) (n Int) (a Int) (b Int)) Int (ite (< i n) (walk (+ i 1) n b (+ a b)) a))
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (add 1 (+ n 1) 0)) (* n (+ n 1))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (* 2 (add 0 n 0)) (* n (- n 1))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0)"
        " (and (<= (* (root n 0) (root n 0)) n) (< n (* (+ (root n 0) 1) (+ (root n 0) 1)))))))",
        f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) (= (walk 0 n 0 1) (fib n)))))",
        f"{LISTS}(prove (forall ((x L) (n Int)) (= (= (place 0 x n) (- 1)) (not (has n x)))))",
        f"{LISTS}(prove (forall ((x L) (n Int)) (let ((r (bisect x n 0 (- (len x) 1))))"
        " (and (<= (- 1) r) (< r (len x)) (or (= r (- 1)) (= (nth x r) n))))))",
    ],
    ids=["sum to n", "sum below n", "integer root", "Fibonacci", "first place", "binary search"],
)
def test_a_goal_about_the_first_state_follows_from_an_invariant(theorem: str) -> None:
    sketch = sketched(theorem)
    assert "'strategy': 'loop-invariant'" in str(sketch) and is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "claim",
    [
        "(forall ((x L) (y L) (n Int)) (= (+ (count 0 x n) (count 0 y n)) (count 0 (join x y) n)))",
        "(forall ((x L) (y L) (n Int)) (= (sift none (join x y) n) (join (sift none x n) (sift none y n))))",
    ],
)
def test_what_a_loop_adds_to_its_beginning_is_told_apart_from_it(claim: str) -> None:
    theorem = f"""{LISTS}
    (define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
    (define-fun-rec count ((t Int) (x L) (n Int)) Int
      (match x ((none t) ((more e r) (count (ite (= e n) (+ t 1) t) r n)))))
    (define-fun-rec sift ((k L) (x L) (n Int)) L
      (match x ((none k) ((more e r) (sift (ite (= e n) k (join k (more e none))) r n)))))
    (prove {claim})"""
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "claim",
    ["(= (* 2 (add 1 n 0)) (* n (+ n 1)))", "(= (walk 0 n 0 1) (fib (+ n 1)))", "(< n (* (root n 0) (root n 0)))"],
)
def test_nothing_is_found_for_what_is_false(claim: str) -> None:
    context = ProverContext(problem_of(f"{NUMBERS}(prove (forall ((n Int)) (=> (>= n 0) {claim})))"))
    found = [s for s in loop_statements(context, root_sequent(context.problem)) if s.proof(context) is not None]
    usable = [
        s
        for s in found
        for q in s.queries(context, root_sequent(context.problem))
        if context.holds(root_sequent(context.problem), q, 30_000, extra={q.cites[0]: s.general})
    ]
    context.close()
    assert usable == []
