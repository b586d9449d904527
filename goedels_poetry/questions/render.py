"""Formulas and worlds of a logic program in words, for people and prompts; nothing reads this text back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import Term
from goedels_poetry.smt.notation.infix import render

MAX_ITEMS = 12
"""Of one function; the rest is only counted."""


def render_formula(formula: Term) -> str:
    """A formula in infix notation: ``for all x: human(x) => mortal(x)``."""
    return render(show(formula))


def countermodel_of(goals: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Of goals as a result lists them: a world of the premises in which one is false."""
    return next((goal["countermodel"] for goal in goals if goal.get("countermodel")), None)


def render_model(model: Mapping[str, Any] | None) -> list[str]:
    """What a world is like, one line for each constant and function, as ``read_model`` describes them.

    ``human holds of: socrates; not of: zeus``, ``age(ann) = 30, age(anything else) = 0``, ``x = 3``. That a constant
    denotes what is called after it goes without saying.
    """
    return [_line(name, value) for name, value in (model or {}).items() if value != name]


def _line(name: str, value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"{name} = {_shown(value)}"
    if value and all(isinstance(v, bool) for v in value.values()):
        return _predicate(name, value)
    several = "anything else" if len(value) > 1 else "anything"
    parts = [f"{name}({several if k == 'else' else k}) = {_shown(v)}" for k, v in value.items()]
    return _listed(parts)


def _predicate(name: str, value: Mapping[str, bool]) -> str:
    true = [_who(k) for k, v in value.items() if v]
    false = [_who(k) for k, v in value.items() if not v]
    if not false:
        return f"{name} holds of everything" if "else" in value else f"{name} holds of: {_listed(true)}"
    if not true:
        return f"{name} holds of nothing"
    return f"{name} holds of: {_listed(true)}; not of: {_listed(false)}"


def _who(key: str) -> str:
    if key == "else":
        return "all others"
    return f"({key})" if ", " in key else key


def _listed(parts: list[str]) -> str:
    more = len(parts) - MAX_ITEMS
    return ", ".join(parts[:MAX_ITEMS]) + (f" and {more} more" if more > 0 else "")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):  # an array as the value of a function
        return "{" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value)
