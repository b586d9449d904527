"""A second reply is asked for only about what the verdict uses, in one message of neutral words."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from scripted_questions import Answer, Ask, KeptLanguage, Server

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.models.prompts import Prompts
from goedels_poetry.models.replies import blocks
from goedels_poetry.questions.confidence.english import QUESTIONS, TABLE
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.search.questions.writer import kind_of, variables
from goedels_poetry.search.tasks.question import Question

TEXT = "Kind people are often nice. Anne is kind. Red people are white. Bob is not nice."
HEAD = """(declare-sort T 0) (declare-const anne T) (declare-const bob T) (declare-fun kind (T) Bool)
(declare-fun nice (T) Bool) (declare-fun red (T) Bool) (declare-fun white (T) Bool)
"""
RULE = "(assert (! (forall ((x T)) (=> (kind x) (nice x))) :named p1 :sentence 1))\n"
ANNE = "(assert (! (kind anne) :named p2 :sentence 2))\n"
RED = "(assert (! (forall ((x T)) (=> (red x) (white x))) :named p3 :sentence 3))\n"
BOB = "(assert (! (not (nice bob)) :named p4 :sentence 4))\n"


def some(rule: str) -> str:
    return rule.replace("forall", "exists").replace("=>", "and")


def goal(formula: str) -> str:
    return f"(define-fun goal () Bool {formula})\n"


def fenced(*parts: str) -> Answer:
    return Answer(f"```smt2\n{''.join((HEAD, *parts))}```")


@pytest.fixture
async def ask(no_settings_from_outside: None, language: KeptLanguage) -> AsyncIterator[Ask]:
    async def one(server: Server, text: str, **told: Any) -> QueryResult:
        models = {"default": {"model": "scripted", "base_url": server.url, "retries": 0}, "cache": False}
        question = Question(text, **{"context": TEXT, "judged": False, **told})
        async with GoedelsPoetryFramework(Settings(models=models), language=language) as framework:
            return await solve(framework, question)

    yield one


def said(server: Server, request: int = -1) -> str:
    return str(server.requests[request]["messages"][-1]["content"])


async def test_a_fault_of_a_premise_outside_of_the_proof_costs_no_reply_and_stands_in_the_result(ask: Ask) -> None:
    with Server([fenced(RULE, ANNE, some(RED), goal("(nice anne)"))]) as server:
        result = await ask(server, "Anne is nice.")
        assert server.calls == 1
    assert result.answer is True
    assert any("p3" in warning for warning in result.warnings)


async def test_a_fault_of_a_premise_of_the_proof_is_told_with_its_words(ask: Ask) -> None:
    flipped = BOB.replace("(not (nice bob))", "(nice bob)")
    with Server([fenced(flipped, some(RED), goal("(nice bob)")), Answer("UNCHANGED")]) as server:
        result = await ask(server, "Bob is nice.")
        assert server.calls == 2
        told = said(server)
    assert '- premise p4 (sentence 4: "Bob is not nice."): it negates something where its words do not' in told
    assert "p3" not in told
    assert result.answer is True


async def test_an_open_question_gets_one_message_with_all_that_was_found_and_is_not_asked_again(ask: Ask) -> None:
    program = fenced(some(RULE), ANNE, some(RED), goal("(nice anne)"))
    with Server([program, Answer("UNCHANGED")]) as server:
        result = await ask(server, "Anne is nice.", max_attempts=5)
        assert server.calls == 2
        told = said(server)
    assert "- false: nice(anne)" in told or "nice(anne)" in told.split("- false: ")[1]
    assert 'premise p1 (sentence 1: "Kind people are often nice."): it speaks of some where its words' in told
    assert "p3" not in told and "white" not in told and "bob" not in told
    assert result.answer is None


async def test_of_an_open_question_only_those_quantifiers_are_told_that_would_decide_it(ask: Ask) -> None:
    asked = "Is the following statement true, false or uncertain? Anne is red."
    linked = '(assert (! (=> (nice anne) (or (red anne) (white anne))) :named p5 :world "x"))\n'
    with Server([fenced(some(RULE), ANNE, linked, goal("(red anne)"))]) as server:
        result = await ask(server, asked)
        assert server.calls == 1
    assert result.answer is None and any("p1" in warning for warning in result.warnings)


async def test_two_people_whose_names_are_taken_for_one_are_pointed_out(ask: Ask) -> None:
    same = '(assert (! (= anne bob) :named w1 :world "Anne is also called Bob."))\n'
    with Server([fenced(RULE, ANNE, same, goal("(nice bob)")), fenced(RULE, ANNE, BOB, goal("(nice bob)"))]) as server:
        result = await ask(server, "Bob is nice.")
        assert "premise w1: it says that two names are one thing, which no sentence says" in said(server)
    assert result.answer is False


async def test_somebody_whom_no_premise_names_is_nobody_else_and_costs_no_reply(ask: Ask) -> None:
    context = TEXT.replace("Anne", "Gustave")
    program = [part.replace("anne", "gustave") for part in (HEAD, RULE, ANNE)]
    asked = "(declare-const gustav T)\n" + goal("(nice gustav)")
    with Server([Answer(f"```smt2\n{''.join(program)}{asked}```")]) as server:
        result = await ask(server, "Is this statement true, false or uncertain? Gustav is nice.", context=context)
        assert server.calls == 1
    assert result.answer is None


async def test_reports_blame_nobody_and_presume_nothing(ask: Ask) -> None:
    with Server([fenced(RULE, goal("(nice bob)")), Answer("UNCHANGED")]) as server:
        await ask(server, "Bob is nice.")
        told = said(server)
    for word in ("Please fix", "suspicious", "one thing has two names", "was decided"):
        assert word not in told
    assert "two names of people are always two people" in told


# -- the first prompt --------------------------------------------------------------------------------------------


CASE = "Scenario: I am 70.\n\nQuestion: Can I get a pass?"
KINDS = {
    "text": Question("Anne is nice.", TEXT),
    "case": Question(CASE, "You can get a pass if you are over 64."),
    "world": Question("Would a pear sink in water?"),
}
MOST = {"text": 6_500, "case": 7_200, "world": 5_200}
"""Characters of a first prompt beside text and question."""


def prompts() -> Iterator[tuple[str, Question, str]]:
    for kind, question in KINDS.items():
        for backend in ("smt2", "json"):
            asked = Question(question.text, question.context, backend=backend)  # type: ignore[arg-type]
            told = Prompts().get(f"question-{backend}").messages(variables(asked))
            yield kind, asked, "\n".join(text for _, text in told)


def test_a_prompt_holds_the_one_example_of_its_kind_and_is_short() -> None:
    for kind, question, prompt in prompts():
        assert kind_of(question) == kind
        assert len(blocks(prompt)) == 1, kind
        most = MOST[kind] + (450 if question.backend == "json" else 0)
        assert len(prompt) - len(question.text) - len(question.context) <= most


def test_a_short_text_is_rendered_whole_and_from_a_long_document_what_bears_on_the_question() -> None:
    assert "The text is short: render every sentence of it" in variables(KINDS["text"])["facts"]
    long = Question(CASE, " ".join(f"Rule {number} is a rule." for number in range(50)))
    assert "Render what bears on the question" in variables(long)["facts"]
    assert "Render" not in variables(KINDS["world"])["facts"].split("Write")[0]


def test_no_line_of_a_prompt_about_questions_ends_in_mid_sentence() -> None:
    for name in Prompts().names():
        if name.startswith("question-"):
            outside = re.sub(r"```.*?```", "", Prompts().get(name).text, flags=re.DOTALL)
            assert not re.search(r"[a-z,;]\n[a-z(]", outside), name


def test_rows_are_told_only_where_they_can_help() -> None:
    told = {kind: variables(question) for kind, question in KINDS.items()}
    assert all("not either P or Q" in told[kind]["table"] for kind in KINDS)
    assert "could include" in told["case"]["table"] and "could include" not in told["text"]["table"]
    assert "Does the fact that P mean" in told["case"]["goals"]
    assert "Can both P and Q?" in told["case"]["goals"] and "any sort of A" in told["world"]["goals"]
    asked_of = {kind for _, _, kinds, _ in QUESTIONS for kind in kinds}
    assert {kind for row in TABLE for kind in row.kinds} == asked_of == {*KINDS}


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        ("All members vote. Otto votes.", "Does the fact that Otto votes mean he is a member?", "Does the fact that P"),
        ("The council may grant a permit to Ivo.", "Will Ivo get a permit?", "it stays open, unless a rule decides it"),
        ("The council may grant a permit to Ivo.", "Has Ivo a permit?", "what others decide is a condition"),
        ("The kit could include a saw.", "Is there a saw in the kit?", "each is enough, none is needed"),
        ("The new boiler is considerably better than the old.", "Is it above 85?", "by how much stays open"),
        ("Red and blue keys open doors.", "Can both keys open the vault?", "`P` and `Q` at once"),
        ("Ann owns a car.", "Does she own any sort of vehicle?", "among what is named"),
    ],
)
def test_a_row_is_told_where_the_words_call_for_it(text: str, question: str, told: str) -> None:
    """Whatever the question comes with: third parties also decide in texts without a case."""
    asked = variables(Question(question, text))
    assert told in asked["table"] + asked["goals"]
    plain = variables(Question("Is Bo kind?", "Bo is a dog."))
    assert told not in plain["table"] + plain["goals"]
