"""Typed terms: how they are made, and in which places they fit. Nothing is converted that changes its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort
from goedels_poetry.questions.json.symbols import show, smt_name, smt_sort
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
    """A literal of sort Int, Real or BitVec. Raises ExpressionError: of more digits than are worth writing out."""
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


def is_numeral(term: Typed) -> bool:
    """Whether a term is a numeric constant that has not been made a bit-vector."""
    return term.number is not None and term.sort in (INT, REAL)


def is_bits(sort: Sort) -> bool:
    """Whether a sort is one of bit-vectors."""
    return sort.name == "BitVec" and bool(sort.indices)


def fit(term: Typed, sort: Sort, what: str) -> Typed:
    """``term`` for a place of ``sort``: whole numbers stand for reals, numerals for bit-vectors that hold them.

    Raises:
        ExpressionError: it is of another sort, or a numeral does not fit.
    """
    if term.sort is sort:
        return term
    if sort is REAL and term.sort is INT:
        if term.number is not None:
            return number(Fraction(term.number), REAL, term.at)
        return apply("to_real", (term,), REAL, term.at)
    if is_bits(sort) and term.sort is INT and term.number is not None:
        width = sort.indices[0]
        if not -(1 << (width - 1)) <= term.number < 1 << width:
            raise ExpressionError(f"{_shown(term.number)} does not fit into {width} bits", term.at)
        return number(term.number, sort, term.at)
    raise ExpressionError(f"{what} must be {show(sort)}, not {show(term.sort)}", term.at, _hint(term.sort, sort))


def _shown(value: int | Fraction) -> str:
    text = str(value)
    return text if len(text) <= 30 else f"{text[:27]}..."


def _hint(given: Sort, wanted: Sort) -> str:
    if wanted is BOOL:
        return "write a comparison, for example x != 0" if given in (INT, REAL) else "write a comparison"
    if given is BOOL and wanted in (INT, REAL):
        return "write If(p, 1, 0) for the number of a Bool"
    if given is REAL and wanted is INT:
        return "write ToInt(x), which rounds down, or a // b"
    if is_bits(given) and wanted is INT:
        return "write BV2Int(x)"
    if is_bits(wanted) and given is INT:
        return f"write Int2BV(x, {wanted.indices[0]})"
    return ""


def join(terms: Sequence[Typed], at: int, what: str) -> tuple[Typed, ...]:
    """Terms made of one sort: bit-vectors before reals before integers.

    Raises:
        ExpressionError: they have no sort in common.
    """
    first = terms[0].sort
    if all(term.sort is first for term in terms):
        return tuple(terms)
    sorts = [term.sort for term in terms]
    target = next((s for s in sorts if is_bits(s)), REAL if all(s in (INT, REAL) for s in sorts) else None)
    if target is None or any(s is not target and s not in (INT, REAL) for s in sorts):
        other = next(s for s in sorts if s is not first)
        hint = _hint(other, first) or _hint(first, other)
        raise ExpressionError(f"{what} must be of one sort, not {show(first)} and {show(other)}", at, hint)
    return tuple(fit(term, target, what) for term in terms)


def numeric(terms: Sequence[Typed], at: int, operator: str) -> tuple[Typed, ...]:
    """Terms made of one sort that has arithmetic: Int, Real or BitVec.

    Raises:
        ExpressionError: one is of another sort.
    """
    for term in terms:
        if term.sort not in (INT, REAL) and not is_bits(term.sort):
            hint = _hint(term.sort, INT)
            if term.sort is STRING:
                hint = "strings are joined by + and Concat"
            raise ExpressionError(f"`{operator}` takes numbers, not {show(term.sort)}", term.at, hint)
    return join(terms, at, f"the operands of `{operator}`")


def bits(terms: Sequence[Typed], at: int, operator: str, hint: str = "") -> tuple[Typed, ...]:
    """Terms made of one bit-vector sort. Raises ExpressionError: none is a bit-vector, or they differ in width."""
    if not any(is_bits(term.sort) for term in terms):
        shown = ", ".join(dict.fromkeys(show(term.sort) for term in terms))
        raise ExpressionError(f"`{operator}` takes bit-vectors, not {shown}", at, hint)
    return join(terms, at, f"the operands of `{operator}`")


def signed(given: Sequence[Typed], joined: Sequence[Typed], operator: str, unsigned: str) -> None:
    """Refuse a numeral that turns negative where bit-vectors are read as signed numbers."""
    for before, after in zip(given, joined, strict=True):
        if is_numeral(before) and is_bits(after.sort) and before.number is not None:
            width = after.sort.indices[0]
            if before.number >= 1 << (width - 1):
                message = f"`{operator}` reads bit-vectors as signed, and {before.number} is no signed number of"
                hint = f"write {unsigned} for unsigned numbers"
                raise ExpressionError(f"{message} {width} bits", before.at, hint)


def balanced(head: str, terms: Sequence[Typed], at: int) -> Typed:
    """An associative binary symbol over many terms, as a tree of logarithmic depth."""
    row = list(terms)
    while len(row) > 1:
        pairs = [apply(head, (a, b), a.sort, at) for a, b in zip(row[::2], row[1::2], strict=False)]
        row = pairs + row[len(pairs) * 2 :]
    return row[0]


def conjunction(terms: Sequence[Typed], at: int, head: str = "and") -> Typed:
    """``and`` (or ``or``) of one or more formulas."""
    return terms[0] if len(terms) == 1 else apply(head, tuple(terms), BOOL, at)


def negation(term: Typed, at: int) -> Typed:
    """``not``."""
    return apply("not", (term,), BOOL, at)


def choose(condition: Typed, then: Typed, otherwise: Typed, at: int) -> Typed:
    """``then if condition else otherwise``."""
    condition = fit(condition, BOOL, "the condition")
    branches = join((then, otherwise), at, "the two branches")
    return apply("ite", (condition, *branches), branches[0].sort, at)


def select(array: Typed, index: Typed, at: int) -> Typed:
    """``array[index]``."""
    if array.sort.name != "Array" or len(array.sort.args) != 2:
        hint = "write SubString(s, i, 1)" if array.sort is STRING else "write function(argument)"
        raise ExpressionError(f"only arrays have an index, not {show(array.sort)}", at, hint)
    return apply("select", (array, fit(index, array.sort.args[0], "the index")), array.sort.args[1], at)
