"""A second reply is asked for only about what the verdict uses, in one message of neutral words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_questions import Ask, KeptLanguage

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.reasoning import QueryResult
from goedels_poetry.reasoning.solving import solve
from goedels_poetry.search.tasks.question import Question

TEXT = "Kind people are often nice. Anne is kind. Red people are white. Bob is not nice."
HEAD = """(declare-sort T 0) (declare-const anne T) (declare-const bob T) (declare-fun kind (T) Bool)
(declare-fun nice (T) Bool) (declare-fun red (T) Bool) (declare-fun white (T) Bool)
"""
RULE = "(assert (! (forall ((x T)) (=> (kind x) (nice x))) :named p1 :sentence 1))\n"
ANNE = "(assert (! (kind anne) :named p2 :sentence 2))\n"
RED = "(assert (! (forall ((x T)) (=> (red x) (white x))) :named p3 :sentence 3))\n"
BOB = "(assert (! (not (nice bob)) :named p4 :sentence 4))\n"


def unguarded(rule: str) -> str:
    return rule.replace("forall", "exists")


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
    with Server([fenced(RULE, ANNE, unguarded(RED), goal("(nice anne)"))]) as server:
        result = await ask(server, "Anne is nice.")
        assert server.calls == 1
    assert result.answer is True
    assert any("p3" in warning for warning in result.warnings)


async def test_a_fault_of_a_premise_of_the_proof_is_told_with_its_words(ask: Ask) -> None:
    flipped = BOB.replace("(not (nice bob))", "(nice bob)")
    with Server([fenced(flipped, unguarded(RED), goal("(nice bob)")), Answer("UNCHANGED")]) as server:
        result = await ask(server, "Bob is nice.")
        assert server.calls == 2
        told = said(server)
    assert '- premise p4 (sentence 4: "Bob is not nice."): it negates something where its words do not' in told
    assert "p3" not in told
    assert result.answer is True


async def test_an_open_question_gets_one_message_with_all_that_was_found_and_is_not_asked_again(ask: Ask) -> None:
    program = fenced(unguarded(RULE), ANNE, goal("(nice anne)"))
    with Server([program, Answer("UNCHANGED")]) as server:
        result = await ask(server, "Anne is nice.", max_attempts=5)
        assert server.calls == 2
        told = said(server)
    assert "- nice holds of" in told
    assert 'premise p1 (sentence 1: "Kind people are often nice."): it has an implication under `exists`' in told
    assert result.answer is None
