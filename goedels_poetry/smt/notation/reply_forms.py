"""The form that a model's replies about SMT goals take: in words, and as JSON schemas, with the limits of both."""

from __future__ import annotations

from typing import Any

from goedels_poetry.smt.notation.reply_examples import EXAMPLES, INSTANCES_ALONE

MAX_TEXT = 20_000
"""Characters of one reply, and so of each text in it; a useful one has a few hundred."""
MAX_LEMMAS = 12
"""Lemmas that are read; further ones are left aside."""
MOST_LISTED = 3 * MAX_LEMMAS
"""A list of more lemmas is refused as a whole."""
MAX_INSTANCES = 40
MAX_TERM = 400
"""Nodes of one lemma or term."""
MAX_SPLIT = 3
"""Case splits inside of each other; further ones are left aside."""
MAX_ORDER = 3
"""Variables of one nested induction."""
MAX_DEPTH = 3
MAX_WIDTH = 6

_TEXT: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_FLAG: dict[str, Any] = {"type": ["boolean", "null"]}
_POINT: dict[str, Any] = {"anyOf": [_TEXTS, {"type": "object"}, {"type": ["string", "null"]}]}
"""Terms in the order of the variables, or by variable."""


def _number(most: int) -> dict[str, Any]:
    return {"type": ["integer", "string", "null"], "minimum": 1, "maximum": most}


_INDUCTION: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "on": {"anyOf": [{**_TEXTS, "maxItems": MAX_ORDER}, {"type": ["string", "null"]}]},
                "from": {"type": ["string", "integer", "null"]},
                "measure": {"type": ["string", "null"]},
                "along": {"type": ["string", "null"]},
                "at": {"anyOf": [{"type": "array"}, {"type": ["object", "string", "null"]}]},
                "width": _number(MAX_WIDTH),
                "depth": _number(MAX_DEPTH),
            },
        },
        {**_TEXTS, "maxItems": MAX_ORDER},
        {"type": ["string", "null"]},
    ]
}
_CASES: dict[str, Any] = {
    "anyOf": [{**_TEXTS, "description": f"at most {MAX_SPLIT} are read"}, {"type": ["string", "null"]}]
}
_LEMMA: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "statement": _TEXT,
                "name": {"type": ["string", "null"]},
                "uses": {
                    "anyOf": [
                        {"type": "array", "items": {"type": ["integer", "string"]}},
                        {"type": ["integer", "string", "null"]},
                    ]
                },
                "induction": _INDUCTION,
                "cases": _CASES,
            },
            "required": ["statement"],
        },
        _TEXT,
    ]
}
_INSTANCES: dict[str, Any] = {
    "type": ["array", "null"],
    "maxItems": MAX_INSTANCES,
    "items": {
        "type": "object",
        "properties": {
            "of": {
                "anyOf": [
                    {"type": "string", "enum": ["definition", "premise", "fact", "lemma", "hypothesis"]},
                    {"type": "string", "description": "or its name alone"},
                ]
            },
            "name": {"type": ["string", "integer", "null"]},
            "at": _POINT,
        },
        "required": ["of"],
    },
}
_REFUTED: dict[str, Any] = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "at": {"anyOf": [{"type": "object"}, {"type": "array"}, {"type": ["string", "null"]}]},
                "because": {"type": ["string", "null"]},
            },
        },
        {"type": ["array", "string", "boolean", "null"]},
    ]
}

SKETCH_SCHEMA: dict[str, Any] = {
    "title": "sketch",
    "type": "object",
    "properties": {
        "why": _TEXT,
        "lemmas": {
            "type": "array",
            "maxItems": MOST_LISTED,
            "description": f"the first {MAX_LEMMAS} are read",
            "items": _LEMMA,
        },
        "generalise": {"anyOf": [*_LEMMA["anyOf"], {"type": "null"}]},
        "induction": _INDUCTION,
        "cases": _CASES,
        "witness": {"anyOf": [_TEXTS, {"type": ["object", "string", "null"]}]},
        "instances": _INSTANCES,
        "together": _FLAG,
        "leave_open": _FLAG,
        "refuted": _REFUTED,
    },
}
"""JSON Schema of a sketch. What it says in words is :data:`SKETCH_FORMAT`."""

PROOF_SCHEMA: dict[str, Any] = {
    "title": "proof",
    "type": "object",
    "properties": {**SKETCH_SCHEMA["properties"], "ground_only": _FLAG},
}
"""JSON Schema of a proof attempt: a sketch, or instances alone."""


def _shown(construct: str) -> str:
    """The examples of a construct, one in a line."""
    return "\n".join(f"  {example.text}" for example in EXAMPLES if example.construct == construct)


SKETCH_FORMAT = f"""\
One JSON object in a fenced block tagged `json`, for example

{EXAMPLES[0].text}

All of its parts are optional:
- "lemmas": a list, at most {MAX_LEMMAS} (further ones are left aside), of at most {MAX_TERM} symbols each. "statement"
  is one SMT-LIB 2 formula over the symbols above, exactly as they are spelled there, with every variable bound.
  "uses" lists the lemmas that its proof needs, by name or 0-based position; without it, it may use all earlier ones.
  Each lemma is tested on values, then proved by induction automatically, or comes back to you as a goal. So state it
  as generally as it is true, and give the lemmas that a hard one needs. Lemmas that nothing needs are dropped. A lemma
  may have an "induction" or "cases" of its own, as below, on its own variables:
{_shown("lemma.induction")}
- "generalise": a formula that implies the goal and is easier to prove by induction, written as a lemma is; it does not
  count as one.
{_shown("generalise")}
- at most one of "induction", "cases", "witness"; without them the goal is tried directly and by one induction.
  "induction" on a variable of a datatype; several (at most {MAX_ORDER}) are nested, outermost first; "depth" 1 to
  {MAX_DEPTH}; on an Int variable "from" a base, "width" 1 to {MAX_WIDTH} base cases; on a "measure"; or "along" a
  recursive function. The hypothesis holds for all values of the other variables.
{_shown("induction.on")}
{_shown("induction.depth")}
{_shown("induction.width")}
{_shown("induction.measure")}
{_shown("induction.along")}
  "cases": variables of datatypes (what they are built of) and formulas (which hold or do not), at most {MAX_SPLIT}.
{_shown("cases")}
  "witness": terms over the variables of the goal for what an existential conclusion binds.
{_shown("witness")}
- "instances" (at most {MAX_INSTANCES}): beside an induction or cases, where its cases need the induction hypothesis, a
  lemma, a fact, a premise or a definition. "at" are terms over the variables of the goal, by variable or in order.
{_shown("instances")}
- "together": true to prove the goal and the lemmas as one conjunction by the given induction (mutual induction).
{_shown("together")}
- "leave_open": true to go on with the cases of the rule that are not closed at once.
{_shown("leave_open")}
- "refuted": when the goal is false or does not follow, say so instead of a proof, with values of all its variables as
  terms without variables; "at" may also give declared functions and constants a meaning, and functions whose definition
  does not determine them everywhere (their equations must still hold). It is checked, and ends the goal.
{_shown("refuted")}

A whole reply has at most {MAX_TEXT} characters. A lemma that is the goal itself is left aside. \
There are no tactics and no
way to assume anything."""

PROOF_FORMAT = f"""\
Either a sketch, which most goals about recursive functions need:

{SKETCH_FORMAT}

Or, when the goal needs neither induction nor a lemma but only the right instances of what is known, the JSON object

  {INSTANCES_ALONE.text}

- "instances": a list. "of" is "definition" (the defining equation of a function at these arguments), "premise" (by its
  name), "fact" (F1, F2, ... as listed) or "hypothesis" (H1, H2, ... of the goal); the terms "at" replace its outer
  universal variables in order and speak of the variables of the goal.
- "ground_only": true to give the solver just these instances and no quantified facts, which helps with arithmetic."""
