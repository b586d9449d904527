"""docs/replies.md: the form of replies about SMT goals, from the schema, the limits and the examples of the program.

``python tests/support/replies_page.py`` writes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mistakes import MISTAKES

from goedels_poetry.languages.smt import reply_forms
from goedels_poetry.languages.smt.reply_examples import EXAMPLES, INSTANCES_ALONE, THEORY, Example
from goedels_poetry.languages.smt.reply_forms import PROOF_SCHEMA

PAGE = Path(__file__).parents[2] / "docs" / "replies.md"

LIMITS = {
    "MAX_LEMMAS": "lemmas that are read; further ones are left aside, and the report says so",
    "MOST_LISTED": "lemmas that may stand in the list at all",
    "MAX_TERM": "symbols of a lemma or a term",
    "MAX_INSTANCES": "instances",
    "MAX_ORDER": "variables of one nested induction",
    "MAX_DEPTH": "`depth`: constructors at a time",
    "MAX_WIDTH": "`width`: base cases",
    "MAX_SPLIT": "case splits inside of each other",
    "MAX_TEXT": "characters of a whole reply",
}

HEAD = """\
# Replies of models about SMT goals

A model that is asked for a proof or a sketch of a goal answers with one JSON object. It is read by the program's own
parser and trusted in nothing: lemmas become goals of their own, a rule and instances are posed to a solver, a
refutation is evaluated and confirmed. This page is made from the schema that models are given; so are the prompts.

All parts are optional. A reply has lemmas, or a rule, or instances, or `refuted`; where it is both, `refuted` counts.
"""

WORDS = {
    "why": "why it should hold; nobody reads it but people",
    "lemmas": "each a formula as text, or `{statement, name, uses, induction, cases}`; `uses` by name or position",
    "generalise": "a formula that implies the goal, in the form of a lemma; it does not count as one",
    "induction": "`{on, from, width, depth}`, `{measure, at}` or `{along, at}`; a name or several stand for `on`",
    "cases": "variables of datatypes and formulas, as a text or a list; splits are inside of each other",
    "witness": "terms by the names of the bound variables, or in order",
    "instances": "`{of, name, at}`; `of` a definition, premise, fact, lemma or hypothesis; `at` by name or in order",
    "together": "the goal and the lemmas as one conjunction, by the given induction",
    "leave_open": "go on with the cases that are not closed at once",
    "refuted": "`{at, because}`: values of the goal's variables, and the meaning of functions that are left open",
    "ground_only": "only the instances, and no quantified facts; of instances alone",
}

TAIL = """\
## What is taken in several forms

A list of one may be written as what stands in it; numbers as numbers or texts; names with or without bars; values by
name (`{"x": "1"}`), as `[{"name": "x", "value": "1"}]`, or in the order of the goal's variables (`["1"]`). Lemmas may
stand in any order: those that others use come first; they may be an object, `{"name": "formula"}`. A name that is
nearly one of those above (`generalize`, `Lemmas`), a wrapper (`{"sketch": {...}}`), comments, last commas, single
quotes and line breaks inside of texts are read past. Formulas and terms may be written as in mathematics or Lean
(`∀ x y, rev (append x y) = append (rev y) (rev x)`, `0 ≤ i < n → ...`, `x :: rest`), variables that nobody bound are
any values where their sort is clear, and parentheses may be missing at the end; an induction may be named in words
(`"structural induction on xs"`). `of` of an instance may be a name alone, parts of an induction may stand beside each
other (`{"along": "f"}`), `counterexample` and `countermodel` stand for `refuted`, and `"yes"` for `true`. Of several
rules the first counts, of several objects in a reply the last. An instance of the hypothesis names what the induction
variable becomes; the other variables stay as they are; that its measure is not negative goes without saying. `F1` and
`H1` in `uses` are taken for granted. A lemma that the facts have already is passed over, one that nothing needs is
dropped, and a false one is left out where the others are enough. Whatever is left aside is noted in the report. What
cannot be read is answered with its place and the right form, as in `lemmas[2].statement: ...`.

## When the goal is false

`refuted` ends a goal only when our own evaluator computes that premises and hypotheses hold and the conclusion does
not, and a solver agrees. What evaluation cannot tell, as a hypothesis about all integers, is proved at the values
instead. Values that are left out are looked for among small ones, functions among simple ones. The answer of a run is
then `refuted`, with the same evidence as for counterexamples that the program finds by itself, or with a proof of the
negation. Declared functions are given as `(lambda ((x Int)) 0)` or as a `define-fun`, constants as terms, elements of
declared sorts by names of one's own. A defined function cannot be given another meaning, with one exception: where its
recursion does not end its definition may leave it open. Then the equation must still hold of what is given, which a
solver has to show, and the goal *does not follow*: the run ends `unknown` and says which function is not determined,
and where.
"""

SLIPS = """\
## What a slip costs

Requests about a goal, at most, until it is proved or refuted, when the first reply is like this and the next ones are
good. `scripts/bench_mistakes.py` measures them in whole runs, with what the model is told.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## Parts\n", "| part | type | what it is |", "|---|---|---|"]
    properties: dict[str, Any] = PROOF_SCHEMA["properties"]
    parts += [f"| `{name}` | {_type(schema)} | {WORDS[name]} |" for name, schema in properties.items()]
    parts += ["", "## Limits\n", "| at most | of |", "|---|---|"]
    parts += [f"| {getattr(reply_forms, name):,} | {what} |" for name, what in LIMITS.items()]
    parts += ["", "## Examples\n", "They are of goals over these functions:\n", f"```lisp\n{THEORY}```\n"]
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
