"""Scopes: many small programs in one z3, none of which sees another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process
from goedels_poetry.solvers.z3_scope import _UNSAFE, SCOPES, Evidence

PRELUDE = (
    "(declare-const g Bool)(declare-const h Bool)(declare-const x Int)(assert (=> g (> x 3)))(assert (=> h (< x 9)))"
)
LIST = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)"
LENGTH = "(define-fun-rec len ((l L)) Int (ite ((_ is nil) l) 0 (+ 1 (len (tail l)))))"


@pytest.fixture(scope="module")
def z3() -> Iterator[Z3Process]:
    with Z3Process() as process:
        assert process.ask("(assert true)").status == "sat"  # it runs: tests count how often it starts anew
        yield process


def statuses(found: tuple[Evidence, ...]) -> list[str]:
    return [e.answer.status for e in found]


def test_each_question_has_its_status_and_its_evidence(z3: Z3Process) -> None:
    scope = z3.scope(PRELUDE, ["g", "h"])
    low, high, free = scope.evidence(["(assert (< x 2))", "(assert (> x 10))", "(assert (= x 5))"])
    assert statuses((low, high, free)) == ["unsat", "unsat", "sat"]
    assert (low.core.strip("()").split(), high.core.strip("()").split()) == (["g"], ["h"])
    assert "define-fun x () Int" in " ".join(free.model.split())
    assert not low.model and not free.core


def test_a_question_may_assume_less_than_all(z3: Z3Process) -> None:
    scope = z3.scope(PRELUDE, ["g", "h"])
    assert statuses(scope.evidence(["(assert (< x 2))"] * 2, assuming=[["g"], ["h"]])) == ["unsat", "sat"]
    assert statuses(scope.evidence(["(assert (< x 2))"])) == ["unsat"]


def test_names_mean_in_each_scope_what_it_declares(z3: Z3Process) -> None:
    starts = z3.starts
    for _ in range(2):
        assert z3.scope("(declare-const x Bool)(assert x)").ask_each(["(assert (not x))", ""])[0].status == "unsat"
        assert z3.scope("(declare-sort S 0)(declare-const x S)").ask_each([""])[0].status == "sat"
        for values in ("a b c", "b d"):
            enumeration = f"(declare-datatypes ((S 0)) ((({') ('.join(values.split())}))))(declare-const x S)"
            assert z3.scope(enumeration).ask_each(["(assert (distinct x b))"])[0].status == "sat"
        found = z3.scope(PRELUDE).ask_each(["(assert (and g (< x 2)))", "(assert (< x 2))"])
        assert [a.status for a in found] == ["unsat", "sat"]
    assert z3.starts == starts


def test_datatypes_and_recursion_may_be_declared_again_and_again(z3: Z3Process) -> None:
    for prelude, question in (
        (LIST + LENGTH, "(assert (= (len l) 2))"),
        (LIST, "(assert (distinct l nil))"),
        (LIST + LENGTH, "(assert (= (len (cons 1 nil)) 0))"),
    ) * 2:
        expected = "unsat" if "cons 1" in question else "sat"
        assert z3.scope(prelude).ask_each([question])[0].status == expected


def test_a_scope_and_other_queries_do_not_see_each_other(z3: Z3Process) -> None:
    scope = z3.scope("(declare-const x Int)(assert (> x 5))")
    session = z3.session("(declare-const x Bool)")
    for _ in range(2):
        assert scope.ask_each(["(assert (< x 4))"])[0].status == "unsat"
        assert session.check("(assert x)").status == "sat"
        assert scope.ask_each(["(assert (< x 4))"])[0].status == "unsat"
        assert z3.ask("(declare-const x Int)(assert (< x 4))").status == "sat"
        z3.kill()


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
def test_what_is_no_question_is_an_error_and_spoils_nothing_after_it(z3: Z3Process, text: str) -> None:
    scope = z3.scope("(declare-const x Int)(assert (> x 5))")
    assert statuses(scope.evidence([text])) == ["error"]
    before, wrong, after = scope.evidence(["(assert (< x 4))", text, "(assert (< x 4))"])
    assert wrong.answer.status == after.answer.status == "error"
    assert before.answer.status in ("unsat", "error")
    assert statuses(scope.evidence(["(assert (< x 4))"])) == ["unsat"]


def test_an_error_in_the_prelude_is_an_error_of_every_question(z3: Z3Process) -> None:
    assert statuses(z3.scope("(declare-const x Int)(assert y)(assert false)").evidence(["", ""])) == ["error", "error"]
    assert z3.scope("(assert").ask_each([""])[0].status == "error"
    assert statuses(z3.scope(PRELUDE, ["g", "(echo"]).evidence([""])) == ["error"]
    assert z3.scope(PRELUDE).ask_each(["(assert g)"])[0].status == "sat"


def test_steps_bound_a_question_and_leave_the_next_one_whole(z3: Z3Process) -> None:
    cubes = "(assert (= (+ (* x x x) (* y y y) (* w w w)) 114))"
    scope = z3.scope("(declare-const x Int)(declare-const y Int)(declare-const w Int)")
    few = Limits(rlimit=20_000, seconds=20)
    first, second = scope.ask_each([cubes, "(assert (= x 1))"], few)
    assert (first.status, second.status) == ("unknown", "sat")
    assert scope.ask_each(["(assert (and (= x 1) (= x 2)))"], few)[0].status == "unsat"


def test_what_cannot_be_stopped_is_killed_and_nothing_is_made_of_it(z3: Z3Process) -> None:
    bits = "(declare-const x (_ BitVec 65536))(declare-const y (_ BitVec 65536))(assert (= (bvmul x y) (bvadd x y)))"
    starts = z3.starts
    found = z3.scope(bits).evidence(["", "(assert (= x y))"], Limits(rlimit=100_000, seconds=0.1, grace=0.05))
    assert statuses(found) == ["unknown", "unknown"]
    assert z3.scope(PRELUDE).ask_each(["(assert g)"])[0].status == "sat"
    assert z3.starts == starts + 1


def test_the_optimizer_is_asked_for_a_term_and_for_nothing_else(z3: Z3Process) -> None:
    scope = z3.scope("(declare-const x Int)(assert (< x 7))")
    assert "(x 6)" in scope.optimize(True, "x").output
    assert scope.optimize(True, "x)(assert false)(maximize x").status == "error"
    assert scope.ask_each(["(assert (> x 5))"])[0].status == "sat"


def test_after_so_many_scopes_the_process_begins_anew(z3: Z3Process) -> None:
    for number in range(SCOPES + 3):
        (answer,) = z3.scope(f"(declare-const x Int)(assert (= x {number}))").ask_each(
            [f"(assert (distinct x {number}))"]
        )
        assert answer.status == "unsat"
    assert z3._scopes <= 4


@pytest.mark.parametrize(
    ("prelude", "reset"),
    [
        ("(declare-datatypes ((C 0)) (((a) (b) (c) (d))))", False),
        ("(declare-datatypes ((C 0) (|D E| 0)) (((a) (|b c|) (c)) ((d) (e) (f))))", False),
        (LIST, True),
        ("(declare-datatypes ((L 0)) (((|a (b| (head Int)))))", True),
        ("(declare-const n Int)" + LENGTH.replace("L", "Int").replace("nil", "n"), True),
    ],
)
def test_only_what_a_pop_does_not_take_back_costs_a_reset(prelude: str, reset: bool) -> None:
    assert bool(_UNSAFE.search(prelude)) is reset
