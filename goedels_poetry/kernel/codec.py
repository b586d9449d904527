"""Proofs as JSON, and back. Terms and sequents stand in it as SMT-LIB text in the user's own names.

Reading is strict: an unknown key, a missing one or a value of another type raises `CodecError`. Nothing read
here is trusted for being well-formed: it says *what* is claimed, and the checker derives the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel import printer
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.extension import definition_texts, read_definitions
from goedels_poetry.kernel.problem import Measures, Signature
from goedels_poetry.kernel.reading import parser
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    IntInduction,
    Intro,
    MeasureInduction,
    RecursionInduction,
    Scheme,
    SizeInduction,
    SkolemHypothesis,
    StructuralInduction,
    Witness,
)
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Term

Json: TypeAlias = dict[str, Any]

_KINDS_OF_INSTANCE = ("def", "step", "premise", "hyp")


class CodecError(GoedelsPoetryError):
    """A proof in JSON that is not of the form this version writes."""


# -------------------------------------------------------------------------------------------- reading JSON


def _object(value: Any, what: str, keys: Iterable[str]) -> Json:
    wanted = set(keys)
    if not isinstance(value, dict):
        raise CodecError(f"{what}: an object was expected")
    if set(value) != wanted:
        odd = sorted(map(str, set(value) ^ wanted))
        raise CodecError(f"{what}: the keys are to be {sorted(wanted)}; missing or unknown: {odd}")
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise CodecError(f"{what}: a string was expected")
    return value


def _flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise CodecError(f"{what}: true or false was expected")
    return value


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise CodecError(f"{what}: an integer was expected")
    return value


def _items(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise CodecError(f"{what}: an array was expected")
    return value


def _texts(value: Any, what: str) -> tuple[str, ...]:
    return tuple([_text(item, what) for item in _items(value, what)])


class _Reader:
    """Terms over one signature and the variables of one sequent."""

    def __init__(self, signature: Signature, variables: Iterable[Term]) -> None:
        self._signature = signature
        self._variables = tuple(variables)

    def term(self, value: Any, what: str) -> Term:
        text = _text(value, what)
        try:
            return parser.parse_term(text, self._signature, self._variables)
        except (GoedelsPoetryError, ValueError, RecursionError) as error:
            raise CodecError(f"{what}: {error}") from error

    def terms(self, value: Any, what: str) -> tuple[Term, ...]:
        return tuple([self.term(item, what) for item in _items(value, what)])


# ------------------------------------------------------------------------------------------------- schemes


def scheme_to_json(scheme: Scheme) -> Json:
    """A scheme as JSON: its kind and its parameters."""
    match scheme:
        case StructuralInduction(on, general, depth):
            return {"kind": "structural", "on": on, "general": list(general), "depth": depth}
        case IntInduction(on, base, general, upward, width):
            return {
                "kind": "integer",
                "on": on,
                "base": printer.show(base),
                "general": list(general),
                "upward": upward,
                "width": width,
            }
        case MeasureInduction(measure, at):
            points = [[printer.show(t) for t in point] for point in at]
            return {"kind": "measure", "measure": printer.show(measure), "at": points}
        case RecursionInduction(function, terms, general):
            shown = [printer.show(t) for t in terms]
            return {"kind": "recursion", "function": function, "at": shown, "general": list(general)}
        case SizeInduction(variables, at, general, twice):
            points = [[printer.show(t) for t in point] for point in at]
            fields = [list(place) for place in twice]
            return {"kind": "size", "on": list(variables), "at": points, "general": list(general), "twice": fields}
        case CaseSplit(formula):
            return {"kind": "cases", "on": printer.show(formula)}
        case ConstructorSplit(on):
            return {"kind": "constructors", "on": on}
        case Witness(at):
            return {"kind": "witness", "at": [printer.show(t) for t in at]}
        case Conjuncts():
            return {"kind": "conjuncts"}
        case Contradiction():
            return {"kind": "contradiction"}
        case Intro():
            return {"kind": "intro"}
        case SkolemHypothesis():
            return {"kind": "skolem"}
    raise CodecError(f"not a scheme: {scheme!r}")


_BARE: Mapping[str, type[Conjuncts | Contradiction | Intro | SkolemHypothesis]] = {
    "conjuncts": Conjuncts,
    "contradiction": Contradiction,
    "intro": Intro,
    "skolem": SkolemHypothesis,
}


def scheme_from_json(json: Any, signature: Signature, variables: Iterable[Term]) -> Scheme:
    """The scheme that ``json`` describes; its terms speak of ``variables`` (those of the sequent).

    Raises:
        CodecError: unknown kind, missing or unknown keys, text that is not a term over the signature.
    """
    if not isinstance(json, dict):
        raise CodecError("a scheme is an object")
    read = _Reader(signature, variables)
    kind = json.get("kind")
    if isinstance(kind, str) and kind in _BARE:
        _object(json, kind, ("kind",))
        return _BARE[kind]()
    match kind:
        case "structural":
            _object(json, "structural induction", ("kind", "on", "general", "depth"))
            return StructuralInduction(
                _text(json["on"], "on"), _texts(json["general"], "general"), _number(json["depth"], "depth")
            )
        case "integer":
            _object(json, "integer induction", ("kind", "on", "base", "general", "upward", "width"))
            return IntInduction(
                _text(json["on"], "on"),
                read.term(json["base"], "base"),
                _texts(json["general"], "general"),
                _flag(json["upward"], "upward"),
                _number(json["width"], "width"),
            )
        case "measure":
            _object(json, "measure induction", ("kind", "measure", "at"))
            points = tuple([read.terms(point, "point") for point in _items(json["at"], "at")])
            return MeasureInduction(read.term(json["measure"], "measure"), points)
        case "recursion":
            _object(json, "induction along a function", ("kind", "function", "at", "general"))
            return RecursionInduction(
                _text(json["function"], "function"), read.terms(json["at"], "at"), _texts(json["general"], "general")
            )
        case "size":
            _object(json, "induction on sizes", ("kind", "on", "at", "general", "twice"))
            points = tuple([read.terms(point, "point") for point in _items(json["at"], "at")])
            twice = tuple([_field(place) for place in _items(json["twice"], "twice")])
            return SizeInduction(_texts(json["on"], "on"), points, _texts(json["general"], "general"), twice)
        case "cases":
            _object(json, "case split", ("kind", "on"))
            return CaseSplit(read.term(json["on"], "on"))
        case "constructors":
            _object(json, "constructor split", ("kind", "on"))
            return ConstructorSplit(_text(json["on"], "on"))
        case "witness":
            _object(json, "witness", ("kind", "at"))
            return Witness(read.terms(json["at"], "at"))
    raise CodecError(f"unknown kind of scheme: {kind!r}")


def _field(json: Any) -> tuple[str, int]:
    """A field of a constructor, by its position."""
    place = _items(json, "field")
    if len(place) != 2:
        raise CodecError("a field is a constructor and a position")
    return _text(place[0], "constructor"), _number(place[1], "position")


# ------------------------------------------------------------------------------------------------- queries


def query_to_json(query: Query) -> Json:
    """A query as JSON."""
    return {
        "cites": list(query.cites),
        "instances": [{"of": i.of, "name": i.name, "args": [printer.show(a) for a in i.args]} for i in query.instances],
        "equations": query.equations,
        "quantified": query.quantified,
    }


def query_from_json(json: Any, signature: Signature, variables: Iterable[Term]) -> Query:
    """The query that ``json`` describes; the arguments of its instances speak of ``variables``.

    Raises:
        CodecError: as `scheme_from_json`.
    """
    _object(json, "query", ("cites", "instances", "equations", "quantified"))
    read = _Reader(signature, variables)
    return Query(
        _texts(json["cites"], "cites"),
        tuple([_instance(item, read) for item in _items(json["instances"], "instances")]),
        _flag(json["equations"], "equations"),
        _flag(json["quantified"], "quantified"),
    )


def _instance(json: Any, read: _Reader) -> Instance:
    _object(json, "instance", ("of", "name", "args"))
    of = _text(json["of"], "of")
    if of not in _KINDS_OF_INSTANCE:
        raise CodecError(f"an instance is of one of {_KINDS_OF_INSTANCE}, not of {of!r}")
    return Instance(of, _text(json["name"], "name"), read.terms(json["args"], "args"))


# --------------------------------------------------------------------------------------------------- steps


def sequent_to_json(sequent: Sequent) -> str:
    """A sequent as text."""
    return printer.show_sequent(sequent)


def sequent_from_json(json: Any, signature: Signature) -> Sequent:
    """The sequent of a text.

    Raises:
        CodecError: it is not one over the signature.
    """
    text = _text(json, "sequent")
    try:
        return parser.parse_sequent(text, signature)
    except (GoedelsPoetryError, ValueError, RecursionError) as error:
        raise CodecError(f"sequent: {error}") from error


def step_to_json(step: Step) -> Json:
    """A step as JSON: ``id``, ``sequent``, and ``query`` or ``scheme`` with ``cites``."""
    json: Json = {"id": step.id, "sequent": sequent_to_json(step.sequent)}
    if isinstance(step.by, Query):
        return {**json, "query": query_to_json(step.by)}
    return {**json, "scheme": scheme_to_json(step.by.scheme), "cites": list(step.by.cites)}


def step_from_json(json: Any, signature: Signature) -> Step:
    """The step that ``json`` describes.

    Raises:
        CodecError: as `scheme_from_json`.
    """
    by_query = isinstance(json, dict) and "query" in json
    _object(json, "step", ("id", "sequent", "query") if by_query else ("id", "sequent", "scheme", "cites"))
    name = _text(json["id"], "id")
    sequent = sequent_from_json(json["sequent"], signature)
    by: Query | ByScheme
    if by_query:
        by = query_from_json(json["query"], signature, sequent.vars)
    else:
        scheme = scheme_from_json(json["scheme"], signature, sequent.vars)
        by = ByScheme(scheme, _texts(json["cites"], "cites"))
    return Step(name, sequent, by)


def derivation_to_json(derivation: Derivation) -> Json:
    """A whole proof as JSON: ``steps``, and ``auxiliary`` definitions and ``measures`` where there are any."""
    json: Json = {"steps": [step_to_json(step) for step in derivation.steps]}
    if derivation.auxiliary:
        json["auxiliary"] = list(definition_texts(derivation.auxiliary))
    if derivation.measures:
        json["measures"] = {name: [printer.show(t) for t in terms] for name, terms in derivation.measures.items()}
    return json


def derivation_from_json(json: Any, signature: Signature) -> Derivation:
    """The proof that ``json`` describes.

    Raises:
        CodecError: as `scheme_from_json`.
    """
    more = [key for key in ("auxiliary", "measures") if isinstance(json, dict) and key in json]
    _object(json, "derivation", (*more, "steps"))
    own = len(signature.definitions)
    try:
        signature = read_definitions(_texts(json.get("auxiliary", []), "auxiliary"), signature)
    except (GoedelsPoetryError, ValueError, RecursionError) as error:
        raise CodecError(f"auxiliary: {error}") from error
    measures = _measures(json.get("measures", {}), signature)
    steps = tuple([step_from_json(step, signature) for step in _items(json["steps"], "steps")])
    return Derivation(steps, signature.definitions[own:], measures)


def _measures(json: Any, signature: Signature) -> Measures:
    if not isinstance(json, dict):
        raise CodecError("measures: an object was expected")
    found: dict[str, tuple[Term, ...]] = {}
    for name, terms in json.items():
        definition = signature.definition(name)
        if definition is None:
            raise CodecError(f"measures: {name!r} has no definition")
        found[name] = _Reader(signature, definition.params).terms(terms, f"measure of {name}")
    return MappingProxyType(found)
