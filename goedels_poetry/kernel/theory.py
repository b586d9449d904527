"""The theory symbols of SMT-LIB that may be used, each with its typing rule.

A rule gets the symbol, its indices and its arguments; it gives the application or raises TypingError.
Integer literals stand for reals where a Real is needed; nothing else is coerced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from goedels_poetry.kernel.printer import show_sort
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    REAL,
    REGLAN,
    STRING,
    Index,
    Kind,
    Sort,
    Term,
    app,
    bitvec,
    integer,
    lit,
)


class TypingError(ValueError):
    """A symbol was applied to arguments it does not take; the message is meant for the user."""


Args: TypeAlias = tuple[Term, ...]
Rule: TypeAlias = Callable[[str, tuple[Index, ...], Args], Term]

MAX_BITS = 65_536


def sorts_text(sorts: Sequence[Sort]) -> str:
    """Sorts as they appear in messages: ``(Int Bool)``."""
    return "(" + " ".join(show_sort(s) for s in sorts) + ")"


def mismatch(symbol: str, takes: str, args: Args) -> TypingError:
    """The error of a symbol that ``takes`` other arguments than it got."""
    got = sorts_text([a.sort for a in args])
    return TypingError(f"`{symbol}` takes {takes}, got {got[1:-1] if len(args) == 1 else got}")


def as_real(term: Term) -> Term:
    """An integer literal as a Real literal; any other term unchanged."""
    if term.kind is Kind.LIT and term.sort is INT and isinstance(term.value, int):
        return lit(Fraction(term.value), REAL)
    return term


def coerce(term: Term, sort: Sort) -> Term:
    """``term`` for a place of sort ``sort``: integer literals become Real ones."""
    return as_real(term) if sort is REAL else term


def same_sort(args: Args) -> Args:
    """The arguments with integer literals made Real when another one is Real."""
    return tuple(map(as_real, args)) if any(a.sort is REAL for a in args) else args


# ------------------------------------------------------------------------------------- rules by shape


def _fixed(*params: Sort, result: Sort, indices: int = 0) -> Rule:
    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        args = tuple(map(coerce, args, params)) if len(args) == len(params) else args
        if tuple(a.sort for a in args) != params:
            raise mismatch(symbol, sorts_text(params), args)
        _indices(symbol, index, indices)
        return app(symbol, args, result, index)

    return rule


def _indices(symbol: str, index: tuple[Index, ...], count: int) -> list[int]:
    numbers = [i for i in index if isinstance(i, int)]
    if len(index) != count or len(numbers) != count:
        raise TypingError(f"`{symbol}` takes {count} numeral ind{'ex' if count == 1 else 'ices'}, got {len(index)}")
    return numbers


def _many(sort: Sort) -> Rule:
    """n-ary in one sort and kept n-ary; a single argument is the result."""

    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        _indices(symbol, index, 0)
        if not args or any(a.sort is not sort for a in args):
            raise mismatch(symbol, f"2 or more {sort}", args)
        return args[0] if len(args) == 1 else app(symbol, args, sort)

    return rule


def _left(sort: Sort) -> Rule:
    """n-ary, associating to the left."""

    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        _indices(symbol, index, 0)
        if len(args) < 2 or any(a.sort is not sort for a in args):
            raise mismatch(symbol, f"2 or more {sort}", args)
        return _fold_left(symbol, args, sort)

    return rule


def _fold_left(symbol: str, args: Args, sort: Sort) -> Term:
    result = args[0]
    for arg in args[1:]:
        result = app(symbol, (result, arg), sort)
    return result


def _implies(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    if len(args) < 2 or any(a.sort is not BOOL for a in args):
        raise mismatch(symbol, "2 or more Bool", args)
    result = args[-1]
    for arg in reversed(args[:-1]):
        result = app("=>", (arg, result), BOOL)
    return result


def _equality(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    args = same_sort(args)
    if len(args) < 2 or any(a.sort is not args[0].sort for a in args):
        raise mismatch(symbol, "2 or more terms of the same sort", args)
    return app(symbol, args, BOOL)


def _ite(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    if len(args) == 3:
        args = (args[0], *same_sort(args[1:]))
    if len(args) != 3 or args[0].sort is not BOOL or args[1].sort is not args[2].sort:
        raise mismatch(symbol, "a Bool and two terms of the same sort", args)
    return app("ite", args, args[1].sort)


def _chain(symbol: str, args: Args) -> Term:
    links = [app(symbol, pair, BOOL) for pair in pairwise(args)]
    return links[0] if len(links) == 1 else app("and", links, BOOL)


# --------------------------------------------------------------------------------------- arithmetic


def _numbers(symbol: str, args: Args, least: int) -> Args:
    args = same_sort(args)
    if len(args) < least or any(a.sort is not args[0].sort for a in args) or args[0].sort not in (INT, REAL):
        raise mismatch(symbol, f"{least} or more Int, or {least} or more Real", args)
    return args


def _arithmetic(least: int) -> Rule:
    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        _indices(symbol, index, 0)
        args = _numbers(symbol, args, least)
        return app(symbol, args, args[0].sort)

    return rule


def _comparison(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    return _chain(symbol, _numbers(symbol, args, 2))


def _division(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    args = tuple(map(as_real, args))
    if len(args) < 2 or any(a.sort is not REAL for a in args):
        raise mismatch(symbol, "2 or more Real (`div` divides Int)", args)
    return _fold_left(symbol, args, REAL)


def _divisible(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    (divisor,) = _indices(symbol, index, 1)
    if len(args) != 1 or args[0].sort is not INT:
        raise mismatch(symbol, "Int", args)
    if divisor == 0:
        raise TypingError("`divisible` takes a positive index")
    return app("=", (app("mod", (args[0], integer(divisor)), INT), integer(0)), BOOL)  # z3 does not know it


# --------------------------------------------------------------------------------------- bit-vectors


def _width(symbol: str, args: Args) -> int:
    for a in args:
        if a.sort.name != "BitVec":
            raise mismatch(symbol, "bit-vectors", args)
    if not args:
        raise TypingError(f"`{symbol}` takes bit-vectors, got nothing")
    return args[0].sort.indices[0]


def _bits(arity: int | None, result: Sort | None = None, left: bool = False) -> Rule:
    """Arguments of one width; ``result`` None is that width. ``left``: two or more, to the left."""

    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        _indices(symbol, index, 0)
        _width(symbol, args)
        wrong = len(args) < 2 if arity is None else len(args) != arity
        if wrong or any(a.sort is not args[0].sort for a in args):
            wanted = "2 or more" if arity is None else str(arity)
            raise mismatch(symbol, f"{wanted} bit-vectors of the same width", args)
        sort = args[0].sort if result is None else result
        return _fold_left(symbol, args, sort) if left else app(symbol, args, sort)

    return rule


def _concat(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    _width(symbol, args)
    if len(args) < 2:
        raise mismatch(symbol, "2 or more bit-vectors", args)
    result = args[0]
    for arg in args[1:]:
        result = app(symbol, (result, arg), _bounded(symbol, result.sort.indices[0] + arg.sort.indices[0]))
    return result


def _bounded(symbol: str, width: int) -> Sort:
    if not 1 <= width <= MAX_BITS:
        raise TypingError(f"`{symbol}` gives a bit-vector of {width} bits (1 to {MAX_BITS:,} are allowed)")
    return bitvec(width)


def _extract(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    high, low = _indices(symbol, index, 2)
    width = _width(symbol, args)
    if len(args) != 1:
        raise mismatch(symbol, "1 bit-vector", args)
    if not 0 <= low <= high < width:
        raise TypingError(f"`(_ extract {high} {low})` does not fit a bit-vector of {width} bits")
    return app(symbol, args, bitvec(high - low + 1), index)


def _resized(grow: Callable[[int, int], int]) -> Rule:
    def rule(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
        (amount,) = _indices(symbol, index, 1)
        width = _width(symbol, args)
        if len(args) != 1:
            raise mismatch(symbol, "1 bit-vector", args)
        return app(symbol, args, _bounded(symbol, grow(width, amount)), index)

    return rule


def _bits_to_int(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    _width(symbol, args)
    if len(args) != 1:
        raise mismatch(symbol, "1 bit-vector", args)
    return app("bv2nat", args, INT)


def _int_to_bits(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    (width,) = _indices(symbol, index, 1)
    if len(args) != 1 or args[0].sort is not INT:
        raise mismatch(symbol, "Int", args)
    return app("int2bv", args, _bounded(symbol, width), index)


# -------------------------------------------------------------------------------- arrays and strings


def _select(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    args = _array_args(symbol, args, 2)
    return app(symbol, args, args[0].sort.args[1])


def _store(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    args = _array_args(symbol, args, 3)
    return app(symbol, args, args[0].sort)


def _array_args(symbol: str, args: Args, count: int) -> Args:
    takes = "an array and an index" if count == 2 else "an array, an index and an element"
    if not args or args[0].sort.name != "Array" or len(args) != count:
        raise mismatch(symbol, takes, args)
    wanted = (args[0].sort, *args[0].sort.args[: count - 1])
    args = tuple(map(coerce, args, wanted))
    if tuple(a.sort for a in args) != wanted:
        raise mismatch(symbol, sorts_text(wanted), args)
    return args


def _string_order(symbol: str, index: tuple[Index, ...], args: Args) -> Term:
    _indices(symbol, index, 0)
    if len(args) < 2 or any(a.sort is not STRING for a in args):
        raise mismatch(symbol, "2 or more String", args)
    return _chain(symbol, args)


_BIT_OPERATIONS = ("bvsub", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr")
_BIT_ORDERS = ("bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge")

RULES: dict[str, Rule] = {
    "not": _fixed(BOOL, result=BOOL),
    "and": _many(BOOL),
    "or": _many(BOOL),
    "xor": _left(BOOL),
    "=>": _implies,
    "=": _equality,
    "distinct": _equality,
    "ite": _ite,
    "+": _arithmetic(2),
    "*": _arithmetic(2),
    "-": _arithmetic(1),
    "/": _division,
    "div": _left(INT),
    "mod": _fixed(INT, INT, result=INT),
    "abs": _fixed(INT, result=INT),
    "to_real": _fixed(INT, result=REAL),
    "to_int": _fixed(REAL, result=INT),
    "is_int": _fixed(REAL, result=BOOL),
    "divisible": _divisible,
    **dict.fromkeys(("<", "<=", ">", ">="), _comparison),
    **dict.fromkeys(("bvadd", "bvmul", "bvand", "bvor", "bvxor"), _bits(None, left=True)),
    **dict.fromkeys((*_BIT_OPERATIONS, "bvnand", "bvnor", "bvxnor"), _bits(2)),
    **dict.fromkeys(_BIT_ORDERS, _bits(2, BOOL)),
    **dict.fromkeys(("bvnot", "bvneg"), _bits(1)),
    "bvcomp": _bits(2, bitvec(1)),
    "concat": _concat,
    "extract": _extract,
    "repeat": _resized(lambda width, times: width * times),
    **dict.fromkeys(("zero_extend", "sign_extend"), _resized(lambda width, more: width + more)),
    **dict.fromkeys(("rotate_left", "rotate_right"), _resized(lambda width, _: width)),
    **dict.fromkeys(("bv2nat", "ubv_to_int"), _bits_to_int),
    **dict.fromkeys(("int2bv", "nat2bv", "int_to_bv"), _int_to_bits),
    "select": _select,
    "store": _store,
    "str.++": _many(STRING),
    "str.len": _fixed(STRING, result=INT),
    "str.at": _fixed(STRING, INT, result=STRING),
    "str.substr": _fixed(STRING, INT, INT, result=STRING),
    "str.prefixof": _fixed(STRING, STRING, result=BOOL),
    "str.suffixof": _fixed(STRING, STRING, result=BOOL),
    "str.contains": _fixed(STRING, STRING, result=BOOL),
    "str.indexof": _fixed(STRING, STRING, INT, result=INT),
    "str.replace": _fixed(STRING, STRING, STRING, result=STRING),
    "str.replace_all": _fixed(STRING, STRING, STRING, result=STRING),
    "str.is_digit": _fixed(STRING, result=BOOL),
    "str.to_code": _fixed(STRING, result=INT),
    "str.from_code": _fixed(INT, result=STRING),
    "str.to_int": _fixed(STRING, result=INT),
    "str.from_int": _fixed(INT, result=STRING),
    "str.<": _string_order,
    "str.<=": _string_order,
    "str.to_re": _fixed(STRING, result=REGLAN),
    "str.in_re": _fixed(STRING, REGLAN, result=BOOL),
    "re.none": _fixed(result=REGLAN),
    "re.all": _fixed(result=REGLAN),
    "re.allchar": _fixed(result=REGLAN),
    **dict.fromkeys(("re.++", "re.union", "re.inter"), _many(REGLAN)),
    **dict.fromkeys(("re.*", "re.+", "re.opt", "re.comp"), _fixed(REGLAN, result=REGLAN)),
    "re.diff": _left(REGLAN),
    "re.range": _fixed(STRING, STRING, result=REGLAN),
    "re.^": _fixed(REGLAN, result=REGLAN, indices=1),
    "re.loop": _fixed(REGLAN, result=REGLAN, indices=2),
}

# Symbols with a meaning of their own in terms, besides the rules above.
SPECIAL = frozenset({"true", "false", "is", "const", "_", "!", "as", "let", "match", "forall", "exists", "par"})
SORT_NAMES = frozenset({"Bool", "Int", "Real", "String", "RegLan", "BitVec", "Array"})
THEORY_SYMBOLS = frozenset((*RULES, *SPECIAL, *SORT_NAMES))


def is_theory_symbol(name: str) -> bool:
    """Whether a script may not declare ``name`` because it has a meaning already."""
    return name in THEORY_SYMBOLS


def apply_rule(symbol: str, indices: tuple[Index, ...], args: Args) -> Term:
    """The application of a theory symbol (a key of `RULES`).

    Raises:
        TypingError: wrong number or sorts of arguments or indices.
    """
    return RULES[symbol](symbol, indices, args)
