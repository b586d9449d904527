"""Premises that are proved from the definitions, one after the other."""

from dataclasses import replace

from goedels_poetry.checker.smt.jobs import derivation_of
from goedels_poetry.kernel.terms import and_
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.search.falsify import proof_of

ARITHMETIC = """
(declare-datatypes ((Nat 0)) (((zero) (succ (p Nat)))))
(define-fun-rec plus ((x Nat) (y Nat)) Nat (match x ((zero y) ((succ z) (succ (plus z y))))))
(define-fun-rec times ((x Nat) (y Nat)) Nat (match x ((zero zero) ((succ z) (plus y (times z y))))))
(assert (! (forall ((x Nat) (y Nat)) (= (times x y) (times y x))) :named a1))
(assert (! (forall ((x Nat) (y Nat)) (= (plus x y) (plus y x))) :named a2))
(assert (! (forall ((x Nat)) (= (plus x zero) x)) :named a3))
(prove (forall ((x Nat)) (= (times x zero) zero)))
"""


def test_a_premise_that_follows_from_what_an_earlier_one_took_comes_with_the_steps_of_that() -> None:
    problem = problem_of(ARITHMETIC)
    steps = proof_of(problem, problem.premises, 0)
    assert steps is not None
    bare = replace(problem, premises=(), goal=and_([premise.formula for premise in problem.premises]))
    assert derivation_of(bare, steps).steps  # which refuses a step that cites what was not proved before it
