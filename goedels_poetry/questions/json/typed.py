"""The typed tree: every node has a sort and is a symbol of SMT-LIB applied to typed trees."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort
from goedels_poetry.questions.json.names import smt_name
from goedels_poetry.questions.json.sorts import smt_sort
from goedels_poetry.questions.json.syntax import ExpressionError

MAX_SIZE = 100_000
MAX_DEPTH = 230
_NUMBER_BITS = 4_000


@dataclass(frozen=True, slots=True)
class Typed:
    """``head`` applied to ``args``; ``bound`` are the variables of a quantifier."""

    sort: Sort
    head: str
    """A symbol, literal or indexed symbol, as SMT-LIB writes it."""
    at: int
    args: tuple[Typed, ...] = ()
    bound: tuple[tuple[str, Sort], ...] = ()
    number: int | Fraction | None = None
    """The value of a numeric constant (also of one that is worked out, such as ``2**8 - 1``)."""
    speaks: bool = False
    """Whether it mentions a symbol of the program or a bound variable."""
    size: int = 1
    depth: int = 1


def leaf(sort: Sort, head: str, at: int) -> Typed:
    """A symbol without arguments, or a variable."""
    return Typed(sort, head, at, speaks=True)


def apply(head: str, args: tuple[Typed, ...], sort: Sort, at: int, *, speaks: bool = False) -> Typed:
    """An application.

    Raises:
        ExpressionError: it is larger or deeper than the limits, with what it repeats written out.
    """
    size, depth = 1, 0
    for arg in args:
        size += arg.size
        depth = max(depth, arg.depth)
        speaks = speaks or arg.speaks
    return _checked(Typed(sort, head, at, args, (), None, speaks, size, depth + 1))


def quantify(head: str, bound: tuple[tuple[str, Sort], ...], body: Typed, at: int) -> Typed:
    """A quantified formula."""
    size = 1 + len(bound) + body.size
    return _checked(Typed(BOOL, head, at, (body,), bound, None, True, size, body.depth + 1))


def _checked(typed: Typed) -> Typed:
    if typed.size > MAX_SIZE:
        raise ExpressionError(f"this expression has more than {MAX_SIZE:,} parts", typed.at, "split it into several")
    if typed.depth > MAX_DEPTH:
        hint = "name parts of it by functions or constants"
        raise ExpressionError(f"this expression is nested more than {MAX_DEPTH} deep", typed.at, hint)
    return typed


def truth(value: bool, at: int) -> Typed:
    """``true`` or ``false``."""
    return Typed(BOOL, "true" if value else "false", at)


def number(value: int | Fraction, sort: Sort, at: int) -> Typed:
    """A literal of sort Int, Real or BitVec.

    Raises:
        ExpressionError: of more digits than are worth writing out.
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits > _NUMBER_BITS:
        raise ExpressionError(
            f"a number of more than {_NUMBER_BITS:,} bits", at, "use a constant and say how large it is"
        )
    if sort is REAL:
        head = f"{abs(value.numerator)}.0"
        if value.denominator != 1:
            head = f"(/ {head} {value.denominator}.0)"
    elif sort is INT:
        head = str(abs(value.numerator))
    else:
        width = sort.indices[0]
        head = f"(_ bv{abs(value.numerator)} {width})"
        return Typed(sort, f"(bvneg {head})" if value < 0 else head, at, number=value)
    return Typed(sort, f"(- {head})" if value < 0 else head, at, number=value)


def string(value: str, at: int) -> Typed:
    """A String literal."""
    if any(ord(c) > 0x2FFFF for c in value):
        raise ExpressionError("a character beyond U+2FFFF cannot stand in a string", at)
    shown = "".join(c if " " <= c <= "~" and c != "\\" else f"\\u{{{ord(c):x}}}" for c in value)
    return Typed(STRING, '"' + shown.replace('"', '""') + '"', at)


def smt_text(typed: Typed) -> str:
    """The tree as a term of SMT-LIB. Iterative: a tree may be as deep as the limit says."""
    parts: list[str] = []
    stack: list[Typed | str] = [typed]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            parts.append(top)
        elif top.bound:
            variables = " ".join(f"({smt_name(name)} {smt_sort(sort)})" for name, sort in top.bound)
            parts.append(f" ({top.head} ({variables})")
            stack += [")", top.args[0]]
        elif top.args:
            parts.append(f" ({top.head}")
            stack.append(")")
            stack.extend(reversed(top.args))
        else:
            parts.append(f" {top.head}")
    return "".join(parts).strip()
