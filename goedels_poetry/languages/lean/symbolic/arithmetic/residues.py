"""Proofs modulo a number: each remainder of each variable is a case, and powers repeat."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import prod

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import (
    RELATIONS,
    Expr,
    NotArithmetic,
    compute,
    holds,
    is_int,
)
from goedels_poetry.languages.lean.symbolic.arithmetic.polynomials import Polynomial, polynomial
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic, negated_into
from goedels_poetry.languages.lean.symbolic.arithmetic.ranges import omega_reads
from goedels_poetry.languages.lean.symbolic.attempts import any_of

MOST_CASES = 81
MODULI = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16)
HUGE = 2_000
MOST_SEEN = 200
"""Values up to this size show which remainders hypotheses leave."""
MOST_MODULUS = 400
_DVD = "Nat.dvd_iff_mod_eq_zero, Int.dvd_iff_emod_eq_zero"
_SIMP = "Int.pow_succ, Nat.pow_succ, Int.sub_emod, Int.mul_emod, Int.add_emod, Nat.mul_mod, Nat.add_mod"


def residue_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics, those with few cases first."""
    yield from _no_solution(problem)
    names = [n for n in problem.names if any(n in f.variables() for f in _formulas(problem))]
    if names and not any(_unbounded_power(f) for f in _formulas(problem)):
        rows = [(m, {n: _remainders(problem, n, m) for n in names}) for m in _moduli(problem)]
        rows = [(m, rests) for m, rests in rows if 0 < prod(map(len, rests.values())) <= MOST_CASES]
        int_ = any(is_int(a, problem.types) for a in _relation(problem.target).args)
        shown = {n: f"({n} : Int)" if int_ and problem.types[n] == "Nat" else n for n in names}
        for modulus, rests in rows:
            first = "first | omega | " if problem.hypotheses else ""
            yield _by_remainders({shown[n]: rest for n, rest in rests.items()}, modulus, first)
        for modulus, rests in rows:
            yield _by_cases(rests, modulus)
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


def _relation(target: Expr) -> Expr:
    """The first relation of a formula."""
    return target if target.op in RELATIONS or not target.args else _relation(target.args[0])


def _remainders(problem: Arithmetic, name: str, modulus: int) -> list[int]:
    """The remainders that a number may have by what hypotheses about it alone, that `omega` understands, say."""
    own = [h for h in problem.about(name) if omega_reads(h)]
    values = range(-MOST_SEEN if problem.types[name] == "Int" else 0, MOST_SEEN)
    try:
        seen = {v % modulus for v in values if all(holds(h, {name: v}, problem.types) for h in own)} if own else set()
    except NotArithmetic:
        seen = set()
    return sorted(seen) or list(range(modulus))


def _by_cases(names: dict[str, list[int]], modulus: int) -> str:
    """Each number is a multiple of the modulus and a rest: `grind` knows what to do with the polynomials."""
    lines = []
    for k, (name, rests) in enumerate(names.items()):
        cases = " ∨ ".join(f"{name} = {modulus} * ({name} / {modulus}) + {rest}" for rest in rests)
        lines.append(f"have c{k} : {cases} := by omega")
        lines.append(f"generalize {name} / {modulus} = q{k} at c{k}")
    splits = [f"rcases c{k} with {'|'.join(['rfl'] * len(rests))}" for k, rests in enumerate(names.values())]
    split = " <;> ".join(splits)
    return "\n  ".join([*lines, f"{split} <;> {any_of(['grind', 'omega'])}"])


def _by_remainders(names: dict[str, list[int]], modulus: int, first: str) -> str:
    """Each remainder is a case, and `simp` computes with remainders: quick, and its proofs are short."""
    lines, split, facts = _remainder_cases(names, modulus)
    return "\n  ".join([*lines, f"{split} <;> {first}simp [{_DVD}, {_SIMP}, {facts}]"])


def _remainder_cases(names: dict[str, list[int]], modulus: int) -> tuple[list[str], str, str]:
    """What has to be stated for each remainder to be a case, the tactic that makes the cases, and the names of what it
    knows in each."""
    lines = []
    for k, (name, rests) in enumerate(names.items()):
        cases = " ∨ ".join(f"{name} % {modulus} = {rest}" for rest in rests)
        lines.append(f"have c{k} : {cases} := by omega")
    splits = [f"rcases c{k} with {'|'.join([f'c{k}'] * len(rests))}" for k, rests in enumerate(names.values())]
    return lines, " <;> ".join(splits), ", ".join(f"c{k}" for k in range(len(names)))


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
            rests = {n: list(range(modulus)) for n in names if _matters(sides, n, modulus)}
            lines, split, facts = _remainder_cases(rests, modulus)
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
