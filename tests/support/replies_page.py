"""docs/replies.md: the form of replies about SMT goals, from the schema, the limits and the examples of the program.

``python tests/support/replies_page.py`` writes it.
"""

import json
from pathlib import Path
from typing import Any

from mistakes import MISTAKES

from goedels_poetry.smt.notation import reply_forms
from goedels_poetry.smt.notation.reply_forms import EXAMPLES, INSTANCES_ALONE, PROOF_SCHEMA, THEORY, Example

PAGE = Path(__file__).parents[2] / "docs" / "replies.md"

LIMITS = {
    "MAX_LEMMAS": "lemmas read",
    "MOST_LISTED": "lemmas in the list",
    "MAX_TERM": "symbols of a lemma or a term",
    "MAX_INSTANCES": "instances",
    "MAX_ORDER": "variables of an induction",
    "MAX_DEPTH": "`depth`: constructors at a time",
    "MAX_WIDTH": "`width`: base cases",
    "MAX_SPLIT": "nested case splits",
    "MAX_TEXT": "characters of a reply",
}

HEAD = """\
# Replies of models about SMT goals

A model answers a request for a proof or a sketch with one JSON object, of which everything is verified. All parts are
optional. A reply has lemmas, a rule, instances, or `refuted`, which takes precedence.
"""

WORDS = {
    "why": "an explanation for people",
    "lemmas": "each a formula as text, or `{statement, name, uses, induction, cases}`; `uses` by name or position",
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

TAIL = """\
## What is taken in several forms

| accepted | examples |
|---|---|
| one element for a list of one; numbers as texts; names without bars | |
| values by name, or in order | `{"x": "1"}`, `["1"]` |
| lemmas in any order, or as an object | `{"name": "formula"}` |
| similar names, wrappers, comments, last commas, single quotes, line breaks | `generalize`, `{"sketch": {...}}` |
| formulas as in mathematics or Lean | `∀ x y, append x y = append y x`, `0 ≤ i < n → ...`, `x :: rest` |
| free variables of clear sort (any value); missing final parentheses | |
| inductions in words, or their parts alone | `"structural induction on xs"`, `{"along": "f"}` |
| `"yes"` for `true` | |

The first of several rules counts, the last of several objects. An instance of the hypothesis names the new value of
the induction variable; others stay, and the measure condition is implied. `F1` and `H1` in `uses` are always
available. Known and unused lemmas are dropped; the report lists these. A false lemma refuses the sketch.

## When the goal is false

`refuted` ends a goal only when it is [confirmed](certificates.md#counterexamples). Missing values are
searched among small ones.

Declared functions are `(lambda ((x Int)) 0)` or a `define-fun`, constants are terms, elements of declared sorts are
new names. A function with a definition has no other meaning.
"""

SLIPS = """\
## What a slip costs

Requests about a goal, at most, if later replies are good (whole runs: `scripts/bench_mistakes.py`):
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## Parts\n", "| part | type | what it is |", "|---|---|---|"]
    properties: dict[str, Any] = PROOF_SCHEMA["properties"]
    parts += [f"| `{name}` | {_type(schema)} | {WORDS[name]} |" for name, schema in properties.items()]
    parts += ["", "## Limits\n", "| at most | of |", "|---|---|"]
    parts += [f"| {getattr(reply_forms, name):,} | {what} |" for name, what in LIMITS.items()]
    parts += ["", "## Examples\n", "Goals over these functions:\n", f"```lisp\n{THEORY}```\n"]
    for example in (*EXAMPLES, INSTANCES_ALONE):
        parts.append(_example(example))
    parts += [TAIL, SLIPS, "| the first reply | requests |", "|---|---|"]
    return "\n".join([*parts, *(f"| {m.name} | {m.calls} |" for m in MISTAKES)]) + "\n"


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
    return (
        f"`{example.construct}`: {example.words}. The goal is `{goal}`.\n\n```json\n{_indented(example.reply)}\n```\n"
    )


def _indented(reply: dict[str, Any]) -> str:
    text = json.dumps(reply, ensure_ascii=False)
    return text if len(text) <= 100 else json.dumps(reply, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
