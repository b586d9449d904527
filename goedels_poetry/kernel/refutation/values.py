"""Values to test a goal on: small ones in order, random ones by a seed, smaller variants of one (shrinking)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from goedels_poetry.kernel.problem import Constructor, Signature
from goedels_poetry.kernel.refutation.operations import ArrayValue, Built, Element, Value
from goedels_poetry.kernel.terms import INT, REAL, REGLAN, STRING, BitVector, Index, Sort, Term, app, integer, lit

SMALL = 9
"""Numbers up to this size are common among random ones."""
LETTERS = "ab01"
"""Of random texts."""
SPOKEN = 0.4
"""Of values where a definition has larger literals, or letters: those with numbers next to these, or with these."""


def random_value(signature: Signature, sort: Sort, size: int, source: random.Random) -> Value:
    """A random value with about ``size`` recursive constructors (datatypes) or of magnitude ``size + 3``.

    Where a definition speaks of larger numbers, all numbers of some values are within one of those.
    """
    large = [n for n in signature.literals.get(INT, ()) if abs(n) > SMALL]
    return _random(signature, sort, size, source, large if large and source.random() < SPOKEN else [])


def _random(signature: Signature, sort: Sort, size: int, source: random.Random, numbers: Sequence[int]) -> Value:
    if sort is INT and numbers:
        return source.choice(numbers) + source.choice((0, 0, -1, 1))
    if sort is INT:
        return source.randint(-2, size + 3) if source.random() < 0.9 else source.randint(-20, 60)
    if sort.name == "Bool":
        return source.random() < 0.5
    if sort is REAL:
        return Fraction(source.randint(-4, size + 4), source.choice((1, 1, 2, 3)))
    if sort is STRING:
        spoken = "".join(signature.literals.get(STRING, ()))  # letters that a definition asks for
        letters = spoken + LETTERS if spoken and source.random() < SPOKEN else LETTERS
        return "".join(source.choice(letters) for _ in range(source.randint(0, max(size, 0))))
    if sort.name == "BitVec":
        width = sort.indices[0]
        edge = source.choice((0, 1, (1 << width) - 1, 1 << (width - 1)))
        return edge if source.random() < 0.4 else source.getrandbits(width)
    if sort.name == "Array":
        elements = 2 if signature.datatype(_innermost(sort)) is None else min(size - 1, 2)  # it may hold its like
        value = ArrayValue(_random(signature, sort.args[1], elements, source, numbers), frozenset())
        for _ in range(source.randint(0, 4) if elements > 0 else 0):
            index = _random(signature, sort.args[0], size, source, numbers)
            value = value.store(index, _random(signature, sort.args[1], elements, source, numbers))
        return value
    datatype = signature.datatype(sort)
    if datatype is None:
        return Element(sort, source.randint(0, 3))
    leaves, recursive = _constructors(signature, sort)
    pick_recursive = recursive and size > 0 and (not leaves or source.random() < 0.8)
    constructor = source.choice(recursive if pick_recursive else leaves or recursive)
    inner = [s for _, s in constructor.fields if _reaches(signature, s, sort)]
    share = size - 1 if len(inner) < 2 else (size - 1) * 2 // 3
    if size < -40:
        raise RecursionError("a datatype without small values")
    return (
        constructor.name,
        *[
            _random(signature, s, share if s in inner else min(size - 1, 3) if size > 0 else size - 1, source, numbers)
            for _, s in constructor.fields
        ],
    )


def _constructors(signature: Signature, sort: Sort) -> tuple[list[Constructor], list[Constructor]]:
    """The constructors that lead nowhere back to ``sort``, and those that do."""
    datatype = signature.datatype(sort)
    assert datatype is not None
    leaves: list[Constructor] = []
    recursive: list[Constructor] = []
    for constructor in datatype.constructors:
        back = any(_reaches(signature, s, sort) for _, s in constructor.fields)
        (recursive if back else leaves).append(constructor)
    return leaves, recursive


def _reaches(signature: Signature, start: Sort, target: Sort) -> bool:
    seen: set[Sort] = set()
    stack = [start]
    while stack:
        sort = stack.pop()
        if sort is target:
            return True
        if sort not in seen:
            seen.add(sort)
            datatype = signature.datatype(sort)
            stack.extend(sort.args)
            if datatype is not None:
                stack.extend(s for c in datatype.constructors for _, s in c.fields)
    return False


def _innermost(sort: Sort) -> Sort:
    """The sort of the elements of arrays (of arrays, and so on)."""
    while sort.name == "Array":
        sort = sort.args[1]
    return sort


def small_values(signature: Signature, sort: Sort, limit: int) -> list[Value]:
    """The first ``limit`` values of ``sort`` by size (all of them when there are fewer)."""
    return list(itertools.islice(_by_size(signature, sort), limit))


def _by_size(signature: Signature, sort: Sort) -> Iterator[Value]:
    if sort is INT:
        for n in itertools.count():
            yield n
            if n:
                yield -n
    elif sort.name == "Bool":
        yield from (False, True)
    elif sort is REAL:
        for n in itertools.count():
            yield Fraction(n)
            yield Fraction(-n - 1)
            yield Fraction(2 * n + 1, 2)
    elif sort is STRING:
        for length in range(5):
            yield from map("".join, itertools.product("ab", repeat=length))
    elif sort.name == "BitVec":
        yield from range(min(1 << sort.indices[0], 1 << 12))
    elif sort.name == "Array":
        for value in _by_size(signature, sort.args[1]):
            yield ArrayValue(value, frozenset())
    elif signature.datatype(sort) is None:
        for n in range(4):
            yield Element(sort, n)
    else:
        for size in range(1, 9):
            yield from _sized_values(signature, sort, size)


def _sized_values(signature: Signature, sort: Sort, size: int) -> Iterator[Value]:
    """Datatype values with exactly ``size`` constructors (fields of other sorts take their first few values).

    Of arrays of a datatype those that hold one such value everywhere.
    """
    if sort.name == "Array":
        yield from (ArrayValue(value, frozenset()) for value in _sized_values(signature, sort.args[1], size))
        return
    datatype = signature.datatype(sort)
    assert datatype is not None
    for constructor in datatype.constructors:
        nested = [i for i, (_, s) in enumerate(constructor.fields) if signature.datatype(_innermost(s)) is not None]
        if not nested and size != 1:
            continue
        for sizes in compositions(size - 1, len(nested)):
            at = dict(zip(nested, sizes, strict=True))
            pools = [
                list(_sized_values(signature, s, at[i])) if i in at else small_values(signature, s, 3)
                for i, (_, s) in enumerate(constructor.fields)
            ]
            for fields in itertools.product(*pools):
                yield (constructor.name, *fields)


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write ``total`` as a sum of ``parts`` positive numbers, order counting."""
    if parts == 0:
        if total == 0:
            yield ()
    elif parts == 1:
        if total > 0:
            yield (total,)
    else:
        for first in range(1, total - parts + 2):
            for rest in compositions(total - first, parts - 1):
                yield (first, *rest)


def shrink(signature: Signature, sort: Sort, value: Value) -> Iterator[Value]:
    """Values of the same sort that are simpler than ``value``, most drastic first."""
    if sort is INT or sort.name == "BitVec":
        yield from (n for n in (0, 1, 2, 3) if n < abs(value))
        if value < 0:
            yield -value
        for step in (value // 2, value - 1 if value > 0 else value + 1):
            if abs(step) < abs(value):
                yield step
    elif sort is REAL:
        if value.denominator != 1:
            yield Fraction(int(value))
        elif value:
            yield Fraction(0)
            yield value - (1 if value > 0 else -1)
    elif sort is STRING:
        if value:
            yield value[1:]
            yield value[:-1]
        yield from (value[:i] + "a" + value[i + 1 :] for i, letter in enumerate(value) if letter not in LETTERS)
    elif isinstance(value, ArrayValue):
        for index, _ in sorted(value.items, key=repr):
            yield value.store(index, value.default)
    elif isinstance(value, tuple):
        found = signature.constructor(value[0])
        assert found is not None
        fields = found[1].fields
        for part, (_, s) in zip(value[1:], fields, strict=True):
            if s is sort:
                yield part
        for i, (part, (_, s)) in enumerate(zip(value[1:], fields, strict=True)):
            for smaller in shrink(signature, s, part):
                yield (*value[: i + 1], smaller, *value[i + 2 :])
    elif isinstance(value, Element) and value.number:
        yield Element(sort, 0)


Writer: TypeAlias = Callable[[Sort, Value], Term | None]


def to_term(signature: Signature, sort: Sort, value: Value, part: Writer | None = None) -> Term | None:
    """The value as a term; its parts are written by ``part``, which is this function unless given.

    None for elements of declared sorts, which have no name in the language, and where ``part`` has none.
    """
    write: Writer = part or (lambda s, v: to_term(signature, s, v))
    if sort is INT:
        return integer(value)
    if sort.name == "BitVec":
        return lit(BitVector(value, sort.indices[0]), sort)
    if isinstance(value, ArrayValue):
        return _array_term(sort, value, write)
    if isinstance(value, Element):
        return None
    if isinstance(value, Built):
        return _application(sort, value.function, value.args, signature.functions[value.function][0], write)
    if sort is REGLAN:
        name, indices, *parts = value
        return _application(sort, name, parts, [STRING if isinstance(p, str) else sort for p in parts], write, indices)
    if isinstance(value, tuple):
        found = signature.constructor(value[0])
        assert found is not None
        return _application(sort, value[0], value[1:], [s for _, s in found[1].fields], write)
    return lit(value, sort)


def _array_term(sort: Sort, value: ArrayValue, write: Writer) -> Term | None:
    default = write(sort.args[1], value.default)
    if default is None:
        return None
    result = app("const", (default,), sort)
    for index, element in sorted(value.items, key=repr):
        i, e = write(sort.args[0], index), write(sort.args[1], element)
        if i is None or e is None:
            return None
        result = app("store", (result, i, e), sort)
    return result


def _application(
    sort: Sort,
    name: str,
    values: Sequence[Value],
    sorts: Sequence[Sort],
    write: Writer,
    indices: tuple[Index, ...] = (),
) -> Term | None:
    args = [write(s, v) for v, s in zip(values, sorts, strict=True)]
    return None if None in args else app(name, [a for a in args if a is not None], sort, indices)
