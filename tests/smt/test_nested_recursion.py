"""Termination of functions that recurse on the result of a recursive call."""

from __future__ import annotations

import pytest

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.wellfounded import Termination, termination
from goedels_poetry.solvers import Limits, Z3Process


def decided(definition: str) -> Termination:
    problem = parse_problem(f"{definition}\n(prove (= (f 0) (f 0)))")
    context = Context(problem)
    with Z3Process() as z3:

        def prove(sequent: Sequent) -> bool:
            script = context.script_of(sequent, Query(equations=False), {})
            return z3.ask(script, Limits(rlimit=2_000_000, seconds=5.0)).status == "unsat"

        return termination(problem.signature, prove)[-1]


def test_mccarthys_function_terminates_because_its_results_are_bounded_below() -> None:
    found = decided("(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 11)))))")
    assert found.ok
    assert found.method == "measure"
    assert "result" in found.detail


@pytest.mark.parametrize(
    "definition",
    [
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 10)))))",  # 91 calls itself at 91
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 11) (f (f (+ n 11)))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) n (f (f n))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (+ 1 (f (f (f (+ n 11)))))))",
        "(define-fun-rec f ((n Int)) Int (f (f (+ n 11))))",
        "(define-fun-rec f ((n Int)) Int (ite (> (f n) 100) (- n 10) (f (f (+ n 11)))))",
        "(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (ite (= (f n) 0) n (f (+ n 11))))))",
    ],
)
def test_nested_recursion_that_does_not_end_is_not_accepted(definition: str) -> None:
    found = decided(definition)
    assert not found.ok
    assert found.reason
