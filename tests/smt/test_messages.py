"""What a person reads of a text that is no theorem: the place, what is not supported, which language it may be."""

import pytest
from named_texts import tables

from goedels_poetry.errors import EXCERPT_COLUMNS, InvalidInput, source_excerpt
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.smt.language import SmtLanguage
from goedels_poetry.smt.notation.text import parse_problem

TABLES = tables(__file__)

# ------------------------------------------------------------------------------------------------- line and caret


@pytest.mark.parametrize(
    ("text", "line", "column", "shown"),
    [
        ("(prove (= x y))", 1, 11, "(prove (= x y))\n          ^"),
        ("; one\r\n(prove\r\n  (= x y))\r\n", 3, 6, "(= x y))\n   ^"),
        ("a\n\t(prove\ty)", 2, 9, "(prove    y)\n          ^"),
        ("(= 你好 y)", 1, 7, "(= 你好 y)\n        ^"),
        ("(= e\u0301 y)", 1, 7, "(= e\u0301 y)\n     ^"),
        ("a\x1b[2Jb", 1, 6, "a\\x1b[2Jb\n        ^"),
        ("(prove", 1, 99, "(prove\n      ^"),
        ("(prove", 1, None, "(prove"),
        ("\ufeffx y", 1, 3, "x y\n  ^"),
        ("x", 2, 1, ""),
        ("x", None, None, ""),
        ("  \n", 1, 1, ""),
        ("", 1, 1, ""),
    ],
)
def test_the_line_and_a_caret_under_the_column(text: str, line: int | None, column: int | None, shown: str) -> None:
    assert source_excerpt(text, line, column) == shown


@pytest.mark.parametrize("column", [1, 2, 50, 500, 9_999, 10_000, 10_001])
@pytest.mark.parametrize("letter", ["x", "你", "\t", "\x07"])
def test_a_long_line_is_cut_around_the_column(column: int, letter: str) -> None:
    text = letter * (column - 1) + "!" + letter * (10_000 - column)
    shown, caret = source_excerpt(f"(\n{text}", 2, column).split("\n")
    wide = 2 if letter == "你" else 1
    columns = [c for c in shown for _ in range(wide if c == letter else 1)]
    assert len(columns) <= EXCERPT_COLUMNS + 2 * wide
    assert caret.strip() == "^" and columns[len(caret) - 1] == "!"


async def test_the_language_tells_the_line_with_a_caret() -> None:
    language = SmtLanguage(1)
    try:
        with pytest.raises(InvalidInput) as caught:
            await language.read("(declare-const x Int)\n(prove (= x yy))\n", {})
    finally:
        await language.aclose()
    assert caught.value.source == "(prove (= x yy))\n            ^"
    assert caught.value.location == {"line": 2, "column": 13, "hint": caught.value.hint, "source": caught.value.source}


def test_so_does_a_program_in_json() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_json('{"sorts": [],\n "rulez": []}')
    assert caught.value.source.endswith('"rulez": []}\n^')


# ------------------------------------------------------------------------------------------ what is not supported


def refused(text: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        parse_problem(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "name", "theory"), TABLES["test_other_theories_are_not_supported_and_what_is_is_told"]
)
def test_other_theories_are_not_supported_and_what_is_is_told(text: str, name: str, theory: str) -> None:
    error = refused(text)
    assert f"`{name}` is not supported" in error.message and theory in error.message
    assert "Int, Real" in (error.hint or "") and "declare it" not in (error.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "(declare-sort Set 0)(declare-const s Set)(prove (= s s))",
        "(declare-fun exp (Int) Int)(prove (= (exp 1) (exp 1)))",
        "(declare-datatypes ((Seq 0)) (((fp) (seq.cons (seq.head Int)))))(prove (= (seq.head (seq.cons 1)) 1))",
    ],
)
def test_who_declares_such_a_name_may_use_it(text: str) -> None:
    assert parse_problem(text).goal


def test_a_name_that_is_declared_later_and_one_of_no_theory_are_told_as_before() -> None:
    assert "before it is used" in (refused("(prove (= (fp.add 1) 1))(declare-fun fp.add (Int) Int)").hint or "")
    assert "declare it first" in (refused("(declare-const x Foo)").hint or "")


# ------------------------------------------------------------------------------- benchmarks as they are pasted


@pytest.mark.parametrize(
    "option",
    [
        *[":print-success false", ":verbosity 3", ":random-seed 7", ":reproducible-resource-limit 100"],
        *[":produce-unsat-assumptions true", ":produce-assertions true", ":interactive-mode true"],
        *[':regular-output-channel "stdout"', ':diagnostic-output-channel "x"'],
    ],
)
def test_options_that_only_steer_what_is_printed_are_left_aside(option: str) -> None:
    goal = "(prove (forall ((x Int)) (= x x)))"
    assert parse_problem(f"(set-option {option}){goal}").goal is parse_problem(goal).goal
    assert parse_problem(f"{goal}(check-sat)(set-option {option})").warnings == ()


@pytest.mark.parametrize(
    "command",
    ["(get-model)", "(get-info :version)", "(get-option :verbosity)", '(echo "x")', "(get-value (x))", "(exit)"],
)
@pytest.mark.parametrize("form", ["{}(check-sat){}", "{}{}", "(set-logic ALL){}{}(check-sat)"])
def test_commands_that_only_print_are_left_aside(command: str, form: str) -> None:
    goal = "(prove (forall ((x Int)) (= x x)))"
    text = form.format(goal, command) if command != "(exit)" else f"{goal}(exit)"
    assert parse_problem(text).goal is parse_problem(goal).goal
