"""Comprehensions and what is folded over them by built-ins: their bodies are counted out over all elements at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from goedels_poetry.python.synthesis.enumerating import Bank, operators
from goedels_poetry.python.synthesis.sources import Source
from goedels_poetry.python.synthesis.specification import Specification
from goedels_poetry.python.synthesis.terms import (
    ATOM,
    BOOL,
    FAULT,
    FLOAT,
    INT,
    Term,
    Type,
    Value,
    constant,
    list_of,
    variable,
)

_MAX_BODY = 6
_MAX_ROWS = 160
_SMALL, _FILTERS, _MAPS = 5, 60, 30


def comprehensions(task: Specification, source: Source, kinds: set[Type], deadline: float) -> Iterator[Term | None]:
    """Terms over one source, small ones first; None from time to time."""
    if not source.through:
        return
    segments, rows = _segments(source)
    if not rows or len(rows) > _MAX_ROWS:
        return
    inner = kinds | {kind for _, kind in source.binders} | {BOOL, INT}
    points = [point for point, _ in rows]
    leaves = [
        variable(name, kind, tuple(element[at] for _, element in rows))
        for at, (name, kind) in enumerate(source.binders)
    ]
    leaves += [
        variable(name, kind, tuple(task.points[point][at] for point in points))
        for at, (name, kind) in enumerate(zip(task.names, task.kinds, strict=True))
    ]
    leaves += [constant(value, INT, len(rows)) for value in (0, 1, 2)]
    leaves += [constant(value, kind, len(rows)) for value, kind in task.constants if kind in inner]
    bank = Bank(leaves, operators(inner), deadline)
    maps: list[Term] = []
    filters: list[Term] = []
    for size in range(1, _MAX_BODY + 1):
        for body in bank.grow(size):
            if body is None:
                yield None
                continue
            uses = any(body.mentions(name) for name, _ in source.binders)
            if uses:
                yield from _over(source, body, segments, kinds)
            if uses and size <= _SMALL:
                yield from _pairs(source, body, maps, filters, segments, kinds)


def _segments(source: Source) -> tuple[list[slice | None], list[tuple[int, tuple[Value, ...]]]]:
    """Where the elements of each point stand among the rows; None where the source raises."""
    segments: list[slice | None] = []
    rows: list[tuple[int, tuple[Value, ...]]] = []
    for at, elements in enumerate(source.elements):
        if not isinstance(elements, tuple):
            segments.append(None)
            continue
        segments.append(slice(len(rows), len(rows) + len(elements)))
        rows += [(at, element) for element in elements]
    return segments, rows


def _over(source: Source, body: Term, segments: list[slice | None], kinds: set[Type]) -> Iterator[Term]:
    """What one body makes: a list, a sum, all, any, a filter, a count."""
    head = f"for {source.bound} in {source.through}"
    size = body.size + 2
    trivial = len(source.binders) == 1 and body.text == source.bound
    text = f"({body.text})" if body.precedence < 2 else body.text
    if list_of(body.kind) in kinds and not (trivial and "(" not in source.through):
        yield _term(list_of(body.kind), size, f"[{text} {head}]", body.values, segments, tuple)
    if body.kind == INT and trivial and "(" in source.through:
        yield _term(INT, size, f"sum({source.through})", body.values, segments, sum)
    if body.kind in (INT, FLOAT) and not trivial:
        yield _term(body.kind, size, f"sum({text} {head})", body.values, segments, sum)
    if body.kind == BOOL:
        yield _term(BOOL, size, f"all({text} {head})", body.values, segments, all)
        yield _term(BOOL, size, f"any({text} {head})", body.values, segments, any)
        if all(body.values):
            return
        yield _term(INT, size, f"sum(1 {head} if {text})", body.values, segments, sum)
        first = source.binders[-1]
        elements = [element[-1] for several in source.elements if isinstance(several, tuple) for element in several]
        if list_of(first[1]) in kinds:
            yield _filtered(source, first[0], first[1], body, elements, segments, size)
        if first[1] == INT:
            pairs = tuple(
                FAULT if keep is FAULT else (value if keep else 0)
                for keep, value in zip(body.values, elements, strict=True)
            )
            yield _term(INT, size + 1, f"sum({first[0]} {head} if {text})", pairs, segments, sum)


def _pairs(
    source: Source, body: Term, maps: list[Term], filters: list[Term], segments: list[slice | None], kinds: set[Type]
) -> Iterator[Term | None]:
    """``[BODY for x in xs if CONDITION]`` of small bodies with small conditions."""
    if body.kind == BOOL and len(filters) < _FILTERS:
        filters.append(body)
        partners = [(one, body) for one in maps]
    elif list_of(body.kind) in kinds and len(maps) < _MAPS and (body.size > 1 or len(source.binders) > 1):
        maps.append(body)
        partners = [(body, one) for one in filters]
    else:
        return
    head = f"for {source.bound} in {source.through}"
    for made, test in partners:
        text = f"({made.text})" if made.precedence < 2 else made.text
        condition = f"({test.text})" if test.precedence < 2 else test.text
        values = tuple(zip(test.values, made.values, strict=True))
        size = made.size + test.size + 2
        yield _term(list_of(made.kind), size, f"[{text} {head} if {condition}]", values, segments, _kept)
        if made.kind == INT:
            yield _term(
                INT, size, f"sum({text} {head} if {condition})", values, segments, lambda pairs: sum(_kept(pairs))
            )
    yield None


def _filtered(
    source: Source, name: str, kind: Type, test: Term, elements: list[Value], segments: list[slice | None], size: int
) -> Term:
    text = f"({test.text})" if test.precedence < 2 else test.text
    values = tuple(zip(test.values, elements, strict=True))
    return _term(
        list_of(kind), size, f"[{name} for {source.bound} in {source.through} if {text}]", values, segments, _kept
    )


def _kept(pairs: tuple[tuple[Value, Value], ...]) -> tuple[Value, ...]:
    if any(keep is FAULT or (keep and value is FAULT) for keep, value in pairs):
        raise ValueError("a body raises")
    return tuple(value for keep, value in pairs if keep)


def _term(
    kind: Type,
    size: int,
    text: str,
    values: tuple[Value, ...],
    segments: list[slice | None],
    fold: Callable[..., Value],
) -> Term:
    folded: list[Value] = []
    for segment in segments:
        part = values[segment] if segment is not None else (FAULT,)
        if any(value is FAULT for value in part):
            folded.append(FAULT)
            continue
        try:
            value = fold(part)
        except (ValueError, ArithmeticError):
            value = FAULT
        folded.append(int(value) if kind == INT and value is not FAULT else value)
    return Term(kind, size, tuple(folded), written=text, precedence=ATOM)
