"""Inequalities of polynomials: products of hypotheses, and squares, of which a sum shows them.

What is found is only which of them are needed (`linear`); Lean proves that each is not negative and puts them together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from goedels_poetry.lean.arithmetic.problem import (
    MOST_BITS,
    Arithmetic,
    Expr,
    NotArithmetic,
    as_int,
    compute,
    disjuncts,
    is_int,
    lean,
    numeral,
)

# -- Polynomials and the bounds that linear hypotheses give --------------------------------------------------------

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


# -- Inequalities --------------------------------------------------------------------------------------------------

# -- Linear programming in exact fractions -------------------------------------------------------------------------


MOST_PIVOTS = 300


def combination(columns: Sequence[Sequence[int]], wanted: Sequence[int]) -> list[Fraction] | None:
    """Numbers ``x ≥ 0`` with ``Σ x[k]·columns[k] = wanted``; None when there are none, or none within the limit.

    The first phase of the simplex method with Bland's rule, so that it ends.
    """
    rows, count = len(wanted), len(columns)
    table = []
    for r in range(rows):
        sign = -1 if wanted[r] < 0 else 1
        unit = [Fraction(int(k == r)) for k in range(rows)]
        table.append([*(Fraction(sign * column[r]) for column in columns), *unit, Fraction(sign * wanted[r])])
    basis = [count + r for r in range(rows)]
    cost = [sum((row[k] for row in table), Fraction(0)) for k in range(count + rows + 1)]
    for r in range(rows):
        cost[count + r] = Fraction(0)
    for _ in range(MOST_PIVOTS):
        entering = next((k for k in range(count) if cost[k] > 0), None)
        if entering is None:
            break
        ratios = [(row[-1] / row[entering], basis[r], r) for r, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            return None
        leaving = min(ratios)[2]
        pivot = table[leaving][entering]
        table[leaving] = [x / pivot for x in table[leaving]]
        for row in [*(t for r, t in enumerate(table) if r != leaving), cost]:
            factor = row[entering]
            if factor:
                row[:] = [x - factor * y for x, y in zip(row, table[leaving], strict=True)]
        basis[leaving] = entering
    if cost[-1] != 0:
        return None
    found = [Fraction(0)] * count
    for r, k in enumerate(basis):
        if k < count:
            found[k] = table[r][-1]
    return found


# -- Inequalities of polynomials -----------------------------------------------------------------------------------


MOST_FACTORS, MOST_COLUMNS = 9, 70
_OPPOSITE = {"≤": ">", "<": "≥", "≥": "<", ">": "≤"}
_SQUARE = (
    "have sq : ∀ t : Int, 0 ≤ t * t := fun t => by\n"
    "    rcases Int.le_total 0 t with h | h\n"
    "    · exact Int.mul_nonneg h h\n"
    "    · exact Int.mul_nonneg_of_nonpos_of_nonpos h h"
)

Factor = tuple[str, Polynomial]
"""A term of type Int that is not negative, as text, and its normal form."""


def square_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics for an inequality, or for a contradiction between inequalities."""
    targets = [t for t in disjuncts(problem.target) if t.op in _OPPOSITE] or [problem.target]
    for target in targets[:2]:
        found = inequality(problem, target)
        if found is not None:
            yield found


def inequality(problem: Arithmetic, target: Expr) -> str | None:
    """A proof of the target (an inequality, else False is proved) by products; None when none is found."""
    try:
        opposite = [_nonneg(Expr(_OPPOSITE[target.op], target.args), problem)] if target.op in _OPPOSITE else []
        facts = [f for _, h in problem.hypotheses for f in _factors(h, problem)]
    except NotArithmetic:
        return None
    facts += [_number(n, problem) for n, t in problem.types.items() if t == "Nat"]
    plain = [*opposite, *facts]
    products = _products(plain[:MOST_FACTORS], problem)
    columns = [*((text, p, "") for text, p in plain), *products][:MOST_COLUMNS]
    equations = [e for _, h in problem.hypotheses if h.op == "=" for e in _equations(h, problem)]
    used = _needed([p for _, p, _ in columns], equations)
    if used is None:
        return None
    proofs = [columns[k] for k in used if k < len(columns) and columns[k][2]]
    lines = [_SQUARE] + [f"have p{k} : 0 ≤ {text} := {proof}" for k, (text, _, proof) in enumerate(proofs)]
    if opposite:
        lines = ["apply Decidable.byContradiction; intro hneg", *lines]
    return "\n  ".join([*lines, "grind"])


def _number(name: str, problem: Arithmetic) -> Factor:
    return as_int(Expr("var", (), name), problem.types), {((name, 1),): 1}


def _nonneg(relation: Expr, problem: Arithmetic) -> Factor:
    """``a < b`` as ``0 ≤ b - a - 1``."""
    a, b = relation.args if relation.op in ("<", "≤") else relation.args[::-1]
    strict = relation.op in ("<", ">")
    normal = _difference(b, a, problem)
    text = f"({as_int(b, problem.types)} - {as_int(a, problem.types)}{' - 1' if strict else ''})"
    return text, added(normal, {(): -1}) if strict else normal


def _difference(a: Expr, b: Expr, problem: Arithmetic) -> Polynomial:
    nat = not any(is_int(side, problem.types) for side in (a, b))
    return added(polynomial(a, nat), scaled(polynomial(b, nat), -1))


def _factors(h: Expr, problem: Arithmetic) -> list[Factor]:
    try:
        return [_nonneg(h, problem)] if h.op in _OPPOSITE else []
    except NotArithmetic:
        return []


def _equations(h: Expr, problem: Arithmetic) -> list[Polynomial]:
    try:
        return [_difference(h.args[0], h.args[1], problem)]
    except NotArithmetic:
        return []


def _products(factors: Sequence[Factor], problem: Arithmetic) -> list[tuple[str, Polynomial, str]]:
    """Squares of simple terms, then products of two factors: text, normal form, proof."""
    found: list[tuple[str, Polynomial, str]] = []
    names = problem.names[:4]
    one = [_number(n, problem) for n in names]
    simple = [*one]
    for (a, p), (b, q) in itertools.combinations(one, 2):
        simple += [(f"({a} - {b})", added(p, scaled(q, -1))), (f"({a} + {b})", added(p, q))]
    for a, p in one:
        for c in (1, 2, 3, 5):
            simple += [(f"({a} - {c})", added(p, {(): -c})), (f"({a} + {c})", added(p, {(): c}))]
    for text, p in simple:
        found.append((f"{text} * {text}", product(p, p), f"sq {text}"))
    for (a, p), (b, q) in itertools.combinations_with_replacement(factors, 2):
        if max((sum(e for _, e in m) for m in (*p, *q)), default=0) > 3:
            continue
        try:
            found.append((f"{a} * {b}", product(p, q), "Int.mul_nonneg (by omega) (by omega)"))
        except NotArithmetic:
            continue
    # a square times what is not negative: for cubes
    for text, p in simple[: len(names) + 2 * len(names) * (len(names) - 1) // 2]:
        for a, q in factors:
            if max((sum(e for _, e in m) for m in q), default=0) == 1:
                found.append(
                    (f"({text} * {text}) * {a}", product(product(p, p), q), f"Int.mul_nonneg (sq {text}) (by omega)")
                )
    return found


def _needed(columns: Sequence[Polynomial], equations: Sequence[Polynomial]) -> list[int] | None:
    """The columns of a sum (with the equations, both ways round) that is -1."""
    every: list[Polynomial] = [*columns, *equations, *(scaled(e, -1) for e in equations), {(): 1}]
    monomials = sorted({m for p in every for m in p} | {()})
    table = [[p.get(m, 0) for m in monomials] for p in every]
    found = combination(table, [-1 if m == () else 0 for m in monomials])
    return None if found is None else [k for k, x in enumerate(found) if x and k < len(columns)]
