"""What `let` names once is read, compared, evaluated, proved, checked and printed once."""

import contextlib
import time
from pathlib import Path

import pytest

from goedels_poetry.checker import check_certificate, write_certificate, write_counterexample
from goedels_poetry.kernel.derivation import Derivation, Query, Step
from goedels_poetry.kernel.encoding import Encoding
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.refutation.evaluator import evaluate
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import (
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    alpha,
    distinct,
    integer,
    substitute,
    subterms,
    var,
)
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent, parse_term, show_sequent
from goedels_poetry.smt.rewriting.statements import replace_subterm
from goedels_poetry.solvers.limits import Limits

DEPTH = 60
TREE = "(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))"


def doubled(step: str, first: str, last: str, depth: int = DEPTH) -> str:
    """``Y`` in the step and in the last term is what comes before."""
    lets = "".join(f"(let ((y{i + 1} {step.replace('Y', f'y{i}')})) " for i in range(depth))
    return f"(let ((y0 {first})) {lets}{last.replace('Y', f'y{depth}')}{')' * (depth + 1)}"


QUANTIFIED = "(and (forall ((z Int)) (or Y (< z x))) (exists ((z Int)) (=> (< z x) Y)))"
NESTED = "(forall ((z Int)) (and (or Y (< z x)) (or Y (> z x))))"
OPEN = "(and (forall ((z Int)) (or Y (< z x))) (exists ((x Int)) (=> (< x 3) Y)))"
GOALS = {
    "integers": ("", "x Int", doubled("(+ Y Y)", "x", "(= (mod Y 2) 0)")),
    "bit-vectors": ("", "x (_ BitVec 8)", doubled("(bvadd Y Y)", "x", "(= Y #x00)", 16)),
    "trees": (TREE, "x T", doubled("(node Y Y)", "x", "(= (left Y) (right Y))")),
    "conjunctions": ("", "x Int", doubled("(and Y Y)", "(< x 1)", "(or Y (not Y))")),
    "connectives": ("", "x Int", doubled("(or (and Y (< x 2)) (not Y))", "(< x 1)", "(or Y (not Y))")),
    "branches": ("", "x Int", doubled("(ite (< Y 3) Y (- Y 1))", "x", "(= Y Y)")),
    "arrays": ("", "x (Array Int Int)", doubled("(store Y (select Y 1) (select Y 2))", "x", "(= Y Y)")),
    "a sort of one's own": (
        "(declare-sort U 0)(declare-fun g (U U) U)",
        "x U",
        doubled("(g Y Y)", "x", "(= (g Y Y) (g Y Y))"),
    ),
    "strange names": ("(declare-fun |_1| (Int Int) Int)", "_2 Int", doubled("(|_1| Y Y)", "_2", "(= Y Y)")),
}
READ = {
    **GOALS,
    "under quantifiers": ("", "x Int", doubled(QUANTIFIED, "(< x 1)", "(or Y (not Y))")),
    "nested quantifiers": ("", "x Int", doubled(NESTED, "(< x 1)", "(or Y (not Y))")),
    "variables bound again": ("", "x Int", doubled(OPEN, "(< x 1)", "(or Y (not Y))", 15)),
}


def problem_of(name: str) -> str:
    declared, binder, body = READ[name]
    return f"{declared}(prove (forall (({binder})) {body}))"


@pytest.mark.parametrize("name", READ)
def test_it_is_read_and_written_in_time_and_stays_the_same_term(name: str) -> None:
    began = time.monotonic()
    problem = parse_problem(problem_of(name))
    goal = problem.goal
    assert distinct(goal, 5_000) < 1_000
    text = show(goal)
    assert len(text) < 50_000
    assert parse_term(text, problem.signature) is goal
    assert alpha(goal) is alpha(parse_term(text, problem.signature))
    sequent = sequent_of(goal, problem.signature.names)
    assert parse_sequent(show_sequent(sequent), problem.signature) == sequent
    assert len(Encoding(problem.signature).text(goal)) < 50_000
    simplify(goal, problem.signature)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("name", GOALS)
def test_it_is_checked_in_time(tmp_path: Path, name: str) -> None:
    text = problem_of(name).encode()
    problem = parse_problem(text)
    proof = Derivation((Step("goal", sequent_of(problem.goal, problem.signature.names), Query()),))
    began = time.monotonic()
    report = check_certificate(write_certificate(text, proof, tmp_path / "c"), text, limits=Limits(seconds=10))
    assert report.verdict is Verdict.PROVED, report
    assert len(report.statement) < 50_000
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    ("step", "first", "last", "expected"),
    [
        ("(+ Y Y)", "x", f"(= Y {2**DEPTH})", TRUE),
        ("(and Y Y)", "(< x 1)", "Y", FALSE),
        ("(ite (< Y 3) (+ Y 1) (- Y 1))", "x", "(= Y 7)", FALSE),
    ],
)
def test_it_is_evaluated_in_time(step: str, first: str, last: str, expected: Term) -> None:
    problem = parse_problem(f"(prove (forall ((x Int)) {doubled(step, first, last)}))")
    goal = sequent_of(problem.goal)
    began = time.monotonic()
    assert evaluate(goal.concl, {goal.vars[0]: 1}, problem.signature) is expected.value
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("sort", "step", "last"),
    [
        ("Int", "(+ Y Y)", "(not (= Y 0))"),
        ("Int", "(ite (< Y 3) Y (- Y 1))", "(< Y 1)"),
        ("(_ BitVec 8)", "(bvadd Y x)", "(= Y #x01)"),
    ],
)
def test_a_counterexample_to_it_is_confirmed_in_time(tmp_path: Path, sort: str, step: str, last: str) -> None:
    text = f"(prove (forall ((x {sort})) {doubled(step, 'x', last)}))".encode()
    value = 1 if "ite" in step else 0
    began = time.monotonic()
    report = check_certificate(write_counterexample(text, {"x": value}, tmp_path / "c"), text)
    assert report.verdict is Verdict.REFUTED, report
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("step", [QUANTIFIED, NESTED, "(and (or Y (< x 5)) (exists ((z Int)) (or Y (= z x))))"])
def test_what_would_take_too_long_to_evaluate_is_undecided_in_time(step: str) -> None:
    problem = parse_problem(f"(prove (forall ((x Int)) {doubled(step, '(< x 1)', 'Y')}))")
    goal = sequent_of(problem.goal)
    began = time.monotonic()
    with contextlib.suppress(Undecided):
        evaluate(goal.concl, {goal.vars[0]: 1}, problem.signature)
    assert time.monotonic() - began < 20


def test_what_is_undecided_is_asked_once() -> None:
    problem = parse_problem(f"(prove (forall ((x Int)) {doubled('(or (and Y (< x 9)) Y)', '(= (div x 0) 1)', 'Y')}))")
    goal = sequent_of(problem.goal)
    began = time.monotonic()
    with pytest.raises(Undecided):
        evaluate(goal.concl, {goal.vars[0]: 1}, problem.signature)
    assert time.monotonic() - began < 5


def test_replacing_goes_through_shared_parts_once() -> None:
    problem = parse_problem(f"(prove (forall ((x Int)) {doubled(QUANTIFIED, '(< x 1)', '(or Y (not Y))')}))")
    goal = sequent_of(problem.goal).concl
    x = next(iter(goal.free))
    began = time.monotonic()
    z = var("z", INT)  # which is bound inside, so that all of these get other names
    renamed = substitute(goal, {x: z})
    assert renamed.free == {z}
    assert substitute(renamed, {z: x}).free == {x}
    atom = next(t for t in subterms(goal) if t.kind is Kind.APP and t.name == "<")
    assert replace_subterm(goal, atom, FALSE) is not goal
    assert substitute(goal, {x: integer(1)}).free == frozenset()
    assert time.monotonic() - began < 5


def test_calls_that_were_not_decided_do_not_count_as_being_under_way() -> None:
    """500 of them, one after another, where 400 within each other are the limit without much fuel."""
    bad = " ".join(f"(> (bad {n}) 0)" for n in range(1, 501))
    problem = parse_problem(
        "(define-fun-rec bad ((n Int)) Int (div n 0))\n(define-fun-rec good ((n Int)) Int (+ n 1))\n"
        f"(prove (or {bad} (> (good 1) 0)))"
    )
    assert evaluate(problem.goal, {}, problem.signature) is True
