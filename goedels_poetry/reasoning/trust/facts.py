"""Instance tests: what the text states must follow from the program, and its negation must not.

The model that reads the text knows the names and signatures of the program and nothing else of it, so that it cannot
repeat the program's mistakes.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.smt.parser import parse_term
from goedels_poetry.languages.smt.printer import declarations, show
from goedels_poetry.languages.smt.terms import BOOL, Term
from goedels_poetry.reasoning.trust.case import Case
from goedels_poetry.reasoning.trust.outcomes import Ask, TrustTest
from goedels_poetry.reasoning.trust.queries import Solver
from goedels_poetry.reasoning.trust.shape import applied
from goedels_poetry.state import Verdict

PROMPT = "question-facts"
MAX_FACTS = 6
MAX_FORMULA = 2_000
"""Characters of a formula by a model, and nodes of what it is read as."""
MAX_TEXT = 30_000
"""Characters of the text, and of the vocabulary, that the model is shown."""

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

    words: str
    formula: Term


async def stated_facts(case: Case, ask: Ask, solver: Solver) -> TrustTest:
    """Ask for facts of the text and look whether they follow. One that cannot be read costs only itself."""
    if not case.sentences:
        return TrustTest("stated facts", "skipped", "there is no text")
    said = await ask(PROMPT, {"text": numbered(case), "vocabulary": vocabulary(case)}, SCHEMA)
    if isinstance(said, str):
        return TrustTest("stated facts", "skipped", f"no facts: {said}")
    facts = [fact for item in said["facts"][:MAX_FACTS] if (fact := _read(case, item)) is not None]
    if not facts:
        return TrustTest("stated facts", "skipped", "none of the facts could be read in the program's names")
    formulas = [fact.formula for fact in facts]
    answers = await asyncio.to_thread(solver.each, case.program, case.program.premises, formulas)
    told = {
        verdict: tuple(
            f"{fact.words}: {show(fact.formula)}"
            for fact, answer in zip(facts, answers, strict=True)
            if answer is not None and answer.verdict is verdict
        )
        for verdict in (Verdict.PROVED, Verdict.REFUTED, Verdict.UNKNOWN)
    }
    if against := told[Verdict.REFUTED]:
        words = f"the text states it, and the program implies the opposite: {'; '.join(against)}"
        return TrustTest("stated facts", "failed", words, against)
    if missing := told[Verdict.UNKNOWN]:
        words = f"the text states it, and the program does not imply it: {'; '.join(missing)}"
        return TrustTest("stated facts", "warning", words, missing)
    if held := told[Verdict.PROVED]:
        return TrustTest("stated facts", "passed", f"{len(held)} facts that the text states follow", held)
    return TrustTest("stated facts", "skipped", "no solver's answer")


def numbered(case: Case) -> str:
    """The text, one numbered sentence a line."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(case.sentences, 1))[:MAX_TEXT]


def vocabulary(case: Case) -> str:
    """Declarations of all that the program can speak of, without bodies of definitions and without any formula."""
    return "\n".join(declarations(case.program.signature))[:MAX_TEXT]


def _read(case: Case, item: dict[str, Any]) -> Fact | None:
    """A fact about the program's things that cites a sentence which is there."""
    text = item["formula"].strip()
    if len(text) > MAX_FORMULA or case.sentence(item["sentence"]) is None:
        return None
    try:
        formula = parse_term(text, case.program.signature, (), BOOL)
    except InvalidInput:
        return None
    if formula.size > MAX_FORMULA or not applied(formula, case.program.signature):
        return None
    return Fact(" ".join(item["words"].split())[:200], formula)


__all__ = ["MAX_FACTS", "MAX_TEXT", "PROMPT", "SCHEMA", "numbered", "stated_facts", "vocabulary"]
