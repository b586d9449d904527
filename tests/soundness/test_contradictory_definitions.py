"""Definitions that contradict themselves: whatever is claimed, the theorem is about nothing, and they are named."""

import json
from pathlib import Path

import pytest

from goedels_poetry.checker import CheckReport, TrustLevel, check_certificate, write_certificate, write_counterexample
from goedels_poetry.checker.certificate.writing import report_from_json, report_to_json
from goedels_poetry.checker.smt.check import definition_lines
from goedels_poetry.kernel.derivation import Derivation, Instance, Query, Step
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import integer
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.program.smt2 import read_smt2
from goedels_poetry.questions.query_runner import SolverPair
from goedels_poetry.smt.notation.text import parse_problem, parse_term

ENDLESS = "(define-fun-rec f ((x Int)) Int (+ 1 (f x)))"
HALF = "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (+ 1 (f x))))"
MUTUAL = "(define-funs-rec ((e ((x Int)) Int) (o ((x Int)) Int)) ((+ 1 (o x)) (+ 1 (e x))))"
OF_A_SORT = "(declare-sort U 0)(define-fun-rec g ((x U)) Bool (not (g x)))"
OF_TREES = """(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))
(define-fun-rec depth ((t T)) Int (ite ((_ is leaf) t) 0 (+ 1 (depth t))))"""
QUANTIFIED = "(define-fun-rec q ((x Int)) Bool (not (forall ((y Int)) (q y))))"
BITS = "(define-fun-rec b ((x (_ BitVec 4))) (_ BitVec 4) (bvadd #x1 (b x)))"
GOOD = "(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))"
OPEN = "(define-fun-rec up ((x Int)) Int (ite (= x 0) 0 (up (+ x 1))))"


def checked(tmp_path: Path, text: str, *, claim: str = "proved", query: Query = Query()) -> CheckReport:  # noqa: B008
    problem = parse_problem(text)
    proof = Derivation((Step("1", sequent_of(problem.goal, problem.signature.names), query),))
    where = write_certificate(text.encode(), proof, tmp_path / "c", claim=claim, assume_definitions=True)
    return check_certificate(where, text.encode(), assume_definitions=True)


@pytest.mark.parametrize(
    ("definitions", "names", "line"),
    [
        (ENDLESS, ["f"], 1),
        (MUTUAL, ["e", "o"], 1),
        (OF_A_SORT, ["g"], 1),
        (OF_TREES, ["depth"], 2),
        (QUANTIFIED, ["q"], 1),
        (BITS, ["b"], 1),
        (f"{GOOD}\n{OPEN}\n{HALF}", ["f"], 3),
        (f"(define-fun-rec |a b| ((x Int)) Int\n (- (|a b| x) 1))\n{GOOD}", ["a b"], 1),
    ],
    ids=["endless", "mutual", "declared sort", "datatype", "quantified", "bits", "among others", "quoted"],
)
def test_the_definitions_at_fault_are_named_and_not_assumed(
    tmp_path: Path, definitions: str, names: list[str], line: int
) -> None:
    """Although the goal is true and has nothing to do with them."""
    report = checked(tmp_path, f"{definitions}\n(declare-fun p (Int) Bool)(prove (or (p 0) (not (p 0))))")
    assert (report.verdict, report.trust_level) == (Verdict.INCONSISTENT, TrustLevel.REBUILT)
    assert report.core == tuple(f"definition-of-{name}" for name in names)
    assert report.assumptions == ()
    (reason,) = report.reasons
    assert "contradict" in reason and f"(line {line}): (= (" in reason
    assert "premises" not in reason and not any("premises contradict" in note for note in report.notes)


def test_a_counterexample_to_a_theorem_about_nothing_is_none(tmp_path: Path) -> None:
    text = f"{HALF}\n(prove (= (f 0) 5))"
    where = write_counterexample(text.encode(), {}, tmp_path / "c")
    for assumed in (False, True):
        report = check_certificate(where, text.encode(), assume_definitions=assumed)
        assert (report.verdict, report.core, report.counterexample) == (
            Verdict.INCONSISTENT,
            ("definition-of-f",),
            {},
        )
        assert report.assumptions == () and "f (line 1): (= (f x) (ite" in report.reasons[0]


def test_a_counterexample_under_definitions_with_a_model_stays_one(tmp_path: Path) -> None:
    text = f"{OPEN}\n(prove (= (up 0) 5))"
    report = check_certificate(write_counterexample(text.encode(), {}, tmp_path / "c"), text.encode())
    assert report.verdict is Verdict.REFUTED
    assert any(what.startswith("the definition is consistent") for what in report.assumptions)


def test_what_only_premises_and_definitions_together_contradict_names_both(tmp_path: Path) -> None:
    premises = "(assert (! (= (up 1) 2) :named one))(assert (! (= (up 2) 3) :named two))(assert (! (< 1 2) :named no))"
    report = checked(tmp_path, f"{OPEN}\n{premises}(prove (or (= (up 9) 0) (not (= (up 9) 0))))")
    assert report.verdict is Verdict.INCONSISTENT
    assert report.core == ("definition-of-up", "one", "two")
    assert "the definitions contradict the premises one, two" in report.reasons[0]


def test_premises_alone_are_blamed_alone(tmp_path: Path) -> None:
    premises = "(declare-const a Int)(assert (! (< a 0) :named low))(assert (! (> a 0) :named high))"
    report = checked(tmp_path, f"{OPEN}\n{premises}(prove (= a a))")
    assert (report.verdict, report.core) == (Verdict.INCONSISTENT, ("low", "high"))
    assert report.reasons == ("the premises contradict each other: anything would follow from them",)


def test_a_premise_may_be_called_like_a_definition(tmp_path: Path) -> None:
    premise = "(declare-const a Int)(assert (! (= a a) :named definition-of-f))"
    report = checked(tmp_path, f"{ENDLESS}{premise}(prove (= a a))")
    assert report.core == ("definition-of-f1",)


def test_an_inconsistency_that_a_certificate_claims_is_named_too(tmp_path: Path) -> None:
    text = f"{ENDLESS}\n(prove (= 0 1))"
    problem = parse_problem(text)
    zero = Query(instances=(Instance("def", "f", (integer(0),)),))
    false = parse_term("false", problem.signature)
    proof = Derivation((Step("1", sequent_of(false), zero),))
    where = write_certificate(text.encode(), proof, tmp_path / "c", claim="inconsistent", assume_definitions=True)
    report = check_certificate(where, text.encode(), assume_definitions=True)
    assert (report.verdict, report.core, report.assumptions) == (Verdict.INCONSISTENT, ("definition-of-f",), ())


@pytest.mark.parametrize("goal", ["(= (f 0) 0)", "(>= (f 0) 0)"])
def test_what_holds_under_a_guard_of_a_definition_without_a_model_is_no_theorem(tmp_path: Path, goal: str) -> None:
    """The guarded equation is consistent; the theorem's own is not."""
    text = f"{HALF}\n(prove {goal})"
    problem = parse_problem(text)
    x = problem.signature.definitions[0].params[0]
    query = Query(instances=(Instance("def", "f", (integer(0),)),))
    steps = (Step("1", sequent_of(problem.goal), query),)
    where = write_certificate(text.encode(), Derivation(steps, (), {"f": (x,)}), tmp_path / "c")
    report = check_certificate(where, text.encode())
    assert (report.verdict, report.core) == (Verdict.INCONSISTENT, ("definition-of-f",))


def test_definitions_that_end_or_have_a_model_are_not_blamed(tmp_path: Path) -> None:
    report = checked(tmp_path, f"{GOOD}\n{OPEN}\n(declare-const a Int)(prove (= a a))")
    assert (report.verdict, report.core) == (Verdict.PROVED, ())
    assert len(report.assumptions) == 1 and "up" in report.assumptions[0]


def test_lines_of_definitions() -> None:
    text = f"{GOOD}\n; define-fun h\n\n{MUTUAL}\n(define-const c Int 3)\n(define-fun k () Int c)"
    assert definition_lines(text.encode()) == {"sum": 1, "e": 4, "o": 4, "c": 5, "k": 6}


@pytest.mark.parametrize(
    ("text", "reason", "core"),
    [
        (ENDLESS, "this definition contradicts itself: f (line 1): ", {"definition-of-f"}),
        (MUTUAL, "these definitions contradict themselves: e (line 1): ", {"definition-of-e", "definition-of-o"}),
        (OF_A_SORT, "this definition contradicts itself: g (line 1): ", {"definition-of-g"}),
        (
            f"{OPEN}(assert (! (= (up 1) 2) :named one))(assert (! (= (up 2) 3) :named two))",
            "recursive definitions contradict the premises: up (line 1): ",
            {"definition-of-up", "one", "two"},
        ),
        ("(assert (! false :named no))", "the premises contradict each other", {"no"}),
    ],
)
def test_programs_name_them_as_well(text: str, reason: str, core: set[str]) -> None:
    program = read_smt2(f"{text}\n(declare-const a Int)(define-fun goal () Bool (= a 7))")
    with SolverPair() as solvers:
        found = decide(program, solvers=solvers, confirm=True)
    assert found.verdict is Verdict.INCONSISTENT
    assert found.reason.startswith(reason)
    assert set(found.goals[0].core) == core


def test_reports_of_both_kinds_survive_json(tmp_path: Path) -> None:
    report = checked(tmp_path, f"{ENDLESS}\n(declare-const a Int)(prove (= a a))")
    assert report_from_json(json.loads(json.dumps(report_to_json(report)))).core == report.core
