"""Inequalities of polynomials: products of hypotheses, and squares, of which a sum shows them.

What is found is only which of them are needed (`linear`); Lean proves that each is not negative and puts them together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from goedels_poetry.lean.arithmetic.polynomials import Polynomial, added, polynomial, product, scaled
from goedels_poetry.lean.arithmetic.problem import Arithmetic, Expr, NotArithmetic, as_int, disjuncts, is_int

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
