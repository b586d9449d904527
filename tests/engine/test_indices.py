"""Loops along a list by an index: laws of one more element in front, and of one step of the index."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.conjecture.indices import shift_laws, step_laws
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(declare-datatype Maybe ((nothing) (just (value Int))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (<= i 0) e (nth r (- i 1)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec below ((x L) (t Int)) Bool (match x ((none true) ((more e r) (and (< e t) (below r t))))))
(define-fun-rec sum ((x L)) Int (match x ((none 0) ((more e r) (+ e (sum r))))))
(define-fun-rec take ((x L) (n Int)) L
  (match x ((none none) ((more e r) (ite (<= n 0) none (more e (take r (- n 1))))))))
"""
FIND = """(define-fun-rec find ((i Int) (x L) (t Int)) Int
  (ite (< i (len x)) (ite (= (nth x i) t) i (find (+ i 1) x t)) (- 1)))"""
ABOVE = """(define-fun-rec above ((i Int) (x L) (t Int)) Maybe
  (ite (< i (len x)) (ite (>= (nth x i) t) (just i) (above (+ i 1) x t)) nothing))"""
BOUND = """(define-fun-rec bound ((i Int) (x L) (t Int)) Int
  (ite (and (< i (len x)) (< (nth x i) t)) (bound (+ i 1) x t) i))"""
TOTAL = """(define-fun-rec total ((i Int) (s Int) (x L) (k Int)) Int
  (ite (< i k) (total (+ i 1) (+ s (nth x i)) x k) s))"""
WEIGHTED = """(define-fun-rec weighted ((i Int) (s Int) (x L)) Int
  (ite (< i (len x)) (weighted (+ i 1) (+ s (* i (nth x i))) x) s))"""


def laws_of(theorem: str, laws=shift_laws) -> list[str]:
    problem = problem_of(theorem)
    context = ProverContext(problem)
    try:
        return [show(law.formula) for law in laws(context, root_sequent(problem))]
    finally:
        context.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}{FIND}(prove (forall ((x L) (t Int)) (or (>= (find 0 x t) 0) (not (has t x)))))",
        f"{LISTS}{ABOVE}(prove (forall ((x L) (t Int)) (=> (= (above 0 x t) nothing) (below x t))))",
        f"{LISTS}{BOUND}(prove (forall ((x L) (t Int)) (below (take x (bound 0 x t)) t)))",
        f"""{LISTS}{TOTAL}(prove (forall ((x L) (k Int))
          (=> (and (<= 0 k) (<= k (len x))) (= (total 0 0 x k) (sum (take x k))))))""",
    ],
    ids=["an index or -1", "an index or nothing", "the part before the index", "a sum of the part"],
)
def test_what_a_loop_finds_out_by_an_index_is_proved_of_the_list(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_an_index_that_is_found_moves_along_and_none_that_is_not() -> None:
    (law,) = laws_of(f"{LISTS}{FIND}(prove (forall ((x L) (t Int)) (>= (find 0 x t) (- 1))))")
    assert "(=> (>= i0 1)" in law and "(ite (< (find" in law and law.count("(+ (find") == 1


def test_no_law_is_made_up_for_a_loop_whose_result_depends_on_where_an_element_stands() -> None:
    assert laws_of(f"{LISTS}{WEIGHTED}(prove (forall ((x L)) (= (weighted 0 0 x) (weighted 0 0 x))))") == []


def test_a_step_of_an_index_adds_an_element_to_the_part_before_it() -> None:
    theorem = f"{LISTS}{BOUND}(prove (forall ((x L) (t Int)) (below (take x (bound 0 x t)) t)))"
    (law,) = laws_of(theorem, step_laws)
    assert "(nth" in law and "(take" in law and "(<= " in law
