"""The form that a model's replies about SMT goals take: in words, and as JSON schemas."""

from __future__ import annotations

from typing import Any

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}

SKETCH_SCHEMA: dict[str, Any] = {
    "title": "sketch",
    "type": "object",
    "properties": {
        "why": _TEXT,
        "lemmas": {
            "type": "array",
            "items": {
                "anyOf": [
                    {
                        "type": "object",
                        "properties": {"statement": _TEXT, "uses": {"type": "array", "items": {"type": "integer"}}},
                        "required": ["statement"],
                    },
                    _TEXT,
                ]
            },
        },
        "generalise": {"type": ["string", "null"]},
        "induction": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        "on": {"anyOf": [_TEXTS, _TEXT]},
                        "from": {"type": ["string", "integer", "null"]},
                        "measure": {"type": ["string", "null"]},
                        "along": {"type": ["string", "null"]},
                        "at": {"anyOf": [_TEXTS, {"type": "null"}]},
                        "width": {"type": ["integer", "null"]},
                        "depth": {"type": ["integer", "null"]},
                    },
                },
                {"type": ["string", "null"]},
            ]
        },
        "cases": {"anyOf": [_TEXTS, {"type": ["string", "null"]}]},
        "witness": {"anyOf": [_TEXTS, {"type": "null"}]},
        "leave_open": {"type": ["boolean", "null"]},
    },
    "required": ["lemmas"],
}
"""JSON Schema of a sketch. What it says in words is :data:`SKETCH_FORMAT`."""

SKETCH_FORMAT = """\
One JSON object in a fenced block tagged `json`, for example

{"why": "reverse turns append round",
 "lemmas": [
   {"statement": "(forall ((x List)) (= (append x nil) x))"},
   {"statement": "(forall ((x List) (y List)) (= (reverse (append x y)) (append (reverse y) (reverse x))))",
    "uses": [0]}
 ],
 "induction": {"on": ["x"]}}

- "lemmas": a list, empty when none is needed. "statement" is one SMT-LIB 2 formula over the symbols above, exactly as
  they are spelled there, with every variable bound. "uses" (optional) lists the 0-based positions of the earlier
  lemmas that its proof needs; without it, it may use all of them. Lemmas that others need come first.
  Each lemma is tested on values, then proved by induction automatically, or comes back to you as a goal. So state it as
  generally as it is true, and give the lemmas that a hard one needs.
- "generalise" (optional): a formula that implies the goal and is easier to prove by induction.
- at most one of these (optional; without it the goal is tried directly and by one induction):
  "induction": {"on": ["xs"]} for a variable of a datatype (several: nested, outermost first; "depth": 2 for two
  constructors at a time), {"on": ["n"], "from": "0"} for an Int variable ("width": 2 for two base cases and the
  hypothesis at n-1 and n-2), {"measure": "(- hi lo)"} for well-founded induction on an Int term, {"along": "qsort",
  "at": ["xs"]} for the hypothesis where qsort calls itself, "at" being its arguments in the goal: variables where calls
  change them. The hypothesis holds for all values of the other variables;
  "cases": ["p", "q"] for what variables of datatypes are built of, or a formula that holds or does not;
  "witness": terms for the bound variables of an existential conclusion, over the variables of the goal.
- "leave_open" (optional): true to go on with the cases of the rule that are not closed at once.

A lemma that is the goal itself is refused. There are no tactics and no way to assume anything."""

PROOF_SCHEMA: dict[str, Any] = {
    "title": "proof",
    "type": "object",
    "properties": {
        **SKETCH_SCHEMA["properties"],
        "instances": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "of": {"type": "string", "enum": ["definition", "premise", "fact", "hypothesis"]},
                    "name": {"type": "string"},
                    "at": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["of", "name", "at"],
            },
        },
        "ground_only": {"type": ["boolean", "null"]},
    },
}
"""JSON Schema of a proof attempt: instances, or a sketch."""

PROOF_FORMAT = f"""\
Either a sketch, which most goals about recursive functions need:

{SKETCH_FORMAT}

Or, when the goal needs neither induction nor a lemma but only the right instances of what is known, the JSON object

{{"instances": [{{"of": "definition", "name": "append", "at": ["nil", "y"]}},
               {{"of": "fact", "name": "F1", "at": ["y"]}}]}}

- "instances": a list. "of" is "definition" (the defining equation of a function at these arguments), "premise" (by its
  name), "fact" (F1, F2, ... as listed) or "hypothesis" (H1, H2, ... of the goal); the terms "at" replace its outer
  universal variables in order and speak of the variables of the goal.
- "ground_only" (optional): true to give the solver just these instances and no quantified facts, which helps with
  arithmetic."""

__all__ = ["PROOF_FORMAT", "PROOF_SCHEMA", "SKETCH_FORMAT", "SKETCH_SCHEMA"]
