"""An SMT goal in words for a language model, and the form its replies take."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from goedels_poetry.languages.smt.printer import declarations_and_definitions, show, show_sort
from goedels_poetry.languages.smt.problem import Problem
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import Term

MAX_TEXT = 30_000
"""Characters of any one part of a description; a longer one is cut, and says so."""

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
                        "from": {"type": ["string", "integer"]},
                        "measure": {"type": ["string", "null"]},
                    },
                },
                {"type": ["string", "null"]},
            ]
        },
        "cases": {"type": ["string", "null"]},
        "witness": {"anyOf": [_TEXTS, {"type": "null"}]},
        "leave_open": {"type": ["boolean", "null"]},
    },
    "required": ["lemmas"],
}
"""JSON Schema of a sketch. What it says in words is :data:`SKETCH_FORMAT`."""

SKETCH_FORMAT = """\
One JSON object in a fenced block tagged `json`:

- "why": one sentence, the idea of the proof.
- "lemmas": a list, empty when none is needed, of {"statement": FORMULA, "uses": [POSITIONS]}. FORMULA is a closed
  SMT-LIB 2 formula over the symbols above, such as (forall ((x Nat) (y Nat)) (= (plus x y) (plus y x))). Every
  variable is bound by the formula. "uses" (optional) lists the 0-based positions of the earlier lemmas that its proof
  needs; without it, it may use all of them. Lemmas that others need come first.
  Each lemma is tested on values and proved by induction automatically, so state it as generally as it is true.
- "generalise" (optional): a closed formula that implies the goal and is easier to prove by induction.
- at most one of
  "induction": {"on": ["xs"]} for a variable of a datatype (several: nested, outermost first), {"on": ["n"],
  "from": "0"} for an Int variable, or {"measure": "(- hi lo)"} for well-founded induction on an Int term;
  "cases": a variable of a datatype, or a formula that holds or does not;
  "witness": terms for the bound variables of an existential conclusion.
- "leave_open" (optional): true to go on with the cases of the rule that are not closed at once.

The goal must follow from the lemmas directly, or by the rule, or by one induction. A lemma that is the goal itself
is refused. There are no tactics and no way to assume anything: an unproved lemma is worth nothing."""

PROOF_SCHEMA: dict[str, Any] = {
    "title": "proof",
    "type": "object",
    "properties": {
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
        "ground_only": {"type": "boolean"},
    },
    "required": ["instances"],
}

PROOF_FORMAT = """\
One JSON object in a fenced block tagged `json`:

- "instances": a list of {"of": KIND, "name": NAME, "at": [TERMS]}: facts that together close the goal for an SMT
  solver without induction. KIND is "definition" (the defining equation of function NAME at TERMS), "premise" (NAME
  as listed), "fact" (F1, F2, ... as listed) or "hypothesis" (H1, H2, ... of the goal); TERMS replace its outer
  universal variables in order and speak of the variables of the goal.
- "ground_only" (optional): true to give the solver just these instances and no quantified facts, which helps with
  arithmetic."""


def describe(problem: Problem, sequent: Sequent, facts: Iterable[Sequent]) -> dict[str, str]:
    """See ``ModelGuided.describe``."""
    signature = problem.signature
    known = [f"F{n}: {show(fact.formula)}" for n, fact in enumerate(facts, 1)]
    return {
        "language": "SMT-LIB 2.6 (total functions; Int division and modulo as in SMT-LIB)",
        "statement": _cut(_statement(sequent)),
        "definitions": _cut("\n".join(declarations_and_definitions(signature))) or "(none)",
        "premises": _cut("\n".join(f"{p.name}: {show(p.formula)}" for p in problem.premises)) or "(none)",
        "facts": _cut("\n".join(known)) or "(none)",
        "functions": ", ".join(sorted(signature.names)),
        "proof_format": PROOF_FORMAT,
        "sketch_format": SKETCH_FORMAT,
    }


def _statement(sequent: Sequent) -> str:
    """Variables, hypotheses by number, conclusion."""
    lines = [f"variables: {_variables(sequent.vars)}"] if sequent.vars else []
    lines += [f"H{n}: {show(hyp)}" for n, hyp in enumerate(sequent.hyps, 1)]
    return "\n".join([*lines, f"show: {show(sequent.concl)}"])


def _variables(variables: Iterable[Term]) -> str:
    return " ".join(f"({show(v)} {show_sort(v.sort)})" for v in variables)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}\n[cut: {len(text)} characters in all]"


__all__ = ["PROOF_FORMAT", "PROOF_SCHEMA", "SKETCH_FORMAT", "SKETCH_SCHEMA", "describe"]
