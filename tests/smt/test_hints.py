"""Attributes of a goal: what they say, and what is wrong with those that cannot be meant, with line and column."""

from typing import Any

import pytest
from named_texts import tables

from goedels_poetry.smt.jobs import replies, symbolic
from goedels_poetry.smt.jobs.payloads import context_of
from goedels_poetry.smt.notation.text import parse_sequent
from goedels_poetry.smt.search.search import Sketcher

TABLES = tables(__file__)
THEORY = """(declare-datatype List ((nil) (cons (head Int) (tail List))))
(define-fun-rec app ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x List)) List (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(declare-const k Int)
(assert (! (> k 0) :named pos))
(prove (! (forall ((x List)) (= (app x nil) x)) :named unit))
"""
GOAL = "(forall ((x List) (y List)) (= (rev (app x y)) (app (rev y) (rev x))))"


def read(hint: str, goal: str = GOAL) -> dict[str, Any]:
    return symbolic.read({"theorem": f"{THEORY}(prove (! {goal} :named b\n  {hint}))", "name": "b"})


@pytest.mark.parametrize(("hint", "column", "words"), TABLES["what_cannot_be_meant"])
def test_what_cannot_be_meant_is_refused_where_it_stands(hint: str, column: int, words: str) -> None:
    found = read(hint)
    assert not found["ok"]
    assert (found["line"], found["column"]) == (9, column)
    assert words in f"{found['message']} ({found['hint']})"


@pytest.mark.parametrize(("hint", "part", "said"), TABLES["what_is_said"])
def test_what_is_said_becomes_the_sketch_of_a_model(hint: str, part: str, said: Any) -> None:
    found = read(hint)
    assert found["ok"], found
    sketch = found["hint"]["sketch"]
    assert sketch["strategy"] == "hint" and sketch["deterministic"]
    assert sketch["idea"][part] == said
    assert not [warning for warning in found["warnings"] if "ignored" in warning]


def test_what_a_goal_uses_and_hides() -> None:
    unit = symbolic.goals({"theorem": f"{THEORY}(prove true)", "name": "unit", "lemmas": ""})["goals"][0]["key"]
    assert read(":using (unit pos)")["hint"]["using"] == [unit]
    assert read(":using ()")["hint"]["using"] == []
    assert read(":induct (x)")["hint"]["using"] is None
    assert read(":hide (unit pos)")["hint"] == {"hide": ["unit", "pos"], "using": None, "named": [], "sketch": None}
    assert read("")["hint"]["sketch"] is None
    assert read(":using (unit)")["hint"]["sketch"]["fingerprint"] != read(":using ()")["hint"]["sketch"]["fingerprint"]


def test_a_hint_says_nothing_about_what_is_stated() -> None:
    plain, hinted = read(""), read(":using (unit) :induct (x) :instance ((unit y)) :hide (pos)")
    assert [plain[part] for part in ("statement", "theory", "key")] == [
        hinted[part] for part in ("statement", "theory", "key")
    ]


def verified(hint: str, scope: list[list[str]], goal: str = GOAL) -> dict[str, Any]:
    text = f"{THEORY}(prove (! {goal} :named b {hint}))"
    sketch = symbolic.read({"theorem": text, "name": "b"})["hint"]["sketch"]
    return replies.verify_idea({"theorem": text, "statement": "", "scope": scope, "sketch": sketch})


ASSOC = "(sequent ((a List) (b List) (c List)) () (= (app (app a b) c) (app a (app b c))))"
UNIT = "(sequent ((x List)) () (= (app x nil) x))"


def test_a_hint_that_helps_gives_the_proof() -> None:
    found = verified(":induct (x)", [["L1", UNIT], ["L2", ASSOC]])
    assert found["ok"], found["reason"]
    assert found["value"]["sketch"]["strategy"] == "hint"
    assert all("candidate" in child for child in found["value"]["sketch"]["children"])


def test_a_hint_that_does_not_help_leaves_the_case_that_stays_open() -> None:
    """Without ``assoc``, which ``:using`` leaves out, the step does not close."""
    found = verified(":induct (x) :using (unit)", [["L1", UNIT], ["L2", ASSOC]])
    assert not found["ok"]
    assert "by structural-induction these cases stay open: (forall" in found["reason"]
    assert "induction hypothesis: " in found["value"]["report"]


def test_an_instance_of_a_goal_that_is_not_proved_gives_nothing() -> None:
    """A hint may speak of any goal before it; it is proved from those alone that were."""
    goal, hint = "(forall ((x List)) (= (app (rev x) nil) (rev x)))", ":instance ((unit (rev x)))"
    assert verified(hint, [["L1", UNIT]], goal)["ok"]
    alone = verified(hint, [], goal)
    assert not alone["ok"] and "does not follow" in alone["reason"]


# ------------------------------------------------------------------------------------------------------ what would help

ROTATE = """(declare-datatypes ((Nat 0) (List 0)) (((zero) (succ (pred Nat))) ((nil) (cons (head Nat) (tail List)))))
(define-fun-rec app ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec len ((x List)) Nat (match x ((nil zero) ((cons h t) (succ (len t))))))
(define-fun-rec rot ((n Nat) (x List)) List
  (match n ((zero x) ((succ m) (match x ((nil nil) ((cons h t) (rot m (app t (cons h nil))))))))))
(prove (forall ((x List)) (= (rot (len x) x) x)))
"""


@pytest.mark.parametrize(
    ("lemma", "would"),
    [
        ("((y List) (a Nat)) () (= (rot (len y) (app y (cons a nil))) (cons a y))", True),
        ("((y List) (z List)) () (= (rot (len y) (app y z)) (app z y))", True),
        ("((y List)) ((distinct y nil)) (= (rot (len y) y) y)", False),
        ("((y List)) () (= y (rot (len y) y))", False),
        ("((a Nat) (y List)) () (= (rot (len (cons a y)) (cons a y)) (cons a y))", False),
        ("((y List) (n Nat)) () (= (len (rot n y)) (len y))", False),
    ],
)
def test_a_lemma_would_help_when_the_goal_follows_from_it_and_it_is_not_the_goal(lemma: str, would: bool) -> None:
    context, goal, _ = context_of({"theorem": ROTATE, "statement": "", "seconds": 20.0})
    sketcher = Sketcher(context)
    assert sketcher._follows(goal, parse_sequent(f"(sequent {lemma})", context.signature)) is would
