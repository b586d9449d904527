"""What is to be formalized: a statement in English, steps of a proof in English, an id. From a file or a dict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.autoformalizer.rows import BadRows, read_rows
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.search.tasks.claim import MAX_CLAIM

MAX_STEPS = 200
_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", type(None): "null"}


class BadItems(GoedelsPoetryError):
    """A data set, or an item of it, cannot be used; the message begins with the place."""


@dataclass(frozen=True, slots=True)
class Item:
    """One claim."""

    id: str
    statement: str
    """What is claimed, in English."""
    steps: tuple[str, ...] = ()
    """Steps of a proof, in English: hints for the models."""
    context: str = ""
    """Formal definitions that stand before what a model writes."""


def read_item(value: Mapping[str, Any] | str | Item, default_id: str = "item") -> Item:
    """An item from ``{"id", "english": {"statement", "steps"}}``, ``{"id", "statement", "steps"}`` or a text.

    ``context`` may stand beside them; keys of other uses are passed over.

    Raises:
        BadItems: a part is missing, empty, too long or of another type.
    """
    if isinstance(value, Item):
        return value
    if isinstance(value, str):
        value = {"statement": value}
    if not isinstance(value, Mapping):
        raise BadItems(f"an item is an object or a text, not {_kind(value)}")
    english = value.get("english", value)
    if isinstance(english, str):
        english = {"statement": english}
    if not isinstance(english, Mapping):
        raise BadItems(f'"english" is an object with a statement, not {_kind(english)}')
    name = value.get("id", default_id)
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name).strip():
        raise BadItems(f'"id" is a text or a number, not {_kind(name)}')
    if "statement" not in english:
        there = ", ".join(map(str, value)) or "nothing"
        raise BadItems(f'there is no "statement", neither in "english" nor beside it; the item has: {there}')
    statement = _text(english["statement"], "statement")
    if not statement.strip():
        raise BadItems('"statement" is empty')
    steps = english.get("steps") or ()
    steps = [steps] if isinstance(steps, str) else steps
    if not isinstance(steps, list | tuple) or len(steps) > MAX_STEPS:
        raise BadItems(f'"steps" is a list of at most {MAX_STEPS} texts')
    hints = tuple(_text(step, "steps") for step in steps)
    return Item(str(name), statement, hints, _text(value.get("context") or "", "context"))


def load_items(path: Path | str) -> list[Item]:
    """The items of a file: JSON Lines (one object a line), or JSON (a list, or an object with ``items``).

    Items without an ``id`` are called by their number, from 1.

    Raises:
        BadItems: the file cannot be read, or a line cannot be used: ``FILE:LINE: what is wrong``.
    """
    path = Path(path)
    try:
        rows = read_rows(path)
    except BadRows as problem:
        raise BadItems(str(problem)) from problem
    places: dict[str, int] = {}
    items: list[Item] = []
    for number, (line, value) in enumerate(rows, 1):
        try:
            item = read_item(value, str(number))
        except BadItems as problem:
            raise BadItems(f"{path}:{line}: {problem}") from None
        if item.id in places:
            raise BadItems(f"{path}:{line}: the id {item.id!r} stands in line {places[item.id]} already")
        places[item.id] = line
        items.append(item)
    if not items:
        raise BadItems(f"{path}: there are no items in it")
    return items


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadItems(f'"{name}" is a text, not {_kind(value)}')
    if len(value) > MAX_CLAIM:
        raise BadItems(f'"{name}" is longer than {MAX_CLAIM} characters')
    return value


def _kind(value: Any) -> str:
    return _NAMES.get(type(value), f"a {type(value).__name__}")
