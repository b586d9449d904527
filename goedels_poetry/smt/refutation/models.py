"""Values from a solver's model. They are suggestions: whoever uses them evaluates the goal there by our own means."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.encoding import symbol_of
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.reading.literals import atom_literal
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, read
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.refutation.value_forms import ArrayValue
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT, REAL, BitVector, Sort, Term
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.spare import borrowed

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
