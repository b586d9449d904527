"""Defining equations by constructor cases; each follows from its definition (z3 says so)."""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from named_texts import tables

from goedels_poetry.kernel.equations import Equation, equations, simplify
from goedels_poetry.kernel.printer import declarations, show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, app, eq, forall, implies, substitute, var
from goedels_poetry.smt.notation.text import parse_problem, parse_term

TABLES = tables(__file__)

PRELUDE = """
(declare-datatypes ((Nat 0)) (((Z) (S (p Nat)))))
(declare-datatypes ((list 0)) (((nil) (cons (head Int) (tail list)))))
(declare-datatypes ((R 0)) (((Nil) (Eps) (Plus (left R) (right R)) (Star (inner R)))))
(declare-datatypes ((One 0)) (((one (value Int)))))
"""


def shown(definitions: str, name: str) -> list[str]:
    signature = parse_problem(PRELUDE + definitions + "(prove true)").signature
    return [f"{show(e.lhs)} = {show(e.rhs)}" for e in equations(signature) if e.function == name]


def test_nested_cases_split_again() -> None:
    assert shown(
        "(define-fun-rec le ((x Nat) (y Nat)) Bool"
        " (match x ((Z true) ((S a) (match y ((Z false) ((S b) (le a b))))))))",
        "le",
    ) == ["(le Z y) = true", "(le (S x1) Z) = false", "(le (S x1) (S y1)) = (le x1 y1)"]


def test_a_default_case_becomes_one_equation_a_constructor() -> None:
    assert shown(
        "(define-fun-rec eps ((x R)) Bool (match x ((Eps true) ((Plus a b) (or (eps a) (eps b))) (_ false))))", "eps"
    ) == [
        "(eps Nil) = false",
        "(eps Eps) = true",
        "(eps (Plus x1 x2)) = (or (eps x1) (eps x2))",
        "(eps (Star x3)) = false",
    ]


def test_cases_inside_a_boolean_body() -> None:
    assert shown("(define-fun f ((x list) (b Bool)) Bool (and ((_ is cons) x) (or b (= (head x) 1))))", "f") == [
        "(f nil b) = false",
        "(f (cons x_head x1) b) = (or b (= x_head 1))",
        "(f x b) = (and ((_ is cons) x) (or b (= (head x) 1)))",  # what does not recur is unfolded anywhere
    ]


def test_fresh_names_stay_clear_of_symbols() -> None:
    (_, second, _) = shown("(declare-const x1 Nat)(define-fun f ((x Nat)) Nat (match x ((Z x1) ((S y) y))))", "f")
    assert second == "(f (S x2)) = x2"


MANY = """
(define-fun-rec app ((x list) (y list)) list (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec le ((x Nat) (y Nat)) Bool (match x ((Z true) ((S a) (match y ((Z false) ((S b) (le a b))))))))
(define-fun-rec half ((x Nat)) Nat (match x ((Z Z) ((S Z) Z) ((S (S y)) (S (half y))))))
(define-fun plus ((x R) (y R)) R (match x ((Nil y) (_ (match y ((Nil x) (_ (Plus x y))))))))
(define-fun-rec eps ((x R)) Bool (match x ((Eps true) ((Plus a b) (or (eps a) (eps b))) (_ false))))
(define-fun pred ((x Nat)) Nat (p x))
(define-fun all ((x list)) Bool (forall ((y Int)) (=> ((_ is cons) x) (< y (head x)))))
(define-fun odd ((x One) (y Nat)) Bool (ite (not (or (= y Z) ((_ is one) x))) true (=> (= (p y) Z) (= x (one 3)))))
"""


def z3(script: str) -> list[str]:
    binary = shutil.which("z3", path=str(Path(sys.executable).parent))
    if binary is None:
        pytest.skip("the z3 wheel has no binary here")
    return subprocess.run([binary, "-in", "-T:60"], input=script, capture_output=True, text=True).stdout.split("\n")


def from_its_definition(equation: Equation, signature: Signature) -> str:
    """The definition at the equation's arguments implies it, by datatype reasoning alone."""
    definition = signature.definition(equation.function)
    assert definition is not None
    at = dict(zip(definition.params, equation.lhs.args, strict=True))
    unfolded = eq(equation.lhs, substitute(definition.body, at))
    return show(forall(tuple(equation.lhs.free), implies(unfolded, app("=", (equation.lhs, equation.rhs), BOOL))))


def test_every_equation_follows_from_its_definition() -> None:
    signature = parse_problem(PRELUDE + MANY + "(prove true)").signature
    found = equations(signature)
    lines = list(declarations(signature))
    for equation in found:
        goal = from_its_definition(equation, signature)
        lines += ["(push)", f"(assert (not {goal}))", "(check-sat)", "(pop)"]
    assert len(found) > 20
    assert z3("\n".join(lines))[: len(found)] == ["unsat"] * len(found)


@pytest.mark.parametrize(("before", "after"), TABLES["test_simplification"])
def test_simplification(before: str, after: str) -> None:
    signature = parse_problem(PRELUDE + "(prove true)").signature
    sorts = {d.sort.name: d.sort for d in signature.datatypes}
    number = parse_term("1", signature).sort
    variables = (var("xs", sorts["list"]), var("m", sorts["Nat"]), var("o", sorts["One"]), var("n", number))
    assert show(simplify(parse_term(before, signature, variables), signature)) == after


ATOMS = ["(= x nil)", "((_ is cons) x)", "(= (tail x) x)", "(= (head x) n)", "(= n 1)", "(= x (cons n y))", "b", "true"]


def formula(chance: Random, depth: int = 3) -> str:
    head = chance.choice(["and", "or", "not", "=>", "=", "ite", "atom"]) if depth else "atom"
    if head == "atom":
        return chance.choice(ATOMS)
    number = {"not": 1, "ite": 3}.get(head, 2)
    return f"({head} {' '.join(formula(chance, depth - 1) for _ in range(number))})"


@settings(max_examples=20)
@given(st.integers(min_value=0))
def test_simplification_gives_equivalent_formulas(seed: int) -> None:
    chance = Random(seed)  # hypothesis would take most of the time for drawing formulas piece by piece
    texts = [formula(chance) for _ in range(100)]
    signature = parse_problem(PRELUDE + "(prove true)").signature
    of = {d.sort.name: d.sort for d in signature.datatypes}
    number = parse_term("1", signature).sort
    variables = (var("x", of["list"]), var("y", of["list"]), var("n", number), var("b", BOOL))
    lines = list(declarations(signature))
    for text in texts:
        term = parse_term(text, signature, variables)
        claim = forall(variables, eq(term, simplify(term, signature)))
        lines += ["(push)", f"(assert {show(app('not', (claim,), BOOL))})", "(check-sat)", "(pop)"]
    assert z3("\n".join(lines))[: len(texts)] == ["unsat"] * len(texts)
