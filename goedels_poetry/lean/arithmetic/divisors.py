"""Equations with few solutions: what divides a number, or is a power, is one of a few values.

Sources of such values: ``x * y = 2005``; ``x + y + x * y = 80``, which is ``(x + 1) * (y + 1) = 81`` (Simon's favourite
factoring trick); ``x ∣ 12``; greatest common divisors and least common multiples; ``x ^ 2 = 49``. With a
value for one number the others often follow, and each case is a goal for `omega`. Solved here, checked by Lean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, isqrt

from goedels_poetry.lean.arithmetic.polynomials import (
    Monomial,
    Polynomial,
    added,
    omega_reads,
    polynomial,
    scaled,
    term_of,
)
from goedels_poetry.lean.arithmetic.problem import (
    Arithmetic,
    Expr,
    NotArithmetic,
    as_int,
    compute,
    holds,
    is_int,
    lean,
    numeral,
)

# -- Common divisors -----------------------------------------------------------------------------------------------


MOST_NUMBER = 90_000
"""The largest number that divisors are listed of: Lean tries all up to its square root."""
MOST_FACTOR = 12


def gcd_proofs(problem: Arithmetic) -> Iterator[str]:
    """``gcd (21n+4) (14n+3)`` divides ``3·(14n+3) - 2·(21n+4)``, which is a number: it is one of its divisors."""
    for part in dict.fromkeys(p for f in (problem.target, *problem.formulas) for p in f.parts()):
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
    return lines, problem.given(*added_)


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


# -- Equations with few solutions ----------------------------------------------------------------------------------


MOST_SPLIT, MOST_LEAVES = 48, 120
_LEAF = "first | omega | grind | (simp_all; done)"


@dataclass(frozen=True, slots=True)
class Split:
    """One number, or a power of it, is one of these values."""

    term: Expr
    lines: tuple[str, ...]
    """Tactics that leave one goal for each case."""
    cases: tuple[tuple[int, ...], ...]
    """The values of each case, which `omega` proves; () where `omega` sees a contradiction."""

    @property
    def size(self) -> int:
        """How many cases there are to go on with."""
        return sum(map(len, self.cases))


def divisor_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most one tactic."""
    if not any(h.op in ("=", "∣") for _, h in problem.hypotheses):
        return
    facts, problem = common_divisors(problem)
    budget = [MOST_LEAVES]
    lines = _solved(problem, budget, 0)
    if lines is not None and (facts or budget[0] < MOST_LEAVES):
        yield "\n  ".join([*facts, *"\n".join(lines).split("\n")])


def _solved(problem: Arithmetic, budget: list[int], depth: int) -> list[str] | None:
    """Tactics that close the goal; None when no way is seen. ``budget``: how many cases may still be made."""
    lines: list[str] = []
    while True:
        if any(not h.variables() and _false(h, {}, problem) for _, h in problem.hypotheses):
            return [*lines, _LEAF]
        step = _forced(problem)
        if step is None:
            break
        name, value = step
        if value is None:
            return [*lines, "omega"]
        lines.append(f"obtain rfl : {name} = {_number(value)} := by first | omega | grind")
        problem = problem.at(name, numeral(value))
    if not problem.types:
        return [*lines, _LEAF]
    split = min(_splits(problem, depth), key=lambda s: (s.size, len(s.cases)), default=None)
    if split is None or len(split.cases) > budget[0]:
        return [*lines, _LEAF] if depth or lines else None
    budget[0] -= max(1, len(split.cases))
    lines += split.lines
    for values in split.cases:
        arms = [_case(problem, split.term, value, budget, depth) for value in values]
        claim = " ∨ ".join(f"{lean(split.term)} = {_number(v)}" for v in values)
        name = "rfl" if split.term.op == "var" else f"v{depth}"
        if not values:
            lines.append("· omega")
        elif len(values) == 1:
            lines += _bullet([f"obtain {name} : {claim} := by omega", *arms[0]])
        else:
            several = [line for arm in arms for line in _bullet(arm)]
            lines += _bullet([f"rcases (show {claim} by omega) with {'|'.join([name] * len(values))}", *several])
    return lines


def _case(problem: Arithmetic, term: Expr, value: int, budget: list[int], depth: int) -> list[str]:
    """Tactics for the goal where the term has this value."""
    if term.op == "var":
        case = problem.at(term.name, numeral(value))
    else:
        case = problem.given((f"v{depth}", Expr("=", (term, numeral(value)))))
    return _solved(case, budget, depth + 1) or [_LEAF]


def _bullet(lines: list[str]) -> list[str]:
    text = "\n".join(lines).split("\n")
    return [f"· {text[0]}", *(f"  {line}" for line in text[1:])]


def _false(h: Expr, values: dict[str, int], problem: Arithmetic) -> bool:
    try:
        return not holds(h, values, problem.types)
    except NotArithmetic:
        return False


def _equations(problem: Arithmetic) -> Iterator[tuple[str, Polynomial]]:
    """The differences of the sides of the equations that are polynomials, without a factor that all terms have."""
    for name, h in problem.hypotheses:
        if h.op == "=" and h.variables():
            nat = not any(is_int(side, problem.types) for side in h.args)
            try:
                a, b = (polynomial(side, nat) for side in h.args)
            except NotArithmetic:
                continue
            sides = added(a, scaled(b, -1))
            factor = gcd(*(c for m, c in sides.items() if m))
            whole = factor > 1 and sides.get((), 0) % factor == 0
            yield name, {m: c // factor for m, c in sides.items()} if whole else sides


def _forced(problem: Arithmetic) -> tuple[str, int | None] | None:
    """A number that a linear equation gives a value; the value None for an equation that no values solve."""
    for _, sides in _equations(problem):
        terms = [m for m in sides if m]
        if len(terms) == 1 and len(terms[0]) == 1 and terms[0][0][1] == 1:
            name, c = terms[0][0][0], sides[terms[0]]
            value, rest = divmod(-sides.get((), 0), c)
            return name, None if rest or (value < 0 and problem.types.get(name) == "Nat") else value
        if terms and sides.get((), 0) % gcd(*(sides[m] for m in terms)):
            return "", None
    return None


def _splits(problem: Arithmetic, depth: int) -> Iterator[Split]:
    """Numbers with few possible values."""
    label = str(depth)
    for name, h in problem.hypotheses:
        if h.op == "∣" and h.args[1].op == "num" and h.args[1].value > 0:
            yield from _dividing(problem, h.args[0], None, h.args[1].value, name, label)
    for name, sides in _equations(problem):
        terms = [m for m in sides if m]
        rest = -sides.get((), 0)
        yield from _common(problem, sides, terms, rest, name, label)
        yield from _bilinear(problem, sides, terms, rest, name, label)


def _common(
    problem: Arithmetic, sides: Polynomial, terms: list[Monomial], rest: int, equation: str, label: str
) -> Iterator[Split]:
    """A number that is a factor of every term divides the constant term: of a product, a power, or a polynomial in it
    alone."""
    for name in dict.fromkeys(name for monomial in terms for name, _ in monomial) if rest else ():
        if all(any(n == name for n, _ in monomial) for monomial in terms):
            lower = {tuple((n, e - (n == name)) for n, e in m if e > (n == name)): sides[m] for m in terms}
            yield from _dividing(problem, Expr("var", (), name), term_of(lower), rest, equation, label)


def _bilinear(
    problem: Arithmetic, sides: Polynomial, terms: list[Monomial], rest: int, equation: str, label: str
) -> Iterator[Split]:
    """``aXY + bX + cY = d``: ``aX + c`` divides ``ad + bc``."""
    for both in terms:
        if len(both) != 2:
            continue
        x, y = (both[:1], both[1:])
        if set(terms) - {both, x, y}:
            continue
        a, b, c = sides[both], sides.get(x, 0), sides.get(y, 0)
        number = a * rest + b * c
        for one, other, p, q in ((x, y, b, c), (y, x, c, b)):
            if number:
                first, second = term_of({one: a, (): q}), term_of({other: a, (): p})
                yield from _dividing(problem, first, second, number, equation, label)


def _dividing(
    problem: Arithmetic, factor: Expr, cofactor: Expr | None, number: int, proof: str, label: str
) -> Iterator[Split]:
    """The values that ``a * X + c`` may have, a divisor of the number, as values of ``X``, a power of one variable.
    ``cofactor``: what to multiply it by, where ``proof`` is an equation and does not say that it divides."""
    size = abs(number)
    names = factor.variables()
    if len(names) != 1 or size > MOST_NUMBER:
        return
    (name,) = names
    nat = problem.types.get(name) == "Nat"
    try:
        normal = polynomial(factor, nat)
    except NotArithmetic:
        return
    powers = [m for m in normal if m]
    if len(powers) != 1:
        return
    a, c, exponent = normal[powers[0]], normal.get((), 0), powers[0][0][1]
    negative = cofactor is not None and any(p.op in ("neg", "-") for p in cofactor.parts())
    signed = not nat or negative or min(a, c, number) < 0
    if cofactor is None and signed and nat:
        return
    every = divisors_of(size)
    if len(every) > MOST_SPLIT:
        return
    term = term_of({powers[0]: 1})

    def fits(value: int) -> bool:
        if exponent > 1:
            return value >= 0 or exponent % 2 == 1 or not nat
        return (value >= 0 or not nat) and not any(_false(h, {name: value}, problem) for h in _readable(problem, name))

    of = [[(d - c) // a for d in ((e, -e) if signed else (e,)) if (d - c) % a == 0] for e in every]
    cases = tuple(tuple(v for v in values if fits(v)) for values in of)
    # what is said to divide: an integer by its absolute value, which is a natural number
    text = as_int(factor, problem.types) if signed else lean(factor)
    says = proof
    if cofactor is not None:
        second = as_int(cofactor, problem.types) if signed else lean(cofactor)
        lifted = f"(have z := congrArg (Nat.cast (R := Int)) {proof}; push_cast at z; grind)"
        says = f"⟨{second}, by first | grind | {lifted}⟩" if signed and nat else f"⟨{second}, by grind⟩"
    if signed:
        says = f"Int.natAbs_dvd_natAbs.mpr ({says} : {text} ∣ ({number} : Int))"
        text = f"({text}).natAbs"
    lines = [f"have d{label} : {text} ∣ {size} := {says}", *divisor_cases(text, size, label)]
    lines.append(f"rcases c{label} with {'|'.join([f'c{label}'] * len(every))}")
    yield Split(term, tuple(lines), cases)


def _readable(problem: Arithmetic, name: str) -> list[Expr]:
    """The hypotheses about one number alone that `omega` understands."""
    return [h for h in problem.about(name) if omega_reads(h)]


def _number(value: int) -> str:
    return lean(numeral(value))
