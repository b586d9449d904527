"""Loops with an accumulator, with two, and Euclid's: bodies are counted out over samples and run on the examples."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator

from goedels_poetry.python.synthesis.enumerating import Bank, operators
from goedels_poetry.python.synthesis.sources import Source, fresh
from goedels_poetry.python.synthesis.specification import Specification
from goedels_poetry.python.synthesis.terms import (
    BOOL,
    FAULT,
    FLOAT,
    INT,
    STR,
    Term,
    Type,
    Value,
    constant,
    literal,
    variable,
)

_MAX_BODY = 8
_SAMPLES = 24
_MAX_ROUNDS = 400
Start = Callable[[tuple[Value, ...]], Value]


def folds(task: Specification, source: Source, deadline: float) -> Iterator[str | None]:
    """Functions with ``acc = START``, ``for x in SOURCE: acc = BODY``, ``return acc``."""
    acc = fresh("result", (*task.names, *(name for name, _ in source.binders)))
    starts = _starts(task)
    kinds = {task.gives, INT, BOOL, *(kind for _, kind in source.binders), *task.kinds}
    rows = _samples(task, source, [(acc, task.gives)])
    for body in _bodies(task, source, [(acc, task.gives)], rows, kinds, task.gives, deadline):
        if body is None:
            yield None
            continue
        if not body.mentions(acc):
            continue
        for value, text in starts:
            if _runs(task, source, acc, value, body):
                lines = [f"{acc} = {text}", *source.loop(f"{acc} = {body.text}"), f"return {acc}"]
                yield _written(task, lines)


def double_folds(task: Specification, source: Source, deadline: float) -> Iterator[str | None]:
    """Functions with ``a, b = b, BODY`` in a loop, as for Fibonacci's numbers."""
    if task.gives != INT:
        return
    taken = (*task.names, *(name for name, _ in source.binders))
    a, b = fresh("a", taken), fresh("b", (*taken, "a"))
    rows = _samples(task, source, [(a, INT), (b, INT)])
    starts = list(itertools.product((0, 1, 2), repeat=2))
    for body in _bodies(task, source, [(a, INT), (b, INT)], rows, {INT, *task.kinds}, INT, deadline):
        if body is None:
            yield None
            continue
        if not (body.mentions(a) and body.mentions(b)):
            continue
        for first, second in starts:
            if _runs_double(task, source, (a, b), (first, second), body):
                lines = [f"{a}, {b} = {first}, {second}", *source.loop(f"{a}, {b} = {b}, {body.text}"), f"return {a}"]
                yield _written(task, lines)


def _starts(task: Specification) -> list[tuple[Start, str]]:
    """What an accumulator begins with at a point, a value or a parameter, with its text."""
    kind = task.gives
    values: list[Value] = []
    if kind == INT:
        values = [0, 1]
    elif kind == FLOAT:
        values = [0.0, 1.0]
    elif kind == STR:
        values = [""]
    elif kind == BOOL:
        values = [True, False]
    elif kind.name == "list":
        values = [()]
    found: list[tuple[Start, str]] = [(_always(value), literal(value, kind)) for value in values]
    return found + [(operator.itemgetter(at), name) for at, name in enumerate(task.names) if task.kinds[at] == kind]


def _always(value: Value) -> Start:
    return lambda _: value


def _bodies(
    task: Specification,
    source: Source,
    accumulators: list[tuple[str, Type]],
    rows: list[dict[str, Value]],
    kinds: set[Type],
    gives: Type,
    deadline: float,
) -> Iterator[Term | None]:
    """Bodies of loops by size, one for each behaviour on the samples."""
    if not rows:
        return
    names = [*accumulators, *source.binders, *zip(task.names, task.kinds, strict=True)]
    names = [pair for pair in names if pair[0] != source.digits_of[0]]
    leaves = [variable(name, kind, tuple(row[name] for row in rows)) for name, kind in names]
    leaves += [constant(value, INT, len(rows)) for value in (0, 1, 2)]
    if source.digits_of[1] == 10:
        leaves.append(constant(10, INT, len(rows)))
    leaves += [constant(value, kind, len(rows)) for value, kind in task.constants if kind in kinds]
    bank = Bank(leaves, operators(kinds, with_choice=True), deadline)
    for size in range(1, _MAX_BODY + 1):
        for term in bank.grow(size):
            if term is None or term.kind == gives:
                yield term


def _samples(task: Specification, source: Source, accumulators: list[tuple[str, Type]]) -> list[dict[str, Value]]:
    """Rows of values of accumulators, elements and parameters that tell bodies apart."""
    before: dict[Type, list[Value]] = {
        INT: [0, 1, 5, -3, 8, 13],
        FLOAT: [0.0, 1.5, -2.0],
        STR: ["", "a", "xy", "Ab"],
        BOOL: [True, False],
    }
    rows: list[dict[str, Value]] = []
    for at, point in enumerate(task.points):
        elements = source.elements[at]
        if not isinstance(elements, tuple):
            continue
        for place, element in enumerate(elements[:3]):
            row = dict(zip(task.names, point, strict=True)) | dict(
                zip((name for name, _ in source.binders), element, strict=True)
            )
            for shift, (name, kind) in enumerate(accumulators):
                values = before.get(kind) or [value for value in task.wanted if value is not None] or [()]
                if kind.name == "list":
                    first = element[-1:] if kind.parts[0] == source.binders[-1][1] else ()
                    values = [(), first, *values]
                row[name] = values[(at + place + 2 * shift + place * shift) % len(values)]
            rows.append(row)
    return rows[: _SAMPLES * 2]


def _points(task: Specification, source: Source) -> list[tuple[int, tuple[tuple[Value, ...], ...]]] | None:
    """The points that are asked for, those with few rounds first; None if a source raises there."""
    found = []
    for at in range(task.asked):
        elements = source.elements[at]
        if not isinstance(elements, tuple):
            return None
        found.append((at, elements))
    return sorted(found, key=lambda pair: len(pair[1]))


def _runs(task: Specification, source: Source, acc: str, start: Start, body: Term) -> bool:
    points = _points(task, source)
    if points is None:
        return False
    for at, elements in points:
        names: dict[str, Value] = dict(zip(task.names, task.points[at], strict=True))
        value = start(task.points[at])
        for element in elements:
            names[acc] = value
            _bind(names, source, element)
            value = body.run(names)
            if value is FAULT:
                return False
        if not task.accepts(at, value):
            return False
    return True


def _runs_double(
    task: Specification, source: Source, names: tuple[str, str], start: tuple[int, int], body: Term
) -> bool:
    points = _points(task, source)
    if points is None:
        return False
    for at, elements in points:
        values: dict[str, Value] = dict(zip(task.names, task.points[at], strict=True))
        first, second = start
        for element in elements:
            values[names[0]], values[names[1]] = first, second
            _bind(values, source, element)
            following = body.run(values)
            if following is FAULT:
                return False
            first, second = second, following
        if not task.accepts(at, first):
            return False
    return True


def _bind(names: dict[str, Value], source: Source, element: tuple[Value, ...]) -> None:
    for (name, _), value in zip(source.binders, element, strict=True):
        names[name] = value


def _written(task: Specification, lines: list[str]) -> str:
    return "\n".join([task.head, *(f"    {line}" for line in lines)]) + "\n"
