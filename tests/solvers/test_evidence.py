"""Several small questions about one program in one exchange with z3, none of which sees another."""

from collections.abc import Iterator

import pytest

from goedels_poetry.questions.query_runner import Evidence, QuestionProcess
from goedels_poetry.solvers.limits import Limits

PRELUDE = (
    "(declare-const g Bool)(declare-const h Bool)(declare-const x Int)(assert (=> g (> x 3)))(assert (=> h (< x 9)))"
)
LIST = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)"
LENGTH = "(define-fun-rec len ((l L)) Int (ite ((_ is nil) l) 0 (+ 1 (len (tail l)))))"
ABOVE_FIVE = "(declare-const x Int)(assert (> x 5))"


@pytest.fixture(scope="module")
def z3() -> Iterator[QuestionProcess]:
    with QuestionProcess() as process:
        assert process.ask("(assert true)").status == "sat"  # it runs: tests count how often it starts anew
        yield process


def statuses(found: tuple[Evidence, ...]) -> list[str]:
    return [e.answer.status for e in found]


def test_each_question_has_its_status_and_its_evidence(z3: QuestionProcess) -> None:
    extras = ["(assert (< x 2))", "(assert (> x 10))", "(assert (= x 5))"]
    low, high, free = z3.evidence(PRELUDE, extras, assuming=[["g", "h"]] * 3)
    assert statuses((low, high, free)) == ["unsat", "unsat", "sat"]
    assert (low.core.strip("()").split(), high.core.strip("()").split()) == (["g"], ["h"])
    assert "define-fun x () Int" in " ".join(free.model.split())
    assert not low.model and not free.core


def test_names_mean_what_each_program_declares(z3: QuestionProcess) -> None:
    starts = z3.starts
    for prelude, question, expected in (
        ("(declare-const x Bool)(assert x)", "(assert (not x))", "unsat"),
        ("(declare-sort S 0)(declare-const x S)", "", "sat"),
        ("(declare-datatypes ((S 0)) (((a) (b))))(declare-const x S)", "(assert (distinct x b))", "sat"),
        (LIST + LENGTH, "(assert (= (len l) 2))", "sat"),
        (LIST, "(assert (distinct l nil))", "sat"),
        (LIST + LENGTH, "(assert (= (len (cons 1 nil)) 0))", "unsat"),
    ) * 2:
        assert statuses(z3.evidence(prelude, [question])) == [expected]
        assert z3.ask("(declare-const x Int)(assert (< x 4))").status == "sat"
    assert z3.starts == starts


@pytest.mark.parametrize(
    "text",
    [
        "(assert nonsense)",
        "(assert (> x",
        "(pop)",
        '(echo "sat")',
        "(check-sat)",
        "(assert true) sat",
        '(assert (= x "sat"))',
    ],
)
def test_what_is_no_question_is_an_error_and_spoils_nothing_after_it(z3: QuestionProcess, text: str) -> None:
    assert statuses(z3.evidence(ABOVE_FIVE, [text])) == ["error"]
    before, wrong, after = z3.evidence(ABOVE_FIVE, ["(assert (< x 4))", text, "(assert (< x 4))"])
    assert wrong.answer.status == after.answer.status == "error"
    assert before.answer.status in ("unsat", "error")
    assert statuses(z3.evidence(ABOVE_FIVE, ["(assert (< x 4))"])) == ["unsat"]


def test_an_error_in_the_prelude_or_in_an_assumption_is_an_error_of_every_question(z3: QuestionProcess) -> None:
    assert statuses(z3.evidence("(declare-const x Int)(assert y)(assert false)", ["", ""])) == ["error", "error"]
    assert statuses(z3.evidence("(assert", [""])) == ["error"]
    assert statuses(z3.evidence(PRELUDE, [""], assuming=[["g", "(echo"]])) == ["error"]
    assert statuses(z3.evidence(PRELUDE, ["(assert g)"])) == ["sat"]


def test_what_cannot_be_stopped_is_killed_and_nothing_is_made_of_it(z3: QuestionProcess) -> None:
    bits = "(declare-const x (_ BitVec 65536))(declare-const y (_ BitVec 65536))(assert (= (bvmul x y) (bvadd x y)))"
    starts = z3.starts
    found = z3.evidence(bits, ["", "(assert (= x y))"], Limits(rlimit=100_000, seconds=0.1, grace=0.05))
    assert statuses(found) == ["unknown", "unknown"]
    assert statuses(z3.evidence(PRELUDE, ["(assert g)"])) == ["sat"]
    assert z3.starts == starts + 1


def test_the_optimizer_is_asked_for_a_term_and_for_nothing_else(z3: QuestionProcess) -> None:
    below_seven = "(declare-const x Int)(assert (< x 7))"
    assert "(x 6)" in z3.optimize(below_seven, True, "x").output
    assert z3.optimize(below_seven, True, "x)(assert false)(maximize x").status == "error"
    assert statuses(z3.evidence(below_seven, ["(assert (> x 5))"])) == ["sat"]


def test_what_is_cut_off_while_it_is_asserted_spoils_all_that_comes_after_it(z3: QuestionProcess) -> None:
    letters = [f"q{number}" for number in range(1500)]
    declared = "".join(f"(declare-fun {letter} (T) Bool)" for letter in letters)
    some = " ".join(f"({letter} x)" for letter in letters)
    prelude = f"(declare-sort T 0)(declare-const a T){declared}(assert (forall ((x T)) (or {some})))"
    found = z3.evidence(prelude, ["(assert (q0 a))", "(assert (not (q0 a)))"], Limits(rlimit=300_000, seconds=5.0))
    assert statuses(found) == ["unknown", "unknown"], "z3 itself says unsat of the second"
