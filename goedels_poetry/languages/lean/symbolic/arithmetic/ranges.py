"""Bounds that linear hypotheses and divisors give, by passing intervals from one variable to the next.

Only which bounds there are is found here; `omega` proves each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, numeral
from goedels_poetry.languages.lean.symbolic.arithmetic.polynomials import Polynomial, added, polynomial, scaled
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

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
    if expr.op == "*" and all(a.variables() for a in expr.args):
        return False
    if expr.op in "/%∣":
        by = expr.args[0] if expr.op == "∣" else expr.args[1]
        if by.op != "num":
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
