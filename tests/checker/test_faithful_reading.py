"""A solver reads the user's own text beside our core form: honest readings are confirmed, altered ones refused."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import proofs
import pytest
from random_texts import SCRIPT, Writer

from goedels_poetry.checker import CheckReport, TrustLevel, check_certificate, write_certificate
from goedels_poetry.checker.certificate.report import Reading
from goedels_poetry.checker.certificate.writing import report_from_json, report_to_json
from goedels_poetry.checker.smt.check import with_reading
from goedels_poetry.checker.smt.portfolio import Solvers
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.faithful import reading_obligations
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.kernel.terms import Kind, app, forall, integer, not_, quantifier, substitute
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.limits import Limits

LIST = "(declare-datatype list ((nil) (cons (head Int) (tail list))))"
ACCEPTED = CheckReport(Verdict.PROVED, TrustLevel.CONFIRMED)

HONEST = {
    "let in parallel, shadowing a constant and a bound variable": """(declare-const x Int)
        (prove (forall ((y Int)) (let ((x y) (z x)) (let ((y z)) (=> (= x y) (= x z))))))""",
    "nested match with a default": f"""{LIST}
        (define-fun-rec sum ((l list)) Int
          (match l ((nil 0) ((cons h t) (match t ((nil h) ((cons k t) (+ h k (sum t)))))))))
        (prove (forall ((l list)) (=> (match l ((nil true) (other false))) (= (sum l) 0))))""",
    "a bound variable that has the name of a function": """(declare-fun f (Int) Int)(declare-const x Int)
        (define-fun g ((x Int) (f Bool)) Int (ite f x 0))
        (prove (forall ((x Int) (f Bool)) (exists ((f Int)) (forall ((x Int)) (= (g f true) f)))))""",
    "annotations, also below the binders": """(declare-fun f (Int) Int)
        (assert (! (forall ((x Int)) (! (> (f x) x) :pattern ((f x)) :weight 2)) :named grows))
        (prove (! (forall ((x Int)) (! (> (f (f x)) x) :qid again)) :named goal))""",
    "define-sort with parameters, and arrays": """(define-sort Table (K) (Array K (Array Int K)))
        (declare-const t (Table Bool))
        (prove (forall ((u (Table Bool)) (i Int))
          (= (select (select (store u true ((as const (Array Int Bool)) false)) true) i)
             (= u (store t true (select t true))))))""",
    "bit-vectors": """(declare-const b (_ BitVec 8))
        (prove (bvule (bvand b #x0f (_ bv7 8)) (concat #b0000 ((_ extract 3 0) (bvnot b)))))""",
    "strings with their escapes": r"""(declare-const s String)
        (assert (= s "a\u{62}\u0063""\x41"))(prove (= (str.len (str.++ s "|;")) 10))""",
    "chained and distinct": """(declare-const a Int)(declare-const b Int)(declare-const c Int)
        (assert (< a b c))(assert (= a a a))
        (prove (and (distinct a b c) (=> (> a b) (> b c) (<= c b a)) (xor true false true)))""",
    "left-associative and mixed": """(declare-const r Real)(declare-const n Int)
        (prove (or (= (- 1 2.5 r) (/ 3 4 r)) (= (- n) (- 7) (- n 1 2 (div n 2) (mod n (- 3))))
          (> r (/ 1 3)) (> r 1)))""",
    "named premises and a goal that is negated": """(declare-const p Bool)(declare-const q Bool)
        (assert (! (=> p q) :named rule))(assert (not (and p (not q))))
        (assert (let ((z p)) (or z (not z))))(check-sat)""",
    "two definitions of each other": """(define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool))
        ((ite (= n 0) true (odd (- n 1))) (ite (= n 0) false (even (- n 1)))))
        (prove (forall ((n Int)) (=> (>= n 0) (xor (even n) (odd n)))))""",
    "constants that are defined, and enumerations": """(declare-datatypes ((Colour 0)) (((red) (green))))
        (define-const limit Int 7)(define-fun other ((c Colour)) Colour (ite ((_ is red) c) green red))
        (prove (forall ((c Colour)) (and (= (other (other c)) c) (distinct limit 8))))""",
    "the old way to declare datatypes": """(declare-datatypes () ((Nat (Zero) (Succ (pred Nat)))))
        (prove (forall ((n Nat)) (or (= n Zero) (= n (Succ (pred n))))))""",
    "a name that solvers keep for a sort of their own": """
        (declare-datatypes ((List 0)) (((nil) (cons (hd Int) (tl List)))))
        (define-fun-rec len ((l List)) Int (match l ((nil 0) ((cons h t) (+ 1 (len t))))))
        (prove (forall ((l List) (|a b| Int)) (= (len (cons |a b| l)) (+ 1 (len l)))))""",
}


@pytest.fixture(scope="module")
def solvers() -> Iterator[Solvers]:
    with Solvers.start(Limits(seconds=10.0), second=False) as started:
        yield started


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_reading_is_confirmed_formula_by_formula(solvers: Solvers, name: str) -> None:
    text = HONEST[name].encode()
    problem = parse_problem(text)
    report = with_reading(ACCEPTED, text, problem, solvers)
    stated = len(problem.signature.definitions) + len(problem.premises) + 1
    assert report.reading == Reading(stated, stated)
    assert report.notes == () and report.trust_level is TrustLevel.CONFIRMED


def test_the_user_s_own_text_is_asked_about_byte_for_byte() -> None:
    text = b"(declare-fun f (Int) ; of what?\n Int)\n(prove (let ((a 1))   (= (f a) ; hm\n (f 1))))"
    (goal,) = reading_obligations(text, parse_problem(text))
    assert "(declare-fun f (Int) ; of what?\n Int)" in goal.prelude
    assert "(let ((a 1))   (= (f a) ; hm\n (f 1)))" in goal.question
    assert (goal.name, goal.line, goal.decisive) == ("goal", 3, True)


@pytest.mark.parametrize("seed", [3, 4])
def test_random_texts_are_never_said_to_be_misread_and_mostly_confirmed(solvers: Solvers, seed: int) -> None:
    writer = Writer(seed)
    scope = {"a": "Int", "|b c|": "Bool", "x": "N", "y": "W"}
    posed = confirmed = 0
    for _ in range(25):
        first, second, third = (writer.term("Bool", scope, 4) for _ in range(3))
        bound = f"(forall ((x N) (a Int)) {third})" if writer.rng.random() < 0.5 else third
        text = f"{SCRIPT}(assert {first})\n(assert (! {second} :named q))(assert (not {bound}))"
        try:
            problem = parse_problem(text)
        except InvalidInput:  # a compound Int where a Real is wanted
            continue
        reading = with_reading(ACCEPTED, text.encode(), problem, solvers).reading
        assert reading is not None
        posed, confirmed = posed + reading.posed, confirmed + reading.confirmed
    assert confirmed > 0.85 * posed > 50


# ------------------------------------------------------------------------------- a reader that makes mistakes

ALTERED_TEXT = f"""{LIST}
(declare-fun f (Int) Int)
(declare-const c Int)
(define-fun-rec len ((l list)) Int
  (match l ((nil 0) ((cons h t) (+ 1 (len t))))))
(assert (> (f c) 3))
(assert (forall ((x Int)) (=> (> x 0) (> (f x) x))))
(prove (forall ((x Int) (y Int)) (=> (> x 0) (< x y) (> (f x) 0))))
"""


def _swapped(problem: Problem) -> Problem:
    first, second = problem.premises
    swapped = (replace(first, formula=second.formula), replace(second, formula=first.formula))
    return replace(problem, premises=swapped)


def _without_a_hypothesis(problem: Problem) -> Problem:
    return replace(problem, goal=forall(problem.goal.binders, problem.goal.body.args[1]))


def _another_literal(problem: Problem) -> Problem:
    first, second = problem.premises
    left, _ = first.formula.args
    return replace(problem, premises=(replace(first, formula=app(">", (left, integer(4)), first.formula.sort)), second))


def _another_variable(problem: Problem) -> Problem:
    x, y = problem.goal.binders
    body = substitute(problem.goal.body, {x: y, y: x})
    return replace(problem, goal=quantifier(Kind.FORALL, (x, y), body))


def _existential(problem: Problem) -> Problem:
    return replace(problem, goal=quantifier(Kind.EXISTS, problem.goal.binders, problem.goal.body))


def _another_body(problem: Problem) -> Problem:
    (definition,) = problem.signature.definitions
    changed = replace(definition, body=integer(0), recursive=False)
    return replace(problem, signature=replace(problem.signature, definitions=(changed,)))


def _one_premise_less(problem: Problem) -> Problem:
    return replace(problem, premises=problem.premises[:1])


def _one_premise_more(problem: Problem) -> Problem:
    return replace(problem, premises=(*problem.premises, problem.premises[0]))


@pytest.mark.parametrize(
    "alter, place",
    [
        (_swapped, "line 6: the premise premise-1"),
        (_without_a_hypothesis, "line 8: the goal"),
        (_another_literal, "line 6: the premise premise-1"),
        (_another_variable, "line 8: the goal"),
        (_existential, "line 8: the goal"),
        (_another_body, "line 4: the definition of len"),
        (_one_premise_less, "3 formulas, and 2 were read"),
        (_one_premise_more, "3 formulas, and 4 were read"),
    ],
)
def test_a_problem_that_is_not_what_the_text_says_is_refused_with_the_place(
    solvers: Solvers, alter: Callable[[Problem], Problem], place: str
) -> None:
    text = ALTERED_TEXT.encode()
    problem = parse_problem(text)
    assert with_reading(ACCEPTED, text, problem, solvers).reading == Reading(4, 4)
    with pytest.raises(BadProof, match=place):
        with_reading(ACCEPTED, text, alter(problem), solvers)


def test_two_formulas_of_one_line_are_told_apart(solvers: Solvers) -> None:
    hidden = b"(assert p)(assert (not q))(assert (let ((r q)) (not r)))(assert q)"
    text = b"(declare-const p Bool)(declare-const q Bool)" + hidden
    problem = parse_problem(text)
    report = with_reading(ACCEPTED, text, problem, solvers)
    assert report.reading is not None and report.reading.posed == 4
    assert report.reading.confirmed >= 2  # which of the two is the goal is hidden by the let: no denial counts


# ----------------------------------------------------------------------------------------- what is only told


@pytest.mark.parametrize(
    "text",
    [
        "(declare-datatype L (par (a) ((nil) (cons (hd a) (tl (L a))))))(prove (= (as nil (L Int)) (as nil (L Int))))",
        f"{LIST}(prove (forall ((l list)) (match l (((cons h (cons k t)) (= l l)) (other true)))))",
        "(declare-fun sin (Int) Int)(declare-sort |a\nb| 0)(prove (= (sin 1) (sin 1)))",
        f"(declare-const p Bool)(prove (or p (not p) {'p ' * 60_000}))",
    ],
    ids=["polymorphic", "nested patterns", "names that no solver would take", "large"],
)
def test_what_a_solver_cannot_be_asked_is_a_note_and_costs_nothing(solvers: Solvers, text: str) -> None:
    problem = parse_problem(text)
    report = with_reading(ACCEPTED, text.encode(), problem, solvers)
    assert report.reading is not None and report.reading.confirmed <= report.reading.posed == 1
    assert report.verdict is Verdict.PROVED and report.trust_level is TrustLevel.CONFIRMED
    if report.reading.confirmed == 0:
        assert report.notes == ("1 of 1 formulas: no solver confirmed that they say what their text says",)


def test_a_name_that_means_something_to_solvers_never_refuses_a_certificate(solvers: Solvers) -> None:
    text = b"(declare-fun iff (Bool Bool) Bool)(prove (forall ((a Bool)) (= (iff a a) (iff a a))))"
    problem = parse_problem(text)
    report = with_reading(ACCEPTED, text, replace(problem, goal=not_(problem.goal)), solvers)
    assert report.reading == Reading(1, 0) and report.verdict is Verdict.PROVED


def test_the_report_of_a_certificate_tells_how_much_was_confirmed(
    certificates: dict[str, Path], tmp_path: Path
) -> None:
    report = check_certificate(certificates["gauss"], proofs.ALL["gauss"][0], second_solver=False)
    assert report.reading is not None and report.reading.posed == report.reading.confirmed > 1
    assert report_to_json(report)["reading"] == {"posed": report.reading.posed, "confirmed": report.reading.confirmed}
    assert report_from_json(report_to_json(report)).reading == report.reading
    text = b"(declare-const p Bool)(prove (or p (not p)))"
    steps = Derivation((Step("1", sequent_of(parse_problem(text).goal), Query()),))
    small = check_certificate(write_certificate(text, steps, tmp_path / "small"), text, second_solver=False)
    assert small.reading == Reading(1, 1) and small.seconds < 20
