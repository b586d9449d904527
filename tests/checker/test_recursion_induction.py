"""Induction along the recursion of a function: its hypotheses, and every way to a false theorem by it.

The predicates ``P``, ``R`` and ``S`` are open, so what holds of them holds of every goal.
"""

import copy
from pathlib import Path
from typing import Any

import proofs
import pytest
from forge import evidence_of, forge

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.checker.certificate.report import TrustLevel
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof, SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.recursion import points_below
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import and_, implies, substitute
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem, parse_sequent, parse_term, show_sequent
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

FUNCTIONS = """(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(declare-datatypes ((L 0)) (((none) (more (first N) (rest L)))))
(declare-fun P (N) Bool) (declare-fun R (L N) Bool) (declare-fun S (L L N) Bool) (declare-fun keep (N N) Bool)
(declare-fun I (Int) Bool) (declare-fun J (Int Int) Bool)
(define-fun-rec half ((x N)) N (match x ((zero zero) ((next a) (match a ((zero zero) ((next b) (next (half b)))))))))
(define-fun-rec sift ((n N) (x L)) L
  (match x ((none none) ((more e r) (ite (keep n e) (more e (sift n r)) (sift n r))))))
(define-fun-rec once ((x L)) L (match x ((none none) ((more e r) (more e (once (sift e r)))))))
(define-fun-rec blend ((x L) (y L)) L
  (match x ((none y) ((more a r) (match y ((none x) ((more b s)
    (ite (keep a b) (more a (blend r y)) (more b (blend x s))))))))))
(define-fun-rec ack ((m N) (n N)) N
  (match m ((zero (next n)) ((next a) (match n ((zero (ack a (next zero))) ((next b) (ack a (ack m b)))))))))
(define-funs-rec ((odd ((x N)) Bool) (even ((x N)) Bool))
  ((match x ((zero false) ((next a) (even a)))) (match x ((zero true) ((next a) (odd a))))))
(define-fun-rec all_small ((n Int)) Bool (forall ((k Int)) (=> (and (<= 0 k) (< k n)) (all_small k))))
(define-fun-rec down ((x N)) Bool (and (down (before x)) ((_ is next) x)))
(define-fun-rec mccarthy ((n Int)) Int (ite (> n 100) (- n 10) (mccarthy (mccarthy (+ n 11)))))
(define-fun-rec gcd ((a Int) (b Int)) Int (ite (or (<= a 0) (<= b 0)) 0 (ite (= a b) a
  (ite (> a b) (gcd (- a b) b) (gcd a (- b a))))))
(define-fun-rec forever ((x N)) N (forever (next x)))
(define-fun twice ((x N)) N (next (next x)))
"""
PROBLEM = parse_problem(f"{FUNCTIONS}(prove true)")
SIGNATURE = PROBLEM.signature
CONTEXT = Context(PROBLEM)


def along(goal: Sequent, function: str, at: str, general: str = "") -> RecursionInduction:
    terms = parse_term(f"(and {' '.join(f'(= {t} {t})' for t in _split(at))} true)", SIGNATURE, goal.vars)
    return RecursionInduction(function, tuple(t.args[0] for t in terms.args[:-1]), tuple(general.split()))


def _split(at: str) -> list[str]:
    """Terms separated by commas."""
    return [t.strip() for t in at.split(",")]


def sequent(text: str) -> Sequent:
    return parse_sequent(f"(sequent {text})", SIGNATURE)


def cases_of(goal: Sequent, function: str, at: str, general: str = "") -> tuple[Sequent, ...]:
    return instances(goal, along(goal, function, at, general), SIGNATURE)


def n(number: int) -> str:
    return "(next " * number + "zero" + ")" * number


def lst(*numbers: int) -> str:
    return "".join(f"(more {n(k)} " for k in numbers) + "none" + ")" * len(numbers)


# ------------------------------------------------------------------------------------------- hypotheses


@pytest.mark.parametrize(
    ("goal", "function", "at", "general", "wanted"),
    [
        ("((x N)) () (P x)", "half", "x", "", ["(P zero)", "(P (next zero))", "(=> (P x2) (P (next (next x2))))"]),
        (
            "((x L) (k N)) () (R x k)",
            "once",
            "x",
            "k",
            [
                "(forall ((k N)) (R none k))",
                "(forall ((k N) (e N) (r L)) (=> (forall ((k N)) (R (sift e r) k)) (R (more e r) k)))",
            ],
        ),
        (
            "((x L) (p N)) () (R (sift p x) p)",
            "sift",
            "p, x",
            "",
            [
                "(forall ((p N)) (R (sift p none) p))",
                "(forall ((p N) (e N) (r L)) (=> (=> (keep p e) (R (sift p r) p))"
                " (=> (not (keep p e)) (R (sift p r) p)) (R (sift p (more e r)) p)))",
            ],
        ),
        (
            "((x L) (y L) (k N)) ((P k)) (S x y k)",
            "blend",
            "x, y",
            "",
            [
                "(forall ((y L) (k N)) (=> (P k) (S none y k)))",
                "(forall ((a N) (r L) (k N)) (=> (P k) (S (more a r) none k)))",
                "(forall ((a N) (r L) (b N) (s L) (k N)) (=> (P k) (=> (keep a b) (S r (more b s) k))"
                " (=> (not (keep a b)) (S (more a r) s k)) (S (more a r) (more b s) k)))",
            ],
        ),
        (
            "((x N) (y N)) () (R none (ack x y))",
            "ack",
            "x, y",
            "",
            [
                "(forall ((y N)) (R none (ack zero y)))",
                "(forall ((a N)) (=> (R none (ack a (next zero))) (R none (ack (next a) zero))))",
                "(forall ((a N) (b N)) (=> (R none (ack a (ack (next a) b))) (R none (ack (next a) b))"
                " (R none (ack (next a) (next b)))))",
            ],
        ),
        (
            "((x N)) () (P x)",
            "even",
            "x",
            "",
            ["(P zero)", "(forall ((x N)) (=> (=> ((_ is next) x) (P (before x))) (P (next x))))"],
        ),
        (
            "((m Int)) () (I m)",
            "all_small",
            "m",
            "",
            ["(forall ((m Int)) (=> (forall ((k Int)) (=> (<= 0 k) (< k m) (I k))) (I m)))"],
        ),
        (
            "((m Int)) () (I m)",
            "mccarthy",
            "m",
            "",
            [
                "(forall ((m Int)) (=> (=> (not (> m 100)) (I (+ m 11)))"
                " (=> (not (> m 100)) (I (mccarthy (+ m 11)))) (I m)))"
            ],
        ),
    ],
)
def test_the_hypotheses_stand_where_the_function_calls_itself(
    goal: str, function: str, at: str, general: str, wanted: list[str]
) -> None:
    """Each instance is equivalent to what one writes down by hand, without knowing anything of the functions."""
    found = cases_of(sequent(goal), function, at, general)
    assert len(found) == len(wanted)
    with Z3Process() as z3:
        for case, text in zip(found, wanted, strict=True):
            if "x2" in text:
                text = f"(forall ((x2 N)) {text})"
            expected = parse_term(text, SIGNATURE)
            both = CONTEXT.encoding.text(case.formula), CONTEXT.encoding.text(expected)
            script = f"(assert (not (= {both[0]} {both[1]})))"
            answer = z3.ask("\n".join((*CONTEXT.declarations, script)), Limits(seconds=5.0))
            assert answer.status == "unsat", show(case.formula)


POINTS = [
    ("((x N)) () (P x)", "half", "x", "", (n(5),)),
    ("((x L) (k N)) ((P k)) (R x k)", "once", "x", "k", (lst(2, 1), n(1))),
    ("((x L) (k N)) ((P k)) (R x k)", "once", "x", "", (lst(2, 1), n(1))),
    ("((x L) (y L) (k N)) ((R y k)) (S x y k)", "blend", "x, y", "", (lst(2, 1), lst(3), n(1))),
    ("((x L) (y L) (k N)) ((R y k)) (S x y k)", "blend", "x, y", "k", (lst(1), lst(3, 0), n(1))),
    ("((x N) (y N)) () (keep x y)", "ack", "x, y", "", (n(1), n(1))),
    ("((x N)) () (P x)", "odd", "x", "", (n(4),)),
    ("((x L)) () (R x zero)", "sift", "zero, x", "", (lst(3, 4),)),
]


@pytest.mark.parametrize(("goal", "function", "at", "general", "point"), POINTS)
@pytest.mark.sample(4)
def test_the_instances_give_the_goal_at_each_point(
    goal: str, function: str, at: str, general: str, point: tuple[str, ...]
) -> None:
    parent = sequent(goal)
    cases = cases_of(parent, function, at, general)
    values = {v: parse_term(t, SIGNATURE) for v, t in zip(parent.vars, point, strict=True)}
    wanted = Sequent((), (), substitute(implies(and_(parent.hyps), parent.concl), values))
    with Z3Process() as z3:

        def follows(facts: tuple[Sequent, ...], goal: Sequent) -> bool:
            lines = [f"(assert {CONTEXT.encoding.text(f.formula)})" for f in facts]
            script = "\n".join((*CONTEXT.prelude(), *lines, *CONTEXT.check(goal)))
            options = {"auto_config": "false", "smt.mbqi": "false"}
            return z3.ask(script, Limits(rlimit=2_000_000, seconds=5.0), options=options).status == "unsat"

        assert follows(cases, wanted)
        assert not any(follows((), case) for case in cases), "an open predicate was proved from nothing"


def test_a_call_is_listed_under_the_conditions_that_are_looked_at_before_it() -> None:
    """``down`` calls itself before its guard in the text; termination is shown with the guard first, and so is this."""
    definition = SIGNATURE.definition("down")
    assert definition is not None
    (point,) = points_below(definition, SIGNATURE)
    assert [show(c) for c in point.path] == ["((_ is next) x)"]


def test_what_the_hypotheses_do_not_move_stays_outside_of_them() -> None:
    goal = sequent("((x L) (p N) (k N)) ((P p) (R x k)) (R (sift p x) k)")
    step = cases_of(goal, "sift", "p, x", "k")[1]
    assert "(P p)" in map(show, step.hyps)
    assert all("(P p)" not in show(h) for h in step.hyps if "forall" in show(h))


@pytest.mark.parametrize(
    ("goal", "function", "at", "general", "why"),
    [
        ("((x N)) () (P x)", "twice", "x", "", "not a recursive function"),
        ("((x N)) () (P x)", "unheard_of", "x", "", "not a recursive function"),
        ("((x N)) () (P x)", "P", "x", "", "not a recursive function"),
        ("((x N)) () (P x)", "ack", "x", "", "does not take such arguments"),
        ("((x N) (y N)) () (= x y)", "half", "x, y", "", "does not take such arguments"),
        ("((x N) (y L)) () (R y x)", "half", "y", "", "does not take such arguments"),
        ("((x N)) () (P x)", "ack", "x, x", "", "may not depend"),
        ("((x L)) () (R x zero)", "blend", "x, x", "", "may not depend"),
        ("((x N) (y N)) () (= x y)", "ack", "x, y", "y", "distinct"),
        ("((x N) (y N)) () (= x y)", "half", "x", "y y", "distinct"),
        ("((x N)) () (P x)", "half", "x", "z", "no variable z"),
        ("((x L) (p N)) () (R x p)", "sift", "p, x", "p", "may not depend"),
        ("((x L) (p N)) () (R x p)", "sift", "(half p), x", "p", "may not depend"),
        ("((x L)) () (R x zero)", "sift", "(first x), x", "", "may not depend"),
        ("((x N)) () (P x)", "half", "(half x)", "", "no call of half"),
        ("((x N)) () (P x)", "half", "zero", "", "no call of half"),
        ("((x L) (y L)) () (= x y)", "blend", "(rest x), (rest y)", "", "no call of blend"),
    ],
)
def test_arguments_that_are_no_induction_are_refused(goal: str, function: str, at: str, general: str, why: str) -> None:
    with pytest.raises(SchemeError, match=why):
        cases_of(sequent(goal), function, at, general)


def test_a_variable_that_is_not_the_goals_is_refused() -> None:
    stranger = sequent("((w N)) () (P w)").vars[0]
    with pytest.raises(SchemeError, match="not a variable of the goal"):
        instances(sequent("((x N)) () (P x)"), RecursionInduction("half", (stranger,)), SIGNATURE)


def test_a_call_that_changes_an_argument_that_stays_gives_no_hypothesis() -> None:
    """With the second list of ``blend`` fixed, the call that shortens it is no smaller point of the first."""
    goal = sequent("((x L) (y L) (k N)) () (S x (more k y) k)")
    *_, step = cases_of(goal, "blend", "x, (more k y)")
    shown = [show(h) for h in step.hyps]
    assert len(shown) == 1
    assert "(keep" in shown[0] and "(S x (more k y) k)" in shown[0].replace("x1", "x")


# -------------------------------------------------------------------------------------------- certificates

LISTS = """(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec sift ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (= n e) (sift n r) (more e (sift n r)))))))
(define-fun-rec once ((x L)) L (match x ((none none) ((more e r) (more e (once (sift e r)))))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
"""
SHORTER = f"{LISTS}(prove (forall ((x L)) (<= (len (once x)) (len x))))".encode()
SIFTED = "(sequent ((n Int) (x L)) () (<= (len (sift n x)) (len x)))"


def shorter() -> Derivation:
    problem = parse_problem(SHORTER)
    lemma = parse_sequent(SIFTED, problem.signature)
    (n_, x) = lemma.vars
    steps = proofs.by_scheme(problem, RecursionInduction("sift", (n_, x)), lemma, "sift-")
    goal = proofs.goal_of(problem)
    *cases, last = proofs.by_scheme(problem, RecursionInduction("once", goal.vars), goal)
    return Derivation((*steps, *[Step(c.id, c.sequent, Query(cites=("sift-goal",))) for c in cases], last))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(SHORTER, shorter(), tmp_path_factory.mktemp("certificates") / "shorter.cert")


def test_a_proof_along_a_function_is_accepted_and_confirmed_by_the_second_solver(certificate: Path) -> None:
    report = check_certificate(certificate, SHORTER)
    assert report.verdict is Verdict.PROVED, report.reasons
    assert report.trust_level is TrustLevel.CONFIRMED
    assert "RecursionInduction" in (certificate / "obligations.smt2").read_text()


def refused(path: Path, text: bytes, **more: Any) -> str:
    report = check_certificate(path, text, limits=Limits(seconds=0.3), **more)
    assert not report.accepted and report.verdict is not Verdict.PROVED, report
    return report.reasons[0]


def test_a_changed_hypothesis_is_refused(certificate: Path, tmp_path: Path) -> None:
    """Dropped, added, without its condition, or at another point: the instance is computed, not read."""
    evidence = evidence_of(certificate)
    problem = parse_problem(SHORTER)
    place = next(i for i, s in enumerate(evidence["steps"]) if s["id"] == "sift-case1")
    step = parse_sequent(evidence["steps"][place]["sequent"], problem.signature)
    hyps = step.hyps
    assert [show(h).startswith("(=>") for h in hyps] == [True, True]
    spoilt = {
        "dropped": hyps[1:],
        "added": (*hyps, step.concl),
        "without its condition": (hyps[0].args[1], *hyps[1:]),
        "under another condition": (implies(hyps[1].args[0], hyps[0].args[1]), *hyps[1:]),
    }
    for what, changed in spoilt.items():
        forged = copy.deepcopy(evidence)
        forged["steps"][place]["sequent"] = show_sequent(Sequent(step.vars, changed, step.concl))
        reason = refused(forge(tmp_path / "x", SHORTER, forged), SHORTER)
        assert "not the instances" in reason, what


@pytest.mark.parametrize(
    "change",
    [
        {"function": "len"},
        {"function": "sift"},
        {"at": []},
        {"at": ["x", "x"]},
        {"at": ["(once x)"]},
        {"general": ["x"]},
        {"at": ["none"]},
        {"at": ["y"]},
        {"function": "unheard_of"},
    ],
    ids=repr,
)
def test_another_induction_than_the_steps_were_made_for_is_refused(
    certificate: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    evidence = evidence_of(certificate)
    evidence["steps"][-1]["scheme"].update(change)
    refused(forge(tmp_path / "x", SHORTER, evidence), SHORTER)


UNFOUNDED = b"""(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec forever ((x N)) N (forever (next x)))
(define-fun-rec half ((x N)) N (match x ((zero zero) ((next a) (match a ((zero zero) ((next b) (next (half b)))))))))
(define-fun-rec on_it ((x N)) N (match x ((zero (forever zero)) ((next a) (on_it a)))))
(prove (forall ((x N)) GOAL))
"""


@pytest.mark.parametrize("assume", [False, True])
def test_a_function_that_was_not_shown_to_terminate_gives_no_induction(tmp_path: Path, assume: bool) -> None:
    """From the hypothesis at ``next x`` the equation gives whatever one likes to say of ``forever x``."""
    text = UNFOUNDED.replace(b"GOAL", b"(= (forever x) zero)")
    problem = parse_problem(text)
    goal = proofs.goal_of(problem)
    scheme = RecursionInduction("forever", goal.vars)
    (case,) = instances(goal, scheme, problem.signature)
    steps = Derivation((Step("case", case, Query()), Step("goal", goal, ByScheme(scheme, ("case",)))))
    forged = forge(tmp_path / "x", text, derivation_to_json(steps), assume_definitions=assume)
    reason = refused(forged, text, assume_definitions=assume)
    assert "terminate" in reason
    if assume:
        assert "forever was not shown to terminate" in reason
        with pytest.raises(BadProof, match="forever was not shown to terminate"):
            write_certificate(text, steps, tmp_path / "y", assume_definitions=True)


@pytest.mark.parametrize("function", ["half", "on_it"])
def test_only_the_order_of_its_own_group_matters(tmp_path: Path, function: str) -> None:
    """``half`` has nothing to do with the assumed definition, ``on_it`` calls it: both recurse on fields."""
    text = UNFOUNDED.replace(b"GOAL", b"(= (on_it x) (forever zero))")
    problem = parse_problem(text)
    goal = proofs.goal_of(problem)
    steps = Derivation(tuple(proofs.by_scheme(problem, RecursionInduction(function, goal.vars), goal)))
    path = write_certificate(text, steps, tmp_path / "x", assume_definitions=True)
    report = check_certificate(path, text, assume_definitions=True)
    assert report.verdict is Verdict.PROVED, report.reasons
    assert report.trust_level is TrustLevel.REBUILT
    assert any("forever" in what for what in report.assumptions)


@pytest.mark.parametrize(
    ("goal", "function", "at"),
    [
        ("(forall ((x L)) (= (once x) x))", "once", "x"),
        ("(forall ((x L)) (= (len (once x)) (len x)))", "once", "x"),
        ("(forall ((k Int) (x L)) (= (sift k x) x))", "sift", "k, x"),
        ("(forall ((k Int) (x L)) (< (len (sift k x)) (len x)))", "sift", "k, x"),
        ("(forall ((k Int) (x L)) (= (len (sift k x)) 0))", "sift", "0, x"),
    ],
)
@pytest.mark.sample(3)
def test_a_false_statement_has_no_proof_along_a_function(tmp_path: Path, goal: str, function: str, at: str) -> None:
    text = f"{LISTS}(prove {goal})".encode()
    problem = parse_problem(text)
    statement = proofs.goal_of(problem)
    terms = tuple(parse_term(t, problem.signature, statement.vars) for t in _split(at))
    steps = Derivation(tuple(proofs.by_scheme(problem, RecursionInduction(function, terms), statement)))
    refused(forge(tmp_path / "x", text, derivation_to_json(steps)), text)
