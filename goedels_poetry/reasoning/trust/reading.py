"""Back-translation: a model that knows neither text nor question says what the program says, another compares.

Names carry the meaning in a logic program, so they stay; comments, labels and remarks are gone, because the program
is printed anew from its terms.
"""

from __future__ import annotations

from typing import Any

from goedels_poetry.languages.logic import LogicPremise, Origin
from goedels_poetry.languages.smt.printer import declarations_and_definitions, show
from goedels_poetry.reasoning.trust.case import Case
from goedels_poetry.reasoning.trust.facts import MAX_TEXT, numbered
from goedels_poetry.reasoning.trust.outcomes import Ask, TrustTest

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


async def back_translation(case: Case, ask: Ask) -> list[TrustTest]:
    """Two questions to the model: what does this say, and is that what was said and asked?"""
    formal = formal_text(case)
    if len(formal) > MAX_PROGRAM:
        return _skipped("the program is too long to be put back into words")
    told = await ask(WORDS_PROMPT, {"program": formal}, WORDS_SCHEMA)
    if isinstance(told, str):
        return _skipped(f"it was not put back into words: {told}")
    given, added = _sorted(case, told["premises"])
    variables = {
        "question": case.question,
        "text": numbered(case) or "(none)",
        "premises": _list(given),
        "added": _list(added),
        "goal": _line(told["goal"]),
    }
    said = await ask(COMPARE_PROMPT, variables, COMPARE_SCHEMA)
    if isinstance(said, str):
        return _skipped(f"the words were not compared: {said}")
    return [_agreement(said), _answer(case, said), _assumptions(case, said)]


def formal_text(case: Case) -> str:
    """The program as bare SMT-LIB: what is declared, then the premises in order, then the goals."""
    program = case.program
    lines = [*declarations_and_definitions(program.signature)]
    lines += [f"(assert {show(premise.formula)})" for premise in program.premises]
    lines += [f"(define-fun {_goal_name(goal.name)} () Bool {show(goal.formula)})" for goal in program.goals]
    return "\n".join(lines)


def _goal_name(name: str) -> str:
    return name if name == "goal" else f"goal-{name}"


def _agreement(said: dict[str, Any]) -> TrustTest:
    reason = _reasons(said)
    if not said["same_goal"]:
        return TrustTest("back-translation", "failed", f"the goal is not what is asked: {reason}")
    if not said["same_text"]:
        return TrustTest("back-translation", "warning", f"the premises are not what the text says: {reason}")
    return TrustTest("back-translation", "passed", "put back into words it says what was said and asked")


def _answer(case: Case, said: dict[str, Any]) -> TrustTest:
    if len(case.program.goals) != 1:
        return TrustTest("answer polarity", "skipped", "there are several goals")
    meant = said["answer_if_goal_holds"]
    if meant == "yes":
        return TrustTest("answer polarity", "passed", "the answer is yes when the goal holds")
    if meant == "no":
        return TrustTest("answer polarity", "failed", "the goal stands for the answer no: it asks for the opposite")
    return TrustTest("answer polarity", "warning", "a reader cannot tell which answer the goal stands for")


def _assumptions(case: Case, said: dict[str, Any]) -> TrustTest:
    doubtful = tuple(_line(text) for text in said.get("doubtful", ())[:12])
    if doubtful:
        return TrustTest("assumptions", "warning", f"perhaps not so: {'; '.join(doubtful)}"[: 2 * MAX_WORDS], doubtful)
    if any(_is_added(case, premise) for premise in case.program.premises):
        return TrustTest("assumptions", "passed", "a reader doubts nothing that was assumed")
    return TrustTest("assumptions", "skipped", "nothing was added to the text")


def _is_added(case: Case, premise: LogicPremise) -> bool:
    return premise.origin is Origin.WORLD or not case.sentences


def _sorted(case: Case, told: list[str]) -> tuple[list[str], list[str]]:
    """Premises in words: those of the text, and those that were added to it, when they can be told apart."""
    premises = case.program.premises
    if len(told) != len(premises):
        return told, []
    added = [text for text, premise in zip(told, premises, strict=True) if _is_added(case, premise)]
    given = [text for text, premise in zip(told, premises, strict=True) if not _is_added(case, premise)]
    return given, added


def _list(texts: list[str]) -> str:
    return "\n".join(f"- {_line(text)}" for text in texts)[:MAX_TEXT] or "(none)"


def _line(text: str) -> str:
    return " ".join(text.split())[:MAX_WORDS]


def _reasons(said: dict[str, Any]) -> str:
    return "; ".join(_line(text) for text in (said.get("reason", ""), *said.get("differences", ())) if text.strip())


def _skipped(words: str) -> list[TrustTest]:
    return [TrustTest(name, "skipped", words) for name in _TESTS]


__all__ = [
    "COMPARE_PROMPT",
    "COMPARE_SCHEMA",
    "MAX_PROGRAM",
    "WORDS_PROMPT",
    "WORDS_SCHEMA",
    "back_translation",
    "formal_text",
]
