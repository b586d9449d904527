"""The form of a model's replies about SMT goals: JSON schemas with their limits, and the texts and examples of prompts.

The texts are data in ``replies.toml``; each example there is about a goal over the functions of `THEORY`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Measures, Problem, Signature, reached
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, read
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term

Schema = dict[str, Any]

MAX_TEXT = 20_000
"""Characters of one reply, and so of each text in it; a useful one has a few hundred."""
MAX_LEMMAS = 12
"""Lemmas that are read; further ones are left aside."""
MOST_LISTED = 3 * MAX_LEMMAS
"""A list of more lemmas is refused as a whole."""
MAX_DEFINITIONS = 6
"""Auxiliary functions, or groups of them that call each other."""
MAX_INSTANCES = 40
MAX_TERM = 400
"""Nodes of one lemma or term."""
MAX_SPLIT = 3
"""Case splits inside of each other; further ones are left aside."""
MAX_ORDER = 3
"""Variables of one nested induction."""
MAX_DEPTH = 3
MAX_WIDTH = 6


# ------------------------------------------------------------------------------------------------------------ schemas


def _some(*kinds: str) -> Schema:
    return {"type": [*kinds, "null"]}


def _either(*options: Schema) -> Schema:
    return {"anyOf": list(options)}


def _object(properties: dict[str, Schema], *required: str) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _texts(**limits: Any) -> Schema:
    return {"type": "array", "items": _TEXT, **limits}


def _number(most: int) -> Schema:
    return {**_some("integer", "string"), "minimum": 1, "maximum": most}


_TEXT: Schema = {"type": "string", "maxLength": MAX_TEXT}
_WORD, _FLAG = _some("string"), _some("boolean")
_POINT = _either(_texts(), {"type": "object"}, _WORD)
"""Terms in the order of the variables, or by variable."""
_INDUCTION = _either(
    _object(
        {
            "on": _either(_texts(maxItems=MAX_ORDER), _WORD),
            "from": _some("string", "integer"),
            "measure": _WORD,
            "along": _WORD,
            "at": _either({"type": "array"}, _some("object", "string")),
            "width": _number(MAX_WIDTH),
            "depth": _number(MAX_DEPTH),
        }
    ),
    _texts(maxItems=MAX_ORDER),
    _WORD,
)
_CASES = _either(_texts(description=f"at most {MAX_SPLIT} are read"), _WORD)
_USES = _either({"type": "array", "items": {"type": ["integer", "string"]}}, _some("integer", "string"))
_LEMMA = _either(
    _object({"statement": _TEXT, "name": _WORD, "uses": _USES, "induction": _INDUCTION, "cases": _CASES}, "statement"),
    _TEXT,
)
_OF = {"type": "string", "enum": ["definition", "premise", "fact", "lemma", "hypothesis"]}
_INSTANCE = _object({"of": _OF, "name": _some("string", "integer"), "at": _POINT}, "of")
_VALUES = _either({"type": "object"}, {"type": "array"}, _WORD)

SKETCH_SCHEMA: Schema = {
    "title": "sketch",
    **_object(
        {
            "why": _TEXT,
            "definitions": {
                **_some("array"),
                "maxItems": MAX_DEFINITIONS,
                "items": _either(_object({"statement": _TEXT, "measure": _WORD}, "statement"), _TEXT),
            },
            "lemmas": {
                "type": "array",
                "maxItems": MOST_LISTED,
                "description": f"the first {MAX_LEMMAS} are read",
                "items": _LEMMA,
            },
            "generalise": _either(*_LEMMA["anyOf"], {"type": "null"}),
            "induction": _INDUCTION,
            "cases": _CASES,
            "witness": _either(_texts(), _some("object", "string")),
            "instances": {**_some("array"), "maxItems": MAX_INSTANCES, "items": _INSTANCE},
            "together": _FLAG,
            "leave_open": _FLAG,
            "refuted": _either(_object({"at": _VALUES, "because": _WORD}), _some("array", "string", "boolean")),
        }
    ),
}
"""JSON Schema of a sketch; :data:`SKETCH_FORMAT` says the same in words."""

PROOF_SCHEMA: Schema = {**_object({**SKETCH_SCHEMA["properties"], "ground_only": _FLAG}), "title": "proof"}
"""JSON Schema of a proof attempt: a sketch, or instances alone."""


# -------------------------------------------------------------------------------------------------------------- texts


@dataclass(frozen=True, slots=True)
class Example:
    """A reply and the goal it is about: ``(sequent (variables) (hypotheses) conclusion)``."""

    construct: str
    words: str
    goal: str
    text: str
    """The reply as a model would write it."""

    @property
    def reply(self) -> Schema:
        """The reply as an object."""
        found: Schema = json.loads(self.text)
        return found


def _example(row: dict[str, str]) -> Example:
    return Example(row["construct"], row["words"], row["goal"], row["reply"])


def _filled(text: str) -> str:
    """A format with its limits and examples."""
    return re.sub(r"\{\{ (\S+) \}\}", lambda place: _value(place[1]), text)


def _value(name: str) -> str:
    if name.isupper():
        return str(globals()[name])
    if name in ("first", "alone"):
        return (EXAMPLES[0] if name == "first" else INSTANCES_ALONE).text
    return "\n".join(f"  {example.text}" for example in EXAMPLES if example.construct == name)


_DATA = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))
THEORY: str = _DATA["theory"]
EXAMPLES = tuple(_example(row) for row in _DATA["examples"])
INSTANCES_ALONE = _example(_DATA["alone"])
SKETCH_FORMAT = _filled(_DATA["sketch_format"])
PROOF_FORMAT = _filled(_DATA["proof_format"])
FORMAL_TAGS = ("smt2", "smt", "smtlib", "smt-lib", "smt-lib2", "smtlib2", "lisp")
FORMAL_LANGUAGE: str = _DATA["formal_language"]
FORMAL_FORMAT: str = _DATA["formal_format"]


# An SMT goal in words for a language model

MAX_DESCRIPTION = 30_000
"""Characters of any one part of a description; a longer one is cut, and says so."""

MAX_BESIDE = 900
"""Characters of definitions that the goal does not rest on."""

_COMMENT = re.compile(r"\"[^\"]*\"|\|[^|]*\||;[^\r\n]*")

TRIED_PROOFS = (
    "Automatic methods have failed on it: one solver query, induction (structural, integer, along functions) without "
    "lemmas, and a short search for lemmas."
)
TRIED_SKETCHES = """\
Automatic methods have failed on it: one solver query, induction (structural, integer, along functions),
generalisation of repeated subterms, common algebraic properties, and a search for small equations."""
"""What has failed before a model is asked for a proof or a sketch."""


def describe_goal(sequent: Sequent, facts: Iterable[Sequent]) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about a goal beside :func:`describe_problem`."""
    known = [f"F{n}: {show(fact.formula)}" for n, fact in enumerate(facts, 1)]
    return {"statement": _cut(_statement(sequent)), "facts": _cut("\n".join(known)) or "(none)"}


def describe_problem(problem: Problem) -> dict[str, str]:
    """What ``ModelGuided.describe`` says about every goal of a problem."""
    signature = problem.signature
    return {
        "language": "SMT-LIB 2.6 (total functions; Int division and modulo as in SMT-LIB)",
        "premises": _cut("\n".join(f"{p.name}: {show(p.formula)}" for p in problem.premises)) or "(none)",
        "functions": ", ".join(sorted(signature.names)),
        "tried_proofs": TRIED_PROOFS,
        "tried_sketches": TRIED_SKETCHES,
        "proof_format": PROOF_FORMAT,
        "sketch_format": SKETCH_FORMAT,
    }


_GUARD = (
    "; {}: not shown to end. Its measure is ({}), compared from the left; size! counts constructors. Its equation "
    "holds only where each call in its body has a smaller one; a lemma may say it has"
)


def describe_guards(measures: Measures) -> str:
    """Where the equations of functions that have a measure hold, see `kernel.termination`: a line for each."""
    return "".join("\n" + _GUARD.format(name, ", ".join(map(show, terms))) for name, terms in measures.items())


def describe_definitions(problem: Problem, formulas: Iterable[Term], text: str) -> str:
    """Declarations and definitions, as they stand in the ``text``; those that ``formulas`` do not rest on come last."""
    signature = problem.signature
    names = reached(signature, list(formulas))
    written = _written(text) if text.isascii() else {}
    shown, beside = list[str](), list[str]()
    for _, group in groupby(signature.definitions, lambda d: d.group):
        some = tuple(group)
        needed = any(d.name in names for d in some)
        if needed or "!" not in some[0].name:  # lemmas may need what the goal does not; not what only searches use
            lines = [written[some[0].name]] if some[0].name in written else definitions(Signature(definitions=some))
            (shown if needed else beside).extend(lines)
    lines = [*printer.declarations(replace(signature, definitions=())), *shown]
    if beside:
        kept = [line for n, line in enumerate(beside) if sum(map(len, beside[: n + 1])) <= MAX_BESIDE]
        left = f" (and {len(beside) - len(kept)} more)" if len(kept) < len(beside) else ""
        lines += [f"; defined as well{left}:", *kept]
    return _cut("\n".join(lines)) or "(none)"


def _written(text: str) -> dict[str, str]:
    """Definitions of single functions by name, each in one line and without comments."""
    source = Source(text)
    found = {}
    for command in read(source):
        match command:
            case Group(items=[Atom(text="define-fun" | "define-fun-rec"), Atom(text=name, quoted=False), *_]):
                plain = _COMMENT.sub(
                    lambda part: "" if part[0][0] == ";" else part[0], source.text[command.offset : command.end]
                )
                found[name] = " ".join(plain.split())
    return found


def _statement(sequent: Sequent) -> str:
    """Variables, hypotheses by number, conclusion."""
    lines = [f"variables: {_variables(sequent.vars)}"] if sequent.vars else []
    lines += [f"H{n}: {show(hyp)}" for n, hyp in enumerate(sequent.hyps, 1)]
    return "\n".join([*lines, f"show: {show(sequent.concl)}"])


def _variables(variables: Iterable[Term]) -> str:
    return " ".join(f"({show(v)} {show_sort(v.sort)})" for v in variables)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_DESCRIPTION else f"{text[:MAX_DESCRIPTION]}\n[cut: {len(text)} characters in all]"
