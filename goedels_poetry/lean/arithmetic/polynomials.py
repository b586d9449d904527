"""Polynomials over the integers, and the bounds that linear hypotheses and divisors give to each variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from goedels_poetry.lean.arithmetic.problem import (
    MOST_BITS,
    Arithmetic,
    Expr,
    NotArithmetic,
    compute,
    lean,
    numeral,
)

# -- Bounds that linear hypotheses and divisors give, by passing intervals from one variable to the next -----------


ROUNDS, MOST = 8, 100_000
_OMEGA = frozenset({"+", "-", "*", "/", "%", "∣", "neg", "cast", "=", "≠", "<", "≤", ">", "≥", "∧", "∨", "¬", "→", "↔"})


@dataclass(slots=True)
class Ranges:
    """What is known of each number; a bound that nothing gives is not there."""

    low: dict[str, int] = field(default_factory=dict)
    high: dict[str, int] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    """Tactics that state what a divisor gives, before `omega` is asked."""

    def of(self, name: str) -> tuple[int, int] | None:
        """Both bounds of a number; None when one is missing."""
        return (self.low[name], self.high[name]) if name in self.low and name in self.high else None


def linear_ranges(problem: Arithmetic) -> Ranges:
    """The ranges of the numbers of a problem, as far as its linear hypotheses and divisors of numerals say."""
    ranges = Ranges(low={n: 0 for n, t in problem.types.items() if t == "Nat"})
    rows: list[Polynomial] = []
    for name, h in problem.hypotheses:
        rows += _rows(h, problem)
        for divisor, number, proof in _divisors(name, h):
            nat = not any(problem.types.get(n) == "Int" for n in divisor.variables())
            if nat and divisor.variables() and number > 0:
                ranges.facts.append(f"have := Nat.le_of_dvd (by omega) {proof}")
                rows += _rows(Expr("≤", (divisor, numeral(number))), problem)
    for _ in range(ROUNDS):
        before = dict(ranges.low), dict(ranges.high)
        for row in rows:
            _pass(row, ranges)
        if (ranges.low, ranges.high) == before:
            break
    return ranges


def omega_reads(expr: Expr) -> bool:
    """Whether `omega` understands a formula: products and divisions by numerals only."""
    if expr.op in ("num", "var"):
        return True
    if expr.op == "^":
        return not expr.variables()
    if expr.op in "/%∣" and expr.args[0 if expr.op == "∣" else 1].op != "num":
        return False
    if expr.op == "*" and all(a.variables() for a in expr.args):
        return False
    return expr.op in _OMEGA and all(omega_reads(a) for a in expr.args)


def _divisors(name: str, h: Expr) -> list[tuple[Expr, int, str]]:
    """What the hypothesis says to divide a numeral: divisor, numeral, proof."""
    if h.op == "∣" and h.args[1].op == "num":
        return [(h.args[0], h.args[1].value, name)]
    if h.op == "=" and h.args[0].op == "lcm" and h.args[1].op == "num":
        a, b = h.args[0].args
        sides = ((a, "left"), (b, "right"))
        return [(s, h.args[1].value, f"({name} ▸ Nat.dvd_lcm_{side} {lean(a)} {lean(b)})") for s, side in sides]
    return []


def _rows(h: Expr, problem: Arithmetic) -> list[Polynomial]:
    """Linear terms that are not positive when the hypothesis holds."""
    if h.op not in ("=", "<", "≤", ">", "≥"):
        return []
    nat = not any(problem.types.get(n) == "Int" for n in h.variables())
    try:
        a, b = (polynomial(side, nat) for side in h.args)
    except NotArithmetic:
        return []
    difference = added(a, scaled(b, -1))
    if any(sum(e for _, e in m) > 1 for m in difference):
        return []
    if h.op == "=":
        return [difference, scaled(difference, -1)]
    row = difference if h.op in ("<", "≤") else scaled(difference, -1)
    return [added(row, {(): 1}) if h.op in ("<", ">") else row]


def _pass(row: Polynomial, ranges: Ranges) -> None:
    """What the others of a sum ``≤ 0`` leave to each of its variables."""
    parts = {m[0][0]: c for m, c in row.items() if m}
    for name, c in parts.items():
        least = row.get((), 0)
        for other, d in parts.items():
            bound = (ranges.low if d > 0 else ranges.high).get(other)
            if other != name and bound is None:
                break
            least += d * (bound or 0) if other != name else 0
        else:
            if c > 0:
                ranges.high[name] = min(ranges.high.get(name, MOST), max(-MOST, -least // c))
            else:
                ranges.low[name] = max(ranges.low.get(name, -MOST), min(MOST, -(-least // -c)))


# -- Polynomials over the integers ---------------------------------------------------------------------------------


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
