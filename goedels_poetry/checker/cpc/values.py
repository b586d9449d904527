"""What literals and functions of the theories denote: the evaluation of terms that have one value in every model."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, prod
from typing import TypeAlias

from goedels_poetry.checker.cpc.reader import Value
from goedels_poetry.checker.cpc.rewrites import only
from goedels_poetry.checker.cpc.terms import BOOL, INT, MAX_CODE, MAX_WIDTH, REAL, STRING, Rejected, Term, Terms

Denoted: TypeAlias = "Fraction | bool | int | str"
"""Of a number a fraction, of a bit-vector the whole number that it is without a sign, of a string its characters."""


def evaluate(terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """``(= t c)``, ``c`` the literal that ``t`` denotes. Needs: literals and functions that are given there."""
    term = only(arguments, premises)
    found = _value(term, {})
    if term.sort == BOOL:
        return terms.app("=", term, terms.true if found else terms.false)
    if isinstance(found, str):
        return terms.app("=", term, terms.string(found))
    numeral = terms.number(found, term.sort) if term.sort in (INT, REAL) else terms.bits(int(found), term.width)
    return terms.app("=", term, numeral)


def _value(term: Term, done: dict[Term, Denoted]) -> Denoted:
    """The value of a term without variables and declared functions; a division by zero has none."""
    if term in done:
        return done[term]
    if term.value is not None:
        return Fraction(term.value)
    if term.is_literal:
        return term.op[1]  # type: ignore[return-value]  # of a bit-vector or a string
    if term.op == "@bvsize":
        return Fraction(term.args[0].width)
    name = term.op if isinstance(term.op, str) else term.op[0]
    sorts = [a.sort for a in term.args if a.sort not in (BOOL, INT, REAL, STRING)]
    if term.binders or any(sort[:2] != ("_", "BitVec") for sort in sorts):
        raise Rejected("a term that cannot be evaluated")
    values = [_value(a, done) for a in term.args]
    found: Denoted
    if name in _OF_BITS:
        found = _OF_BITS[str(name)](term, *values)
        if term.sort != BOOL:
            found = int(found) % 2**term.width
    elif name not in _FUNCTIONS or (name in _DIVISIONS and not values[1]):
        raise Rejected("a term that cannot be evaluated")
    else:
        found = _FUNCTIONS[str(name)](*values)
    done[term] = found
    return found


def _quotient(a: Fraction, b: Fraction) -> Fraction:
    """Of integers, so that the remainder is not negative."""
    return Fraction(floor(a / abs(b)) if b > 0 else -floor(a / abs(b)))


def _power(exponent: Fraction) -> Fraction:
    if exponent > MAX_WIDTH:
        raise Rejected("a power that is too large")
    return Fraction(2 ** int(exponent) if exponent >= 0 else 0)


def _logarithm(a: Fraction) -> Fraction:
    if a <= 0:
        raise Rejected("a logarithm of no positive number")
    return Fraction(int(a).bit_length() - 1)


def _part(s: str, start: Fraction, length: Fraction) -> str:
    return s[int(start) : int(start + length)] if 0 <= start < len(s) and length > 0 else ""


_DIVISIONS = frozenset({"div", "mod", "/", "div_total", "mod_total", "/_total"})
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_FUNCTIONS: dict[str, Callable[..., Denoted]] = {
    **_ORDERS,
    "true": lambda: True,
    "false": lambda: False,
    "not": operator.not_,
    "and": lambda *parts: all(parts),
    "or": lambda *parts: any(parts),
    "=>": lambda a, b: not a or b,
    "xor": operator.ne,
    "ite": lambda a, b, c: b if a else c,
    "=": operator.eq,
    "+": lambda *parts: sum(parts, Fraction(0)),
    "-": lambda a, *b: a - b[0] if b else -a,
    "*": lambda *parts: prod(parts, start=Fraction(1)),
    "abs": abs,
    "to_real": lambda a: a,
    "to_int": lambda a: Fraction(floor(a)),
    "is_int": lambda a: a.denominator == 1,
    **dict.fromkeys(("div", "div_total"), _quotient),
    **dict.fromkeys(("mod", "mod_total"), lambda a, b: a - b * _quotient(a, b)),
    **dict.fromkeys(("/", "/_total"), operator.truediv),
    "int.pow2": _power,
    "int.log2": _logarithm,
    "int.ispow2": lambda a: a > 0 and int(a).bit_count() == 1,
    "ubv_to_int": Fraction,
    "str.++": lambda *parts: "".join(parts),
    "str.len": lambda s: Fraction(len(s)),
    "str.at": lambda s, i: _part(s, i, Fraction(1)),
    "str.substr": _part,
    "str.contains": lambda s, t: t in s,
    "str.prefixof": lambda s, t: t.startswith(s),
    "str.suffixof": lambda s, t: t.endswith(s),
    "str.indexof": lambda s, t, i: Fraction(s.find(t, int(i)) if 0 <= i <= len(s) else -1),
    "str.replace": lambda s, t, u: s.replace(t, u, 1),
    "str.replace_all": lambda s, t, u: s.replace(t, u) if t else s,
    "str.to_code": lambda s: Fraction(ord(s) if len(s) == 1 else -1),
    "str.from_code": lambda i: chr(int(i)) if 0 <= i <= MAX_CODE else "",
    "str.to_int": lambda s: Fraction(int(s) if s and set(s) <= set("0123456789") else -1),
    "str.from_int": lambda i: str(int(i)) if i >= 0 else "",
    "str.<=": operator.le,
}
"""At values; each takes as many as its terms have, see `terms`."""


def _signed(value: int, width: int) -> int:
    return value - 2**width if value >> (width - 1) else value


def _joined(term: Term, *values: int) -> int:
    return functools.reduce(
        lambda found, part: found << part[0].width | part[1], zip(term.args, values, strict=True), 0
    )


_OF_BITS: dict[str, Callable[..., int | bool]] = {
    "bvnot": lambda _, a: ~a,
    "bvneg": lambda _, a: -a,
    "bvadd": lambda _, *parts: sum(parts),
    "bvsub": lambda _, a, b: a - b,
    "bvmul": lambda _, *parts: prod(parts),
    "bvand": lambda _, *parts: functools.reduce(operator.and_, parts),
    "bvor": lambda _, *parts: functools.reduce(operator.or_, parts),
    "bvxor": lambda _, *parts: functools.reduce(operator.xor, parts),
    "bvudiv": lambda _, a, b: a // b if b else -1,
    "bvurem": lambda _, a, b: a % b if b else a,
    "bvshl": lambda term, a, b: a << b if b < term.width else 0,
    "bvlshr": lambda term, a, b: a >> min(b, term.width),
    "bvashr": lambda term, a, b: _signed(a, term.width) >> min(b, term.width),
    **{
        f"bvu{n}": lambda _, a, b, f=f: f(a, b) for n, f in zip(("lt", "le", "gt", "ge"), _ORDERS.values(), strict=True)
    },
    **{
        f"bvs{n}": lambda term, a, b, f=f: f(_signed(a, term.args[0].width), _signed(b, term.args[0].width))
        for n, f in zip(("lt", "le", "gt", "ge"), _ORDERS.values(), strict=True)
    },
    "concat": _joined,
    "repeat": lambda term, a: a * (2**term.width - 1) // (2 ** term.args[0].width - 1),
    "extract": lambda term, a: a >> term.op[2],
    "zero_extend": lambda _, a: a,
    "sign_extend": lambda term, a: _signed(a, term.args[0].width),
    "int_to_bv": lambda _, a: int(a),
}
"""Of a term and the values of its arguments; what is no truth value counts modulo the power of its width."""
