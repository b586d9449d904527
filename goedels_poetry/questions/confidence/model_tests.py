"""Tests that ask a model: it reads text or program, never both, so that it cannot repeat the program's mistakes.

`facts`: what the text states must follow. Back-translation: the program in words, compared with text and question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import declarations, show
from goedels_poetry.kernel.refutation.theory import declarations_and_definitions
from goedels_poetry.kernel.terms import BOOL, Term
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.sanity_tests import Solver
from goedels_poetry.questions.confidence.score import Ask, FormalizationTest, Solve, applied
from goedels_poetry.questions.entailment.program import LogicProgram, Origin
from goedels_poetry.smt.notation.text import parse_term

MAX_TEXT = 30_000
"""Characters of the text, and of the vocabulary."""


@dataclass(frozen=True, slots=True)
class ProgramView:
    """Plain texts, so that they can be made where the program is read and used where models are asked."""

    question: str
    text: str
    """One numbered sentence a line; "" without a text."""
    vocabulary: str
    """Declarations of all that the program can speak of: no bodies of definitions, no formula."""
    program: str
    """Bare SMT-LIB: what is declared and defined, then the premises in order, then the goals; no labels, no remarks."""
    added: tuple[bool, ...]
    """Of each premise, whether it is not from the text."""
    remarks: tuple[str, ...]
    """Of each premise, what its author says that it says; "" where nothing."""
    goals: int
    table: str = ""
    """How sentences are to be rendered, as the author of the program was shown it."""

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {**asdict(self), "added": list(self.added), "remarks": list(self.remarks)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> ProgramView:
        """The inverse of :meth:`to_json`."""
        return cls(**{**data, "added": tuple(data["added"]), "remarks": tuple(data["remarks"])})


def view_of(program: LogicProgram, question: str, sentences: Sequence[str]) -> ProgramView:
    """What to show; the sentences are those of the text by number, from 1."""
    lines = [*declarations_and_definitions(program.signature)]
    lines += [f"(assert {show(premise.formula)})" for premise in program.premises]
    lines += [f"(define-fun {_goal(goal.name)} () Bool {show(goal.formula)})" for goal in program.goals]
    return ProgramView(
        question,
        "\n".join(_numbered(number, text, text == question) for number, text in enumerate(sentences, 1))[:MAX_TEXT],
        "\n".join(declarations(program.signature))[:MAX_TEXT],
        "\n".join(lines),
        tuple(premise.origin is Origin.WORLD or not sentences for premise in program.premises),
        tuple(premise.words for premise in program.premises),
        len(program.goals),
    )


def _numbered(number: int, text: str, asked: bool) -> str:
    return f"{number}. {'(the question: what it asks is not stated) ' if asked else ''}{text}"


def _goal(name: str) -> str:
    return name if name == "goal" else f"goal-{name}"


NAME = "stated facts"
PROMPT = "question-facts"
MAX_FACTS = 6
MAX_FORMULA = 2_000
"""Characters of a formula by a model, and nodes of what it is read as."""

SCHEMA: dict[str, Any] = {
    "title": "facts",
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "maxItems": 4 * MAX_FACTS,
            "items": {
                "type": "object",
                "properties": {
                    "sentence": {"type": "integer"},
                    "words": {"type": "string"},
                    "formula": {"type": "string"},
                },
                "required": ["sentence", "words", "formula"],
            },
        }
    },
    "required": ["facts"],
}


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the text states, in the program's names."""

    quote: str
    formula: Term


def stated_facts(
    program: LogicProgram, sentences: int, items: Sequence[Mapping[str, Any]], solve: Solve
) -> FormalizationTest:
    """Whether facts follow that a model has read in the text. One that cannot be read costs only itself.

    Args:
        sentences: how many the text has.
        items: what the model has read, as ``SCHEMA`` has it.
        solve: asked once.
    """
    facts = read_facts(program, sentences, items)
    if not facts:
        return FormalizationTest(NAME, "skipped", "none of the facts could be read in the program's names")
    answers = Solver(solve).each(program, program.premises, [fact.formula for fact in facts])
    by_verdict = {
        verdict: tuple(
            f"{fact.quote}: {show(fact.formula)}"
            for fact, answer in zip(facts, answers, strict=True)
            if answer is not None and answer.verdict is verdict
        )
        for verdict in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN)
    }
    if against := by_verdict[Verdict.REFUTED]:
        reason = f"the text states it, and the program implies the opposite: {'; '.join(against)}"
        return FormalizationTest(NAME, "failed", reason, against)
    if missing := by_verdict[Verdict.UNKNOWN]:
        reason = f"the text states it, and the program does not imply it: {'; '.join(missing)}"
        return FormalizationTest(NAME, "warning", reason, missing)
    if held := by_verdict[Verdict.PROVED]:
        return FormalizationTest(NAME, "passed", f"{len(held)} facts that the text states follow", held)
    return FormalizationTest(NAME, "skipped", "no solver's answer")


def read_facts(program: LogicProgram, sentences: int, items: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """The facts that can be read in the program's names."""
    return [fact for item in items[:MAX_FACTS] if (fact := _read(program, sentences, item)) is not None]


def _read(program: LogicProgram, sentences: int, item: Mapping[str, Any]) -> Fact | None:
    """A fact about the program's things that cites a sentence which is there."""
    text = item["formula"].strip()
    if len(text) > MAX_FORMULA or not 1 <= item["sentence"] <= sentences:
        return None
    try:
        formula = parse_term(text, program.signature, (), BOOL)
    except InvalidInput:
        return None
    if formula.size > MAX_FORMULA or not applied(formula, program.signature):
        return None
    return Fact(" ".join(item["words"].split())[:200], formula)


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
        "table": shown.table or "(no such forms)",
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
        decisive = tuple(_line(text) for text in comparison.get("differences", ())[:12] if text.strip())
        text = f"the premises are not what the text says: {reason}"
        return FormalizationTest("back-translation", "warning", text, decisive)
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
        return FormalizationTest(NAME, "skipped", "there is no text")
    reply = await ask(PROMPT, {"text": view.text, "vocabulary": view.vocabulary}, SCHEMA)
    return (
        FormalizationTest(NAME, "skipped", f"no facts: {reply}")
        if isinstance(reply, str)
        else await check(reply["facts"])
    )
