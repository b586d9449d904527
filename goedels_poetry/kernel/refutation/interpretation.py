"""What a counterexample says of all that a theorem leaves open: declared functions as terms, declared sorts by their
elements. Trusted code.

An interpretation makes another theorem of the text: ``declare-fun f`` becomes ``define-fun f``, which cannot call
itself and speaks of what stands before it, and ``declare-sort S`` an enumeration of elements with new names. Whatever
satisfies the definitions of that theorem satisfies those of the given one, since these are the same commands, and it
says what the declared symbols are. So where the other theorem's definitions have a model in which the premises hold and
the goal is false, the given theorem is false, and its premises do not contradict each other.

The definitions have to be shown to terminate: one that does not may leave open no function but another than this.

Constants for which nothing is given, as the value has no name (the root of two), may be said to exist: what is proved
then is that not all of their values make the premises imply the goal. Definitions speak of none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.kernel.faults import BadProof, CodecError, InvalidText, TextTooLong
from goedels_poetry.kernel.printer import show, show_binders
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.names import legible
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, read, symbols_in
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.kernel.terms import BOOL, Term, and_, app, forall, implies, replaced, symbols

MAX_ELEMENTS = 64
"""Of one sort."""
_NOT_IN_BARS = frozenset("|\\\r\n")


@dataclass(frozen=True)
class Interpretation:
    """``functions``: names of parameters and the body, as text, by the function's name; ``sorts``: their elements.

    ``exist``: constants of which some values are proved to exist.
    """

    functions: Mapping[str, tuple[tuple[str, ...], str]]
    sorts: Mapping[str, tuple[str, ...]]
    exist: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The interpretation as a certificate has it."""
        functions = {name: {"params": list(params), "body": body} for name, (params, body) in self.functions.items()}
        sorts = {name: list(elements) for name, elements in self.sorts.items()}
        return {"functions": functions, "sorts": sorts, **({"exist": list(self.exist)} if self.exist else {})}

    @classmethod
    def from_json(cls, json: Any) -> Interpretation:
        """What ``json`` describes. Raises CodecError: it is of another form."""
        match json:
            case {"functions": dict(functions), "sorts": dict(sorts), **rest} if not rest.keys() - {"exist"}:
                if functions or sorts or rest:
                    given = {str(name): _function(value) for name, value in functions.items()}
                    elements = {str(name): _names(value) for name, value in sorts.items()}
                    return cls(given, elements, _names(rest["exist"]) if rest else ())
        raise CodecError("an interpretation has functions and sorts")


def _function(json: Any) -> tuple[tuple[str, ...], str]:
    match json:
        case {"params": params, "body": str(body), **rest} if not rest:
            return _names(params), body
    raise CodecError("a function of an interpretation has params and a body")


def _names(json: Any) -> tuple[str, ...]:
    names = tuple(json) if isinstance(json, list) else (None,)
    if not all(isinstance(name, str) and name and _NOT_IN_BARS.isdisjoint(name) for name in names):
        raise CodecError("names are strings without bars")
    return names


def interpreted_theorem(text: bytes, problem: Problem, given: Interpretation) -> tuple[bytes, Problem]:
    """The text with what it declares as ``given``, and what is read from it. ``problem`` was read from ``text``.

    Raises:
        BadProof: it gives something that the text does not declare, or not so.
    """
    source = Source(decode(text))
    commands = read(source)
    taken = symbols_in(commands)
    left = {*given.functions, *given.sorts}
    if len(left) < len(given.functions) + len(given.sorts):
        raise BadProof("an interpretation of a function and of a sort of one name")
    parts, place = [], 0
    for command in commands:
        written = _in_place_of(command, source, given, taken)
        if written is not None and isinstance(command, Group):
            name, replacement = written
            left.discard(name)
            parts += [source.text[place : command.offset], replacement]
            place = command.end
    if left:
        raise BadProof(f"an interpretation of what is not declared: {', '.join(sorted(left))}")
    new = "".join((*parts, source.text[place:])).encode()
    try:
        found = parse_problem(new)
        same = _stated(found, given) == _stated(problem, given)
    except InvalidText as error:
        raise BadProof(f"the interpretation does not fit: {error.message}") from error
    except TextTooLong as error:
        raise BadProof(f"the theorem is too large for an interpretation: {error}") from error
    if not same:
        raise BadProof("with the interpretation other formulas stand in the theorem")
    return new, replace(found, source_sha256=problem.source_sha256)


def condition(text: bytes, problem: Problem, given: Interpretation) -> Problem:
    """The theorem whose goal is that the premises imply the goal for all values of what ``exist`` names.

    It has no premises. Its negation says that what is given satisfies the premises and not the goal.

    Raises:
        BadProof: the interpretation does not fit.
    """
    problem = interpreted_theorem(text, problem, given)[1]
    goal, signature = implies(and_([p.formula for p in problem.premises]), problem.goal), problem.signature
    used = set().union(*[symbols(d.body) for d in signature.definitions])
    names, variables = Names(goal, reserved=signature.names), dict[Term, Term]()
    for name in given.exist:
        params, sort = signature.functions.get(name, ((BOOL,), BOOL))
        constant = app(name, (), sort)
        if params or name in used or signature.definition(name) is not None or constant in variables:
            raise BadProof(f"{name} is no constant that may be said to exist")
        variables[constant] = names.fresh(name, sort)
    return replace(problem, premises=(), goal=forall(variables.values(), replaced(goal, variables)))


def given_meaning(text: bytes, problem: Problem, json: Any) -> tuple[Problem, dict[str, str]]:
    """The theorem to prove the negation of, where ``json`` says what its declared symbols are; and that, to be shown.

    Raises:
        CodecError: not of the form of an interpretation. BadProof: it does not fit the theorem.
    """
    given = Interpretation.from_json(json)
    meant = condition(text, problem, given)
    return meant, shown_interpretation(given, meant)


def shown_interpretation(given: Interpretation, problem: Problem) -> dict[str, str]:
    """What is given a meaning, as SMT-LIB text: functions by name, and the elements of sorts. ``problem`` has it."""
    shown = {f"elements of {sort}": ", ".join(elements) for sort, elements in given.sorts.items()}
    for definition in problem.signature.definitions:
        if definition.name in given.functions:
            body, params = show(definition.body), definition.params
            shown[definition.name] = f"(lambda {show_binders(params)} {body})" if params else body
    return shown | dict.fromkeys(given.exist, "a value that is proved to exist")


def _stated(problem: Problem, given: Interpretation) -> list[tuple[str, str]]:
    """What the theorem says by itself, as text: so both readings of it are compared."""
    own = [d for d in problem.signature.definitions if d.name not in given.functions]
    terms = [*[(d.name, d.body) for d in own], *[(p.name, p.formula) for p in problem.premises], ("", problem.goal)]
    return sorted((name, show(term)) for name, term in terms)


def _in_place_of(command: SExpr, source: Source, given: Interpretation, taken: set[str]) -> tuple[str, str] | None:
    """A name that is given a meaning, and the command that stands in place of its declaration."""
    match command:
        case Group(items=[Atom(text="declare-sort"), Atom() as sort, *_]) if legible(sort.text) in given.sorts:
            name = legible(sort.text)
            return name, _enumeration(_slice(source, sort), given.sorts[name], taken)
        case Group(items=[Atom(text="declare-fun"), Atom() as function, Group(items=sorts), result]):
            name = legible(function.text)
        case Group(items=[Atom(text="declare-const"), Atom() as function, result]):
            name, sorts = legible(function.text), []
        case _:
            return None
    if name not in given.functions:
        return None
    params, body = given.functions[name]
    if len(params) != len(sorts):
        raise BadProof(f"the interpretation of {name} has {len(params)} parameters")
    binders = " ".join(f"(|{param}| {_slice(source, sort)})" for param, sort in zip(params, sorts, strict=True))
    head = f"{_slice(source, function)} ({binders}) {_slice(source, result)}"
    return name, f"(define-fun {head}\n{_one_term(name, body)}\n)"


def _enumeration(sort: str, elements: tuple[str, ...], taken: set[str]) -> str:
    """A sort with these elements. A name that stands anywhere in the text could mean something else there."""
    if not taken.isdisjoint(elements) or not 1 <= len(set(elements)) == len(elements) <= MAX_ELEMENTS:
        raise BadProof(f"the elements of {sort} do not have new names of their own")
    return f"(declare-datatypes (({sort} 0)) (({' '.join(f'(|{element}|)' for element in elements)})))"


def _one_term(name: str, body: str) -> str:
    try:
        exprs = read(source := Source(decode(body)))
    except InvalidText as error:
        raise BadProof(f"the interpretation of {name} is no term: {error.message}") from error
    if len(exprs) != 1 or name in symbols_in(exprs):
        raise BadProof(f"the interpretation of {name} is not one term without {name}")
    return source.text


def _slice(source: Source, expr: SExpr) -> str:
    """A name or a sort as it stands in the text."""
    if isinstance(expr, Group):
        return source.text[expr.offset : expr.end]
    return f"|{expr.text}|" if expr.quoted else expr.text
