"""Common divisors: what divides two numbers divides their combinations, and what divides a number is one of a few."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isqrt

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, compute
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

MOST_NUMBER = 90_000
"""The largest number that divisors are listed of: Lean tries all up to its square root."""
MOST_FACTOR = 12


def gcd_proofs(problem: Arithmetic) -> Iterator[str]:
    """``gcd (21n+4) (14n+3)`` divides ``3·(14n+3) - 2·(21n+4)``, which is a number: it is one of its divisors."""
    for part in dict.fromkeys(p for f in (problem.target, *(h for _, h in problem.hypotheses)) for p in f.parts()):
        names = sorted(part.variables())
        if part.op != "gcd" or not names or any(problem.types.get(n) != "Nat" for n in names):
            continue
        a, b = part.args
        found = min(_combinations(a, b, names, problem), default=None)
        if found is None or found[0] > MOST_NUMBER:
            continue
        number, u, v, in_order = found
        va, vb = lean(a), lean(b)
        (p, first), (q, second) = ((va, "l"), (vb, "r")) if in_order else ((vb, "r"), (va, "l"))
        lines = [
            f"have l := Nat.gcd_dvd_left {va} {vb}",
            f"have r := Nat.gcd_dvd_right {va} {vb}",
            f"have dg := Nat.dvd_sub (Nat.dvd_mul_left_of_dvd {first} {u}) (Nat.dvd_mul_left_of_dvd {second} {v})",
            f"rw [show {u} * {p} - {v} * {q} = {number} by omega] at dg",
            *divisor_cases(lean(part), number, "g"),
            f"rcases cg with {'|'.join(['cg'] * len(divisors_of(number)))}"
            " <;> first | omega | (rw [cg] at l r; omega) | (simp_all; done)",
        ]
        yield "\n  ".join("\n".join(lines).split("\n"))


def _combinations(a: Expr, b: Expr, names: list[str], problem: Arithmetic) -> Iterator[tuple[int, int, int, bool]]:
    """The numbers ``u·a - v·b``, or ``u·b - v·a``, that do not depend on the variables: number, u, v, whether it is the
    first."""
    try:
        rows = [{name: n + k * n for k, name in enumerate(names)} for n in (1, 2, 5, 11)]
        values = [(compute(a, row, problem.types), compute(b, row, problem.types)) for row in rows]
    except NotArithmetic:
        return
    for u in range(1, MOST_FACTOR + 1):
        for v in range(1, MOST_FACTOR + 1):
            for in_order in (True, False):
                several = {u * x - v * y if in_order else u * y - v * x for x, y in values}
                if len(several) == 1 and min(several) > 0:
                    yield several.pop(), u, v, in_order


def common_divisors(problem: Arithmetic) -> tuple[list[str], Arithmetic]:
    """What hypotheses on ``gcd a b`` and ``lcm a b`` say of ``a`` and ``b`` without these functions: as tactics, and as
    hypotheses."""
    lines: list[str] = []
    added_: list[tuple[str, Expr]] = []
    of = {f.args[0]: (n, f.args[1]) for n, f in problem.hypotheses if f.op == "=" and f.args[0].op in ("gcd", "lcm")}
    for k, (function, (name, value)) in enumerate(of.items()):
        a, b = function.args
        if any(problem.types.get(n) == "Int" for n in a.variables() | b.variables()):
            continue
        for side, x in (("left", a), ("right", b)):
            if not x.variables():
                continue
            lemma = f"Nat.{function.op}_dvd_{side}" if function.op == "gcd" else f"Nat.dvd_lcm_{side}"
            fact = Expr("∣", (value, x) if function.op == "gcd" else (x, value))
            lines.append(f"have g{k}{side[0]} : {lean(fact)} := {name} ▸ {lemma} {lean(a)} {lean(b)}")
            added_.append((f"g{k}{side[0]}", fact))
        other = of.get(Expr("lcm", (a, b)))
        if function.op == "gcd" and other is not None:
            fact = Expr("=", (Expr("*", (value, other[1])), Expr("*", (a, b))))
            proof = f"by have e := Nat.gcd_mul_lcm {lean(a)} {lean(b)}; rw [{name}, {other[0]}] at e; exact e"
            lines.append(f"have g{k}p : {lean(fact)} := {proof}")
            added_.append((f"g{k}p", fact))
    return lines, replace(problem, hypotheses=(*problem.hypotheses, *added_))


def divisors_of(number: int) -> list[int]:
    """In order."""
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def divisor_cases(text: str, number: int, label: str) -> list[str]:
    """Tactics that prove ``text = 1 ∨ text = …`` as ``c``, from ``d`` that says that it divides the number: it or its
    cofactor is at most the root of the number, and all of those are tried."""
    every = divisors_of(number)
    least = isqrt(number) + 1
    small = [d for d in every if d < least]
    smaller = " ∨ ".join(f"x = {d}" for d in small)
    patterns = "|".join(["rfl"] * len(small))
    return [
        f"have c{label} : {' ∨ '.join(f'{text} = {d}' for d in every)} := by",
        f"  generalize {text} = m at d{label} ⊢",
        f"  obtain ⟨k, e⟩ := d{label}",
        f"  have t : ∀ x, x < {least} → x ∣ {number} → {smaller} := by decide +kernel",
        f"  rcases Nat.lt_or_ge m {least} with s | s",
        f"  · rcases t m s ⟨k, e⟩ with {patterns} <;> decide",
        f"  · have l : k < {least} := Decidable.byContradiction fun g => by",
        "      have := Nat.mul_le_mul s (Nat.le_of_not_lt g); omega",
        f"    rcases t k l ⟨m, by rw [e, Nat.mul_comm]⟩ with {patterns}",
        *(f"    · obtain rfl : m = {number // d} := by omega\n      decide" for d in small),
    ]
