"""Objects whose parts are spelled a little differently than they were asked for, put into the form that was asked for.

Only form: a name of the schema that is clearly meant, a list of one without its brackets, an object inside of another.
What cannot be told stays as it is, and `replies.problem_with` says what is wrong with it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Fits = Callable[[Any, Json], bool]

NEAR = 0.8
"""How alike a name has to be to one of the schema (`difflib`): "generalize" and "generalise" are 0.9."""


def known_names(schema: Json) -> set[str]:
    """The names that an object of this schema may have; all that it must have where nothing else is said."""
    return set(schema.get("properties") or schema.get("required") or ())


def respelled(value: Any, schema: Json, fits: Fits) -> Any:
    """The value in the form of the schema, as far as that is clear.

    Args:
        fits: whether a value has the form of a schema.
    """
    unwrapped = _unwrapped(value, schema)
    return _respelled(unwrapped, schema, fits)


def _unwrapped(value: Any, schema: Json) -> Any:
    """What stands in an object with nothing that the schema knows and one object that has: ``{"answer": {...}}``."""
    known = known_names(schema)
    if not isinstance(value, dict) or known & set(value):
        return value
    inside = [part for part in value.values() if isinstance(part, dict) and known & set(part)]
    return inside[0] if len(inside) == 1 else value


def _respelled(value: Any, schema: Json, fits: Fits) -> Any:
    options = [schema, *schema.get("anyOf", ())]
    listed = next((option for option in options if "items" in option), None)
    if listed is not None and not isinstance(value, list):
        value = _as_list(value, listed, allowed=any(fits(value, option) for option in options if option is not listed))
    if isinstance(value, list):
        return [_respelled(item, listed["items"], fits) for item in value] if listed is not None else value
    shape = next((option for option in options if option.get("properties")), None)
    if isinstance(value, str):
        return next((choice for choice in schema.get("enum", ()) if choice == value.strip().lower()), value)
    if shape is None or not isinstance(value, dict):
        return value
    rules, needed = shape["properties"], shape.get("required", ())
    named = _renamed(value, shape, fits)
    empty = {
        n for n, part in named.items() if part is None and n in rules and n not in needed and not fits(None, rules[n])
    }
    return {n: _respelled(part, rules.get(n, {}), fits) for n, part in named.items() if n not in empty}


def _as_list(value: Any, listed: Json, *, allowed: bool) -> Any:
    """A list where one is wanted: of one, or of what an object has by name."""
    item = next((o for o in (listed["items"], *listed["items"].get("anyOf", ())) if o.get("properties")), None)
    if value in (None, "") or item is None:
        return value
    if not isinstance(value, dict):
        return value if allowed else [value]
    if known_names(item) & set(value) or "name" not in item["properties"]:
        return value if allowed else [value]
    main = next(iter(item.get("required", ())), "")
    return [{"name": name, **(part if isinstance(part, dict) else {main: part})} for name, part in value.items()]


def _renamed(value: Json, shape: Json, fits: Fits) -> Json:
    """With the names of the schema: what is nearly one of them, and the only text that can be what is required."""
    rules = shape["properties"]
    names: dict[str, str] = {}
    for name in value:
        absent = [known for known in rules if known not in value and known not in names.values()]
        if name not in rules and (near := _nearest(str(name), absent)):
            names[name] = near
    for needed in shape.get("required", ()):
        if needed in value or needed in names.values():
            continue
        free = [n for n, part in value.items() if n not in rules and n not in names and isinstance(part, str)]
        meant = [n for n in free if fits(value[n], rules.get(needed, {}))]
        if len(meant) == 1:
            names[meant[0]] = needed
    return {names.get(name, name): part for name, part in value.items()}


def _nearest(name: str, known: list[str]) -> str:
    plain = re.sub(r"[^a-z]", "", name.lower())
    near = difflib.get_close_matches(plain, known, 1, NEAR)
    return near[0] if near else ""


__all__ = ["known_names", "respelled"]
