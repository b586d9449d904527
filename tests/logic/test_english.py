"""The table by which English is rendered is the one by which programs are tested, and both dialects say the same."""

from __future__ import annotations

import json
import re

import pytest

from goedels_poetry.kernel.terms import alpha
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.case import case_of
from goedels_poetry.questions.confidence.english import ALL_SMT2, SOME_SMT2, TABLE, Reading, Row, readings
from goedels_poetry.questions.confidence.polarity import quantifier_words
from goedels_poetry.questions.entailment.findings import Entailment, GoalAnswer
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.program.smt2 import read_smt2

HEAD = "(declare-sort Thing 0) (declare-const c Thing) (declare-const council_agrees Bool)"
UNARY = ("A", "B", "C")
ROWS = [row for row in TABLE if row.smt2]


def phrases(row: Row) -> list[str]:
    """What a row is about, as sentences about cats that are soft."""
    found = []
    for phrase in re.sub(r" \([^)]*\)", "", row.english).split("; "):
        words = re.sub(r"\bAs\b", "cats", re.sub(r"\bA\b", "cat", phrase))
        words = re.sub(r"\bBs?\b", "soft", words)
        found.append(words[0].upper() + words[1:] + ".")
    return found


def flagged(formula: str, sentence: str) -> bool:
    text = f"""{HEAD} (declare-fun A (Thing) Bool) (declare-fun B (Thing) Bool) (declare-fun C (Thing) Bool)
    (assert (! {formula} :named p1 :sentence 1)) (define-fun goal () Bool (A c))"""
    program = read_smt2(text)
    entailment = Entailment(Verdict.UNKNOWN, goals=(GoalAnswer("goal", Verdict.UNKNOWN, None),))  # type: ignore[arg-type]
    return quantifier_words(case_of(program, entailment, "Is it so?", [sentence])).outcome == "warning"


def quantified(row: Row) -> bool:
    return row.smt2 in (ALL_SMT2, SOME_SMT2)


@pytest.mark.parametrize("row", [row for row in ROWS if quantified(row)], ids=lambda row: row.english[:30])
def test_what_the_table_says_is_never_flagged_and_its_opposite_is_where_the_words_are_plain(row: Row) -> None:
    other = SOME_SMT2 if row.smt2 == ALL_SMT2 else ALL_SMT2
    for sentence in phrases(row):
        assert not flagged(row.smt2, sentence), sentence
        if readings(sentence):
            assert flagged(other, sentence), sentence
    assert any(readings(sentence) for sentence in phrases(row))


@pytest.mark.parametrize(
    "sentence",
    [
        "Kind people are often nice.",
        "Big things tend to be red.",
        "Someone who is rough tends to be quiet.",
        "A young and kind person will often be big.",
        "Frequently, green people are cold.",
        "Watch out for the quiet ones, for they are rough.",
    ],
)
def test_hedges_of_one_shape_are_read_alike_as_rules(sentence: str) -> None:
    assert flagged(SOME_SMT2, sentence)
    assert not flagged(ALL_SMT2, sentence)


@pytest.mark.parametrize("sentence", ["Some people are often late.", "She often swims.", "Many cats tend to sleep."])
def test_a_hedge_about_some_or_about_somebody_is_no_rule(sentence: str) -> None:
    assert Reading.HEDGED not in readings(sentence)
    assert not flagged(SOME_SMT2, sentence)


def test_what_somebody_named_often_does_is_no_rule_either() -> None:
    assert not flagged("(exists ((x Thing)) (and (A x) (or (B x) (= x c))))", "Carol often eats cake.")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.english[:30])
def test_both_dialects_say_the_same(row: Row) -> None:
    unary = not re.search(r"\b[PQ]\b|\(or A", row.smt2)
    kind = "(Thing)" if unary else "()"
    names = UNARY if unary else ("A", "B", "C", "P", "Q")
    smt2 = HEAD + " ".join(f"(declare-fun {name} {kind} Bool)" for name in names)
    smt2 += f"(assert {row.smt2}) (define-fun goal () Bool council_agrees)"
    program = {
        "sorts": [{"name": "Thing", "type": "DeclareSort"}],
        "functions": [{"name": name, "domain": ["Thing"], "range": "Bool"} for name in names if unary],
        "constants": {
            "things": {"sort": "Thing", "members": ["c"]},
            "facts": {"sort": "Bool", "members": ["council_agrees", *([] if unary else names)]},
        },
        "knowledge_base": [row.json],
        "goal": "council_agrees",
    }
    assert alpha(read_smt2(smt2).premises[0].formula) == alpha(read_json(json.dumps(program)).premises[0].formula)
