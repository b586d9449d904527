"""Powers of a number with a variable exponent: they repeat modulo another number, and they grow."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd, lcm

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, holds
from goedels_poetry.languages.lean.symbolic.arithmetic.polynomials import polynomial
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

MOST_PERIOD, MOST_EXPONENT, MOST_MODULUS = 30, 40, 5_000
Power = tuple[Expr, int, int, int]
"""``base ^ (k * n + c)``: the term, base, k, c."""


def exponent_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics; those for all remainders of an exponent first."""
    for name, type_ in problem.types.items():
        powers = _powers(problem, name) if type_ == "Nat" else []
        if powers:
            yield from _periodic(problem, name, powers)
            yield from _small(problem, name, powers)


def _powers(problem: Arithmetic, name: str) -> list[Power]:
    """The powers of numerals whose exponent is linear in a variable."""
    found: dict[Expr, Power] = {}
    for formula in (problem.target, *(h for _, h in problem.hypotheses)):
        for part in formula.parts():
            if part.op != "^" or part.args[0].op != "num" or part.args[1].variables() != {name}:
                continue
            try:
                exponent = polynomial(part.args[1], True)
            except NotArithmetic:
                return []
            k, c = exponent.get(((name, 1),), 0), exponent.get((), 0)
            if len(exponent) > 1 + bool(c) or not k or part.args[0].value < 2:
                return []
            found[part] = (part, part.args[0].value, k, c)
    return list(found.values())


def _periodic(problem: Arithmetic, name: str, powers: list[Power]) -> Iterator[str]:
    """Modulo a number powers repeat: one case for each remainder of the exponent."""
    for modulus in _moduli(problem, powers):
        if any(gcd(base, modulus) != 1 for _, base, _, _ in powers):
            continue
        period = lcm(*(_order(pow(base, k, modulus), modulus) for _, base, k, _ in powers))
        if not 1 <= period <= MOST_PERIOD:
            continue
        cases = " ∨ ".join(f"{name} % {period} = {r}" for r in range(period))
        lines = [f"have c : {cases} := by omega"]
        for n, (_, base, k, _) in enumerate(powers):
            whole = f"({base} ^ {k * period}) ^ ({name} / {period})"
            lines.append(f"have p{n} : {whole} % {modulus} = 1 := by rw [Nat.pow_mod]; simp")
        lines.append(f"rcases c with {'|'.join(['c'] * period)}")
        for r in range(period):
            arm = []
            for n, (term, _, k, c) in enumerate(powers):
                split = f"{lean(term.args[1])} = {k * period} * ({name} / {period}) + {k * r + c}"
                arm.append(f"have e{n} := congrArg ({lean(term.args[0])} ^ ·) (show {split} by omega)")
                arm.append(f"simp only [Nat.pow_add, Nat.pow_mul] at e{n} p{n} ⊢")
            lines += ["· " + arm[0], *(f"  {line}" for line in [*arm[1:], "first | omega | (simp_all; omega)"])]
        yield "\n  ".join(lines)


def _moduli(problem: Arithmetic, powers: list[Power]) -> list[int]:
    """The numbers that something with these powers is divided by."""
    found = []
    for formula in (problem.target, *(h for _, h in problem.hypotheses)):
        for part in formula.parts():
            if part.op in ("%", "∣"):
                inside, by = part.args if part.op == "%" else part.args[::-1]
                if (
                    by.op == "num"
                    and 1 < by.value <= MOST_MODULUS
                    and any(term in inside.parts() for term, *_ in powers)
                ):
                    found.append(by.value)
    return list(dict.fromkeys(found))


def _order(value: int, modulus: int) -> int:
    """The least exponent of a power that is 1."""
    power, n = value % modulus, 1
    while power != 1 % modulus:
        power, n = power * value % modulus, n + 1
    return n


def _small(problem: Arithmetic, name: str, powers: list[Power]) -> Iterator[str]:
    """Where the hypotheses leave only small exponents: each is a case, and for larger ones the powers are too large."""
    own = [h for h in problem.about(name) if any(p.op == "^" for p in h.parts())]
    try:
        fitting = [v for v in range(MOST_EXPONENT) if all(holds(h, {name: v}, problem.types) for h in own)]
    except NotArithmetic:
        return
    if not own or (fitting and fitting[-1] == MOST_EXPONENT - 1):
        return
    least = max(fitting, default=-1) + 1
    lines = [f"rcases Nat.lt_or_ge {name} {least} with h | h"]
    if least:
        cases = " ∨ ".join(f"{name} = {v}" for v in range(least))
        lines.append(f"· have c : {cases} := by omega")
        lines.append(f"  rcases c with {'|'.join(['rfl'] * least)} <;> first | omega | (simp_all; done)")
    else:
        lines.append("· omega")
    arm = []
    for n, (term, base, k, c) in enumerate(powers):
        larger = f"(show {k * least + c} ≤ {lean(term.args[1])} by omega)"
        arm.append(f"have g{n} := Nat.pow_le_pow_right (show 0 < {base} by decide) {larger}")
    lines += ["· " + arm[0], *(f"  {line}" for line in [*arm[1:], "omega"])]
    yield "\n  ".join(lines)
