"""SMT-LIB programs that are no programs: each mistake refuses the whole, with its place and what to change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_texts import tables
from smt2_texts import P, refused

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.program.smt2 import read_smt2

TABLES = tables(__file__)

SORTS = "(define-sort S0 () Int)" + "".join(f"(define-sort S{i + 1} () (Array S{i} S{i}))" for i in range(40))
PAIRS = "(declare-datatypes ((P 2)) ((par (X Y) ((mk (l X) (r Y))))))"
DOUBLED_PAIRS = PAIRS + "(assert (let ((a 1)) " + "(let ((a (mk a a))) " * 40 + "(= a a)" + ")" * 42
PAIRED = " ".join(f"{i} {j}" for i in range(10, 100) for j in range(i + 1, 100))
TWICE = "(define-sort S0 (X) X)" + "".join(f"(define-sort S{i + 1} (X) (S{i} (S{i} X)))" for i in range(45))


# ----------------------------------------------------------------------- where the verdict used to be lost


@pytest.mark.parametrize(("text", "message"), TABLES["test_one_mistake_refuses_the_program_and_is_named"])
def test_one_mistake_refuses_the_program_and_is_named(text: str, message: str) -> None:
    assert message in str(refused(text))


@pytest.mark.parametrize(
    "text",
    [
        "```smt2\n" + P + "(assert p)(check-sat)\n```",
        "Here is the program:\n" + P + "(assert p)",
        P + "(assert p)(check-sat)\nThe answer is sat, since p can be true.",
        "# Socrates\n" + P + "(assert p)",
        "1. First the sorts\n" + P + "(assert p)",
    ],
)
def test_text_that_is_no_command_is_no_program(text: str) -> None:
    assert "other text begins with ;" in str(refused(text))


@pytest.mark.parametrize("text", ["", "; unsat expected\n", "; it's (not) a `quoted` remark, isn't it?\n\n"])
def test_remarks_mean_nothing(text: str) -> None:
    assert read_smt2(text + P + "(assert p) ; sat\n(check-sat)\n; unsat").goals[0].place.line == 1 + text.count("\n")


def test_what_a_program_prints_is_left_aside_and_said() -> None:
    program = read_smt2(
        '(set-logic QF_LIA)(set-info :status unsat)(echo "unsat")(set-option :produce-models true)'
        "(set-option :timeout 4294967295)(set-option :smt.mbqi false)"
        + P
        + '(assert p)(check-sat)(get-value (p))(get-unsat-core)(get-info :reason-unknown)(echo "sat")(exit)'
    )
    assert program.premises == ()
    (aside,) = [warning for warning in program.warnings if warning.startswith("left aside")]
    for word in ("set-logic", "echo", "set-option :timeout", "get-value", "get-unsat-core", "get-info"):
        assert word in aside


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('(include "other.smt2")', "command `include` is not allowed"),
        ('(set-option :regular-output-channel "answer.txt")', "`:regular-output-channel` is not allowed"),
        ('(set-option :solver.smtlib2_log "a.smt2")', "is not allowed"),
        ("(set-option :produce-models)", "a keyword and a value"),
        ("(reset)", "cannot be taken back"),
        ("(assert-soft p :weight 2)", "maximize"),
        ("(prove p)", "define-fun goal"),
        ("(shell ls)", "unknown command `shell`"),
        ("(exit)(assert q)", "`assert` after exit"),
        ("(pop)", "more is popped than was pushed"),
        ("(declare-const true Bool)", "`true` is a symbol of SMT-LIB"),
        ("(declare-fun select (Int) Int)", "cannot be declared anew"),
    ],
)
def test_commands_that_reach_out_or_take_back_are_refused(command: str, message: str) -> None:
    assert message in str(refused(P + "(assert p)" + command + "(check-sat)"))


def test_a_reset_at_the_start_takes_nothing_back() -> None:
    assert len(read_smt2("(set-logic ALL)(reset)" + P + "(assert p)(check-sat)").goals) == 1


@pytest.mark.parametrize(
    "name", ["sat", "unsat", "unknown", "took-SAT", "success", "sin", "True", "error", "|a b|", "|(|"]
)
def test_words_of_solvers_are_names_like_any_other(name: str) -> None:
    program = read_smt2(f"(declare-const {name} Bool)(assert (not {name}))(define-fun goal () Bool {name})")
    assert [show(premise.formula) for premise in program.premises] == [f"(not {show(program.goals[0].formula)})"]


# ------------------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    "text",
    [
        P + "(assert " + "(not " * 300 + "p" + ")" * 301,
        P + "(assert " + "(= p " * 1_000 + "p" + ")" * 1_001,
        P + "(assert " + "(forall ((x Int)) " * 1_000 + "p" + ")" * 1_001,
        P + f"(assert (xor {'p ' * 5_000}))",
        "(" * 100_000,
    ],
    ids=["not", "equal", "forall", "xor", "parentheses"],
)
def test_deep_nesting_is_refused_in_one_message(text: str) -> None:
    assert "nested more than" in refused(text).message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b" " * 1_000_001, "larger than"),
        (f"(assert (< {PAIRED}))" * 40, "more than 300,000 nodes"),
        ("".join(f"(define-fun goal-{i} () Bool true)" for i in range(101)), "more than 100 goals"),
        ("(push 1000)(push 1000)", "levels are open"),
        (SORTS + "(declare-const x S40)(assert (= x x))", "this sort has more than 1,000 parts"),
        (DOUBLED_PAIRS, "this sort has more than 1,000 parts"),
        (TWICE + "(declare-const x (S45 Int))(assert (= x x))", "the sorts take too much work"),
        (b"(assert true)\xff", "not UTF-8"),
        (b"(assert true)\x00", "control character"),
    ],
    ids=["bytes", "nodes", "goals", "levels", "sorts", "pairs", "steps", "encoding", "control"],
)
def test_what_is_too_much_or_no_text_is_refused(text: str | bytes, message: str) -> None:
    assert message in str(refused(text))


def test_a_thousand_redeclarations_and_names_that_clash_are_read_in_passing() -> None:
    scopes = "".join(
        f"(push)(declare-const y {'Int' if i % 2 else 'Bool'})(assert (forall ((y1 Int)) (= y1 y1)))(pop)"
        for i in range(1_000)
    )
    assert len(read_smt2(scopes + "(assert true)").signature.functions) == 1_000


@given(
    st.lists(
        st.sampled_from(
            [
                *'()pq|";',
                "assert",
                " ",
                "(push)",
                "(pop)",
                "(check-sat)",
                "(assert p)",
                "goal",
                "not",
                "(define-fun goal () Bool p)",
                "(! p :named a)",
                ":named",
                "(declare-const p Bool)",
            ]
        ),
        max_size=25,
    )
)
def test_any_text_is_a_program_or_refused_with_a_place(parts: list[str]) -> None:
    try:
        program = read_smt2("".join(parts))
    except InvalidInput as invalid:
        assert invalid.message and invalid.line is not None
    else:
        assert program.goals
