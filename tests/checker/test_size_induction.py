"""Induction on the size of datatype values: what counts as smaller, and every way to a false theorem by it."""

import copy
from pathlib import Path
from typing import Any

import proofs
import pytest
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.checker.certificate.report import TrustLevel
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import SizeInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.schemas import ConstructorSplit, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem, parse_sequent, parse_term, show_sequent
from goedels_poetry.smt.termination.search import structural_sizes
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

TEXT = """(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(declare-fun P (T) Bool) (declare-fun R (T L) Bool) (declare-fun free (T) T)
(define-fun-rec merge ((x T) (y T)) T (match x ((leaf y) ((node a k b) (match y ((leaf x) ((node c m d)
  (ite (<= k m) (node (merge b y) k a) (node (merge x d) m c)))))))))
(define-fun-rec swap ((x T)) T (match x ((leaf leaf) ((node a k b) (node (swap b) k (swap a))))))
(define-fun-rec grow ((x T)) T (match x ((leaf (node leaf 0 leaf)) ((node a k b) (node (grow a) k (grow b))))))
(define-fun-rec forever ((x T)) T (match x ((leaf leaf) ((node a k b) (forever (node b k a))))))
(define-fun-rec flat ((x T)) L (match x ((leaf none) ((node a k b) (more k (flat (merge a b)))))))
(define-fun-rec count ((n Int) (x L)) Int (match x ((none 0) ((more k r) (ite (= k n) (+ 1 (count n r)) (count n r))))))
"""
GOAL = "(forall ((n Int) (x T) (y T)) (= (count n (flat (merge x y))) (+ (count n (flat x)) (count n (flat y)))))"
PROBLEM = parse_problem(f"{TEXT}(prove {GOAL})")
SIGNATURE = PROBLEM.signature
SIZES = structural_sizes(SIGNATURE)
NODE = "((_ is node) x)"


def sequent(text: str) -> Sequent:
    return parse_sequent(f"(sequent {text})", SIGNATURE)


def scheme(
    goal: Sequent, on: str, at: list[list[str]], general: str = "", twice: tuple[tuple[str, int], ...] = ()
) -> SizeInduction:
    points = tuple(tuple(parse_term(t, SIGNATURE, goal.vars) for t in point) for point in at)
    return SizeInduction(tuple(on.split()), points, tuple(general.split()), twice)


@pytest.mark.parametrize(
    "point",
    [
        [NODE, "(left x)"],
        [NODE, "(merge (left x) (right x))"],
        [NODE, "(swap (merge (left x) (swap (right x))))"],
        ["(and (not (= x leaf)) (P x))", "(right x)"],
        ["(and ((_ is node) x) ((_ is node) (left x)))", "(node (left (left x)) 3 leaf)"],
        [NODE, "(ite (P x) (left x) (right x))"],
    ],
    ids=repr,
)
def test_what_loses_a_constructor_is_a_point_of_the_hypothesis(point: list[str]) -> None:
    goal = sequent("((x T)) () (P x)")
    (step,) = instances(goal, scheme(goal, "x", [point]), SIGNATURE, SIZES)
    (hyp,) = step.hyps
    assert show(hyp) == f"(=> {point[0]} (P {point[1]}))"


@pytest.mark.parametrize(
    "point",
    [
        ["true", "x"],
        ["true", "(left x)"],
        ["(P x)", "(left x)"],
        ["(not ((_ is node) x))", "(left x)"],
        [NODE, "x"],
        [NODE, "(swap x)"],
        [NODE, "(grow (left x))"],
        [NODE, "(forever (left x))"],
        [NODE, "(free (left x))"],
        [NODE, "(merge x (left x))"],
        [NODE, "(node (left x) 0 leaf)"],
        [NODE, "(merge (left x) (merge (right x) (left x)))"],
        ["(or ((_ is node) x) (P x))", "(left x)"],
        [NODE, "(ite (P x) (left x) x)"],
        ["((_ is node) (right x))", "(left (right x))"],
    ],
    ids=repr,
)
def test_what_may_be_as_large_is_not(point: list[str]) -> None:
    """Also where a function is not known to terminate, or nothing is known of it. A leaf's field is any value."""
    goal = sequent("((x T)) () (P x)")
    with pytest.raises(SchemeError, match="smaller"):
        instances(goal, scheme(goal, "x", [point]), SIGNATURE, SIZES)


def test_variables_together_lose_what_one_of_them_may_win() -> None:
    goal = sequent("((x T) (y T) (k L)) ((R x k)) (R (merge x y) k)")
    both = "(and ((_ is node) x) ((_ is node) y))"
    at = [[both, "(merge (right x) y)", "(left x)"], [both, "y", "(left x)"]]
    (step,) = instances(goal, scheme(goal, "x y", at, "k"), SIGNATURE, SIZES)
    assert [show(h) for h in step.hyps] == [
        f"(=> {both} (forall ((k L)) (=> (R (merge (right x) y) k) (R (merge (merge (right x) y) (left x)) k))))",
        f"(=> {both} (forall ((k L)) (=> (R y k) (R (merge y (left x)) k))))",
        "(R x k)",
    ]


TURNED = "(node (left (left x)) 1 (node (right (left x)) 2 (right x)))"
LEFT_HEAVY = "(and ((_ is node) x) ((_ is node) (left x)))"


def test_where_a_field_counts_twice_what_is_turned_away_from_it_is_smaller() -> None:
    goal = sequent("((x T)) () (P x)")
    turned = [[LEFT_HEAVY, TURNED]]
    assert instances(goal, scheme(goal, "x", turned, twice=(("node", 0),)), SIGNATURE, SIZES)
    refused: list[tuple[list[str], tuple[tuple[str, int], ...]]] = [
        ([LEFT_HEAVY, TURNED], ()),
        ([LEFT_HEAVY, TURNED], (("node", 2),)),
        ([LEFT_HEAVY, TURNED], (("node", 0), ("node", 2))),
        ([NODE, TURNED], (("node", 0),)),
        ([NODE, "(node (right x) 1 (left x))"], (("node", 0),)),
        ([NODE, "(node leaf 1 (node (left x) 1 (right x)))"], (("node", 0),)),
        ([LEFT_HEAVY, TURNED], (("node", 3),)),
        ([LEFT_HEAVY, TURNED], (("node", -1),)),
        ([LEFT_HEAVY, TURNED], (("knot", 0),)),
        ([NODE, "(merge (left x) (right x))"], (("node", 0),)),
    ]
    for point, twice in refused:
        with pytest.raises(SchemeError):
            instances(goal, scheme(goal, "x", [point], twice=twice), SIGNATURE, SIZES)


@pytest.mark.parametrize(
    ("on", "at", "general"),
    [
        ("x", [], ""),
        ("x", [[]], ""),
        ("x", [[NODE]], ""),
        ("", [["true"]], ""),
        ("x", [[NODE, "(left x)", "(left x)"]], ""),
        ("x", [["(left x)", "(left x)"]], ""),
        ("x", [[NODE, "k"]], ""),
        ("x x", [[NODE, "(left x)", "(left x)"]], ""),
        ("x", [[NODE, "(left x)"]], "x"),
        ("x", [[NODE, "(left x)"]], "y y"),
        ("x", [[NODE, "(left x)"]], "z"),
        ("z", [[NODE, "(left x)"]], ""),
        ("x", [[f"(and {NODE} (R y k))", "(left x)"]], "k"),
        ("x", [[f"(and {NODE} ((_ is node) y))", "(ite (= y leaf) x (left x))"]], "y"),
    ],
    ids=repr,
)
def test_what_is_no_induction_on_sizes_is_refused(on: str, at: list[list[str]], general: str) -> None:
    goal = sequent("((x T) (y T) (k L)) ((R y k)) (P x)")
    with pytest.raises(SchemeError):
        instances(goal, scheme(goal, on, at, general), SIGNATURE, SIZES)


def test_the_instance_gives_the_goal_at_each_point() -> None:
    goal = sequent("((x T) (k L)) () (R x k)")
    at = [[NODE, "(left x)"], [NODE, "(merge (left x) (right x))"]]
    (step,) = instances(goal, scheme(goal, "x", at, "k"), SIGNATURE, SIZES)
    context = Context(PROBLEM)
    wanted = sequent("() () (R (node (node leaf 1 leaf) 2 leaf) (more 3 none))")

    def follows(*facts: Sequent) -> bool:
        lines = [f"(assert {context.encoding.text(f.formula)})" for f in facts]
        script = "\n".join((*context.prelude(), *lines, *context.check(wanted)))
        with Z3Process() as z3:
            answer = z3.ask(script, Limits(seconds=5.0), options={"auto_config": "false", "smt.mbqi": "false"})
        return answer.status == "unsat"

    assert follows(step)
    assert not follows(), "an open predicate was proved from nothing"


# -------------------------------------------------------------------------------------------- certificates


def merged() -> Derivation:
    goal = proofs.goal_of(PROBLEM)
    both = "(and ((_ is node) x) ((_ is node) y))"
    only = "((_ is node) {0})"
    at = [
        [both, "(merge (right x) y)", "(left x)"],
        [both, "(right x)", "y"],
        [both, "(merge x (right y))", "(left y)"],
        [both, "x", "(right y)"],
        [both, "(left x)", "(right x)"],
        [both, "(left y)", "(right y)"],
        [only.format("x"), "(left x)", "(right x)"],
        [only.format("y"), "(left y)", "(right y)"],
    ]
    (step,) = instances(goal, induction := scheme(goal, "x y", at), SIGNATURE, SIZES)
    steps: list[Step] = []

    def split(case: Sequent, on: tuple[str, ...], name: str) -> None:
        if not on:
            steps.append(Step(name, case, Query()))
            return
        rule = ConstructorSplit(on[0])
        parts = instances(case, rule, SIGNATURE, SIZES)
        for number, part in enumerate(parts):
            split(part, on[1:], f"{name}.{number}")
        steps.append(Step(name, case, ByScheme(rule, tuple(f"{name}.{n}" for n in range(len(parts))))))

    split(step, ("x", "y"), "step")
    return Derivation((*steps, Step("goal", goal, ByScheme(induction, ("step",)))))


THEOREM = f"{TEXT}(prove {GOAL})".encode()
FOUNDED = THEOREM.replace(b"(forever (node b k a))", b"(forever b)")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(FOUNDED, merged(), tmp_path_factory.mktemp("certificates") / "merged.cert")


def test_a_proof_by_size_is_accepted_and_confirmed_by_the_second_solver(certificate: Path) -> None:
    report = check_certificate(certificate, FOUNDED)
    assert report.verdict is Verdict.PROVED, report.reasons
    assert report.trust_level is TrustLevel.CONFIRMED


def refused(path: Path, text: bytes) -> str:
    report = check_certificate(path, text, limits=Limits(seconds=0.3))
    assert not report.accepted and report.verdict is not Verdict.PROVED, report
    return report.reasons[0]


def test_a_changed_step_or_another_scheme_is_refused(certificate: Path, tmp_path: Path) -> None:
    evidence = evidence_of(certificate)
    place = next(i for i, s in enumerate(evidence["steps"]) if s["id"] == "step")
    step = parse_sequent(evidence["steps"][place]["sequent"], SIGNATURE)
    for changed in (step.hyps[1:], (*step.hyps, step.concl), (step.hyps[0].args[1], *step.hyps[1:])):
        forged = copy.deepcopy(evidence)
        forged["steps"][place]["sequent"] = show_sequent(Sequent(step.vars, changed, step.concl))
        refused(forge(tmp_path / "x", FOUNDED, forged), FOUNDED)
    changes: list[dict[str, Any]] = [
        {"on": ["x"]},
        {"on": ["y", "x"]},
        {"general": ["n"]},
        {"at": evidence["steps"][-1]["scheme"]["at"][1:]},
        {"at": [["true", "x", "y"]]},
        {"twice": [["node", 0]]},
    ]
    for change in changes:
        forged = copy.deepcopy(evidence)
        forged["steps"][-1]["scheme"].update(change)
        refused(forge(tmp_path / "x", FOUNDED, forged), FOUNDED)


def test_a_false_statement_has_no_proof_by_size(tmp_path: Path) -> None:
    text = FOUNDED.replace(b"(+ (count n (flat x)) (count n (flat y)))", b"(count n (flat y))")
    problem = parse_problem(text)
    goal = proofs.goal_of(problem)
    at = [["((_ is node) x)", "(left x)"], ["((_ is node) x)", "(merge (left x) (right x))"]]
    rule = scheme(goal, "x", at, "y")
    (step,) = instances(goal, rule, problem.signature, structural_sizes(problem.signature))
    steps = Derivation((Step("step", step, Query()), Step("goal", goal, ByScheme(rule, ("step",)))))
    refused(forge(tmp_path / "x", text, derivation_to_json(steps)), text)
