"""SMT-LIB text of users and models, read by the kernel, and proofs as JSON with terms as such text.

The kernel knows none of the program's exceptions. Whoever is to tell a user what is wrong reads through this door.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from goedels_poetry.kernel import printer
from goedels_poetry.kernel.derivation import Derivation, Query, Step
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Definition, Problem, Signature
from goedels_poetry.kernel.reading import parser
from goedels_poetry.kernel.reading.certificate import SCHEMES, key_of, read_definitions
from goedels_poetry.kernel.reading.elaborate import Elaborator, Scope
from goedels_poetry.kernel.reading.reader import Group, Lexeme, SExpr, Source, attributes, decode, read
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.refutation import theory
from goedels_poetry.kernel.refutation.theory import definitions
from goedels_poetry.kernel.schemas import Scheme
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.termination import (
    GroupEvidence,
    Lexicographic,
    MeasureComponent,
    SizeComponent,
    TerminationEvidence,
)
from goedels_poetry.kernel.terms import INT, Sort, Term
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.smt.notation.infix import BROUGHT

# Proofs as JSON

Json: TypeAlias = dict[str, Any]

_KINDS = {scheme: kind for kind, scheme in SCHEMES.items()}


def scheme_to_json(scheme: Scheme) -> Json:
    """A scheme as JSON: its kind and its parameters."""
    parameters = {key_of(type(scheme), field): _value(getattr(scheme, field.name)) for field in fields(scheme)}
    return {"kind": _KINDS[type(scheme)], **parameters}


def _value(value: Any) -> Any:
    if isinstance(value, Term):
        return printer.show(value)
    return [_value(item) for item in value] if isinstance(value, tuple) else value


def query_to_json(query: Query) -> Json:
    """A query as JSON."""
    return {
        "cites": list(query.cites),
        "instances": [{"of": i.of, "name": i.name, "args": _value(i.args)} for i in query.instances],
        "equations": query.equations,
        "quantified": query.quantified,
    }


def show_sequent(sequent: Sequent) -> str:
    """``(sequent ((x Nat) ...) (hypothesis ...) conclusion)``."""
    hyps = " ".join(map(printer.show, sequent.hyps))
    return f"(sequent {printer.show_binders(sequent.vars)} ({hyps}) {printer.show(sequent.concl)})"


def step_to_json(step: Step) -> Json:
    """A step as JSON: ``id``, ``sequent``, and ``query`` or ``scheme`` with ``cites``."""
    json: Json = {"id": step.id, "sequent": show_sequent(step.sequent)}
    if isinstance(step.by, Query):
        return {**json, "query": query_to_json(step.by)}
    return {**json, "scheme": scheme_to_json(step.by.scheme), "cites": list(step.by.cites)}


def definition_texts(definitions: Iterable[Definition]) -> tuple[str, ...]:
    """What `kernel.reading.auxiliary.read_definitions` reads back."""
    return tuple(theory.definitions(Signature(definitions=tuple(definitions))))


def derivation_to_json(derivation: Derivation) -> Json:
    """A whole proof as JSON: ``steps``, and what else there is, see `kernel.reading.certificate`."""
    json: Json = {"steps": [step_to_json(step) for step in derivation.steps]}
    if derivation.auxiliary:
        json["auxiliary"] = list(definition_texts(derivation.auxiliary))
    if derivation.measures:
        json["measures"] = {name: _value(terms) for name, terms in derivation.measures.items()}
    return {**json, **termination_to_json(derivation.termination)}


def termination_to_json(evidence: TerminationEvidence) -> Json:
    """Evidence of termination as JSON: ``termination`` and ``bounds``, where there is something to say."""
    json: Json = {}
    if evidence.groups:
        json["termination"] = [_group(group) for group in evidence.groups]
    if evidence.bounds:
        json["bounds"] = {n: {"arguments": list(b.positions), "spare": b.spare} for n, b in evidence.bounds.items()}
    return json


def _group(group: GroupEvidence) -> Json:
    functions = list(group.functions)
    if isinstance(group, Lexicographic):
        return {"functions": functions, "components": [_component(c) for c in group.components]}
    bound = {"relation": group.relation, "argument": group.argument, "constant": group.constant}
    return {"functions": functions, "measure": printer.show(group.measure), "bound": bound}


def _component(component: SizeComponent | MeasureComponent) -> Json:
    if isinstance(component, MeasureComponent):
        terms = {name: printer.show(term) for name, term in component.measure.items()}
        return {"measure": terms, "falls": list(component.falls)}
    size = {name: list(positions) for name, positions in component.size.items()}
    return {"size": size, **({"twice": [list(f) for f in component.twice]} if component.twice else {})}


MAX_SHOWN = 440
"""Characters of one premise."""


@as_invalid_input()
def parse_problem(text: str | bytes) -> Problem:
    """Read a theorem.

    Raises:
        InvalidInput: with line, column and, where there is one, a hint; for every text that is not a theorem.
    """
    problem = parser.parse_problem(text)
    if not text.isascii():
        source = Source(decode(text))
        _refuse_letters(source, read(source))
    return problem


def _refuse_letters(source: Source, exprs: Sequence[SExpr]) -> None:
    """Strings of SMT-LIB are ASCII: solvers read other letters as bytes, and deny that a formula says what it says."""
    for expr in exprs:
        if isinstance(expr, Group):
            _refuse_letters(source, expr.items)
        elif expr.kind is Lexeme.STRING and not expr.text.isascii():
            letter = next(c for c in expr.text if not c.isascii())
            source.fail(f"the letter {letter} in a string", expr, f"write \\u{{{ord(letter):x}}}")


@as_invalid_input()
def parse_term(text: str, signature: Signature, variables: Sequence[Term] = (), sort: Sort | None = None) -> Term:
    """Read one term over ``signature`` whose free variables are among ``variables``; names stay as they are.

    Raises:
        InvalidInput: not exactly one well-sorted term (of ``sort``, when given).
    """
    return parser.parse_term(text, signature, variables, sort)


@as_invalid_input()
def parse_sequent(text: str, signature: Signature) -> Sequent:
    """Read a sequent as certificates have it; the definitions behind it are in the ``signature``, see `brought_by`.

    Raises:
        InvalidInput: malformed, ill-sorted, or a variable that shares its name with another or with a symbol.
    """
    return parser.parse_sequent(text.partition(BROUGHT)[0], signature)


# Auxiliary functions of a reply: the statements that speak of them bring their definitions along, a line each, so that
# every process that reads one knows them. Each name ends in a mark made of its definition: one name, one meaning.

MARK = re.compile(r"_h[0-9a-f]{6}(?![0-9A-Za-z_])")


def brought_by(value: Any) -> tuple[str, ...]:
    """The definitions that statements and sketches bring along, anywhere in a value of JSON, each once."""
    if isinstance(value, str):
        return tuple(BROUGHT.strip() + part for part in value.split(BROUGHT)[1:])
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    own = value.get("definitions", ()) if isinstance(value, Mapping) else ()
    return tuple(dict.fromkeys([*own, *(text for item in items for text in brought_by(item))]))


def bringing(sketch: Json, brought: Sequence[str]) -> Json:
    """A sketch whose parts bring the definitions along where they speak of any."""
    if not (brought and MARK.search(json.dumps(sketch))):
        return sketch
    children = []
    for child in sketch["children"]:
        child = {**child, **({"sketch": bringing(child["sketch"], brought)} if child.get("sketch") else {})}
        plain = child["statement"].partition(BROUGHT)[0]
        own = brought if MARK.search(json.dumps(child)) else ()
        children.append({**child, "statement": "\n".join([plain, *own])})
    return {**sketch, "children": children, "definitions": list(brought)}


@as_invalid_input()
def with_brought(problem: Problem, brought: Iterable[str]) -> Problem:
    """The problem over a signature that has these definitions, with the measures that their attributes name.

    Raises:
        InvalidInput: one is no definition, or has the name of something else.
    """
    measures = dict(problem.measures)
    for text in brought:
        problem = replace(problem, signature=read_definitions([text], problem.signature))
        source, definition = Source(decode(text)), problem.signature.definitions[-1]
        command, scope = read(source)[0], Scope({p.name: p for p in definition.params}, renaming=False)
        elaborator = Elaborator(Symbols.of(problem.signature, source))
        for key, value in attributes(source, command.items[-1])[1] if isinstance(command, Group) else ():
            if key.text == ":measure":
                measures[definition.name] = (elaborator.closed(value, scope, INT),)
    return replace(problem, measures=MappingProxyType(measures))


def name_premises(names: Iterable[str], problem: Problem) -> list[str]:
    """``name (line 3): formula`` for premises, ``definition-of-f: ...`` for definitions; other names as they are."""
    known = {p.name: f"{p.name} (line {p.line}): {show(p.formula)}" for p in problem.premises}
    for definition in problem.signature.definitions:
        name = f"definition-of-{definition.name}"
        known[name] = f"{name}: {definitions(Signature(definitions=(definition,)))[0]}"
    found = [known.get(name, name) for name in names]
    return [text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..." for text in found]
