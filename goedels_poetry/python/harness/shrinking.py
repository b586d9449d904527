"""Smaller inputs than one that fails, on values as JSON (see `values`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_MOST = 60  # smaller values of one parameter
_ITEMS = ("l", "s", "fs", "d")


def size_of(given: dict[str, Any]) -> tuple[int, int, str]:
    """An order among inputs: fewer parts first, then smaller numbers, positive before negative."""
    return (*_weight(list(given.values())), json.dumps(given))


def sizes_of(given: dict[str, Any]) -> list[tuple[int, int]]:
    """The same of each argument."""
    return [_weight(value) for value in given.values()]


def _number(data: Any) -> Any:
    """A number of any kind; None for what is none."""
    if isinstance(data, dict):
        return int(data["i"], 16) if "i" in data else float.fromhex(data["f"]) if "f" in data else None
    return data if type(data) is int else None


def _weight(data: Any) -> tuple[int, int]:
    number = _number(data)
    if number is not None:
        whole = number == number and abs(number) < 1e300 and number == int(number)
        return (0, 1 << 70) if not whole and not abs(number) < 1e18 else (0, int(4 * abs(number)) + (number < 0))
    if data is None or isinstance(data, bool):
        return (0, int(bool(data)))
    if isinstance(data, str):
        return (len(data), sum(ord(c) if c not in "ab" else 0 for c in data))
    if isinstance(data, list):
        parts = [_weight(part) for part in data]
        return (sum(p[0] for p in parts), sum(p[1] for p in parts))
    inner = next(iter(data.values()))
    count = len(inner) if isinstance(inner, list | str) else 0
    below = _weight(inner[-1] if "new" in data else inner) if isinstance(inner, list) else (0, 0)
    return (count + below[0], below[1])


def proposals(given: dict[str, Any], fixed: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Inputs in which one parameter is smaller, then some in which two are; not those that are ``fixed``."""
    singles = {name: [] if name in fixed else list(_smaller(data))[:_MOST] for name, data in given.items()}
    for name, choices in singles.items():
        yield from ({**given, name: choice} for choice in choices)
    names = list(given)
    for at, one in enumerate(names):
        for two in names[at + 1 :]:
            yield from ({**given, one: a, two: b} for a in singles[one][:5] for b in singles[two][:5])


def _smaller(data: Any) -> Iterator[Any]:
    number = _number(data)
    if data is True:
        yield False
    elif isinstance(number, int):
        for other in (0, 1, -1, -number, int(number / 2), number - number // 4, number - (number > 0) + (number < 0)):
            if other != number and abs(other) <= abs(number):
                yield other if abs(other) < 1 << 53 else {"i": hex(other)}
    elif isinstance(number, float):
        for other_float in (0.0, 1.0, float(int(number)) if abs(number) < 1e300 else 2.0, number / 2):
            yield {"f": other_float.hex()}
    elif isinstance(data, str):
        yield from _without(data)
        yield from (f"{data[:at]}a{data[at + 1 :]}" for at, letter in enumerate(data[:12]) if letter not in "ab")
    elif isinstance(data, list):
        for at, item in enumerate(data[:12]):
            yield from ([*data[:at], smaller, *data[at + 1 :]] for smaller in _smaller(item))
    elif isinstance(data, dict):
        kind, inner = next(iter(data.items()))
        if kind in _ITEMS:
            yield from ({**data, kind: fewer} for fewer in _without(inner))
        if kind in (*_ITEMS, "t"):
            yield from ({**data, kind: smaller} for smaller in _smaller(inner))
        elif kind == "new":
            name, fields = inner
            for at, (field, value) in enumerate(fields):
                for smaller in _smaller(value):
                    yield {**data, kind: [name, [*fields[:at], [field, smaller], *fields[at + 1 :]]]}


def _without(items: Any) -> Iterator[Any]:
    """A sequence without one piece: nothing left, a half, single items."""
    length = len(items)
    yield from [items[:0]] * bool(length)
    step = length // 2
    while step > 1:
        yield from (items[:start] + items[start + step :] for start in range(0, length, step))
        step //= 2
    if length > 1:
        yield from (items[:at] + items[at + 1 :] for at in range(min(length, 20)))
