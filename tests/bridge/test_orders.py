"""Inductions along functions whose end only the certificate's own sizes show become inductions in Lean."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.inductions import RecursionInduction, SizeInduction
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.sizes import Bound, Sizes
from goedels_poetry.kernel.terms import BOOL, app
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.smt_proofs.export import Exported, export, opened
from goedels_poetry.smt.notation.proof_json import derivation_to_json

LISTS = """(set-logic ALL)
(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(declare-datatypes ((T 0)) (((leaf) (node (lt T) (rt T)))))
(define-fun-rec cat ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (cat t y))))))
(define-funs-rec ((ev ((x L)) L) (od ((x L)) L))
  ((match x ((nil nil) ((cons h t) (cons h (od t))))) (match x ((nil nil) ((cons h t) (ev t))))))
(define-fun-rec up ((x L)) L (match x ((nil nil) ((cons h t) (cons (+ h 1000) (up t))))))
"""
HALVES = {"ev": {"arguments": [0], "spare": 0}, "od": {"arguments": [0], "spare": 0}}
KNOWN = [
    {"functions": ["cat"], "components": [{"size": {"cat": [0]}}]},
    {"functions": ["ev", "od"], "components": [{"size": {"ev": [0], "od": [0]}}]},
    {"functions": ["up"], "components": [{"size": {"up": [0]}}]},
]


def by(*components: dict[str, Any]) -> list[dict[str, Any]]:
    return [*KNOWN, {"functions": ["f"], "components": list(components)}]


CASES: dict[str, tuple[str, str, list[dict[str, Any]], dict[str, Any]]] = {
    "halves of a list, by two functions that call each other": (
        """(define-fun-rec f ((x L)) L (match x ((nil nil) ((cons h t)
             (match t ((nil nil) ((cons i u) (cat (f (ev x)) (f (od x))))))))))""",
        "(forall ((a L)) (= (f a) nil))",
        by({"size": {"f": [0]}}),
        HALVES,
    ),
    "elements that grow, which Lean's own size counts": (
        "(define-fun-rec f ((x L)) L (match x ((nil nil) ((cons h t) (f (up t))))))",
        "(forall ((a L)) (= (f a) nil))",
        by({"size": {"f": [0]}}),
        {"up": {"arguments": [0], "spare": 0}},
    ),
    "one list or the other, one size after the other": (
        """(define-fun-rec f ((x L) (y L)) L (match x ((nil nil) ((cons h t) (match y ((nil nil) ((cons i u)
             (ite (< h i) (f (up t) (cons i y)) (f x u)))))))))""",
        "(forall ((a L) (b L)) (= (f a b) nil))",
        by({"size": {"f": [0]}}, {"size": {"f": [1]}}),
        {"up": {"arguments": [0], "spare": 0}},
    ),
    "trees that are turned, fields that count twice": (
        """(define-fun-rec f ((x T)) T (match x ((leaf leaf) ((node l r)
             (match l ((leaf (f r)) ((node a b) (f (node a (node b r))))))))))""",
        "(forall ((a T)) (= (f a) leaf))",
        by({"size": {"f": [0]}, "twice": [["node", 0]]}),
        {},
    ),
    "a number that falls to another": (
        "(define-fun-rec f ((n Int) (k Int)) Int (ite (and (< k n) (<= 0 k)) (f (- n 1) k) 0))",
        "(forall ((a Int) (b Int)) (= (f a b) 0))",
        by({"measure": {"f": "(- n k)"}, "falls": [0]}),
        {},
    ),
}


def proof(text: str, scheme: Any, termination: Any, bounds: dict[str, Any]) -> dict[str, Any]:
    """The goal by one scheme, whose cases are left to solvers."""
    problem = parse_problem(text.encode())
    goal = sequent_of(problem.goal)
    known = {name: Bound(tuple(bound["arguments"]), bound["spare"]) for name, bound in bounds.items()}
    sizes = Sizes(problem.signature, known, frozenset(known))
    cases = instances(goal, scheme, problem.signature, sizes)
    steps = [Step(str(number), case, Query()) for number, case in enumerate(cases, 1)]
    steps.append(Step("goal", goal, ByScheme(scheme, tuple(step.id for step in steps))))
    shown = {**derivation_to_json(Derivation(tuple(steps))), "termination": termination}
    return {**shown, "bounds": bounds} if bounds else shown


def exported(lean: LeanPool, text: str, evidence: dict[str, Any]) -> Exported:
    return asyncio.run(export(text.encode(), evidence, lean))


def theorem(definition: str, goal: str) -> str:
    return f"{LISTS}{definition}\n(assert (not {goal}))\n(check-sat)\n"


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(1)
def test_an_induction_along_a_function_that_ends_by(name: str, lean: LeanPool) -> None:
    definition, goal, termination, bounds = CASES[name]
    text = theorem(definition, goal)
    variables = sequent_of(parse_problem(text.encode()).goal).vars
    found = exported(lean, text, proof(text, RecursionInduction("f", variables), termination, bounds))
    assert found.text is not None, found
    assert "sorry" not in found.text
    assert "theorem _along_" in found.text or "fun_induction" in found.text


@pytest.mark.whole("test_an_induction_along_a_function_that_ends_by")
def test_an_induction_on_size_counts_constructors_and_no_numbers(lean: LeanPool) -> None:
    definition, goal, termination, bounds = CASES["elements that grow, which Lean's own size counts"]
    text = theorem(definition, goal)
    (a,) = sequent_of(parse_problem(text.encode()).goal).vars
    smaller = app("up", (app("tl", (a,), a.sort),), a.sort)
    scheme = SizeInduction(("a",), ((app("is", (a,), BOOL, ("cons",)), smaller),))
    found = exported(lean, text, proof(text, scheme, termination, bounds))
    assert found.text is not None, found
    assert "theorem _size_" in found.text and "sorry" not in found.text


def test_a_bound_on_results_that_is_wrong_is_not_used() -> None:
    text = theorem(
        "(define-fun-rec f ((x L)) L (match x ((nil nil) ((cons h t) (f (cat t t))))))",
        "(forall ((a L)) (= (f a) nil))",
    )
    variables = sequent_of(parse_problem(text.encode()).goal).vars
    wrong = {"cat": {"arguments": [0], "spare": 0}}
    with pytest.raises(BadProof):
        opened(text.encode(), proof(text, RecursionInduction("f", variables), by({"size": {"f": [0]}}), wrong))


def test_what_all_values_have_is_said_of_the_variables(lean: LeanPool) -> None:
    has = "(define-fun-rec has ((e Int) (x L)) Bool (match x ((nil false) ((cons h t) (or (= e h) (has e t))))))"
    text = theorem(has, "(forall ((h Int) (t L)) (=> (forall ((e Int)) (= (has e nil) (has e (cons h t)))) (= t nil)))")
    goal = sequent_of(parse_problem(text.encode()).goal)
    shown = derivation_to_json(Derivation((Step("goal", goal, Query()),)))
    ends = [*KNOWN, {"functions": ["has"], "components": [{"size": {"has": [1]}}]}]
    found = exported(lean, text, {**shown, "termination": ends})
    assert found.text is not None, found
