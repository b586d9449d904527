"""All tests that ask a model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from goedels_poetry.questions.confidence import facts
from goedels_poetry.questions.confidence.outcomes import Ask, FormalizationTest
from goedels_poetry.questions.confidence.reading import back_translation
from goedels_poetry.questions.confidence.view import ProgramView

Check: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], Awaitable[FormalizationTest]]
"""Whether facts that a model has read in the text follow from the program: see `facts.stated_facts`."""


async def model_tests(view: ProgramView, ask: Ask, check: Check) -> list[FormalizationTest]:
    """Have models read text and program, each without the other, and see whether they agree; changes no verdict.

    Three questions at most (two without a text), the first two at the same time. What a model cannot answer, or
    answers unreadably, is skipped and says so.

    Returns:
        The tests in a fixed order.
    """
    stated, reading = await asyncio.gather(_stated_facts(view, ask, check), back_translation(view, ask))
    return [stated, *reading]


async def _stated_facts(view: ProgramView, ask: Ask, check: Check) -> FormalizationTest:
    if not view.text:
        return FormalizationTest(facts.NAME, "skipped", "there is no text")
    reply = await ask(facts.PROMPT, {"text": view.text, "vocabulary": view.vocabulary}, facts.SCHEMA)
    return (
        FormalizationTest(facts.NAME, "skipped", f"no facts: {reply}")
        if isinstance(reply, str)
        else await check(reply["facts"])
    )
