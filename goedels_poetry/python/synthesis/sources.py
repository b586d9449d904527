"""What loops and comprehensions run through: lists, texts, ranges, pairs, digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goedels_poetry.python.synthesis.specification import Specification
from goedels_poetry.python.synthesis.terms import FAULT, INT, STR, Type, Value

_MAX_ELEMENTS = 300
Elements = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to run through.

    Attributes:
        binders: the names bound in each round, with their types.
        through: Python after ``in``; "" for the digits of a number, which take a while loop.
        elements: at each point the tuples of values bound, or FAULT.
        digits_of: the number and the base, for digits.
    """

    binders: tuple[tuple[str, Type], ...]
    through: str
    elements: tuple[Elements | object, ...]
    digits_of: tuple[str, int] = ("", 0)

    @property
    def bound(self) -> str:
        """``x``, ``i, x``."""
        return ", ".join(name for name, _ in self.binders)

    def loop(self, body: str) -> list[str]:
        """The lines of a loop with one statement, not indented."""
        if self.through:
            name = self.bound if any(one in body for one, _ in self.binders) else "_"
            return [f"for {name} in {self.through}:", f"    {body}"]
        number, base = self.digits_of
        return [
            f"while {number} > 0:",
            f"    {self.bound} = {number} % {base}",
            f"    {body}",
            f"    {number} //= {base}",
        ]


def fresh(wanted: str, taken: tuple[str, ...]) -> str:
    """The name, or one like it that is free."""
    while wanted in taken:
        wanted += "_"
    return wanted


def sources(task: Specification) -> list[Source]:
    """Everything that a loop can run through, the likeliest first."""
    x, y, i, c, d = (fresh(name, task.names) for name in ("x", "y", "i", "c", "d"))
    found: list[Source] = []
    lists = [(at, kind) for at, kind in enumerate(task.kinds) if kind.name == "list"]
    for at, kind in lists:
        found.append(_source(task, ((x, kind.parts[0]),), task.names[at], _of_list(at)))
    for at, kind in enumerate(task.kinds):
        if kind == STR:
            found.append(_source(task, ((c, STR),), task.names[at], _of_list(at)))
    for at, kind in enumerate(task.kinds):
        if kind == INT:
            name = task.names[at]
            found.append(_source(task, ((i, INT),), f"range(1, {name} + 1)", _of_range(at, 1, 1)))
            found.append(_source(task, ((i, INT),), f"range({name})", _of_range(at, 0, 0)))
            found.append(_source(task, ((i, INT),), f"range(2, {name})", _of_range(at, 2, 0)))
            found.append(_source(task, ((d, INT),), "", _of_digits(at, 10), (name, 10)))
            found.append(_source(task, ((d, INT),), "", _of_digits(at, 2), (name, 2)))
    for first, kind in lists:
        for second, other in lists:
            if first < second:
                through = f"zip({task.names[first]}, {task.names[second]})"
                found.append(
                    _source(task, ((x, kind.parts[0]), (y, other.parts[0])), through, _of_pairs(first, second))
                )
    for at, kind in lists:
        name = task.names[at]
        found.append(_source(task, ((i, INT), (x, kind.parts[0])), f"enumerate({name})", _of_places(at)))
        found.append(
            _source(task, ((x, kind.parts[0]), (y, kind.parts[0])), f"zip({name}, {name}[1:])", _of_neighbours(at))
        )
    for at, kind in enumerate(task.kinds):
        if kind == STR:
            found.append(_source(task, ((fresh("w", task.names), STR),), f"{task.names[at]}.split()", _of_words(at)))
    return [source for source in found if any(elements is not FAULT and elements for elements in source.elements)]


def _source(
    task: Specification,
    binders: tuple[tuple[str, Type], ...],
    through: str,
    elements: Callable[[tuple[Value, ...]], Elements],
    digits: tuple[str, int] = ("", 0),
) -> Source:
    columns: list[Elements | object] = []
    for point in task.points:
        try:
            values = elements(point)
        except ValueError:
            columns.append(FAULT)
            continue
        columns.append(values if len(values) <= _MAX_ELEMENTS else FAULT)
    return Source(binders, through, tuple(columns), digits)


def _of_list(at: int) -> Callable[[tuple[Value, ...]], Elements]:
    return lambda point: tuple((value,) for value in point[at])


def _of_range(at: int, low: int, more: int) -> Callable[[tuple[Value, ...]], Elements]:
    def elements(point: tuple[Value, ...]) -> Elements:
        if point[at] > _MAX_ELEMENTS:
            raise ValueError("too long to try")
        return tuple((value,) for value in range(low, point[at] + more))

    return elements


def _of_digits(at: int, base: int) -> Callable[[tuple[Value, ...]], Elements]:
    def elements(point: tuple[Value, ...]) -> Elements:
        number, found = point[at], []
        while number > 0:
            found.append((number % base,))
            number //= base
        return tuple(found)

    return elements


def _of_pairs(first: int, second: int) -> Callable[[tuple[Value, ...]], Elements]:
    return lambda point: tuple(zip(point[first], point[second], strict=False))


def _of_places(at: int) -> Callable[[tuple[Value, ...]], Elements]:
    return lambda point: tuple(enumerate(point[at]))


def _of_neighbours(at: int) -> Callable[[tuple[Value, ...]], Elements]:
    return lambda point: tuple(zip(point[at], point[at][1:], strict=False))


def _of_words(at: int) -> Callable[[tuple[Value, ...]], Elements]:
    return lambda point: tuple((word,) for word in point[at].split())
