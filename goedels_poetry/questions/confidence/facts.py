"""Instance tests: what the text states must follow from the program, and its negation must not.

The model that reads the text knows the names and signatures of the program and nothing else of it, so that it cannot
repeat the program's mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import BOOL, Term
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.confidence.outcomes import FormalizationTest, Solve
from goedels_poetry.questions.confidence.queries import Solver
from goedels_poetry.questions.confidence.shape import applied
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.smt.notation.text import parse_term

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
