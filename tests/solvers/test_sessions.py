"""Sessions, scripts and evidence of solvers."""

import pytest
from named_texts import tables

from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.process import script_fault, term_fault
from goedels_poetry.solvers.z3_process import Z3Process

TABLES = tables(__file__)

FALSE = "(assert false)"
PRELUDE = "(declare-const x Int)\n(assert (! (> x 3) :named low))"


def test_each_check_sees_the_prelude_and_not_the_other_checks(z3: Z3Process) -> None:
    session = z3.session(PRELUDE)
    assert session.check("(declare-const y Int)(assert (< x 2))").status == "unsat"
    assert session.check("(declare-const y Bool)(assert (and y (< x 9)))").status == "sat"
    assert session.check("").status == "sat"


def test_gets_cores_and_models(z3: Z3Process) -> None:
    session = z3.session(PRELUDE, cores=True)
    core = session.check("(assert (! (< x 0) :named neg))", get="core").output
    assert set(core.strip("()").split()) == {"low", "neg"}
    assert "define-fun x" in session.check("", get="model").output
    assert session.check("", get=("x",)).output.startswith("((x ")
    assert z3.session(PRELUDE).check(FALSE, get="core").status == "error"


def test_an_error_in_a_check_spoils_no_later_one(z3: Z3Process) -> None:
    session = z3.session(PRELUDE)
    assert session.check("\n(assert (= z 1))").reason.startswith("line 2 column")
    assert session.check("(assert (< x 2))").status == "unsat"
    assert session.check("(pop)").status == "error"
    assert session.check("").status == "sat"


def test_an_error_in_the_prelude_is_an_error_of_every_check(z3: Z3Process) -> None:
    session = z3.session("(declare-const x Int)\n(assert y)\n(assert false)")
    for _ in range(2):
        answer = session.check("")
        assert answer.status == "error"
        assert answer.reason.startswith("line 2 column")
    assert z3.session("(assert").check("").status == "error"


def test_a_limit_in_one_check_leaves_the_session_usable(z3: Z3Process, hard: str) -> None:
    session = z3.session(PRELUDE.replace("x", "a"))
    for limits, reason in ((Limits(rlimit=20_000, seconds=60), "rlimit"), (Limits(seconds=0.2), "timeout")):
        answer = session.check(hard, limits)
        assert (answer.status, answer.reason) == ("unknown", reason)
        assert session.check("(assert (< a 2))").status == "unsat"
    assert z3.starts == 1


def test_a_recursive_definition_in_one_check_does_not_end_the_next(z3: Z3Process) -> None:
    """z3 5.4.0 dies when a popped recursive function over a popped datatype is defined and checked again."""
    extra = """
        (declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))
        (define-fun-rec plus ((a Nat) (b Nat)) Nat (ite ((_ is Z) a) b (S (plus (pred a) b))))
        (declare-const n Nat)
        (assert (= (plus n Z) n))"""
    session = z3.session(PRELUDE)
    for _ in range(3):
        assert session.check(extra).status == "sat"
        assert session.check("(assert (< x 2))").status == "unsat"


def test_a_check_cut_off_before_it_was_set_apart_leaves_nothing_behind(z3: Z3Process) -> None:
    """z3 may give up within ``push``; what follows would then be asserted for good."""
    rule = "(assert (forall ((x Int)) (! (=> (p x) (p (+ x 1))) :pattern ((p x)))))"
    prelude = f"(declare-fun p (Int) Bool)(assert (p 0)){rule}"
    session = z3.session(prelude, {"auto_config": "false", "smt.mbqi": "false"})
    cut = session.check(FALSE, Limits(rlimit=50))
    assert (cut.status, cut.reason) == ("unknown", "timeout")
    assert session.check("", Limits(rlimit=20_000)).status == "unknown"


def test_no_limit_however_small_leaves_a_check_behind(z3: Z3Process) -> None:
    """Resources may run out between ``push`` and the check; z3 says so in words of its own."""
    prelude = """(declare-datatypes ((N 0)) (((zero) (more (less N)))))(declare-fun f (N) N)(declare-const c N)
        (assert (forall ((x N)) (! (= (f (more x)) (more (f x))) :pattern ((f (more x))))))
        (assert (= (f c) (more c)))"""
    for rlimit in (*range(20, 60), 100):
        session = z3.session(prelude, {"auto_config": "false", "smt.mbqi": "false"})
        for first in (20, 2000):
            session.check("(assert (= c zero))", Limits(rlimit=first))
            session.check(FALSE, Limits(rlimit=rlimit))
            assert session.check("", Limits(rlimit=20_000)).status == "unknown", rlimit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "; only a comment",
        "(assert true)",
        '(declare-const |a ) b| Int) ; a comment with ( and "\n(assert (= |a ) b| 0))',
        '(assert (= "a "" ( b" ""))',
        "(\n  define-fun f () Int\n 1)",
    ],
)
def test_whole_declarations_definitions_and_assertions_pass(text: str) -> None:
    assert script_fault(text) is None


@pytest.mark.parametrize(("text", "words"), TABLES["test_whatever_could_swallow_or_pose_a_command_is_refused"])
def test_whatever_could_swallow_or_pose_a_command_is_refused(text: str, words: str) -> None:
    fault = script_fault(text)
    assert fault is not None
    assert words in fault


def test_a_hundred_thousand_parentheses_are_only_counted() -> None:
    assert script_fault("(" * 100_000) is not None
    assert script_fault("(assert " + "(not " * 100_000 + "true" + ")" * 100_001) is None


def test_terms_to_evaluate_are_balanced() -> None:
    assert term_fault("(+ x 1)") is None
    assert term_fault("x)(get-model") is not None
    assert term_fault("(x") is not None
    assert term_fault("") is not None
