"""Counterexamples in the problem's own terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.refutation.value_forms import ArrayValue, Built, Element
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.terms import INT, Sort, Term
from goedels_poetry.smt.notation.infix import render

MOST_CALLS = 20


def show_value(signature: Signature, sort: Sort, value: Value) -> str:
    """A value as SMT-LIB text; elements of declared sorts get names like ``Elem!0``."""
    term = to_term(signature, sort, value)
    if term is not None:
        return show(term)
    if isinstance(value, ArrayValue):
        return "(an array over elements of a declared sort)"
    if isinstance(value, Element):
        return f"{value.sort.name}!{value.number}"
    if isinstance(value, Built):
        params, _ = signature.functions[value.function]
        return _application(signature, value.function, value.args, params)
    entry = signature.constructor(value[0])
    assert entry is not None
    return _application(signature, value[0], value[1:], [s for _, s in entry[1].fields])


def _application(signature: Signature, name: str, args: Sequence[Value], sorts: Sequence[Sort]) -> str:
    parts = [show_value(signature, s, v) for v, s in zip(args, sorts, strict=True)]
    return f"({name} {' '.join(parts)})" if parts else name


def show_assignment(signature: Signature, assignment: Mapping[Term, Any]) -> dict[str, Any]:
    """``{"values": {variable: text}, "text": "x = ..., y = ..."}``."""
    return show_values(signature, {v.name: (v.sort, value) for v, value in assignment.items()})


def show_values(
    signature: Signature, assignment: Mapping[str, tuple[Sort, Any]], besides: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """The same for named values with their sorts; ``short`` says long numbers and lists as people write them.

    ``values`` are SMT-LIB, ``text`` has them as people write them. ``besides``: SMT-LIB text of what else is told.
    """
    values = {name: show_value(signature, sort, value) for name, (sort, value) in assignment.items()} | dict(besides)
    short = {name: brief for name, (sort, value) in assignment.items() if (brief := in_short(signature, sort, value))}
    text = ", ".join(f"{n} = {render(v)}" for n, v in values.items()) or "no variables"
    return {"values": values, "text": text, **({"short": short} if short else {})}


def show_calls(signature: Signature, table: Mapping[tuple[str, tuple[Any, ...]], Any]) -> dict[str, str]:
    """What declared functions are where they were asked: ``{"f(1)": text}``, the first ones of many."""
    shown = {}
    for (name, args), value in list(table.items())[:MOST_CALLS]:
        params, result = signature.functions[name]
        inputs = [render(show_value(signature, s, v)) for s, v in zip(params, args, strict=True)]
        shown[f"{name}({', '.join(inputs)})"] = show_value(signature, result, value)
    return shown


def in_short(signature: Signature, sort: Sort, value: Value) -> str:
    """``the number 3`` or ``the list [1, 0]`` for values of such datatypes; empty for others and for small ones."""
    shape = _shape(signature, sort)
    if shape is None or len(spine := _spine(shape, value)) < (3 if shape is _NUMBER else 2):
        return ""
    return f"the number {len(spine)}" if shape is _NUMBER else f"the list {_brief(signature, sort, value)}"


_NUMBER = -1


def _shape(signature: Signature, sort: Sort) -> int | None:
    """The position of the element in the cells of a list type; ``_NUMBER`` for numbers in unary; None for others."""
    datatype = signature.datatype(sort)
    if datatype is None or len(datatype.constructors) != 2:
        return None
    empty, cell = sorted(datatype.constructors, key=lambda c: len(c.fields))
    sorts = [s for _, s in cell.fields]
    if empty.fields or sorts.count(sort) != 1 or len(sorts) > 2:
        return None
    return _NUMBER if len(sorts) == 1 else 1 + (1 - sorts.index(sort))


def _spine(shape: int, value: Value) -> list[Value]:
    """The cells of a list or the successors of a number, from the outside."""
    cells = []
    while len(value) > 1:
        cells.append(value)
        value = value[1 if shape is _NUMBER else 3 - shape]
    return cells


def _brief(signature: Signature, sort: Sort, value: Value) -> str:
    shape = _shape(signature, sort)
    if shape is None:
        return str(value) if sort is INT else show_value(signature, sort, value)
    cells = _spine(shape, value)
    if shape is _NUMBER:
        return str(len(cells))
    entry = signature.constructor(cells[0][0]) if cells else None
    elements = [_brief(signature, entry[1].fields[shape - 1][1], cell[shape]) for cell in cells] if entry else []
    return f"[{', '.join(elements)}]"
