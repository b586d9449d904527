"""Forms of values, whether they are of a sort, and what the symbols of the theories compute on them. Trusted code.

Trusted code for refutations. Where the standard leaves a value open it raises `Undecided`; numbers are bounded.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Index, Sort, Term

Value: TypeAlias = Any

MAX_BITS = 4096
MAX_LENGTH = 10_000


class Undecided(Exception):
    """The value is not fixed by the definitions, or not within the bounds."""


def _bounded(value: Any) -> Any:
    number = value.numerator if isinstance(value, Fraction) else value
    if isinstance(number, int) and number.bit_length() > MAX_BITS:
        raise Undecided("a number too large")
    if isinstance(value, Fraction) and value.denominator.bit_length() > MAX_BITS:
        raise Undecided("a number too large")
    return value


def _divide(a: int, b: int) -> int:
    if b == 0:
        raise Undecided("division by zero")
    quotient = a // abs(b)  # SMT-LIB: the remainder is never negative
    return quotient if b > 0 else -quotient


def _modulo(a: int, b: int) -> int:
    if b == 0:
        raise Undecided("modulo zero")
    return a % abs(b)


def _ratio(*args: Any) -> Fraction:
    result = Fraction(args[0])
    for arg in args[1:]:
        if arg == 0:
            raise Undecided("division by zero")
        result /= arg
    return result


def _product_of(*args: Any) -> Any:
    result = args[0]
    for arg in args[1:]:
        result = _bounded(result * arg)
    return result


def _joined(*parts: str) -> str:
    if sum(map(len, parts)) > MAX_LENGTH:
        raise Undecided("a string too long")
    return "".join(parts)


def _substring(s: str, start: int, length: int) -> str:
    return s[start : start + length] if 0 <= start < len(s) and length > 0 else ""


def _index_of(s: str, t: str, start: int) -> int:
    return s.find(t, start) if 0 <= start <= len(s) else -1


def _to_int(s: str) -> int:
    if len(s) > MAX_DIGITS:
        raise Undecided("a number too large")
    return int(s) if s and DIGITS.issuperset(s) else -1


# Regular expressions: as values they are trees of their operators

MOST_PLACES = 500_000
"""Places of a text that are looked at in one match, once for each part of the expression that leads there."""
MOST_REPEATS = 10_000


def regular_expression(name: str, indices: tuple[Index, ...]) -> Callable[..., Value]:
    """What makes an expression of its parts."""
    return lambda *parts: (name, indices, *parts)


def matches(text: str, regex: Value, spend: Callable[[int], None] = lambda places: None) -> bool:
    """Whether the whole of ``text`` is in the language of ``regex``; ``spend`` gets the places that were looked at.

    Raises:
        Undecided: there is too much to do, or ``regex`` is no tree of operators.
    """
    known: dict[tuple[int, int], frozenset[int]] = {}
    end, left = len(text), MOST_PLACES

    def ends(tree: Value, start: int) -> frozenset[int]:
        """Where parts of the text that begin at ``start`` and are in the language can end."""
        nonlocal left
        key = id(tree), start  # a tree lives as long as the whole of which it is a part
        if key not in known:
            known[key] = frozenset(compute(tree, start))
        left -= 1 + len(known[key])
        if left < 0:
            raise Undecided("a regular expression with too much to match")
        return known[key]

    def after(tree: Value, places: Iterable[int]) -> frozenset[int]:
        return frozenset().union(*[ends(tree, place) for place in places])

    def repeated(tree: Value, start: int, least: int, most: int | None) -> Iterable[int]:
        reached = frozenset((start,))
        for _ in range(least):
            reached = after(tree, reached)
        found, fresh = set(reached), reached
        while fresh and (most is None or least < most):
            fresh, least = after(tree, fresh) - found, least + 1
            found |= fresh
        return found

    def compute(tree: Value, start: int) -> Iterable[int]:
        match tree:
            case ("str.to_re", _, str(word)):
                return (start + len(word),) if text.startswith(word, start) else ()
            case ("re.range", _, str(low), str(high)):
                single = len(low) == len(high) == 1
                return (start + 1,) if single and start < end and low <= text[start] <= high else ()
            case ("re.none", _):
                return ()
            case ("re.all", _):
                return range(start, end + 1)
            case ("re.allchar", _):
                return (start + 1,) if start < end else ()
            case ("re.++", _, *parts):
                return reduce(lambda places, part: after(part, places), parts, frozenset((start,)))
            case ("re.union", _, *parts):
                return frozenset().union(*[ends(part, start) for part in parts])
            case ("re.inter", _, first, *parts):
                return ends(first, start).intersection(*[ends(part, start) for part in parts])
            case ("re.diff", _, first, *parts):
                return ends(first, start).difference(*[ends(part, start) for part in parts])
            case ("re.comp", _, part):
                return frozenset(range(start, end + 1)) - ends(part, start)
            case ("re.*", _, part):
                return repeated(part, start, 0, None)
            case ("re.+", _, part):
                return repeated(part, start, 1, None)
            case ("re.opt", _, part):
                return repeated(part, start, 0, 1)
            case ("re.^", (int(times),), part) if times <= MOST_REPEATS:
                return repeated(part, start, times, times)
            case ("re.loop", (int(least), int(most)), part) if max(least, most) <= MOST_REPEATS:
                return repeated(part, start, least, most) if least <= most else ()
        raise Undecided("a regular expression of another form, or with too many repetitions")

    try:
        return end in ends(regex, 0)
    finally:
        spend(MOST_PLACES - left)


DIGITS = frozenset("0123456789")
MAX_DIGITS = 1_200
"""A number of so many digits has fewer than MAX_BITS."""
MAX_CODE = 0x2FFFF
"""Of the characters of SMT-LIB."""

OPERATIONS: dict[str, Callable[..., Value]] = {
    "=": lambda *xs: all(x == xs[0] for x in xs[1:]),
    "distinct": lambda *xs: len(set(xs)) == len(xs),
    "not": lambda x: not x,
    "xor": lambda *xs: bool(sum(xs) % 2),
    "+": lambda *xs: _bounded(sum(xs[1:], xs[0])),
    "-": lambda *xs: -xs[0] if len(xs) == 1 else _bounded(xs[0] - sum(xs[1:])),
    "*": _product_of,
    "/": _ratio,
    "div": lambda *xs: reduce(_divide, xs),
    "mod": _modulo,
    "abs": abs,
    "<": lambda *xs: all(a < b for a, b in itertools.pairwise(xs)),
    "<=": lambda *xs: all(a <= b for a, b in itertools.pairwise(xs)),
    ">": lambda *xs: all(a > b for a, b in itertools.pairwise(xs)),
    ">=": lambda *xs: all(a >= b for a, b in itertools.pairwise(xs)),
    "to_real": Fraction,
    "to_int": lambda x: x.numerator // x.denominator,
    "is_int": lambda x: x.denominator == 1,
    "str.++": _joined,
    "str.len": len,
    "str.at": lambda s, i: s[i] if 0 <= i < len(s) else "",
    "str.substr": _substring,
    "str.prefixof": lambda s, t: t.startswith(s),
    "str.suffixof": lambda s, t: t.endswith(s),
    "str.contains": lambda s, t: t in s,
    "str.indexof": _index_of,
    "str.replace": lambda s, t, u: s.replace(t, u, 1),
    "str.replace_all": lambda s, t, u: s.replace(t, u) if t else s,
    "str.<": lambda *xs: all(a < b for a, b in itertools.pairwise(xs)),
    "str.<=": lambda *xs: all(a <= b for a, b in itertools.pairwise(xs)),
    "str.to_code": lambda s: ord(s) if len(s) == 1 else -1,
    "str.from_code": lambda code: chr(code) if 0 <= code <= MAX_CODE else "",
    "str.is_digit": lambda s: len(s) == 1 and s in DIGITS,
    "str.from_int": lambda number: str(number) if number >= 0 else "",
    "str.to_int": _to_int,
    "str.in_re": matches,
}


AT_ZERO: dict[str, Sort] = {"div": INT, "mod": INT, "/": REAL}
"""Division by zero has a value that depends on the dividend and is otherwise open, as that of a declared function is.

By name the sort of dividend, divisor and result."""


def open_function(signature: Signature, name: str) -> tuple[Sequence[Sort], Sort]:
    """Sorts of the arguments and of the result of a declared function, or of a division (by zero).

    Raises:
        KeyError: there is no such function.
    """
    sort = None if name in signature.functions else AT_ZERO.get(name)
    return signature.functions[name] if sort is None else ((sort, sort), sort)


def division(name: str, at_zero: Callable[[str, tuple[Value, ...]], Value]) -> Callable[..., Value]:
    """The operation called ``name``, where ``at_zero`` says what ``name`` makes of a dividend and zero."""
    operation = OPERATIONS[name]

    def once(a: Value, b: Value) -> Value:
        return operation(a, b) if b else at_zero(name, (a, b))

    return lambda *xs: reduce(once, xs)


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def bitvector_operation(term: Term) -> Callable[..., Value] | None:
    """Operations of FixedSizeBitVectors, on unsigned representatives."""
    name = term.name
    width = term.args[0].sort.indices[0] if term.args and term.args[0].sort.name == "BitVec" else 0
    mask = (1 << width) - 1
    if name in _BV_COMPARE:
        compare, is_signed = _BV_COMPARE[name]
        if is_signed:
            return lambda a, b: compare(_signed(a, width), _signed(b, width))
        return compare
    if name in _BV_FOLD:
        fold = _BV_FOLD[name]
        return lambda *xs: reduce(fold, xs) & mask
    if name == "extract":
        high, low = term.indices
        assert isinstance(high, int) and isinstance(low, int)
        return lambda a: (a >> low) & ((1 << (high - low + 1)) - 1)
    if name == "concat":
        widths = [a.sort.indices[0] for a in term.args]
        return lambda *xs: reduce(lambda acc, pair: (acc << pair[1]) | pair[0], zip(xs, widths, strict=True), 0)
    if name == "zero_extend":
        return lambda a: a
    if name == "sign_extend":
        total = term.sort.indices[0]
        return lambda a: _signed(a, width) & ((1 << total) - 1)
    unary: dict[str, Callable[..., Value]] = {
        "bvnot": lambda a: ~a & mask,
        "bvneg": lambda a: -a & mask,
        "bvudiv": lambda a, b: mask if b == 0 else a // b,
        "bvurem": lambda a, b: a if b == 0 else a % b,
        "bvshl": lambda a, b: (a << b) & mask if b < width else 0,
        "bvlshr": lambda a, b: a >> b if b < width else 0,
        "bvashr": lambda a, b: (_signed(a, width) >> min(b, width)) & mask,
        "bvsub": lambda a, b: (a - b) & mask,
        "bvcomp": lambda a, b: int(a == b),
        "bv2nat": lambda a: a,
        "ubv_to_int": lambda a: a,
        "sbv_to_int": lambda a: _signed(a, width),
    }
    if name in unary:
        return unary[name]
    if name in ("=", "distinct"):
        return None
    if term.sort.name == "BitVec" and name in ("int2bv", "int_to_bv", "nat2bv"):
        target = (1 << term.sort.indices[0]) - 1
        return lambda a: a & target
    return None


_BV_COMPARE: dict[str, tuple[Callable[[int, int], bool], bool]] = {
    "bvult": (lambda a, b: a < b, False),
    "bvule": (lambda a, b: a <= b, False),
    "bvugt": (lambda a, b: a > b, False),
    "bvuge": (lambda a, b: a >= b, False),
    "bvslt": (lambda a, b: a < b, True),
    "bvsle": (lambda a, b: a <= b, True),
    "bvsgt": (lambda a, b: a > b, True),
    "bvsge": (lambda a, b: a >= b, True),
}
_BV_FOLD: dict[str, Callable[[int, int], int]] = {
    "bvadd": lambda a, b: a + b,
    "bvmul": lambda a, b: a * b,
    "bvand": lambda a, b: a & b,
    "bvor": lambda a, b: a | b,
    "bvxor": lambda a, b: a ^ b,
}


# What a value is

LAST_CHARACTER = 0x2FFFF
"""Of the alphabet of SMT-LIB strings."""


@dataclass(frozen=True)
class ArrayValue:
    """A total array: ``items`` differ from ``default``."""

    default: Value
    items: frozenset[tuple[Value, Value]]

    def select(self, index: Value) -> Value:
        """The element at ``index``."""
        for key, value in self.items:
            if key == index:
                return value
        return self.default

    def store(self, index: Value, value: Value) -> ArrayValue:
        """A copy with ``value`` at ``index``."""
        kept = {(k, v) for k, v in self.items if k != index}
        if value != self.default:
            kept.add((index, value))
        return ArrayValue(self.default, frozenset(kept))


@dataclass(frozen=True)
class Element:
    """Element ``number`` of a declared sort; it differs from all others and from all that functions build."""

    sort: Sort
    number: int


@dataclass(frozen=True)
class Built:
    """What a declared function makes of its arguments, where it is taken to be injective."""

    function: str
    args: tuple[Value, ...]


def has_sort(signature: Signature, value: Value, sort: Sort) -> bool:
    """Whether ``value`` is a value of ``sort``."""
    if sort is BOOL:
        return isinstance(value, bool)
    if sort is INT:
        return isinstance(value, int) and not isinstance(value, bool)
    if sort is REAL:
        return isinstance(value, Fraction)
    if sort is STRING:
        return isinstance(value, str) and all(ord(c) <= LAST_CHARACTER for c in value)
    if sort.name == "BitVec":
        return type(value) is int and 0 <= value < 1 << sort.indices[0]
    if sort.name == "Array":
        return isinstance(value, ArrayValue) and all(
            has_sort(signature, part, s)
            for part, s in (
                (value.default, sort.args[1]),
                *((k, sort.args[0]) for k, _ in value.items),
                *((v, sort.args[1]) for _, v in value.items),
            )
        )
    datatype = signature.datatype(sort)
    if datatype is None:
        return sort in signature.sorts and _is_element(signature, value, sort)
    if not isinstance(value, tuple) or not value:
        return False
    fields = {c.name: [s for _, s in c.fields] for c in datatype.constructors}.get(value[0])
    return fields is not None and have_sorts(signature, value[1:], fields)


def have_sorts(signature: Signature, values: tuple[Value, ...], sorts: Sequence[Sort]) -> bool:
    """Whether these are as many values as sorts, each of its sort."""
    return len(values) == len(sorts) and all(has_sort(signature, v, s) for v, s in zip(values, sorts, strict=True))


def _is_element(signature: Signature, value: Value, sort: Sort) -> bool:
    """Whether this is an element of a declared sort, or what a declared function built from arguments of its sorts."""
    if isinstance(value, Element):
        return value.sort is sort and type(value.number) is int and value.number >= 0
    if not isinstance(value, Built) or signature.definition(value.function) is not None:
        return False
    params, result = signature.functions.get(value.function, ((), None))
    return result is sort and have_sorts(signature, value.args, params)
