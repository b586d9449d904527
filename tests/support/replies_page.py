"""docs/replies.md: the form of replies about SMT goals, from the schema, the limits and the examples of the program.

``python tests/support/replies_page.py`` writes it.
"""

import json
import textwrap
from pathlib import Path
from typing import Any

from named_texts import named

from goedels_poetry.smt.notation import reply_forms
from goedels_poetry.smt.notation.reply_forms import EXAMPLES, INSTANCES_ALONE, PROOF_SCHEMA, THEORY, Example

PAGE = Path(__file__).parents[2] / "docs" / "replies.md"

LIMITS = {
    "MAX_LEMMAS": "lemmas read",
    "MOST_LISTED": "lemmas in the list",
    "MAX_TERM": "symbols of a lemma or a term",
    "MAX_DEFINITIONS": "auxiliary definitions",
    "MAX_INSTANCES": "instances",
    "MAX_ORDER": "variables of an induction",
    "MAX_DEPTH": "constructors at a time (`depth`)",
    "MAX_WIDTH": "base cases (`width`)",
    "MAX_SPLIT": "nested case splits",
    "MAX_TEXT": "characters of a reply",
}


TEXTS = named(Path(__file__).with_suffix(".txt"))
WORDS = {
    "why": "an explanation for people",
    "lemmas": "each a formula as text, or `{statement, name, uses, induction, cases}`; `uses` by name or position",
    "definitions": "auxiliary functions with new names: commands, or `{statement, measure}`",
    "generalise": "a lemma that implies the goal; not counted as one",
    "induction": "`{on, from, width, depth}`, `{measure, at}` or `{along, at}`; names alone mean `on`",
    "cases": "variables of datatypes and formulas, nested in order",
    "witness": "terms by the names of the bound variables, or in order",
    "instances": "`{of, name, at}`; `of` a definition, premise, fact, lemma or hypothesis; `at` by name or in order",
    "together": "goal and lemmas by one induction",
    "leave_open": "continue with open cases",
    "refuted": "`{at, because}`: values of variables and declared functions",
    "ground_only": "no quantified facts; for instances alone",
}


def page() -> str:
    """The whole page."""
    parts = [TEXTS["head"], "## Parts\n", "| part | type | what it is |", "|---|---|---|"]
    properties: dict[str, Any] = PROOF_SCHEMA["properties"]
    parts += [f"| `{name}` | {_type(schema)} | {WORDS[name]} |" for name, schema in properties.items()]
    limits = [f"{getattr(reply_forms, name):,} {what}" for name, what in LIMITS.items()]
    parts += ["", "## Limits\n", textwrap.fill(f"At most {'; '.join(limits)}.", 120)]
    parts += ["", "## Examples\n", "Goals over these functions:\n", f"```lisp\n{THEORY}```\n"]
    for example in (*EXAMPLES, INSTANCES_ALONE):
        parts.append(_example(example))
    return "\n".join([*parts, TEXTS["tail"]])


def _type(schema: dict[str, Any]) -> str:
    """The JSON types of a schema."""
    options = [schema, *schema.get("anyOf", ())]
    found: dict[str, None] = {}
    for option in options:
        types = option.get("type", ())
        for name in [types] if isinstance(types, str) else types:
            if name != "null":
                found[name] = None
    return " or ".join(found)


def _example(example: Example) -> str:
    goal = example.goal
    return f"`{example.construct}`: {example.words}. Goal: `{goal}`.\n\n```json\n{_indented(example.reply)}\n```\n"


def _indented(reply: dict[str, Any]) -> str:
    """On one line, or with a line for each part and each element of a list of objects."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    def part(value: Any) -> str:
        if isinstance(value, list) and len(line(value)) > 100:
            return "[\n  " + ",\n  ".join(map(line, value)) + "\n ]"
        return line(value)

    if len(line(reply)) <= 100:
        return line(reply)
    return "{\n" + ",\n".join(f" {line(key)}: {part(value)}" for key, value in reply.items()) + "\n}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
