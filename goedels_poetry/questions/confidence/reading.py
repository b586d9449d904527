"""Back-translation: a model that knows neither text nor question says what the program says, another compares.

Names carry the meaning in a logic program, so they stay; comments, labels and remarks are gone, because the program
is printed anew from its terms.
"""

from __future__ import annotations

from typing import Any

from goedels_poetry.questions.confidence.outcomes import Ask, FormalizationTest
from goedels_poetry.questions.confidence.view import MAX_TEXT, ProgramView

WORDS_PROMPT, COMPARE_PROMPT = "question-back-translation", "question-judge"
MAX_PROGRAM = 40_000
"""Characters of a program beyond which it is not put back into words."""
MAX_WORDS = 500
"""Characters that are kept of one remark."""

WORDS_SCHEMA: dict[str, Any] = {
    "title": "words",
    "type": "object",
    "properties": {
        "premises": {"type": "array", "items": {"type": "string"}},
        "goal": {"type": "string", "minLength": 1},
    },
    "required": ["premises", "goal"],
}
COMPARE_SCHEMA: dict[str, Any] = {
    "title": "comparison",
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "same_goal": {"type": "boolean"},
        "answer_if_goal_holds": {"enum": ["yes", "no", "neither"]},
        "same_text": {"type": "boolean"},
        "differences": {"type": "array", "items": {"type": "string"}},
        "doubtful": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["same_goal", "answer_if_goal_holds", "same_text"],
}
_TESTS = ("back-translation", "answer polarity", "assumptions")


async def back_translation(shown: ProgramView, ask: Ask) -> list[FormalizationTest]:
    """Two questions to the model: what does this say, and is that what was said and asked?"""
    if len(shown.program) > MAX_PROGRAM:
        return _skipped("the program is too long to be put back into words")
    reply = await ask(WORDS_PROMPT, {"program": shown.program}, WORDS_SCHEMA)
    if isinstance(reply, str):
        return _skipped(f"it was not put back into words: {reply}")
    given, added = _sorted(shown, reply["premises"])
    variables = {
        "question": shown.question,
        "text": shown.text or "(none)",
        "premises": _list(given),
        "added": _list(added),
        "goal": _line(reply["goal"]),
    }
    comparison = await ask(COMPARE_PROMPT, variables, COMPARE_SCHEMA)
    if isinstance(comparison, str):
        return _skipped(f"the words were not compared: {comparison}")
    return [_agreement(comparison), _answer(shown, comparison), _assumptions(shown, comparison)]


def _agreement(comparison: dict[str, Any]) -> FormalizationTest:
    reason = _reasons(comparison)
    if not comparison["same_goal"]:
        return FormalizationTest("back-translation", "failed", f"the goal is not what is asked: {reason}")
    if comparison["answer_if_goal_holds"] == "no":
        return FormalizationTest("back-translation", "skipped", "it asks for the opposite")
    if not comparison["same_text"]:
        return FormalizationTest("back-translation", "warning", f"the premises are not what the text says: {reason}")
    return FormalizationTest("back-translation", "passed", "put back into words it says what was said and asked")


def _answer(shown: ProgramView, comparison: dict[str, Any]) -> FormalizationTest:
    if shown.goals != 1:
        return FormalizationTest("answer polarity", "skipped", "there are several goals")
    meant = comparison["answer_if_goal_holds"]
    if meant == "yes":
        return FormalizationTest("answer polarity", "passed", "the answer is yes when the goal holds")
    if meant == "no":
        return FormalizationTest(
            "answer polarity", "failed", "the goal stands for the answer no: it asks for the opposite"
        )
    return FormalizationTest("answer polarity", "warning", "a reader cannot tell which answer the goal stands for")


def _assumptions(shown: ProgramView, comparison: dict[str, Any]) -> FormalizationTest:
    doubtful = tuple(_line(text) for text in comparison.get("doubtful", ())[:12])
    if doubtful:
        return FormalizationTest(
            "assumptions", "warning", f"perhaps not so: {'; '.join(doubtful)}"[: 2 * MAX_WORDS], doubtful
        )
    if any(shown.added):
        return FormalizationTest("assumptions", "passed", "a reader doubts nothing that was assumed")
    return FormalizationTest("assumptions", "skipped", "nothing was added to the text")


def _sorted(shown: ProgramView, reply: list[str]) -> tuple[list[str], list[str]]:
    """Premises in words: those of the text, and those that were added to it, when they can be told apart."""
    if len(reply) != len(shown.added):
        return reply, []
    premises = list(zip(reply, shown.added, shown.remarks, strict=True))
    remarked = [f"{text} (its author: {remark})" if remark else text for text, added, remark in premises if added]
    return [text for text, added, _ in premises if not added], remarked


def _list(texts: list[str]) -> str:
    return "\n".join(f"- {_line(text)}" for text in texts)[:MAX_TEXT] or "(none)"


def _line(text: str) -> str:
    return " ".join(text.split())[:MAX_WORDS]


def _reasons(comparison: dict[str, Any]) -> str:
    return "; ".join(
        _line(text) for text in (comparison.get("reason", ""), *comparison.get("differences", ())) if text.strip()
    )


def _skipped(why: str) -> list[FormalizationTest]:
    return [FormalizationTest(name, "skipped", why) for name in _TESTS]
