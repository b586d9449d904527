"""Functions on datatypes as integer arithmetic, and functions whose termination is a theorem of its own."""

from __future__ import annotations

from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.arithmetic.guarded import open_guards
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs import symbolic as jobs
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.termination.measured import with_measures

BITS = """
(declare-datatypes ((B 0)) (((top) (even (upper B)) (odd (above B)))))
(define-fun-rec step ((x B)) B (match x ((top (even top)) ((even u) (odd u)) ((odd u) (even (step u))))))
(define-fun-rec add ((x B) (y B)) B
  (match x ((top (step y))
    ((even a) (match y ((top (step x)) ((even b) (even (add a b))) ((odd b) (odd (add a b))))))
    ((odd a) (match y ((top (step x)) ((even b) (odd (add a b))) ((odd b) (even (step (add a b))))))))))
"""
LISTS = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec upto ((n Int) (x L)) L
  (ite (<= n 0) none (match x ((none none) ((more e r) (more e (upto (- n 1) r)))))))
(define-fun-rec after ((n Int) (x L)) L (ite (<= n 0) x (match x ((none none) ((more e r) (after (- n 1) r))))))
(define-fun-rec meld ((x L) (y L)) L
  (match x ((none y) ((more a r) (match y ((none x) ((more b s)
    (ite (<= a b) (more a (meld r y)) (more b (meld x s))))))))))
(define-fun-rec sort ((x L)) L
  (match x ((none none) ((more a r) (match r ((none x) ((more b s)
    (meld (sort (upto (div (len x) 2) x)) (sort (after (div (len x) 2) x))))))))))
"""


def test_an_equation_of_binary_numbers_is_one_of_integers() -> None:
    goal = "(forall ((x B) (y B) (z B)) (= (add (add x y) z) (add x (add y z))))"
    found = jobs.sketch({"theorem": f"{BITS}(prove {goal})", "statement": "", "seed": 0, "seconds": 60})
    sketch: dict[str, Any] = found["value"]["sketch"]
    assert sketch["strategy"] == "interpretation"


def opened(functions: str) -> tuple[dict[str, list[str]], list[str]]:
    """The measures that are chosen, and what is proved of the functions with measures."""
    problem = with_measures(problem_of(f"{functions}(prove true)"))
    context = ProverContext(problem)
    try:
        facts = [show(fact.formula) for fact in open_guards(context, Library(context).establish)]
    finally:
        context.close()
    return {name: [show(t) for t in terms] for name, terms in problem.measures.items()}, facts


def test_merge_sort_can_be_unfolded_since_halves_are_shorter() -> None:
    measures, facts = opened(LISTS)
    assert measures == {"sort": ["(size!L x)"]}
    assert any("(sort (more x_first (more" in fact and fact.startswith("(forall") for fact in facts)
