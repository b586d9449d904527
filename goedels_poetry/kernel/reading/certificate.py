"""From the JSON of a certificate to the steps of a proof. Terms and sequents stand in it as SMT-LIB text.

Reading is strict: an unknown key, a missing one or a value of another type raises `CodecError`. Nothing read
here is trusted for being well-formed: it says *what* is claimed, and the checker derives the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.faults import CodecError, InvalidText
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
)
from goedels_poetry.kernel.problem import Definition, Measures, Problem, Signature
from goedels_poetry.kernel.reading import parser
from goedels_poetry.kernel.reading.declare import Declarations
from goedels_poetry.kernel.reading.elaborate import Elaborator
from goedels_poetry.kernel.reading.reader import Atom, Group, Source, decode, read
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    Intro,
    Scheme,
    SkolemHypothesis,
    Witness,
)
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.sizes import Bound
from goedels_poetry.kernel.termination import (
    GroupEvidence,
    Lexicographic,
    MeasureComponent,
    Nested,
    SizeComponent,
    TerminationEvidence,
)
from goedels_poetry.kernel.terms import Term

# Auxiliary definitions

_COMMANDS = ("define-fun", "define-fun-rec", "define-funs-rec")


def read_definitions(texts: Iterable[str], signature: Signature) -> Signature:
    """The signature with the definitions that ``texts`` give, one command each, in order.

    Raises:
        InvalidText: not a definition, ill-sorted, a name that is taken, or one that a solver would not take as it is.
    """
    for text in texts:
        signature = _defined(text, signature)
    return signature


def _defined(text: str, signature: Signature) -> Signature:
    source = Source(decode(text))
    commands = read(source)
    command = commands[0] if len(commands) == 1 else None
    head = command.items[0] if isinstance(command, Group) and command.items else None
    if not isinstance(command, Group) or not isinstance(head, Atom) or head.text not in _COMMANDS:
        source.fail("one definition was expected", command or 0, "write (define-fun-rec name ((x Sort)) Sort body)")
    symbols = Symbols.of(signature, source)
    symbols.reserved.update(signature.names)
    declarations = Declarations(symbols, Elaborator(symbols))
    declarations.command(command)
    declarations.elaborate_instances()
    new = declarations.signature().definitions
    if not new or any(d.name not in text for d in new):
        source.fail("a plain definition was expected", command, "without type parameters")
    number = max((d.group for d in signature.definitions), default=-1) + 1
    return extended(signature, [replace(d, group=number + d.group) for d in new])


def extended(signature: Signature, definitions: Iterable[Definition]) -> Signature:
    """The signature with more definitions behind its own. Raises InvalidText: one of the names is taken."""
    new = tuple(definitions)
    names = [d.name for d in new]
    taken = sorted({n for n in names if n in signature.names or names.count(n) > 1})
    if taken:
        raise InvalidText(f"the name {taken[0]} is taken", 1, 1, "an auxiliary function needs a name of its own")
    return replace(signature, definitions=(*signature.definitions, *new))


def with_auxiliaries(
    problem: Problem, definitions: Iterable[Definition], measures: Measures = MappingProxyType({})
) -> Problem:
    """The same theorem over a larger signature, with measures for some functions; errors as in `extended`."""
    return replace(problem, signature=extended(problem.signature, definitions), measures=measures)


Json: TypeAlias = dict[str, Any]

_KINDS_OF_INSTANCE = ("def", "step", "premise", "hyp")

SCHEMES: Mapping[str, type[Scheme]] = {
    "structural": StructuralInduction,
    "integer": IntInduction,
    "measure": MeasureInduction,
    "recursion": RecursionInduction,
    "size": SizeInduction,
    "cases": CaseSplit,
    "constructors": ConstructorSplit,
    "witness": Witness,
    "conjuncts": Conjuncts,
    "contradiction": Contradiction,
    "intro": Intro,
    "skolem": SkolemHypothesis,
}
"""The ``kind`` of each scheme; its other keys are the names of the scheme's fields."""


def key_of(scheme: type[Scheme], parameter: Field[Any]) -> str:
    """The key under which a parameter of a scheme stands: its name, but for two."""
    if scheme is RecursionInduction and parameter.name == "terms":
        return "at"
    return "on" if scheme is SizeInduction and parameter.name == "variables" else parameter.name


# ------------------------------------------------------------------------------------------------- values


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


def _mapping(value: Any, what: str) -> Json:
    if not isinstance(value, dict):
        raise CodecError(f"{what}: an object was expected")
    return value


def _numbers(value: Any, what: str) -> tuple[int, ...]:
    return tuple([_number(item, what) for item in _items(value, what)])


def _texts(value: Any, what: str) -> tuple[str, ...]:
    return tuple([_text(item, what) for item in _items(value, what)])


def _places(value: Any, what: str) -> tuple[tuple[str, int], ...]:
    """Fields of constructors, by their positions."""
    places = [_items(item, what) for item in _items(value, what)]
    if any(len(place) != 2 for place in places):
        raise CodecError("a field is a constructor and a position")
    return tuple([(_text(constructor, what), _number(position, what)) for constructor, position in places])


class _Reader:
    """Terms over one signature and the variables of one sequent."""

    def __init__(self, signature: Signature, variables: Iterable[Term]) -> None:
        self._signature = signature
        self._variables = tuple(variables)

    def term(self, value: Any, what: str) -> Term:
        text = _text(value, what)
        try:
            return parser.parse_term(text, self._signature, self._variables)
        except (ValueError, RecursionError) as error:
            raise CodecError(f"{what}: {error}") from error

    def terms(self, value: Any, what: str) -> tuple[Term, ...]:
        return tuple([self.term(item, what) for item in _items(value, what)])

    def points(self, value: Any, what: str) -> tuple[tuple[Term, ...], ...]:
        return tuple([self.terms(item, what) for item in _items(value, what)])

    def parameter(self, annotation: Any) -> Callable[[Any, str], Any]:
        """How a parameter of a scheme is read, by the type of its field."""
        return {
            "str": _text,
            "int": _number,
            "bool": _flag,
            "tuple[str, ...]": _texts,
            "tuple[tuple[str, int], ...]": _places,
            "Term": self.term,
            "tuple[Term, ...]": self.terms,
            "tuple[tuple[Term, ...], ...]": self.points,
        }[annotation]


# --------------------------------------------------------------------------------------------------- steps


def scheme_from_json(json: Any, signature: Signature, variables: Iterable[Term]) -> Scheme:
    """The scheme that ``json`` describes; its terms speak of ``variables`` (those of the sequent).

    Raises:
        CodecError: unknown kind, missing or unknown keys, text that is not a term over the signature.
    """
    if not isinstance(json, dict):
        raise CodecError("a scheme is an object")
    kind = json.get("kind")
    scheme = SCHEMES.get(kind) if isinstance(kind, str) else None
    if scheme is None:
        raise CodecError(f"unknown kind of scheme: {kind!r}")
    read = _Reader(signature, variables)
    keys = {key_of(scheme, field): read.parameter(field.type) for field in fields(scheme)}
    _object(json, f"scheme {kind}", ("kind", *keys))
    return scheme(*[read_value(json[key], key) for key, read_value in keys.items()])


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


def sequent_from_json(json: Any, signature: Signature) -> Sequent:
    """The sequent of a text. Raises CodecError: it is not one over the signature."""
    text = _text(json, "sequent")
    try:
        return parser.parse_sequent(text, signature)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"sequent: {error}") from error


def step_from_json(json: Any, signature: Signature) -> Step:
    """The step that ``json`` describes: ``id``, ``sequent``, and ``query`` or ``scheme`` with ``cites``.

    Raises:
        CodecError: as `scheme_from_json`.
    """
    by_query = isinstance(json, dict) and "query" in json
    _object(json, "step", ("id", "sequent", "query") if by_query else ("id", "sequent", "scheme", "cites"))
    name = _text(json["id"], "id")
    sequent = sequent_from_json(json["sequent"], signature)
    if by_query:
        return Step(name, sequent, query_from_json(json["query"], signature, sequent.vars))
    scheme = scheme_from_json(json["scheme"], signature, sequent.vars)
    return Step(name, sequent, ByScheme(scheme, _texts(json["cites"], "cites")))


def derivation_from_json(json: Any, signature: Signature) -> Derivation:
    """The proof that ``json`` describes: ``steps``, and ``auxiliary`` definitions and ``measures`` where there are any.

    Raises:
        CodecError: as `scheme_from_json`.
    """
    more = [key for key in ("auxiliary", "measures", *TERMINATION) if isinstance(json, dict) and key in json]
    _object(json, "derivation", (*more, "steps"))
    own = len(signature.definitions)
    try:
        signature = read_definitions(_texts(json.get("auxiliary", []), "auxiliary"), signature)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"auxiliary: {error}") from error
    measures = _measures(json.get("measures", {}), signature)
    steps = tuple([step_from_json(step, signature) for step in _items(json["steps"], "steps")])
    return Derivation(steps, signature.definitions[own:], measures, termination_from_json(json, signature))


def _measures(json: Any, signature: Signature) -> Measures:
    found: dict[str, tuple[Term, ...]] = {}
    for name, terms in _mapping(json, "measures").items():
        definition = signature.definition(name)
        if definition is None:
            raise CodecError(f"measures: {name!r} has no definition")
        found[name] = _Reader(signature, definition.params).terms(terms, f"measure of {name}")
    return MappingProxyType(found)


# --------------------------------------------------------------------------------------------- termination


TERMINATION = ("termination", "bounds")
"""The keys of what is said of the ends of recursions; each is left out where there is nothing to say."""


def termination_from_json(json: Any, signature: Signature) -> TerminationEvidence:
    """The evidence at the keys ``TERMINATION`` of ``json``. Raises CodecError: as `scheme_from_json`."""
    said = _mapping(json, "evidence")
    groups = tuple([_group(item, signature) for item in _items(said.get("termination", []), "termination")])
    bounds = {}
    for name, bound in _mapping(said.get("bounds", {}), "bounds").items():
        _object(bound, "bound", ("arguments", "spare"))
        bounds[name] = Bound(_numbers(bound["arguments"], "arguments"), _number(bound["spare"], "spare"))
    return TerminationEvidence(groups, MappingProxyType(bounds))


def _group(json: Any, signature: Signature) -> GroupEvidence:
    if isinstance(json, dict) and "components" in json:
        _object(json, "termination", ("functions", "components"))
        components = [_component(item, signature) for item in _items(json["components"], "components")]
        return Lexicographic(_texts(json["functions"], "functions"), tuple(components))
    _object(json, "termination", ("functions", "measure", "bound"))
    functions, bound = _texts(json["functions"], "functions"), json["bound"]
    _object(bound, "bound", ("relation", "argument", "constant"))
    if len(functions) != 1:
        raise CodecError("termination: a bound is of one function")
    return Nested(
        functions,
        _measure(functions[0], json["measure"], signature),
        _text(bound["relation"], "relation"),
        _number(bound["argument"], "argument"),
        _number(bound["constant"], "constant"),
    )


def _component(json: Any, signature: Signature) -> SizeComponent | MeasureComponent:
    if isinstance(json, dict) and "measure" in json:
        _object(json, "component", ("measure", "falls"))
        terms = {n: _measure(n, t, signature) for n, t in _mapping(json["measure"], "measure").items()}
        return MeasureComponent(MappingProxyType(terms), _numbers(json["falls"], "falls"))
    _object(json, "component", ("size", "twice") if isinstance(json, dict) and "twice" in json else ("size",))
    at = {name: _numbers(places, "size") for name, places in _mapping(json["size"], "size").items()}
    return SizeComponent(MappingProxyType(at), _places(json.get("twice", []), "twice"))


def _measure(name: str, json: Any, signature: Signature) -> Term:
    definition = signature.definition(name)
    if definition is None:
        raise CodecError(f"measure: {name!r} has no definition")
    return _Reader(signature, definition.params).term(json, f"measure of {name}")
