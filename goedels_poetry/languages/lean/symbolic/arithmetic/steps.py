"""Induction on an exponent or another number, from the first value that the hypotheses leave."""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, compute, holds
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic
from goedels_poetry.languages.lean.symbolic.attempts import any_of

MOST_START = 40
_POWERS = "Nat.pow_succ, Int.pow_succ, Nat.pow_mul, Nat.mul_add, Nat.add_mul, Nat.pow_add"


def inductions(problem: Arithmetic) -> Iterator[str]:
    """Tactics; the variables of exponents first."""
    exponents = {n for p in problem.target.parts() if p.op == "^" for n in p.args[1].variables()}
    used = problem.target.variables()
    for name in sorted(used, key=lambda n: (n not in exponents, n)):
        if problem.types.get(name) != "Nat":
            continue
        start = _start(problem, name)
        shifted = f"obtain ⟨w, rfl⟩ : ∃ w, {name} = w + {start} := ⟨{name} - {start}, by omega⟩"
        if name in exponents and start:
            yield f"{shifted}\n  {any_of([f'(simp only [{_POWERS}] at *; omega)', 'grind'])}"
        others = [h for h, f in problem.hypotheses if name in f.variables()]
        if start and len(others) <= 2:
            cleared = " ".join(dict.fromkeys(h.split(".")[0] for h in others))
            yield f"{shifted}\n  clear {cleared}\n  {_induction('w')}"
        elif not start:
            yield _induction(name)


def _induction(name: str) -> str:
    nonneg = f"have p0 := Nat.zero_le ({name} * {name}); have p1 := Nat.zero_le ({name} * {name} * {name})"
    closers = [
        f"(simp [{_POWERS}] at *; omega)",
        "grind",
        f"({nonneg}; grind)",
        f"(simp only [{_POWERS}] at *; omega)",
        "decide",
        "omega",
    ]
    close = f"first | {' | '.join(closers)}"
    return f"induction {name} with\n  | zero => {close}\n  | succ {name} ih => {close}"


def _start(problem: Arithmetic, name: str) -> int:
    """The least value that the hypotheses about the number alone leave; 0 for none."""
    own = problem.about(name)
    try:
        fitting = [v for v in range(MOST_START) if all(holds(h, {name: v}, problem.types) for h in own)]
    except NotArithmetic:
        return 0
    return fitting[0] if fitting else 0


def gcd_proofs(problem: Arithmetic) -> Iterator[str]:
    """A common divisor divides every combination: ``gcd (21n+4) (14n+3)`` divides ``3·(14n+3) - 2·(21n+4)``."""
    target = problem.target
    if target.op != "=" or target.args[0].op != "gcd" or target.args[1] != Expr("num", (), "", 1):
        return
    a, b = target.args[0].args
    names = sorted(a.variables() | b.variables())
    for u in range(1, 13):
        for v in range(1, 13):
            for left, right, x, y, in_order in ((a, b, u, v, True), (b, a, u, v, False)):
                if _always_one(left, right, x, y, names, problem):
                    va, vb = (f"({lean(e)})" for e in (a, b))
                    first, second = ("l", "r") if in_order else ("r", "l")
                    p, q = (va, vb) if in_order else (vb, va)
                    yield "\n  ".join(
                        [
                            f"have l := Nat.gcd_dvd_left {va} {vb}",
                            f"have r := Nat.gcd_dvd_right {va} {vb}",
                            f"have d := Nat.dvd_sub (Nat.dvd_mul_left_of_dvd {first} {x}) "
                            f"(Nat.dvd_mul_left_of_dvd {second} {y})",
                            f"rw [show {x} * {p} - {y} * {q} = 1 by omega] at d",
                            "exact Nat.dvd_one.mp d",
                        ]
                    )
                    return


def _always_one(a: Expr, b: Expr, u: int, v: int, names: list[str], problem: Arithmetic) -> bool:
    try:
        return all(
            u * compute(a, at, problem.types) - v * compute(b, at, problem.types) == 1
            for n in (1, 2, 5)
            for at in [{name: n + k for k, name in enumerate(names)}]
        )
    except NotArithmetic:
        return False


def lean(expr: Expr) -> str:
    """A term as Lean text."""
    if expr.op == "num":
        return str(expr.value)
    if expr.op == "var":
        return expr.name
    if expr.op == "cast":
        return f"({lean(expr.args[0])} : {expr.name})"
    if expr.op == "app":
        return f"({expr.name} {' '.join(lean(a) for a in expr.args)})"
    if expr.op == "neg":
        return f"(-{lean(expr.args[0])})"
    if expr.op in ("gcd", "lcm"):
        return f"(Nat.{expr.op} {' '.join(lean(a) for a in expr.args)})"
    if expr.op in ("min", "max"):
        return f"({expr.op} {' '.join(lean(a) for a in expr.args)})"
    if expr.op == "¬":
        return f"(¬ {lean(expr.args[0])})"
    if expr.op in ("∃", "∀"):
        typed = f" : {expr.args[1].name}" if expr.args[1].name else ""
        return f"({expr.op} {expr.name}{typed}, {lean(expr.args[0])})"
    return f"({lean(expr.args[0])} {expr.op} {lean(expr.args[1])})"


__all__ = ["gcd_proofs", "inductions", "lean"]
