"""Counterexamples in the problem's own terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goedels_poetry.languages.smt.evaluate import ArrayValue, Value
from goedels_poetry.languages.smt.printer import show
from goedels_poetry.languages.smt.problem import Signature
from goedels_poetry.languages.smt.terms import Sort, Term
from goedels_poetry.languages.smt.values import to_term


def show_value(signature: Signature, sort: Sort, value: Value) -> str:
    """A value as SMT-LIB text; elements of declared sorts get names like ``Elem!0``."""
    term = to_term(signature, sort, value)
    if term is not None:
        return show(term)
    if isinstance(value, ArrayValue):
        return "(an array over elements of a declared sort)"
    if value[0] == "!":
        if isinstance(value[2] if len(value) > 2 else None, int) and len(value) == 3:
            return f"{value[1]}!{value[2]}"
        return str(value[1])
    found = signature.constructor(value[0])
    assert found is not None
    parts = [show_value(signature, s, v) for v, (_, s) in zip(value[1:], found[1].fields, strict=True)]
    return f"({value[0]} {' '.join(parts)})" if parts else value[0]


def show_assignment(signature: Signature, assignment: Mapping[Term, Any]) -> dict[str, Any]:
    """``{"values": {variable: text}, "text": "x = ..., y = ..."}``."""
    return show_values(signature, {v.name: (v.sort, value) for v, value in assignment.items()})


def show_values(signature: Signature, assignment: Mapping[str, tuple[Sort, Any]]) -> dict[str, Any]:
    """The same for named values with their sorts."""
    values = {name: show_value(signature, sort, value) for name, (sort, value) in assignment.items()}
    return {"values": values, "text": ", ".join(f"{n} = {v}" for n, v in values.items()) or "no variables"}
