"""All tests that ask a model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from goedels_poetry.reasoning.trust import facts
from goedels_poetry.reasoning.trust.outcomes import Ask, TrustTest
from goedels_poetry.reasoning.trust.reading import back_translation
from goedels_poetry.reasoning.trust.shown import Shown

Check: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], Awaitable[TrustTest]]
"""Whether facts that a model has read in the text follow from the program: see `facts.stated_facts`."""


async def judge(shown: Shown, ask: Ask, check: Check) -> list[TrustTest]:
    """Have models read text and program, each without the other, and see whether they agree; changes no verdict.

    Three questions at most (two without a text), the first two at the same time. What a model cannot answer, or
    answers unreadably, is skipped and says so.

    Returns:
        The tests in a fixed order.
    """
    stated, reading = await asyncio.gather(_stated_facts(shown, ask, check), back_translation(shown, ask))
    return [stated, *reading]


async def _stated_facts(shown: Shown, ask: Ask, check: Check) -> TrustTest:
    if not shown.text:
        return TrustTest(facts.NAME, "skipped", "there is no text")
    said = await ask(facts.PROMPT, {"text": shown.text, "vocabulary": shown.vocabulary}, facts.SCHEMA)
    return (
        TrustTest(facts.NAME, "skipped", f"no facts: {said}") if isinstance(said, str) else await check(said["facts"])
    )


__all__ = ["Check", "judge"]
