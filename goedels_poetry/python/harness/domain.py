"""Inputs of a function that satisfy its precondition, in the order in which they are to be tried.

A precondition that few inputs satisfy (a sorted list, an index below a length, a power of two) is met by trying many
small inputs, which costs little, and by mending random ones: sort, drop what occurs twice, take absolute values,
bring a number below a length.
"""

from __future__ import annotations

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

    def random(self, large: bool) -> Iterator[Recipe]:
        """Random inputs for ever, as long as there is time."""
        vain = 0
        while self.shapes and not self.late() and vain < 4000:
            recipe = self._related(tuple(self.maker.any_of(shape, large) for shape in self.shapes))
            vain += 1 if repr(recipe) not in self.seen else 4  # hardly one is new: sooner known than that few are right
            for mend in (_same, *_MENDS):
                mended = mend(recipe)
                if self.admits(mended):
                    vain = 0
                    yield mended
                    break

    def _related(self, recipe: Recipe) -> Recipe:
        """Parameters that have something to do with each other: equal, part of, an index into."""
        r, parts = self.maker.random, list(recipe)
        if len(parts) < 2 or r.random() < 0.4:
            return recipe
        one, two = r.sample(range(len(parts)), 2)
        kind, other, part = self.shapes[one], self.shapes[two], parts[one]
        if kind == other and r.random() < 0.6:
            parts[two] = self._varied(part) if r.random() < 0.6 else part
        elif type(part) is int and other == ("int",):
            parts[two] = part * r.choice((1, 2, 3, -1)) + r.choice((0, 0, 1, -1))
        elif isinstance(part, str) and part and other[0] in ("str", "int"):
            start = r.randrange(len(part))
            parts[two] = part[start : start + r.randint(1, 3)] if other[0] == "str" else start
        elif kind[0] in ("list", "tuples", "dict") and part[1]:
            item = r.choice(part[1])[0] if kind[0] == "dict" else r.choice(part[1])
            is_item = self.maker.shape(kind[1]) == other
            parts[two] = item if is_item else r.randint(0, len(part[1])) if other == ("int",) else parts[two]
        return tuple(parts)

    def _varied(self, part: Any) -> Any:
        """Something close to it: shuffled, an item less, one more."""
        r = self.maker.random
        if type(part) is int:
            return part + r.choice((1, -1))
        items = list(part) if isinstance(part, str) else list(part[1]) if _is_sequence(part) else []
        if not items:
            return part
        dice = r.random()
        if dice < 0.5:
            r.shuffle(items)
        elif dice < 0.75:
            items.pop(r.randrange(len(items)))
        else:
            items[r.randrange(len(items))] = r.choice(items)
        return "".join(items) if isinstance(part, str) else (part[0], tuple(items))


def _is_sequence(part: Any) -> bool:
    return isinstance(part, tuple) and part[0] in ("list", "tuples")


def _same(part: Any) -> Any:
    return part


def _each(lists: Callable[[tuple[Any, ...]], Any], numbers: Callable[[Any], Any] = _same) -> Callable[[Recipe], Recipe]:
    """A form of each list and of each number."""

    def mend(part: Any) -> Any:
        if _is_sequence(part):
            try:
                return (part[0], tuple(lists(part[1])))
            except TypeError:
                return part
        return numbers(part) if type(part) in (int, float) else part

    return lambda recipe: tuple(mend(part) for part in recipe)


def _of_numbers(form: Callable[[Any], Any]) -> Callable[[Recipe], Recipe]:
    """The same form of each number, in lists too."""
    return _each(lambda items: [form(item) if type(item) in (int, float) else item for item in items], form)


def _into_lengths(recipe: Recipe) -> Recipe:
    parts = [part for part in recipe if isinstance(part, str | tuple) and part != ABSENT]
    lengths = [len(part) if isinstance(part, str) else len(part[1]) for part in parts]
    bound = max(1, min(lengths, default=1))
    return tuple(part % bound if type(part) is int else part for part in recipe)


def _equal_lengths(recipe: Recipe) -> Recipe:
    least = min((len(part[1]) for part in recipe if _is_sequence(part)), default=0)
    return _each(lambda items: items[:least])(recipe)


def _ascending(recipe: Recipe) -> Recipe:
    rest = iter(sorted(abs(part) for part in recipe if type(part) is int))
    return tuple(next(rest) if type(part) is int else part for part in recipe)


_MENDS: tuple[Callable[[Recipe], Recipe], ...] = (
    _of_numbers(abs),
    _each(sorted),
    _into_lengths,
    _ascending,
    _each(lambda items: sorted(set(items)), abs),
    _of_numbers(lambda number: type(number)(abs(number) + 1)),
    lambda recipe: _into_lengths(_each(lambda items: sorted(set(items)), abs)(recipe)),
    _each(dict.fromkeys),
    _equal_lengths,
    _of_numbers(lambda number: int(number) % 10 if number == number and abs(number) < 1e300 else number),
    _each(_same, lambda number: 1 << (int(abs(number)) % 20) if abs(number) < 1e300 else number),
    _of_numbers(lambda number: int(number) % 2 if number == number and abs(number) < 1e300 else number),
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
