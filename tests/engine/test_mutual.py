"""Goals about functions that call each other: one induction for what is said of all of them."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.smt.conjecture.mutual import together
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

FORMULAS = """
(declare-sort A 0)(declare-fun v (A) Bool)
(declare-datatype F ((atom (named A)) (non (of F)) (both (one F) (two F)) (either (left F) (right F))))
(define-fun-rec sat ((f F)) Bool (match f (((atom a) (v a)) ((non g) (not (sat g)))
  ((both g h) (and (sat g) (sat h))) ((either g h) (or (sat g) (sat h))))))
"""
NORMAL = """
(define-funs-rec ((pos ((f F)) F) (neg ((f F)) F)) (
  (match f (((atom a) f) ((non g) (neg g)) ((both g h) (both (pos g) (pos h))) ((either g h) (either (pos g) (pos h)))))
  (match f (((atom a) (non f)) ((non g) (pos g)) ((both g h) (DUAL (neg g) (neg h)))
    ((either g h) (both (neg g) (neg h)))))))
"""
RIGHT, WRONG = FORMULAS + NORMAL.replace("DUAL", "either"), FORMULAS + NORMAL.replace("DUAL", "both")
KEEPS = "(prove (forall ((f0 F)) (= (sat (pos f0)) (sat f0))))"
"""The variable is called as those of guesses are."""
THREE = """
(declare-datatype N ((zero) (next (pred N))))
(define-funs-rec ((a ((n N)) Int) (b ((n N)) Int) (c ((n N)) Int)) (
  (match n ((zero 0) ((next m) (+ 1 (b m))))) (match n ((zero 0) ((next m) (+ 1 (c m)))))
  (match n ((zero 0) ((next m) (+ 1 (a m)))))))
(define-fun-rec size ((n N)) Int (match n ((zero 0) ((next m) (+ 1 (size m))))))
(prove (forall ((n N)) (= (a n) (size n))))
"""


@pytest.mark.parametrize("theorem", [RIGHT + KEEPS, THREE], ids=["two functions", "three functions"])
def test_a_goal_about_one_of_them_is_proved_with_what_its_induction_lacks_of_the_others(theorem: str) -> None:
    found = sketched(theorem)
    assert found["strategy"] == "mutual-induction"
    assert is_complete(found)


def test_a_conjunction_is_proved_by_one_induction_where_no_part_can_be_proved_alone() -> None:
    parts = "(= (sat (pos f)) (sat f)) (= (sat (neg f)) (not (sat f)))"
    found = sketched(f"{RIGHT}(prove (forall ((f F)) (and {parts})))", banned=["mutual-induction"])
    assert found["strategy"] == "structural-induction"
    assert is_complete(found)


def test_a_law_that_is_false_is_not_said_of_the_others() -> None:
    problem = problem_of(WRONG + KEEPS)
    context, sequent = ProverContext(problem), root_sequent(problem)
    assert all(context.refutes(guess) is None for guess in together(context, sequent))
    assert job("judge", WRONG + KEEPS)["value"]["verdict"] == "refuted"


def test_variables_of_the_goal_and_of_a_law_are_told_apart() -> None:
    problem = problem_of(f"{RIGHT}(prove (forall ((f0 Int) (f F)) (= (ite (sat (pos f)) f0 0) (ite (sat f) f0 0))))")
    context, sequent = ProverContext(problem), root_sequent(problem)
    laws = list(together(context, sequent))
    assert [{(v.name, v.sort.name) for v in law.vars} for law in laws] == [{("f0", "Int"), ("f", "F")}]
