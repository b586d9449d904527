"""Smaller inputs than one that fails, on values as JSON (see `values`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any


def size_of(given: dict[str, Any]) -> tuple[int, int, str]:
    """An order among inputs: fewer parts first, then smaller numbers, positive before negative."""
    return (*_weight(list(given.values())), json.dumps(given))


def sizes_of(given: dict[str, Any]) -> list[tuple[int, int]]:
    """The same of each argument."""
    return [_weight(value) for value in given.values()]


def _weight(data: Any) -> tuple[int, int]:
    if data is None or isinstance(data, bool):
        return (0, int(bool(data)))
    if isinstance(data, int):
        return (0, 2 * abs(data) + (data < 0))
    if isinstance(data, str):
        return (len(data), sum(ord(c) if c not in "ab" else 0 for c in data))
    if isinstance(data, list):
        parts = [_weight(part) for part in data]
        return (sum(p[0] for p in parts), sum(p[1] for p in parts))
    if "i" in data:
        return (0, 2 * abs(int(data["i"], 16)))
    if "f" in data:
        x = float.fromhex(data["f"])
        return (0, 1 << 70) if x != x or abs(x) > 1e18 else (0, int(4 * abs(x)) + (x < 0) + 3 * (x != int(x)))
    if "r" in data:
        return _weight(data["r"])
    inner = next(iter(data.values()))
    count = len(inner) if isinstance(inner, list | str) else 0
    below = _weight(inner[-1] if "new" in data else inner) if isinstance(inner, list) else (0, 0)
    return (count + below[0], below[1])


def proposals(given: dict[str, Any], fixed: frozenset[str] = frozenset()) -> Iterator[dict[str, Any]]:
    """Inputs in which one parameter is smaller, then some in which two are; not those that are ``fixed``."""
    singles = {name: [] if name in fixed else list(_smaller(data))[:60] for name, data in given.items()}
    for name, choices in singles.items():
        for choice in choices:
            yield {**given, name: choice}
    names = list(given)
    for at, one in enumerate(names):
        for two in names[at + 1 :]:
            for a in singles[one][:5]:
                for b in singles[two][:5]:
                    yield {**given, one: a, two: b}


def _smaller(data: Any) -> Iterator[Any]:
    if data is True:
        yield False
    elif data is None or isinstance(data, bool):
        return
    elif isinstance(data, int):
        yield from _smaller_int(data)
    elif isinstance(data, str):
        yield from _smaller_text(data)
    elif "i" in data:
        for number in _smaller_int(int(data["i"], 16)):
            yield number if abs(number) < 1 << 53 else {"i": hex(number)}
    elif "f" in data:
        x = float.fromhex(data["f"])
        for y in (0.0, 1.0, float(int(x)) if abs(x) < 1e300 and x == x else 2.0, x / 2):
            yield {"f": y.hex()}
    else:
        yield from _smaller_whole(data)


def _smaller_int(number: int) -> Iterator[int]:
    seen = {number}
    sign, size = (1 if number > 0 else -1), abs(number)
    shorter = [sign * (size >> bits) for bits in (size.bit_length() // 2, size.bit_length() // 8, 1)]
    for other in (0, 1, -1, -number, *shorter, number - number // 4, number - 10 * sign, number - sign):
        if other not in seen and abs(other) <= abs(number):
            seen.add(other)
            yield other


def _smaller_text(text: str) -> Iterator[str]:
    yield from _without(text)
    for at, letter in enumerate(text[:12]):
        if letter not in "ab":
            yield f"{text[:at]}a{text[at + 1 :]}"


def _without(items: Any) -> Iterator[Any]:
    """A sequence without one piece: nothing left, a half, single items."""
    length = len(items)
    if length:
        yield items[:0]
    step = length // 2
    while step > 1:
        for start in range(0, length, step):
            yield items[:start] + items[start + step :]
        step //= 2
    if length > 1:
        for at in range(min(length, 20)):
            yield items[:at] + items[at + 1 :]


def _smaller_whole(data: dict[str, Any]) -> Iterator[Any]:
    kind = next(iter(data))
    if kind in ("l", "s", "fs", "d"):
        for fewer in _without(data[kind]):
            yield {**data, kind: fewer}
    if kind in ("l", "s", "fs", "t"):
        for at, item in enumerate(data[kind][:12]):
            for smaller in _smaller(item):
                yield {**data, kind: [*data[kind][:at], smaller, *data[kind][at + 1 :]]}
    elif kind == "d":
        for at, (key, value) in enumerate(data[kind][:12]):
            for smaller in _smaller(value):
                yield {**data, kind: [*data[kind][:at], [key, smaller], *data[kind][at + 1 :]]}
            for smaller in _smaller(key):
                yield {**data, kind: [*data[kind][:at], [smaller, value], *data[kind][at + 1 :]]}
    elif kind == "new":
        name, fields = data[kind]
        for at, (field, value) in enumerate(fields):
            for smaller in _smaller(value):
                yield {**data, kind: [name, [*fields[:at], [field, smaller], *fields[at + 1 :]]]}
