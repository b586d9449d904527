"""Loops over numbers that begin at a constant: the start moves outside, and the goal recurs where the loop goes on."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.starts import plans_along, scalings, start_laws
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

POWER = "(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))"
TIMES = "(define-fun-rec times ((b Int) (n Int)) Int (ite (<= n 0) 0 (+ b (times b (- n 1)))))"
DIGITS = "(define-fun-rec digits ((k Int) (n Int)) Int (ite (>= n 10) (digits (+ k 1) (div n 10)) k))"
HALVED = """(define-fun-rec halved ((b Int) (n Int) (r Int)) Int
  (ite (> n 0) (halved (* b b) (div n 2) (ite (= (mod n 2) 1) (* r b) r)) r))"""
DOUBLED = """(define-fun-rec doubled ((b Int) (n Int) (r Int)) Int
  (ite (> n 0) (doubled (+ b b) (div n 2) (ite (= (mod n 2) 1) (+ r b) r)) r))"""
CAPPED = """(define-fun-rec capped ((k Int) (n Int)) Int
  (ite (> n 0) (capped (ite (< k 9) (+ k 1) k) (- n 1)) k))"""
HALVES = f"{POWER}{HALVED}(prove (forall ((b Int) (n Int)) (=> (>= n 0) (= (halved b n 1) (power b n)))))"
DOUBLES = f"{TIMES}{DOUBLED}(prove (forall ((b Int) (n Int)) (=> (>= n 0) (= (doubled b n 0) (times b n)))))"
COUNTS = f"{POWER}{DIGITS}(prove (forall ((n Int)) (=> (>= n 0) (< n (power 10 (digits 1 n))))))"


def found(theorem: str, laws) -> list:
    problem = problem_of(theorem)
    context = ProverContext(problem)
    try:
        return list(laws(context, root_sequent(problem)))
    finally:
        context.close()


@pytest.mark.parametrize("theorem", [HALVES, DOUBLES, COUNTS], ids=["squares", "doubles", "digits"])
def test_what_a_loop_comes_to_that_begins_at_a_constant_is_proved(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def plans(context: ProverContext, sequent: Sequent) -> list[bool]:
    """Plans for the goal along its loop, with all that is known of it, and whether they are complete."""
    library = Library(context)
    for start in start_laws(context, sequent):
        assert library.attempt(start.law) and library.establish(start.at_first, start.proof)
    for law in scalings(context, sequent):
        library.attempt(law)
    return [plan.complete for plan in plans_along(context, sequent, None)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("wrong", ["(power b (+ n 1))", "(power b (* 2 n))", "(+ 1 (power b n))", "(* b (power b n))"])
def test_what_a_loop_does_not_come_to_has_no_proof_along_it_whatever_is_known_of_it(wrong: str) -> None:
    assert found(HALVES, plans) == [True]
    assert found(HALVES.replace("(power b n))))", f"{wrong})))"), plans) == []


@pytest.mark.parametrize(
    ("theorem", "law"),
    [
        (HALVES, "(= (halved b0 n0 (* out0 ins0)) (* out0 (halved b0 n0 ins0)))"),
        (DOUBLES, "(= (doubled b0 n0 (+ out0 ins0)) (+ out0 (doubled b0 n0 ins0)))"),
        (COUNTS, "(= (digits (+ out0 ins0) n0) (+ out0 (digits ins0 n0)))"),
    ],
    ids=["squares", "doubles", "digits"],
)
def test_the_start_moves_outside_as_it_is_put_together_with_what_is_added(theorem: str, law: str) -> None:
    (start,) = found(theorem, start_laws)
    assert show(start.law.concl) == law


def test_no_law_is_made_up_for_a_start_that_decides_what_is_added() -> None:
    assert found(f"{CAPPED}(prove (forall ((n Int)) (>= (capped 0 n) 0)))", start_laws) == []


def test_a_specification_is_looked_at_where_the_loop_goes_on() -> None:
    assert [show(law.concl) for law in found(HALVES, scalings)] == ["(= (power (* b0 b0) n0) (power b0 (* 2 n0)))"]
    thirds = HALVES.replace("(div n 2)", "(div n 3)")
    assert found(thirds, scalings) == [], "the square of a power has twice the exponent and not three times"
