"""Induction on an exponent or another number, from the first value that the hypotheses leave."""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, holds
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
        yield from _moved_over(problem, name, start)
        others = [h for h, f in problem.hypotheses if name in f.variables()]
        if start and len(others) <= 2:
            cleared = " ".join(dict.fromkeys(h.split(".")[0] for h in others))
            yield f"{shifted}\n  clear {cleared}\n  {_induction('w')}"
        elif not start:
            yield _induction(name)


def _moved_over(problem: Arithmetic, name: str, start: int) -> Iterator[str]:
    """``a = b - c`` of natural numbers from ``a + c = b``, which says more and goes through the induction."""
    target = problem.target
    if start or target.op != "=" or any(t == "Int" for t in problem.types.values()):
        return
    for side, other in (target.args, target.args[::-1]):
        if side.op == "-":
            claim = f"{lean(other)} + {lean(side.args[1])} = {lean(side.args[0])}"
            yield f"have moved : {claim} := by\n    {_induction(name).replace(chr(10), chr(10) + '  ')}\n  omega"


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
    if expr.op == "natAbs":
        return f"(Int.natAbs {lean(expr.args[0])})"
    if expr.op == "¬":
        return f"(¬ {lean(expr.args[0])})"
    if expr.op in ("∃", "∀"):
        typed = f" : {expr.args[1].name}" if expr.args[1].name else ""
        return f"({expr.op} {expr.name}{typed}, {lean(expr.args[0])})"
    return f"({lean(expr.args[0])} {expr.op} {lean(expr.args[1])})"
