"""What Python's library does with lists, dicts, sets and texts: plain functions that `library` translates one by one.

An underscore at the end of a name only keeps it apart from the builtin. A dict is the list of its pairs, a set the list
of its elements. All functions are total: where Python raises, the value is `ANYTHING` or what the recursion gives, and
the effect of the call says so. ``T`` is the type of elements: pairs of ``K`` and ``V`` where these are named.
"""

# `ANYTHING` is of any type.
# mypy: disable-error-code="no-any-return, list-item"

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T", bound=Any)
K = TypeVar("K", bound=Any)
V = TypeVar("V")
ANYTHING: Any = None

# ------------------------------------------------------------------------------------------------ lists


def len_(xs: list[T]) -> int:
    """``len(xs)``."""
    return 0 if not xs else 1 + len_(xs[1:])


def append(xs: list[T], ys: list[T]) -> list[T]:
    """``xs + ys``."""
    return ys if not xs else [xs[0], *append(xs[1:], ys)]


def nth(xs: list[T], i: int) -> T:
    """``xs[i]`` for an index from 0 on."""
    return ANYTHING if not xs else xs[0] if i <= 0 else nth(xs[1:], i - 1)


def last(xs: list[T]) -> T:
    """``xs[-1]``."""
    return ANYTHING if not xs else xs[0] if not xs[1:] else last(xs[1:])


def front(xs: list[T]) -> list[T]:
    """``xs[:-1]``."""
    return [] if not xs else [] if not xs[1:] else [xs[0], *front(xs[1:])]


def put(xs: list[T], i: int, v: T) -> list[T]:
    """``xs`` with ``v`` at ``i``, from 0 on."""
    return [] if not xs else [v, *xs[1:]] if i <= 0 else [xs[0], *put(xs[1:], i - 1, v)]


def put_last(xs: list[T], v: T) -> list[T]:
    """``xs`` with ``v`` at -1."""
    return [v] if not xs or not xs[1:] else [xs[0], *put_last(xs[1:], v)]


def take(xs: list[T], n: int) -> list[T]:
    """``xs[:n]``, nothing for ``n`` below 0."""
    return [] if n <= 0 or not xs else [xs[0], *take(xs[1:], n - 1)]


def drop(xs: list[T], n: int) -> list[T]:
    """``xs[n:]``, all for ``n`` below 0."""
    return xs if n <= 0 or not xs else drop(xs[1:], n - 1)


def reverse(xs: list[T]) -> list[T]:
    """``xs[::-1]``."""
    return [] if not xs else append(reverse(xs[1:]), [xs[0]])


def every2(xs: list[T]) -> list[T]:
    """``xs[::2]``."""
    return [] if not xs else [xs[0], *([] if not xs[1:] else every2(xs[1:][1:]))]


def every3(xs: list[T]) -> list[T]:
    """``xs[::3]``."""
    return [] if not xs else [xs[0], *([] if not xs[1:] else [] if not xs[1:][1:] else every3(xs[1:][1:][1:]))]


def every4(xs: list[T]) -> list[T]:
    """``xs[::4]``."""
    return (
        []
        if not xs
        else [
            xs[0],
            *([] if not xs[1:] else [] if not xs[1:][1:] else [] if not xs[1:][1:][1:] else every4(xs[1:][1:][1:][1:])),
        ]
    )


def repeat(v: T, n: int) -> list[T]:
    """``[v] * n``."""
    return [] if n <= 0 else [v, *repeat(v, n - 1)]


def repeat_all(xs: list[T], n: int) -> list[T]:
    """``xs * n``."""
    return [] if n <= 0 else append(xs, repeat_all(xs, n - 1))


def sum_(xs: list[T]) -> int:
    """``sum(xs)`` of integers."""
    return 0 if not xs else xs[0] + sum_(xs[1:])


def member(v: T, xs: list[T]) -> bool:
    """``v in xs``."""
    return False if not xs else True if v == xs[0] else member(v, xs[1:])


def count(v: T, xs: list[T]) -> int:
    """``xs.count(v)``."""
    return 0 if not xs else 1 + count(v, xs[1:]) if v == xs[0] else count(v, xs[1:])


def index(v: T, xs: list[T]) -> int:
    """``xs.index(v)``; the length where there is none."""
    return 0 if not xs or v == xs[0] else 1 + index(v, xs[1:])


def remove(v: T, xs: list[T]) -> list[T]:
    """``xs`` without the first ``v``."""
    return [] if not xs else xs[1:] if v == xs[0] else [xs[0], *remove(v, xs[1:])]


def all_(xs: list[T]) -> bool:
    """``all(xs)`` of truth values."""
    return True if not xs else xs[0] and all_(xs[1:])


def any_(xs: list[T]) -> bool:
    """``any(xs)`` of truth values."""
    return False if not xs else xs[0] or any_(xs[1:])


def min_(xs: list[T]) -> T:
    """``min(xs)``; the first of equal ones."""
    return ANYTHING if not xs else xs[0] if not xs[1:] else min_(xs[1:]) if min_(xs[1:]) < xs[0] else xs[0]


def max_(xs: list[T]) -> T:
    """``max(xs)``; the first of equal ones."""
    return ANYTHING if not xs else xs[0] if not xs[1:] else max_(xs[1:]) if xs[0] < max_(xs[1:]) else xs[0]


def sorted_(xs: list[T]) -> list[T]:
    """``sorted(xs)``, by insertion."""
    return [] if not xs else insert(xs[0], sorted_(xs[1:]))


def insert(v: T, xs: list[T]) -> list[T]:
    """Sorted elements with one more."""
    return [v, *xs] if not xs or not xs[0] < v else [xs[0], *insert(v, xs[1:])]


def less(xs: list[T], ys: list[T]) -> bool:
    """``xs < ys``."""
    return (
        (not xs and (False if not ys else True))  # noqa: SIM211  truth values alone are read
        if not xs or not ys
        else less(xs[1:], ys[1:])
        if xs[0] == ys[0]
        else xs[0] < ys[0]
    )


def at_most(xs: list[T], ys: list[T]) -> bool:
    """``xs <= ys``."""
    return not xs if not xs or not ys else at_most(xs[1:], ys[1:]) if xs[0] == ys[0] else xs[0] < ys[0]


# ------------------------------------------------------------------------------------------------ dicts


def has(k: K, xs: list[tuple[K, V]]) -> bool:
    """``k in d``."""
    return False if not xs else True if k == xs[0][0] else has(k, xs[1:])


def at(k: K, xs: list[tuple[K, V]]) -> V:
    """``d[k]``."""
    return ANYTHING if not xs else xs[0][1] if k == xs[0][0] else at(k, xs[1:])


def store(k: K, v: V, xs: list[tuple[K, V]]) -> list[tuple[K, V]]:
    """``d`` after ``d[k] = v``."""
    return [(k, v)] if not xs else [(xs[0][0], v), *xs[1:]] if k == xs[0][0] else [xs[0], *store(k, v, xs[1:])]


def drop_key(k: K, xs: list[tuple[K, V]]) -> list[tuple[K, V]]:
    """``d`` after ``d.pop(k, None)``."""
    return [] if not xs else drop_key(k, xs[1:]) if k == xs[0][0] else [xs[0], *drop_key(k, xs[1:])]


def dict_(xs: list[tuple[K, V]], ys: list[tuple[K, V]]) -> list[tuple[K, V]]:
    """``d`` after ``d.update(xs)``."""
    return ys if not xs else dict_(xs[1:], store(xs[0][0], xs[0][1], ys))


def keys(xs: list[tuple[K, V]]) -> list[K]:
    """``list(d)``."""
    return [] if not xs else [xs[0][0], *keys(xs[1:])]


def values(xs: list[tuple[K, V]]) -> list[V]:
    """``list(d.values())``."""
    return [] if not xs else [xs[0][1], *values(xs[1:])]


def sorted_key(xs: list[tuple[K, V]]) -> list[tuple[K, V]]:
    """Pairs sorted by their first parts, by insertion; equal ones stay in their order."""
    return [] if not xs else insert_key(xs[0], sorted_key(xs[1:]))


def insert_key(p: tuple[K, V], xs: list[tuple[K, V]]) -> list[tuple[K, V]]:
    """Sorted pairs with one more."""
    return [p, *xs] if not xs or not xs[0][0] < p[0] else [xs[0], *insert_key(p, xs[1:])]


def min_key(xs: list[tuple[K, V]]) -> tuple[K, V]:
    """The first of the pairs whose first part is least."""
    return ANYTHING if not xs else xs[0] if not xs[1:] else min_key(xs[1:]) if min_key(xs[1:])[0] < xs[0][0] else xs[0]


def max_key(xs: list[tuple[K, V]]) -> tuple[K, V]:
    """The first of the pairs whose first part is greatest."""
    return ANYTHING if not xs else xs[0] if not xs[1:] else max_key(xs[1:]) if xs[0][0] < max_key(xs[1:])[0] else xs[0]


def agrees(xs: list[tuple[K, V]], ys: list[tuple[K, V]]) -> bool:
    """Whether each key of the one has its value in the other."""
    return True if not xs else has(xs[0][0], ys) and at(xs[0][0], ys) == xs[0][1] and agrees(xs[1:], ys)


# ------------------------------------------------------------------------------------------------- sets


def once(xs: list[T]) -> list[T]:
    """``list(set(xs))``, in some order."""
    return [] if not xs else once(xs[1:]) if member(xs[0], xs[1:]) else [xs[0], *once(xs[1:])]


def different(xs: list[T]) -> int:
    """``len(set(xs))``."""
    return 0 if not xs else different(xs[1:]) if member(xs[0], xs[1:]) else 1 + different(xs[1:])


def within(xs: list[T], ys: list[T]) -> bool:
    """``set(xs) <= set(ys)``."""
    return True if not xs else member(xs[0], ys) and within(xs[1:], ys)


def without(v: T, xs: list[T]) -> list[T]:
    """``set(xs) - {v}``."""
    return [] if not xs else without(v, xs[1:]) if v == xs[0] else [xs[0], *without(v, xs[1:])]


def both_set(xs: list[T], ys: list[T]) -> list[T]:
    """``set(xs) & set(ys)``."""
    return [] if not xs else [xs[0], *both_set(xs[1:], ys)] if member(xs[0], ys) else both_set(xs[1:], ys)


def less_set(xs: list[T], ys: list[T]) -> list[T]:
    """``set(xs) - set(ys)``."""
    return [] if not xs else less_set(xs[1:], ys) if member(xs[0], ys) else [xs[0], *less_set(xs[1:], ys)]


# ---------------------------------------------------------------------------------- numbers and texts


def power_int(b: int, n: int) -> int:
    """``b ** n`` for an exponent from 0 on."""
    return 1 if n <= 0 else b * power_int(b, n - 1)


def gcd_int(a: int, b: int) -> int:
    """``math.gcd(a, b)`` for numbers from 0 on."""
    return a if b <= 0 else gcd_int(b, a % b)


def backwards_str(s: str, i: int) -> str:
    """``s[:i][::-1]``."""
    return "" if i <= 0 else s[i - 1] + backwards_str(s, i - 1)


def repeat_str(s: str, n: int) -> str:
    """``s * n``."""
    return "" if n <= 0 else s + repeat_str(s, n - 1)


def count_str(s: str, c: str, i: int) -> int:
    """``s[i:].count(c)`` of a letter ``c``."""
    return (1 + count_str(s, c, i + 1) if s[i] == c else count_str(s, c, i + 1)) if i < len(s) else 0


def first_str(s: str, cs: str, i: int) -> int:
    """Where from ``i`` on the first letter of ``s`` is that is none of ``cs``."""
    return (first_str(s, cs, i + 1) if s[i] in cs else i) if i < len(s) else i


def end_str(s: str, cs: str, i: int) -> int:
    """Where up to ``i`` the last letter of ``s`` ends that is none of ``cs``."""
    return i if i <= 0 else end_str(s, cs, i - 1) if s[i - 1] in cs else i


def split(s: str, c: str, i: int, begin: int) -> list[T]:
    """``s[begin:].split(c)`` of a letter ``c`` that is not before ``i``."""
    return (
        ([s[begin:i], *split(s, c, i + 1, i + 1)] if s[i] == c else split(s, c, i + 1, begin))
        if i < len(s)
        else [s[begin:]]
    )


def join(s: str, xs: list[T]) -> str:
    """``s.join(xs)``."""
    return "" if not xs else xs[0] if not xs[1:] else xs[0] + s + join(s, xs[1:])
