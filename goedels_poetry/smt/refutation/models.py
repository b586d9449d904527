"""Values from a solver's model. They are suggestions: whoever uses them evaluates the goal there by our own means.

The functions of a solver's model as terms in the problem's own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.encoding import safe_symbol, symbol_of
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show_symbol
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.literals import atom_literal
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, read
from goedels_poetry.kernel.refutation.operations import ArrayValue, Value
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, REAL, BitVector, Sort, Term
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.worker import borrowed

SECONDS = 5e-6
"""For each resource unit: some formulas take z3 far longer than it counts."""


def suggested_values(context: Context, sequent: Sequent, rlimit: int) -> Mapping[Term, Any] | None:
    """Values for the variables of a sequent that z3 believes to make it false, under the recursive definitions."""
    if not sequent.vars:
        return None
    lines = (*with_definitions(context), *context.check(sequent, Query(equations=False)))
    names = tuple(context.encoding.text(v) for v in sequent.vars)
    with borrowed() as z3:
        answer = z3.ask("\n".join(lines), Limits(rlimit=rlimit, seconds=rlimit * SECONDS), get=names)
    if answer.status != "sat":
        return None
    try:
        (pairs,) = read(Source(answer.output))
        terms = [_without_let(pair.items[1], {}) for pair in _items(pairs)]
        return {v: _value(context.signature, v.sort, e) for v, e in zip(sequent.vars, terms, strict=True)}
    except (_NotAValue, InvalidText, ValueError, AttributeError, IndexError):
        return None  # an element of a declared sort, a function as an array, ...: nothing to evaluate


class _NotAValue(Exception):
    """Part of a model that is not written as a value."""


def _items(expr: SExpr) -> list[Any]:
    if not isinstance(expr, Group):
        raise _NotAValue
    return list(expr.items)


def _without_let(expr: SExpr, names: Mapping[str, SExpr]) -> SExpr:
    """The expression with the names that z3 gives to long or repeated parts replaced by what they stand for."""
    if isinstance(expr, Atom):
        return names.get(expr.text, expr)
    items = _items(expr)
    if len(items) == 3 and isinstance(items[0], Atom) and items[0].text == "let":
        bound = {}
        for binding in _items(items[1]):
            name, meaning = _items(binding)
            bound[name.text] = _without_let(meaning, names)
        return _without_let(items[2], {**names, **bound})
    result = Group(expr.offset)
    result.items = [_without_let(item, names) for item in items]
    return result


def _value(signature: Signature, sort: Sort, expr: SExpr) -> Value:
    if sort is INT or sort is REAL:
        number = _number(expr)
        return int(number) if sort is INT else number
    if isinstance(expr, Atom):
        text = expr.text
        if sort.name == "Bool" and text in ("true", "false"):
            return text == "true"
        literal = atom_literal(Source(text), expr)
        if literal is not None and literal.sort is sort:
            return literal.value.value if isinstance(literal.value, BitVector) else literal.value
        return _built(signature, sort, text, [])
    head, *args = _items(expr)
    if sort.name == "Array":
        return _array(signature, sort, head, args)
    if not isinstance(head, Atom):
        raise _NotAValue
    return _built(signature, sort, head.text, args)


def _built(signature: Signature, sort: Sort, name: str, args: list[SExpr]) -> Value:
    entry = signature.constructor(symbol_of(name))
    if entry is None or entry[0].sort is not sort or len(entry[1].fields) != len(args):
        raise _NotAValue
    fields = entry[1].fields
    return (entry[1].name, *[_value(signature, s, a) for (_, s), a in zip(fields, args, strict=True)])


def _array(signature: Signature, sort: Sort, head: SExpr, args: list[SExpr]) -> ArrayValue:
    index, element = sort.args
    if isinstance(head, Group) and len(args) == 1:  # ((as const S) v)
        return ArrayValue(_value(signature, element, args[0]), frozenset())
    if isinstance(head, Atom) and head.text == "store" and len(args) == 3:
        base = _value(signature, sort, args[0])
        key, value = _value(signature, index, args[1]), _value(signature, element, args[2])
        if isinstance(base, ArrayValue):
            return base.store(key, value)
    raise _NotAValue


def _number(expr: SExpr) -> Fraction:
    if isinstance(expr, Atom):
        return Fraction(expr.text)
    head, *args = _items(expr)
    numbers = [_number(a) for a in args]
    if isinstance(head, Atom) and head.text == "-" and len(numbers) == 1:
        return -numbers[0]
    if isinstance(head, Atom) and head.text == "/" and len(numbers) == 2:
        return numbers[0] / numbers[1]
    raise _NotAValue


MAX_CHARACTERS = 4_000
"""Of one function."""
_DEPTH = 60


class _Unreadable(Exception):
    """Something in a model that is no term of the problem."""


def functions_of_model(
    output: str, signature: Signature, names: Iterable[str]
) -> Mapping[str, tuple[tuple[str, ...], str]] | None:
    """Parameters and body, as text, of each of the functions; None when the model does not tell one of them."""
    try:
        (model,) = read(Source(output))
        entries = _entries(model)
        found = {}
        for name in names:
            params, _ = signature.functions[name]
            if safe_symbol(name) not in entries:
                return None
            found[name] = _Words(entries, signature).function(safe_symbol(name), len(params))
    except (InvalidText, _Unreadable, ValueError, IndexError, RecursionError):
        return None
    return found


Entry = tuple[list[str], SExpr]


def _entries(model: SExpr) -> dict[str, Entry]:
    """Every ``define-fun`` of a model: names of parameters, body."""
    found: dict[str, Entry] = {}
    for item in model.items if isinstance(model, Group) else ():
        match item:
            case Group(items=[Atom(text="define-fun"), Atom(text=name), Group(items=params), _, body]):
                found[name] = [_first(p) for p in params], body
    return found


def _first(param: SExpr) -> str:
    match param:
        case Group(items=[Atom(text=name), _]):
            return name
    raise _Unreadable


class _Words:
    """Writes expressions of a model; what z3 names there for itself is written out."""

    def __init__(self, entries: Mapping[str, Entry], signature: Signature) -> None:
        self._entries = entries
        self._signature = signature
        self._sorts = {s.name for s in signature.sorts} | {d.sort.name for d in signature.datatypes}

    def function(self, name: str, arity: int) -> tuple[tuple[str, ...], str]:
        """The names of the parameters, and the body."""
        params, body = self._entries[name]
        if len(params) != arity:
            raise _Unreadable
        fresh = [self._parameter(i) for i in range(arity)]
        text = self._text(body, dict(zip(params, fresh, strict=True)), 0)
        if len(text) > MAX_CHARACTERS:
            raise _Unreadable
        return tuple(fresh), text

    def _parameter(self, number: int) -> str:
        name = "xyzuvw"[number] if number < 6 else f"x{number}"
        while name in self._signature.names:
            name += "_"
        return name

    def _text(self, expr: SExpr, bound: Mapping[str, str], depth: int) -> str:
        if depth > _DEPTH:
            raise _Unreadable
        if isinstance(expr, Atom):
            return self._word(expr, bound, depth)
        match expr.items:
            case [Atom(text="let"), Group(items=bindings), body]:
                inner = dict(bound)
                for binding in bindings:
                    if not isinstance(binding, Group):
                        raise _Unreadable
                    inner[_first(binding)] = self._text(binding.items[1], bound, depth + 1)
                return self._text(body, inner, depth + 1)
            case [Atom(text="lambda" | "forall" | "exists" | "as-array"), *_]:
                raise _Unreadable
            case [Atom(text="_"), Atom(text="as-array"), *_]:
                raise _Unreadable
            case [Atom(text=name), *args] if name in self._entries and name not in bound:
                params, body = self._entries[name]
                values = [self._text(a, bound, depth + 1) for a in args]
                return self._text(body, dict(zip(params, values, strict=True)), depth + 1)
        words = [self._text(item, bound, depth + 1) for item in expr.items]
        if sum(map(len, words)) > MAX_CHARACTERS:
            raise _Unreadable
        return f"({' '.join(words)})"

    def _word(self, atom: Atom, bound: Mapping[str, str], depth: int) -> str:
        name = atom.text
        if name in bound:
            return bound[name]
        if name in self._entries:
            params, body = self._entries[name]
            if params:
                raise _Unreadable
            return self._text(body, {}, depth + 1)
        known = symbol_of(name)
        if known != name:
            if known not in self._signature.names and known not in self._sorts:
                raise _Unreadable
            return show_symbol(known)
        return name
