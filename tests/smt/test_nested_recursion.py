"""Termination of functions that recurse on the result of a recursive call."""

from __future__ import annotations

import pytest

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.termination import Nested
from goedels_poetry.kernel.terms import INT, var
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.termination.search import Termination, terminations_by_solver


def decided(definition: str) -> Termination:
    problem = parse_problem(f"{definition}\n(prove (= (f 0) (f 0)))")
    return terminations_by_solver(Context(problem)).groups[-1]


def test_mccarthys_function_terminates_because_its_results_are_bounded_below() -> None:
    found = decided("(define-fun-rec f ((n Int)) Int (ite (> n 100) (- n 10) (f (f (+ n 11)))))")
    assert found.ok
    assert found.method == "nested"
    assert isinstance(found.evidence, Nested)
    assert show(found.evidence.bound(var("result", INT), (var("n", INT),))) == "(>= result (+ n (- 10)))"


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
