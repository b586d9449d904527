"""Statements about Python functions are told in the Python's words, those of other languages as they were."""

from __future__ import annotations

import pytest

from goedels_poetry.store.state import ProofNode
from goedels_poetry.trace.explain import worded_in
from goedels_poetry.trace.page.data import in_words
from goedels_poetry.trace.proof_text import how
from goedels_poetry.trace.tree import method, tree
from goedels_poetry.trace.wording import worded, worded_method, wording_of

_MOD = "(ite (or (> b 0) (= (mod a b) 0)) (mod a b) (+ (mod a b) b))"
_DIV = "(ite (or (> b 0) (= (mod a b) 0)) (div a b) (- (div a b) 1))"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("(gcd!loop!ok a b)", "gcd's loop(a, b) does not raise"),
        ("(not (gcd!ok a b))", "gcd(a, b) raises"),
        ("(and (f!ok x) (= (f!loop.2 x) 0))", "f(x) does not raise and f's loop 2(x) = 0"),
        (f"(>= {_MOD} 0)", "(a % b) >= 0"),
        (f"(= (+ {_DIV} 1) 2)", "(a // b) + 1 = 2"),
        ("(cons.int 1 (cons.int 2 nil.int))", "[1, 2]"),
        ("(= (len.int (cons.int x xs)) (+ (len.int xs) 1))", "len([x, *xs]) = len(xs) + 1"),
        ("(not (member.int x xs))", "not (x in xs)"),
        ("(= ((_ is none.int) (find k xs)) ((_ is nil.int) xs))", "(find(k, xs) is None) = (xs = [])"),
        ("(= (f!ok x) raises.ValueError)", "f(x) raises ValueError"),
        ("((_ is returns) (f!ok x))", "f(x) does not raise"),
        ("(= (Point!x p) (Point!y (Point! 1 2)))", "p.x = Point(1, 2).y"),
        ("(= (turn Color!RED) Color!GREEN)", "turn(Color.RED) = Color.GREEN"),
        ("(= (Gr~f6~~df~e x) (max~ x 1))", "Größe(x) = max(x, 1)"),
        ("(sequent ((xs_head.int Int)) () (f xs_head.int))", "f(xs_head)"),
    ],
)
def test_a_statement_in_the_words_of_python(statement: str, words: str) -> None:
    assert worded(statement, "python") == words


def test_what_came_nearest_and_what_was_tried_are_told_in_the_words_of_python() -> None:
    assert worded_in("recursion-induction gcd!loop a b /", "python") == "recursion-induction gcd's loop(a, b)"
    trial = {"strategy": "recursion-induction", "what": "gcd!loop!ok a b / b", "left": "(gcd!loop!ok a b)"}
    told = in_words({"tried": [trial]}, "python")["tried"][0]
    assert (told["what"], told["left"]) == ("gcd's loop(a, b) for all b", "gcd's loop(a, b) does not raise")


@pytest.mark.parametrize(
    "text", ['(= (f x) "a!ok (nil.int ~f6~")', "(= |a!b| (f |c d|))", "(f)", "()", "((x!ok))", "(let ((x 1)) x)"]
)
def test_what_is_quoted_or_of_no_known_form_stays_as_it_is(text: str) -> None:
    assert worded(text, "python") == worded(text)


@pytest.mark.parametrize("language", ["", "smt", "logic"])
def test_other_languages_keep_their_names(language: str) -> None:
    assert worded("(gcd!loop!ok a (len.int nil.int))", language) == "gcd!loop!ok(a, len.int(nil.int))"
    assert worded_method("recursion-induction(gcd!loop!ok a b /)", language) == "recursion-induction(gcd!loop!ok(a, b))"


def test_the_tree_and_the_proof_of_a_python_function_name_its_loop() -> None:
    node = ProofNode(
        id="0",
        language="python",
        statement="(sequent ((a Int) (b Int)) ((>= a 0)) (gcd!loop!ok a b))",
        strategy="recursion-induction",
        fingerprint="recursion-induction(gcd!loop!ok a b /)",
    )
    assert method(node) == "recursion-induction(gcd's loop(a, b))"
    assert "if a >= 0 then gcd's loop(a, b) does not raise" in str(tree([node], "", wording_of("python")).label)
    scheme = {"kind": "recursion", "function": "gcd!loop!ok", "at": ["a", "b"]}
    assert how(scheme, "python") == "induction along the recursion of gcd's loop(a, b)"
