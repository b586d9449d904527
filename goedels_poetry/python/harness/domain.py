"""Inputs of a function that satisfy its precondition, in the order in which they are to be tried.

A precondition that few inputs satisfy (a sorted list, an index below a length, a power of two) is met by trying many
small inputs, which costs little, and by mending random ones: sort, drop what occurs twice, take absolute values,
bring a number below a length.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator

from .inputs import ABSENT, Maker, Shape, build

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

Recipe = tuple["Any", ...]  # one value a parameter


class Domain:
    """Finds inputs on which ``accepts`` holds; keeps each once, with whether it is a large one."""

    def __init__(
        self,
        maker: Maker,
        shapes: list[Shape],
        accepts: Callable[[list[Any]], bool],
        classes: dict[str, Any],
        seconds: float,
    ) -> None:
        self.maker, self.shapes, self.accepts, self.classes = maker, [maker.shape(s) for s in shapes], accepts, classes
        self.ends = time.process_time() + seconds
        self.seen: set[str] = set()
        self.tried = 0

    def late(self) -> bool:
        """Whether the time for finding inputs is over."""
        return time.process_time() > self.ends

    def admits(self, recipe: Recipe) -> bool:
        """Whether this is a new input on which the precondition holds."""
        key = repr(recipe)
        if key in self.seen:
            return False
        self.seen.add(key)
        self.tried += 1
        try:
            values = [build(part, self.classes) for part in recipe]
        except Exception:  # noqa: BLE001  a constructor of the module's own refuses these fields: no such input
            return False
        return self.accepts(values)

    def small(self, most: int) -> Iterator[Recipe]:
        """In order of size, at most so many; ends by itself where there are no more (all of them were bools)."""
        found = barren = 0
        share = self.ends - (self.ends - time.process_time()) * 0.4
        for size in range(60):
            there = False
            for recipe in self.maker.products(tuple(self.shapes), size):
                there = True
                if self.admits(recipe):
                    found += 1
                    yield recipe
                if found >= most or time.process_time() > share:
                    return
            barren = 0 if there else barren + 1
            if barren > 8:
                return

    def near_edges(self, large: bool) -> Iterator[Recipe]:
        """Each parameter at an edge, those of large size or the others, while the others are small or random."""
        edges = [self.maker.edges(shape) for shape in self.shapes]
        for at, chosen in enumerate(edges):
            for value in (value for value in dict.fromkeys(chosen) if is_large(value) == large):
                for attempt in range(3 if len(edges) > 1 else 1):
                    recipe = [self.maker.any_of(shape) for shape in self.shapes]
                    if attempt == 1:  # the same for all parameters of its shape
                        recipe = [
                            value if s == self.shapes[at] else r for s, r in zip(self.shapes, recipe, strict=True)
                        ]
                    recipe[at] = value
                    yield from self._mended(tuple(recipe), 4)
                if self.late():
                    return

    def random(self, large: bool) -> Iterator[Recipe]:
        """Random inputs for ever, as long as there is time."""
        if not self.shapes:
            return
        vain = 0
        while not self.late() and vain < 4000:
            recipe = self._related(tuple(self.maker.any_of(shape, large) for shape in self.shapes))
            if repr(recipe) in self.seen:  # hardly one is new: known sooner than that few are in the domain
                vain += 4
                continue
            vain += 1
            for found in self._mended(recipe, 4):
                vain = 0
                yield found

    def _related(self, recipe: Recipe) -> Recipe:
        """Parameters that have something to do with each other: equal, part of, an index into."""
        r, parts = self.maker.random, list(recipe)
        if len(parts) < 2 or r.random() < 0.4:
            return recipe
        one, two = r.sample(range(len(parts)), 2)
        kind, other = self.shapes[one], self.shapes[two]
        if kind == other and r.random() < 0.5:
            parts[two] = parts[one] if r.random() < 0.5 else self._varied(parts[one])
        elif kind[0] in ("list", "tuples") and parts[one][1]:
            items = parts[one][1]
            if self.maker.shape(kind[1]) == other:
                parts[two] = r.choice(items)
            elif other == ("int",):
                parts[two] = r.choice((r.randrange(len(items)), len(items), len(items) - 1, sum(_whole(items)) // 2))
            if other == ("int",) and len(_whole(items)) > 1 and r.random() < 0.4:
                parts[two] = sum(r.sample(_whole(items), 2))
        elif kind[0] == "str" and other[0] == "str" and parts[one]:
            start = r.randrange(len(parts[one]))
            parts[two] = parts[one][start : start + r.randint(1, 3)]
        elif kind[0] == "str" and other == ("int",) and parts[one]:
            parts[two] = r.randint(0, len(parts[one]))
        elif kind == ("int",) and other == ("int",):
            parts[two] = parts[one] * r.choice((1, 2, 3, -1)) + r.choice((0, 0, 1, -1))
        elif kind[0] == "dict" and parts[one][1] and self.maker.shape(kind[1]) == other:
            parts[two] = r.choice(parts[one][1])[0]
        return tuple(parts)

    def _varied(self, part: Any) -> Any:
        """Something close to it: shuffled, one less, one more."""
        r = self.maker.random
        if isinstance(part, tuple) and part[0] in ("list", "tuples") and part[1]:
            items = list(part[1])
            dice = r.random()
            if dice < 0.4:
                r.shuffle(items)
            elif dice < 0.7:
                items.pop(r.randrange(len(items)))
            elif dice < 0.85:
                items[r.randrange(len(items))] = r.choice(items)
            else:
                items.insert(r.randrange(len(items)), r.choice(items))
            return (part[0], tuple(items))
        if type(part) is int:
            return part + r.choice((1, -1))
        if isinstance(part, str) and part:
            letters = list(part)
            if r.random() < 0.5:
                r.shuffle(letters)
            else:
                letters[r.randrange(len(letters))] = r.choice(letters)
            return "".join(letters)
        return part

    def _mended(self, recipe: Recipe, attempts: int) -> Iterator[Recipe]:
        """The input itself if it is in the domain, else the first mended form that is."""
        if self.admits(recipe):
            yield recipe
            return
        for mend in _MENDS[:attempts] if self.maker.random.random() < 0.5 else _MENDS:
            mended = mend(recipe)
            if mended != recipe and self.admits(mended):
                yield mended
                return


def _whole(items: tuple[Any, ...]) -> list[int]:
    return [item for item in items if type(item) is int]


def _each(recipe: Recipe, lists: Callable[[tuple[Any, ...]], Any], numbers: Callable[[Any], Any]) -> Recipe:
    def mend(part: Any) -> Any:
        if isinstance(part, tuple) and part[0] in ("list", "tuples"):
            try:
                return (part[0], tuple(lists(part[1])))
            except TypeError:
                return part
        return numbers(part) if type(part) in (int, float) else part

    return tuple(mend(part) for part in recipe)


def _same(part: Any) -> Any:
    return part


def _nonnegative(items: tuple[Any, ...]) -> list[Any]:
    return [abs(item) if type(item) in (int, float) else item for item in items]


def _positive(items: tuple[Any, ...]) -> list[Any]:
    """Numbers other than 0; what is no number stays as it is, of its own type."""
    return [type(item)(1) if type(item) in (int, float) and not item else item for item in _nonnegative(items)]


def _into_lengths(recipe: Recipe) -> Recipe:
    parts = [part for part in recipe if isinstance(part, str | tuple) and part != ABSENT]
    lengths = [len(part) if isinstance(part, str) else len(part[1]) for part in parts]
    bound = max(1, min(lengths, default=1))
    return tuple(part % bound if type(part) is int else part for part in recipe)


def _equal_lengths(recipe: Recipe) -> Recipe:
    lengths = [len(part[1]) for part in recipe if isinstance(part, tuple) and part[0] in ("list", "tuples")]
    least = min(lengths, default=0)
    return _each(recipe, lambda items: items[:least], _same)


def _ascending(recipe: Recipe) -> Recipe:
    numbers = sorted(part for part in recipe if type(part) is int)
    rest = iter(numbers)
    return tuple(next(rest) if type(part) is int else part for part in recipe)


_MENDS: tuple[Callable[[Recipe], Recipe], ...] = (
    lambda recipe: _each(recipe, _nonnegative, abs),
    lambda recipe: _each(recipe, sorted, _same),
    _into_lengths,
    _ascending,
    lambda recipe: _each(recipe, lambda items: sorted(set(items)), _same),
    lambda recipe: _each(recipe, _positive, lambda n: abs(n) + 1),
    lambda recipe: _into_lengths(_each(recipe, lambda items: sorted(set(items)), abs)),
    lambda recipe: _each(recipe, dict.fromkeys, _same),
    _equal_lengths,
    lambda recipe: _ascending(_each(recipe, sorted, abs)),
    lambda recipe: _each(recipe, lambda items: [i % 10 if type(i) is int else i for i in items], lambda n: int(n) % 10),
    lambda recipe: _each(recipe, _same, lambda n: 1 << (int(abs(n)) % 20)),
    lambda recipe: _each(recipe, lambda items: [i % 2 if type(i) is int else i for i in items], lambda n: int(n) % 2),
)


def is_large(recipe: Any) -> bool:
    """Whether running out of time or stack on it says nothing: a number above 100, more than 8 items."""
    if isinstance(recipe, bool) or recipe is None:
        return False
    if isinstance(recipe, int | float | complex):
        return not abs(recipe) <= 100
    if isinstance(recipe, str | bytes):
        return len(recipe) > 8
    if recipe[0] in ("enum", "absent"):
        return False
    if recipe and recipe[0] == "class":
        return any(is_large(part) for _, part in recipe[2])
    if recipe and recipe[0] == "dict":
        return len(recipe[1]) > 8 or any(is_large(k) or is_large(v) for k, v in recipe[1])
    return len(recipe[1]) > 8 or any(is_large(part) for part in recipe[1])


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
