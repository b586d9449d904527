"""Polynomials over the integers: sums of monomials, of terms without division or subtraction that may be cut off."""

from __future__ import annotations

from collections.abc import Mapping

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import MOST_BITS, Expr, NotArithmetic, compute

Monomial = tuple[tuple[str, int], ...]
"""Variables with exponents, in order; () for the constant."""
Polynomial = dict[Monomial, int]
MOST_TERMS, MOST_DEGREE = 60, 8


def polynomial(expr: Expr, nat: bool) -> Polynomial:
    """The normal form. ``nat``: subtraction is cut off at 0, and not understood. Raises :class:`NotArithmetic`."""
    if expr.op == "num":
        return {(): expr.value} if expr.value else {}
    if expr.op == "var":
        return {((expr.name, 1),): 1}
    if expr.op == "cast":
        return polynomial(expr.args[0], nat)
    if expr.op == "neg":
        return scaled(polynomial(expr.args[0], nat), -1)
    if expr.op == "^":
        exponent = compute(expr.args[1], {}, {})
        if not 0 <= exponent <= MOST_DEGREE:
            raise NotArithmetic("degree")
        result: Polynomial = {(): 1}
        for _ in range(exponent):
            result = product(result, polynomial(expr.args[0], nat))
        return result
    if expr.op not in "+-*" or len(expr.args) != 2 or (expr.op == "-" and nat):
        raise NotArithmetic(expr.op)
    a, b = (polynomial(x, nat) for x in expr.args)
    return product(a, b) if expr.op == "*" else added(a, b if expr.op == "+" else scaled(b, -1))


def added(a: Mapping[Monomial, int], b: Mapping[Monomial, int]) -> Polynomial:
    """The sum."""
    total = {m: a.get(m, 0) + b.get(m, 0) for m in {**a, **b}}
    return {m: c for m, c in total.items() if c}


def scaled(a: Mapping[Monomial, int], by: int) -> Polynomial:
    """The product with a number."""
    return {m: c * by for m, c in a.items() if c * by}


def product(a: Mapping[Monomial, int], b: Mapping[Monomial, int]) -> Polynomial:
    """The product. Raises :class:`NotArithmetic` when it is too large."""
    total: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            powers = dict(m)
            for name, exponent in n:
                powers[name] = powers.get(name, 0) + exponent
            key = tuple(sorted(powers.items()))
            total[key] = total.get(key, 0) + c * d
    if len(total) > MOST_TERMS or any(abs(c).bit_length() > MOST_BITS for c in total.values()):
        raise NotArithmetic("too large")
    return {m: c for m, c in total.items() if c}


def term_of(normal: Mapping[Monomial, int]) -> Expr:
    """A term with this normal form; its constant comes last."""
    total: Expr | None = None
    for monomial, c in sorted(normal.items(), key=lambda pair: (not pair[0], pair[0])):
        if not c:
            continue
        part: Expr | None = None if abs(c) == 1 and monomial else Expr("num", (), "", abs(c))
        for name, exponent in monomial:
            variable = Expr("var", (), name)
            power = Expr("^", (variable, Expr("num", (), "", exponent))) if exponent > 1 else variable
            part = power if part is None else Expr("*", (part, power))
        assert part is not None
        if total is None:
            total = Expr("neg", (part,)) if c < 0 else part
        else:
            total = Expr("+" if c > 0 else "-", (total, part))
    return total or Expr("num", (), "", 0)
