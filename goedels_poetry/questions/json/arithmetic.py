"""Arithmetic: what the operators of numbers, bit-vectors and strings mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING
from goedels_poetry.questions.json.sorts import show
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.terms import (
    Typed,
    apply,
    balanced,
    bits,
    fit,
    is_bits,
    is_numeral,
    number,
    numeric,
    signed,
)

MAX_EXPONENT = 16
_MAX_BITS = 4_000


def total(terms: Sequence[tuple[bool, Typed]], at: int) -> Typed:
    """``a + b - c``; strings are joined."""
    given = [term for _, term in terms]
    minus = [negative for negative, _ in terms]
    if any(term.sort is STRING for term in given) and not any(minus):
        return apply("str.++", tuple(fit(term, STRING, "what is joined to a String") for term in given), STRING, at)
    operands = numeric(given, at, "-" if any(minus) else "+")
    sort = operands[0].sort
    if all(map(is_numeral, operands)):
        return number(
            _exactly(sum((-1 if m else 1) * _value(t) for m, t in zip(minus, operands, strict=True)), sort is REAL),
            sort,
            at,
        )
    if len(operands) == 1:
        return operands[0]
    plus = [term for term, negative in zip(operands, minus, strict=True) if not negative]
    less = [term for term, negative in zip(operands, minus, strict=True) if negative]
    if is_bits(sort):
        positive = balanced("bvadd", plus, at)
        return apply("bvsub", (positive, balanced("bvadd", less, at)), sort, at) if less else positive
    if len(operands) == 2 and less:
        return apply("-", operands, sort, at)
    signed_terms = [apply("-", (t,), sort, at) if m else t for t, m in zip(operands, minus, strict=True)]
    return apply("+", tuple(signed_terms), sort, at)


def _value(term: Typed) -> int | Fraction:
    assert term.number is not None
    return term.number


def _exactly(value: int | Fraction, real: bool) -> int | Fraction:
    return Fraction(value) if real else int(value)


def product(given: Sequence[Typed], at: int) -> Typed:
    """``a * b``."""
    operands = numeric(given, at, "*")
    sort = operands[0].sort
    if len(operands) == 1:
        return operands[0]
    if all(map(is_numeral, operands)):
        if sum(_bits(_value(t)) for t in operands) > _MAX_BITS:
            raise ExpressionError("this product of numbers is too large", at)
        return number(_exactly(math.prod(map(_value, operands)), sort is REAL), sort, at)
    return balanced("bvmul", operands, at) if is_bits(sort) else apply("*", operands, sort, at)


def _bits(value: int | Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def negative(term: Typed, at: int) -> Typed:
    """``-a``."""
    (term,) = numeric((term,), at, "-")
    if is_numeral(term):
        return number(-_value(term), term.sort, at)
    return apply("bvneg" if is_bits(term.sort) else "-", (term,), term.sort, at)


def quotient(left: Typed, right: Typed, at: int) -> Typed:
    """``a / b``: the exact quotient, a Real; of bit-vectors the signed one, rounded towards zero."""
    operands = numeric((left, right), at, "/")
    if is_bits(operands[0].sort):
        signed((left, right), operands, "/", "UDiv(a, b)")
        return apply("bvsdiv", operands, operands[0].sort, at)
    if is_numeral(right) and right.number == 0:
        raise ExpressionError("a division by zero", at)
    if is_numeral(left) and is_numeral(right):
        return number(Fraction(_value(left)) / Fraction(_value(right)), REAL, at)
    top, bottom = (fit(operand, REAL, "an operand of `/`") for operand in operands)
    return apply("/", (top, bottom), REAL, at)


def rounded_quotient(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """``a // b`` and ``a % b`` on Int, as in Python: rounded down, the remainder with the sign of the divisor."""
    operands = numeric((left, right), at, operator)
    sort = operands[0].sort
    if is_bits(sort):
        if operator == "//":
            raise ExpressionError("`//` does not divide bit-vectors", at, "write a / b (signed) or UDiv(a, b)")
        signed((left, right), operands, "%", "URem(a, b)")
        return apply("bvsmod", operands, sort, at)
    if sort is REAL:
        raise ExpressionError(f"`{operator}` takes Int, not Real", at, "write a / b, or ToInt(a / b)")
    a, b = operands
    head = "div" if operator == "//" else "mod"
    if b.number is None:
        return _of_any_sign(head, a, b, at)
    if b.number == 0:
        raise ExpressionError("a division by zero", at)
    if b.number < 0:
        hint = f"write -(a {operator} b) or (-a) {operator} b with a positive b, whichever is meant"
        raise ExpressionError(f"`{operator}` by a negative number is rounded differently by different people", at, hint)
    if a.number is not None:
        whole, rest = divmod(int(a.number), int(b.number))
        return number(whole if head == "div" else rest, INT, at)
    return apply(head, operands, INT, at)


def _of_any_sign(head: str, a: Typed, b: Typed, at: int) -> Typed:
    """Rounded down by a divisor whose sign is not known: SMT-LIB rounds down only by positive ones."""
    flipped = apply(head, (apply("-", (a,), INT, at), apply("-", (b,), INT, at)), INT, at)
    if head == "mod":
        flipped = apply("-", (flipped,), INT, at)
    below = apply("<", (b, number(0, INT, at)), BOOL, at)
    return apply("ite", (below, flipped, apply(head, (a, b), INT, at)), INT, at)


def power(base: Typed, exponent: Typed, at: int) -> Typed:
    """``a ** n`` for a constant n: worked out for a number, a product otherwise."""
    (base,) = numeric((base,), at, "**")
    count = exponent.number
    if count is None or exponent.sort is not INT or not isinstance(count, int):
        raise ExpressionError("an exponent must be a whole number", exponent.at, "write it out, for example x**2")
    if is_numeral(base):
        value = _value(base)
        if count < 0 and value == 0:
            raise ExpressionError("a division by zero", at)
        if abs(count) * max(_bits(value) - 1, 1 if _bits(value) > 1 else 0) > _MAX_BITS or abs(count) > 10**9:
            raise ExpressionError("this power is too large", at, f"numbers have at most {_MAX_BITS:,} bits")
        sort = REAL if count < 0 else base.sort
        return number(_exactly(Fraction(value) ** count, sort is REAL), sort, at)
    if not 0 <= count <= MAX_EXPONENT:
        raise ExpressionError(f"an exponent must lie between 0 and {MAX_EXPONENT}", exponent.at, "multiply it out")
    if count == 0:
        return fit(number(1, INT, at), base.sort, "1")
    return product((base,) * count, at)


def bitwise(operator: str, given: Sequence[Typed], at: int) -> Typed:
    """``&``, ``|``, ``^``, ``<<`` and ``>>`` (which keeps the sign) on bit-vectors."""
    instead = {"&": "write And(p, q)", "|": "write Or(p, q)", "^": "write Xor(p, q), or x**2 for a power"}
    operands = bits(given, at, operator, instead.get(operator, "write x * 2**n"))
    head = {"&": "bvand", "|": "bvor", "^": "bvxor", "<<": "bvshl", ">>": "bvashr"}[operator]
    if operator == ">>":
        signed(given[:1], operands[:1], operator, "LShR(a, b)")
    return balanced(head, operands, at)


def ordered(operator: str, left: Typed, right: Typed, at: int) -> Typed:
    """``a < b`` and the like: of numbers, of bit-vectors as signed numbers, of strings by their characters."""
    given = (left, right)
    if any(term.sort is STRING for term in given):
        first, second = (fit(term, STRING, f"an operand of `{operator}`") for term in given)
        flipped = operator.startswith(">")
        pair = (second, first) if flipped else (first, second)
        return apply(f"str.{operator.replace('>', '<')}", pair, BOOL, at)
    for term in given:
        if term.sort not in (INT, REAL) and not is_bits(term.sort):
            hint = "a chain of comparisons, such as a < b < c, needs no parentheses" if term.sort is BOOL else ""
            raise ExpressionError(f"`{operator}` orders numbers, not {show(term.sort)}", term.at, hint)
    operands = numeric(given, at, operator)
    if not is_bits(operands[0].sort):
        return apply(operator, operands, BOOL, at)
    name = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
    signed(given, operands, operator, f"U{name.upper()}(a, b)")
    return apply(f"bvs{name}", operands, BOOL, at)
