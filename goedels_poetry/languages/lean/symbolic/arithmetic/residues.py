"""Proofs modulo a number: each remainder of each variable is a case, and powers repeat."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, compute, holds
from goedels_poetry.languages.lean.symbolic.arithmetic.polynomials import Polynomial, polynomial
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic, negated_into
from goedels_poetry.languages.lean.symbolic.attempts import any_of

MOST_CASES = 81
MODULI = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16)
HUGE = 2_000
MOST_MODULUS = 400
_DVD = "Nat.dvd_iff_mod_eq_zero, Int.dvd_iff_emod_eq_zero"
_SIMP = "Int.pow_succ, Nat.pow_succ, Int.sub_emod, Int.mul_emod, Int.add_emod, Nat.mul_mod, Nat.add_mod"


def residue_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics, those with few cases first."""
    yield from _no_solution(problem)
    names = [n for n in problem.names if any(n in f.variables() for f in _formulas(problem))]
    if names and not any(_unbounded_power(f) for f in _formulas(problem)):
        for modulus in _moduli(problem):
            if modulus ** len(names) <= MOST_CASES:
                yield _by_remainders(names, modulus, "first | omega | " if problem.hypotheses else "")
        for modulus in _moduli(problem):
            if modulus ** len(names) <= MOST_CASES:
                yield _by_cases(names, modulus)
    if names:
        yield from _rewritten(problem)


def powers(problem: Arithmetic) -> Iterator[str]:
    """For a remainder of a number to a huge power: the power is reduced by a period before anything computes it."""
    target = problem.target
    if target.op != "=" or target.args[0].op != "%":
        return
    inside, modulus = target.args[0].args
    try:
        m = compute(modulus, {}, {})
        base, exponent = (compute(a, {}, {}) for a in inside.args) if inside.op == "^" else (0, 0)
    except (NotArithmetic, ValueError):
        return
    if exponent < HUGE or not 1 < m <= MOST_MODULUS:
        return
    for period in range(1, m + 1):
        if pow(base, period, m) == 1:
            times, rest = divmod(exponent, period)
            yield (
                f"rw [show ({exponent} : Nat) = {period} * {times} + {rest} from rfl, Nat.pow_add, Nat.pow_mul, "
                f"Nat.mul_mod, Nat.pow_mod ({base} ^ {period}), show {base} ^ {period} % {m} = 1 from rfl, Nat.one_pow]"
            )
            return


def is_huge(problem: Arithmetic) -> bool:
    """Whether computing a power of the goal would take more than a moment."""
    for formula in _formulas(problem):
        for part in formula.parts():
            if part.op == "^" and part.args[1].op == "num" and part.args[1].value > HUGE * 10:
                return True
    return False


def _formulas(problem: Arithmetic) -> list[Expr]:
    return [*(h for _, h in problem.hypotheses), problem.target]


def _unbounded_power(expr: Expr) -> bool:
    return any(p.op == "^" and p.args[1].variables() for p in expr.parts())


def _moduli(problem: Arithmetic) -> list[int]:
    """The numbers that something is divided by, those of the target first."""
    found = []
    for formula in [problem.target, *(h for _, h in problem.hypotheses)]:
        for part in formula.parts():
            by = part.args[1] if part.op == "%" else part.args[0] if part.op == "∣" else None
            if by is not None and by.op == "num" and 1 < by.value <= MOST_CASES:
                found.append(by.value)
    small = sorted({d for m in found for d in range(2, m) if m % d == 0}, reverse=True)
    return list(dict.fromkeys([*found, *small]))


def _by_cases(names: list[str], modulus: int) -> str:
    """Each number is a multiple of the modulus and a rest: `grind` knows what to do with the polynomials."""
    lines = []
    for k, name in enumerate(names):
        cases = " ∨ ".join(f"{name} = {modulus} * ({name} / {modulus}) + {rest}" for rest in range(modulus))
        lines.append(f"have c{k} : {cases} := by omega")
        lines.append(f"generalize {name} / {modulus} = q{k} at c{k}")
    split = " <;> ".join(f"rcases c{k} with {'|'.join(['rfl'] * modulus)}" for k in range(len(names)))
    return "\n  ".join([*lines, f"{split} <;> {any_of(['grind', 'omega'])}"])


def _by_remainders(names: list[str], modulus: int, first: str) -> str:
    """Each remainder is a case, and `simp` computes with remainders: quick, and its proofs are short."""
    lines, split, facts = _remainder_cases(names, modulus)
    return "\n  ".join([*lines, f"{split} <;> {first}simp [{_DVD}, {_SIMP}, {facts}]"])


def _remainder_cases(names: list[str], modulus: int) -> tuple[list[str], str, str]:
    """What has to be stated for each remainder to be a case, the tactic that makes the cases, and the names of what it
    knows in each."""
    lines = []
    for k, name in enumerate(names):
        cases = " ∨ ".join(f"{name} % {modulus} = {rest}" for rest in range(modulus))
        lines.append(f"have c{k} : {cases} := by omega")
    split = " <;> ".join(f"rcases c{k} with {'|'.join([f'c{k}'] * modulus)}" for k in range(len(names)))
    return lines, split, ", ".join(f"c{k}" for k in range(len(names)))


def _rewritten(problem: Arithmetic) -> Iterator[str]:
    """The remainders that hypotheses give, put into the target."""
    known = [name for name, h in problem.hypotheses if h.op == "=" and h.args[0].op == "%"]
    if known and any(p.op in "%∣" for p in problem.target.parts()):
        yield f"simp [{_DVD}, {_SIMP}, {', '.join(known)}]"
    for modulus in _moduli(problem):
        mods = []
        for k, name in enumerate(problem.names):
            rest = _remainder(problem, name, modulus)
            if rest is not None:
                mods.append((f"m{k}", f"{name} % {modulus} = {rest}"))
        if mods:
            lines = [f"have {m} : {fact} := by omega" for m, fact in mods]
            yield "\n  ".join([*lines, f"simp [{_DVD}, {_SIMP}, {', '.join(m for m, _ in mods)}]"])


def _remainder(problem: Arithmetic, name: str, modulus: int) -> int | None:
    """The only remainder that the hypotheses about one number alone leave it, among small values."""
    own = problem.about(name)
    if not own:
        return None
    values = range(-40 if problem.types[name] == "Int" else 0, 400)
    try:
        seen = {v % modulus for v in values if all(holds(h, {name: v}, problem.types) for h in own)}
    except NotArithmetic:
        return None
    return seen.pop() if len(seen) == 1 else None


def _no_solution(problem: Arithmetic) -> Iterator[str]:
    """An equation between polynomials without a solution modulo something."""
    inner = negated_into(problem)
    intro = "intro hn\n  " if inner else ""
    problem = inner or problem
    if problem.target != Expr("var", (), "False"):
        return
    for name, h in problem.hypotheses:
        names = sorted(h.variables())
        if h.op != "=" or not names:
            continue
        try:
            sides = [polynomial(a, False) for a in h.args]
        except NotArithmetic:
            continue
        for modulus in MODULI:
            if modulus ** len(names) > MOST_CASES * 4 or not _unsolvable(sides, names, modulus):
                continue
            int_ = all(problem.types.get(n) == "Int" for n in names)
            lines, split, facts = _remainder_cases([n for n in names if _matters(sides, n, modulus)], modulus)
            lemmas = _SIMP if int_ else f"{_SIMP}, Nat.pow_mod"
            reduced = f"have e := congrArg (· % {modulus}) {name}"
            yield intro + "\n  ".join([reduced, *lines, f"{split} <;> simp [{lemmas}, {facts}] at e"])
            break


def _unsolvable(sides: list[Polynomial], names: list[str], modulus: int) -> bool:
    for row in itertools.product(range(modulus), repeat=len(names)):
        values = dict(zip(names, row, strict=True))
        left, right = (_at(side, values, modulus) for side in sides)
        if left == right:
            return False
    return True


def _at(side: Polynomial, values: dict[str, int], modulus: int) -> int:
    total = 0
    for monomial, c in side.items():
        for name, exponent in monomial:
            c = c * pow(values[name], exponent, modulus) % modulus
        total += c
    return total % modulus


def _matters(sides: list[Polynomial], name: str, modulus: int) -> bool:
    return any(c % modulus and any(n == name for n, _ in m) for side in sides for m, c in side.items())


__all__ = ["is_huge", "powers", "residue_proofs"]
