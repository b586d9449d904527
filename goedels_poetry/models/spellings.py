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

ALIASES = {
    "refuted": ("counterexample", "countermodel", "refutation"),
    "cases": ("case_split", "casesplit", "split"),
    "statement": ("formula", "lemma", "claim"),
    "hypothesis": ("induction hypothesis", "induction_hypothesis", "ih"),
    "definition": ("def", "equation"),
    "premise": ("axiom", "assumption"),
}
"""What models call a part, or a kind, that has another name here; an entry is used only where its name is known."""
BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
"""What a text means as a flag that may be left out. A judgement is none: it has to be true or false itself."""


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
    if isinstance(value, dict) and shape is None and len(value) == 1 and not fits(value, schema):
        (part,) = value.values()
        value = part if isinstance(part, str) and fits(part, schema) else value
    if isinstance(value, str):
        meant = BOOLEANS.get(value.strip().lower())
        if meant is not None and fits(meant, schema) and fits(None, schema) and not fits(value, schema):
            return meant
        plain = value.strip().lower()
        choices = [choice for option in options for choice in option.get("enum", ())]
        return next((c for c in choices if plain == c or plain in ALIASES.get(str(c), ())), value)
    if shape is None or not isinstance(value, dict):
        return value
    rules, needed = shape["properties"], shape.get("required", ())
    named = _moved(_renamed(value, shape, fits), rules)
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
        near = "" if name in rules else _alias(str(name), absent) or _nearest(str(name), absent)
        bare = isinstance(value[name], str | bool | None) and _parts_of(rules.get(near, {}))
        if near and not (bare and near in ALIASES):  # "counterexample": "none" is no object, and says nothing
            names[name] = near
    for needed in shape.get("required", ()):
        if needed in value or needed in names.values():
            continue
        free = [n for n, part in value.items() if n not in rules and n not in names and isinstance(part, str)]
        meant = [n for n in free if fits(value[n], rules.get(needed, {}))]
        if len(meant) == 1:
            names[meant[0]] = needed
    return {names.get(name, name): part for name, part in value.items()}


def _moved(value: Json, rules: Json) -> Json:
    """With parts of a part that stand beside it put into it: ``{"along": "f"}`` is meant for an induction.

    A part is told by a name that no other part has; what has to have something else is no such part.
    """
    unknown = [name for name in value if name not in rules]
    inside = {part: _parts_of(rule) for part, rule in rules.items()}
    owners = [found[0] for n in unknown if len(found := [part for part, names in inside.items() if n in names]) == 1]
    owner = next((part for part in owners if part not in value and not _needs(rules[part])), None)
    if owner is None:
        return value
    mine = {name: value[name] for name in unknown if name in inside[owner]}
    return {**{name: part for name, part in value.items() if name not in mine}, owner: mine}


def _parts_of(rule: Json) -> set[str]:
    """The names that an object may have which is one of the forms of a part."""
    return {name for option in (rule, *rule.get("anyOf", ())) for name in option.get("properties", ())}


def _needs(rule: Json) -> bool:
    return any(option.get("required") for option in (rule, *rule.get("anyOf", ())))


def _alias(name: str, known: list[str]) -> str:
    plain = name.strip().lower()
    return next((part for part in known if plain in ALIASES.get(part, ())), "")


def _nearest(name: str, known: list[str]) -> str:
    plain = re.sub(r"[^a-z]", "", name.lower())
    near = difflib.get_close_matches(plain, known, 1, NEAR)
    return near[0] if near else ""
