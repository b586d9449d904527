"""How a model could get a wrong answer through, and what becomes of each way.

Every program here would be believed by a reader that only looks for ``sat`` and ``unsat``. What is refused goes back to
the model; what cannot be refused, because it may be right, is told apart in the result.
"""

import dataclasses
from typing import Any

import pytest

from goedels_poetry.protocol.base import OPEN, REFUSED, VACUOUS, Outcome
from goedels_poetry.questions import jobs
from goedels_poetry.questions.language import settled
from goedels_poetry.search.questions.decider import report_on
from goedels_poetry.search.tasks.question import ANSWER, INCONSISTENT, LIMITS, UNREADABLE, Question

TEXT = "Every cat is soft. Sam is a cat. Tom is a dog."
HEAD = """(declare-sort T 0)
(declare-const sam T)
(declare-const tom T)
(declare-fun cat (T) Bool)
(declare-fun soft (T) Bool)
"""
P1 = "(assert (! (forall ((x T)) (=> (cat x) (soft x))) :named p1 :sentence 1))\n"
P2 = "(assert (! (cat sam) :named p2 :sentence 2))\n"
ABOUT_TOM = "(define-fun goal () Bool (soft tom))\n"
QUESTION = Question("Scenario: I know Tom.\n\nQuestion: Is Tom soft, although he barks?", TEXT)
"""Sentences 1 to 3 are the text, 4 the case, 5 what is asked. The text leaves it open."""


def look(program: str, question: Question = QUESTION) -> dict[str, Any]:
    """What comes of a program for a question, as the verifier reports it."""
    requirements = {
        "numbers": sorted(question.numbers),
        "asked": [s.number for s in question.sentences if s.asked],
        "text": bool(question.context),
        "world_knowledge": question.world_knowledge,
        "choices": [],
        "known": list(question.known),
    }
    found = jobs.answer({"text": program, "options": settled(program, question.options), "requirements": requirements})
    return report_on(question, program, Outcome(found["ok"], found["value"], found["reason"]))


def test_the_text_leaves_the_question_open() -> None:
    assert look(HEAD + P1 + P2 + ABOUT_TOM)["kind"] == OPEN


@pytest.mark.parametrize(
    "premise",
    [
        '(assert (! (soft tom) :named w :world "Tom is soft."))',
        '(assert (! (not (soft tom)) :named w :world "Tom is not soft."))',
        '(assert (! (not (not (soft tom))) :named w :world "Tom is not not soft."))',
        '(assert (! (and (cat sam) (soft tom)) :named w :world "Sam is a cat, and Tom is soft."))',
        "(assert (soft tom))",
        "(assert (! (soft tom) :named p :sentence 5))",
        '(assert (! (soft tom) :named p :sentence 3 :world "Tom is soft."))',
    ],
)
def test_a_premise_that_says_what_is_asked_is_refused(premise: str) -> None:
    report = look(HEAD + P1 + P2 + premise + ABOUT_TOM)
    assert report["kind"] == REFUSED
    assert "assumes what is asked" in report["reason"] and "begs the question" in report["words"]


def test_what_the_text_itself_states_may_be_asked() -> None:
    report = look(HEAD + P1 + P2 + "(define-fun goal () Bool (cat sam))")
    assert (report["kind"], report["result"]["answer"]) == (ANSWER, True)


def test_an_answer_that_rests_on_assumptions_only_is_refused() -> None:
    world = """(assert (! (forall ((x T)) (soft x)) :named w :world "Everything is soft."))\n"""
    report = look(HEAD + P1 + P2 + world + ABOUT_TOM)
    assert report["kind"] == REFUSED
    assert "rests on assumptions only (w)" in report["reason"]


def test_an_invented_premise_between_text_and_goal_is_listed_as_an_assumption() -> None:
    world = """(assert (! (=> (cat sam) (soft tom)) :named w :world "What holds of Sam holds of Tom."))\n"""
    report = look(HEAD + P1 + P2 + world + ABOUT_TOM)
    assert report["kind"] == ANSWER
    assert [p["words"] for p in report["result"]["core"] if p["origin"] == "world"] == [
        "What holds of Sam holds of Tom."
    ]


@pytest.mark.parametrize(
    "goal", ["(or (soft tom) (not (soft tom)))", "(= tom tom)", "(and (soft tom) (not (soft tom)))"]
)
def test_a_goal_that_is_decided_by_itself_goes_back(goal: str) -> None:
    report = look(HEAD + P1 + P2 + f"(define-fun goal () Bool {goal})")
    assert report["kind"] == VACUOUS
    assert "no premise is used" in report["words"]


def test_a_definition_that_decides_the_goal_goes_back_and_is_listed() -> None:
    program = HEAD.replace("(declare-fun soft (T) Bool)", "(define-fun soft ((x T)) Bool (not (= x tom)))")
    report = look(program + P2 + ABOUT_TOM)
    assert report["kind"] == VACUOUS
    assert report["result"]["assumed"] == ["by definition, soft(x) is (not (= x tom))"]


def test_a_closed_list_of_things_is_told_as_an_assumption() -> None:
    things = "(declare-datatypes ((T 0)) (((sam) (tom))))\n(declare-fun cat (T) Bool)\n(declare-fun soft (T) Bool)\n"
    both = "(assert (! (and (cat sam) (cat tom)) :named p2 :sentence (2 3)))\n"
    report = look(things + P1 + both + "(define-fun goal () Bool (forall ((x T)) (soft x)))")
    assert (report["kind"], report["result"]["assumed"]) == (
        ANSWER,
        ["every T is one of: sam, tom, and they are different"],
    )


@pytest.mark.parametrize(
    "premise", ["(assert false)", "(assert (! false :named p9 :sentence 1))", "(assert (not (cat sam)))"]
)
def test_from_a_contradiction_nothing_follows(premise: str) -> None:
    report = look(HEAD + P1 + P2 + premise + ABOUT_TOM)
    assert report["kind"] == INCONSISTENT
    assert report["result"]["answer"] is None


@pytest.mark.parametrize("asked", ["(assert (not (soft tom)))", "(assert (soft tom))"])
def test_a_goal_without_a_mark_is_no_goal(asked: str) -> None:
    report = look(HEAD + P1 + P2 + f"{asked}\n(check-sat)")
    assert report["kind"] == UNREADABLE
    assert "the goal is not marked" in report["words"] and "define-fun goal" in report["words"]


@pytest.mark.parametrize("number", [0, 6, 99, -1])
def test_a_sentence_that_does_not_exist_cannot_be_cited(number: int) -> None:
    report = look(HEAD + P1 + f"(assert (! (cat tom) :named p2 :sentence {number}))\n" + ABOUT_TOM)
    assert report["kind"] == UNREADABLE


def test_an_answer_to_an_earlier_question_cannot_be_made_up() -> None:
    derived = '(assert (! (cat tom) :named d :derived "Tom is a cat."))\n'
    assert look(HEAD + P1 + derived + ABOUT_TOM)["kind"] == UNREADABLE
    known = dataclasses.replace(QUESTION, known=("Tom is a cat.",))
    assert look(HEAD + P1 + derived + ABOUT_TOM, known)["kind"] == ANSWER


def test_what_the_solver_has_no_time_for_goes_back_as_too_hard_not_as_open() -> None:
    hard = "(assert (! (forall ((x Int)) (= (f (* x x x)) (+ (f x) 7 (* x x)))) :named p1 :sentence 1))"
    program = f"(declare-fun f (Int) Int)\n{hard}\n(define-fun goal () Bool (> (f 3) (f 5)))"
    report = look(program, dataclasses.replace(QUESTION, verify_timeout=1))
    assert report["kind"] == LIMITS
    assert "no answer within 1 ms" in report["words"]


def test_without_a_text_the_goal_as_a_fact_goes_back_once() -> None:
    report = look(HEAD + '(assert (! (soft tom) :named w :world "Tom is soft."))' + ABOUT_TOM, Question("Is Tom soft?"))
    assert report["kind"] == VACUOUS
    assert "has to follow from other facts" in report["words"]
