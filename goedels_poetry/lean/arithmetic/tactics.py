"""The arithmetical proofs that are worth trying on a goal, cheapest first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from math import gcd, lcm, prod

from goedels_poetry.lean.arithmetic.divisors import divisor_proofs, gcd_proofs
from goedels_poetry.lean.arithmetic.polynomials import Polynomial, omega_reads, polynomial
from goedels_poetry.lean.arithmetic.predicates import NO_PREDICATES, Predicate, written_out
from goedels_poetry.lean.arithmetic.problem import (
    RELATIONS,
    Arithmetic,
    Expr,
    NotArithmetic,
    arithmetic_of,
    compute,
    holds,
    is_int,
    lean,
    negated_into,
    numeral,
    put_in,
    reduced,
    unpacked,
)
from goedels_poetry.lean.arithmetic.roots import table_proofs, term_proofs, within_ranges
from goedels_poetry.lean.tactics.theory import Goal

# -- Sequences -----------------------------------------------------------------------------------------------------

MOST_STEPS = 160


def recurrence_proofs(problem: Arithmetic) -> Iterator[str]:
    """At most one tactic: hypotheses on all values of a sequence, at every index between those that are spoken of."""
    ground = [f for f in problem.formulas if f.op != "∀" and not f.variables() & set(problem.types)]
    places = [compute(p.args[0], {}, {}) for f in ground for p in f.parts() if _is_value(p)]
    rules = [(name, h) for name, h in problem.hypotheses if h.op == "∀" and any(map(_is_value, h.parts()))]
    if not rules or not places or max(places) - min(places) > MOST_STEPS:
        return
    span = range(min(places), max(places) + 1)
    lines = [line for number, (name, rule) in enumerate(rules) for line in _instances(name, rule, number, span)]
    if lines:
        cleared = "".join(f"try clear {name}\n  " for name, _ in rules)
        yield "\n  ".join([*lines, f"{cleared}first | omega | grind"])


def _is_value(expr: Expr) -> bool:
    return expr.op == "app" and len(expr.args) == 1


def _instances(name: str, rule: Expr, number: int, span: range) -> Iterator[str]:
    """``∀ n, condition → equation`` at the values for which it speaks of no index beyond the span."""
    int_, conditions, body = rule.args[1].name in ("Int", "ℤ"), list[Expr](), rule.args[0]
    while body.op == "→":
        conditions.append(body.args[0])
        body = body.args[1]
    types = {rule.name: "Int" if int_ else "Nat"}
    for k in range(span.start - MOST_SHIFT, span.stop + MOST_SHIFT):
        with suppress(NotArithmetic):
            if (k < 0 and not int_) or not all(holds(c, {rule.name: k}, types) for c in conditions):
                continue
            instance = _grounded(put_in(body, rule.name, numeral(k)), int_)
            if all(compute(p.args[0], {}, {}) in span for p in instance.parts() if p.op == "app"):
                applied = " ".join([name, lean(numeral(k)), *["(by decide)"] * len(conditions)])
                yield f"have r{number}_{str(k).replace('-', 'n')} : {lean(instance)} := {applied}"


MOST_SHIFT = 6
"""How far an index may be from the variable of its rule."""


def _grounded(expr: Expr, int_: bool) -> Expr:
    """The expression with each index a numeral."""
    if expr.op == "app" and len(expr.args) != 1:
        raise NotArithmetic(expr.name)
    if expr.op == "app":
        return replace(expr, args=(numeral(compute(expr.args[0], {}, {}, int_)),))
    return replace(expr, args=tuple(_grounded(a, int_) for a in expr.args))


# -- Powers of a number with a variable exponent -------------------------------------------------------------------


MOST_PERIOD, MOST_PERIODIC = 30, 5_000
Power = tuple[Expr, int, int, int]
"""``base ^ (k * n + c)``: the term, base, k, c."""


def exponent_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics for all remainders of an exponent."""
    for name, type_ in problem.types.items():
        powers = _powers(problem, name) if type_ == "Nat" else []
        if powers:
            yield from _periodic(problem, name, powers)


def _powers(problem: Arithmetic, name: str) -> list[Power]:
    """The powers of numerals whose exponent is linear in a variable."""
    found: dict[Expr, Power] = {}
    for part in (p for formula in problem.formulas for p in formula.parts() if p.op == "^"):
        base, exponent = part.args
        if base.op == "num" and exponent.variables() == {name}:
            normal = polynomial(exponent, True)
            k, c = normal.get(((name, 1),), 0), normal.get((), 0)
            if len(normal) > 1 + bool(c) or not k or base.value < 2:
                return []
            found[part] = (part, base.value, k, c)
    return list(found.values())


def _periodic(problem: Arithmetic, name: str, powers: list[Power]) -> Iterator[str]:
    """Modulo a number powers repeat: one case for each remainder of the exponent."""
    for modulus in _moduli_of_exponents(problem, powers):
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


def _moduli_of_exponents(problem: Arithmetic, powers: list[Power]) -> list[int]:
    """The numbers that something with these powers is divided by."""
    found = []
    for part in (p for formula in problem.formulas for p in formula.parts() if p.op in ("%", "∣")):
        inside, by = part.args if part.op == "%" else part.args[::-1]
        if by.op == "num" and 1 < by.value <= MOST_PERIODIC and any(term in inside.parts() for term, *_ in powers):
            found.append(by.value)
    return list(dict.fromkeys(found))


def _order(value: int, modulus: int) -> int:
    """The least exponent of a power that is 1."""
    power, n = value % modulus, 1
    while power != 1 % modulus:
        power, n = power * value % modulus, n + 1
    return n


# -- Proofs modulo a number ----------------------------------------------------------------------------------------


MOST_CASES = 81
MODULI = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16)
MOST_SEEN = 200
"""Values up to this size show which remainders hypotheses leave."""
_DVD = "Nat.dvd_iff_mod_eq_zero, Int.dvd_iff_emod_eq_zero"
_SIMP = "Int.pow_succ, Nat.pow_succ, Int.sub_emod, Int.mul_emod, Int.add_emod, Nat.mul_mod, Nat.add_mod"


def residue_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics, those with few cases first."""
    yield from _no_solution(problem)
    names = [n for n in problem.names if any(n in f.variables() for f in problem.formulas)]
    if names and not any(_unbounded_power(f) for f in problem.formulas):
        rows = [(m, {n: _remainders(problem, n, m) for n in names}) for m in _moduli(problem)]
        rows = [(m, rests) for m, rests in rows if 0 < prod(map(len, rests.values())) <= MOST_CASES]
        int_ = any(is_int(a, problem.types) for a in _relation(problem.target).args)
        shown = {n: f"({n} : Int)" if int_ and problem.types[n] == "Nat" else n for n in names}
        for modulus, rests in rows:
            first = "first | omega | " if problem.hypotheses else ""
            yield _by_remainders({shown[n]: rest for n, rest in rests.items()}, modulus, first)


def _unbounded_power(expr: Expr) -> bool:
    return any(p.op == "^" and p.args[1].variables() for p in expr.parts())


def _moduli(problem: Arithmetic) -> list[int]:
    """The numbers that something is divided by, those of the target first."""
    parts = [p for formula in problem.formulas[::-1] for p in formula.parts() if p.op in ("%", "∣")]
    divisors = [p.args[1 if p.op == "%" else 0] for p in parts]
    found = [by.value for by in divisors if by.op == "num" and 1 < by.value <= MOST_CASES]
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
    rows = (dict(zip(names, row, strict=True)) for row in itertools.product(range(modulus), repeat=len(names)))
    return all(_at(sides[0], row, modulus) != _at(sides[1], row, modulus) for row in rows)


def _at(side: Polynomial, values: dict[str, int], modulus: int) -> int:
    total = 0
    for monomial, c in side.items():
        for name, exponent in monomial:
            c = c * pow(values[name], exponent, modulus) % modulus
        total += c
    return total % modulus


def _matters(sides: list[Polynomial], name: str, modulus: int) -> bool:
    return any(c % modulus and any(n == name for n, _ in m) for side in sides for m, c in side.items())


MOST_EACH = 5
_GENERATORS: tuple[Callable[[Arithmetic], Iterator[str]], ...] = (
    within_ranges,
    table_proofs,
    term_proofs,
    gcd_proofs,
    divisor_proofs,
    exponent_proofs,
    recurrence_proofs,
    residue_proofs,
)


def arithmetic(goal: Goal, predicates: Mapping[str, Predicate] = NO_PREDICATES) -> list[str]:
    """Tactics; [] when the goal is no arithmetic. ``predicates``: those of the file, by name.

    Nothing here takes more than a second.
    """
    problem = arithmetic_of(goal)
    if problem is None:
        return []
    found = _generated(problem)
    with suppress(NotArithmetic):
        step, inner = written_out(problem, predicates) or ("", problem)
        more = _changed(inner) + _generated(inner) if step else []
        found += [f"{step}\n  {text}" for text in more]
    found += _changed(problem)
    if not problem.types:
        found.append("decide +kernel")
    if problem.target.op == "∧":
        found += [
            f"refine ⟨?_, ?_⟩\n  all_goals\n    {text.replace(chr(10), chr(10) + '  ')}" for text in found[:MOST_EACH]
        ]
    if problem.target.op == "↔":
        found.append("(constructor <;> intro h <;> grind)")
    return list(dict.fromkeys(found))


def _changed(problem: Arithmetic) -> list[str]:
    """The tactics that fit what a first step makes of the problem."""
    found: list[str] = []
    for change in (reduced, unpacked):
        with suppress(NotArithmetic):
            step, inner = change(problem) or ("", problem)
            found += [f"{step}\n  {text}" for text in _generated(inner)] if step else []
    return found


def bounded_cases(goal: Goal) -> list[str]:
    """The proof that goes through all values of the goal's numbers, where linear hypotheses leave few; else []."""
    problem = arithmetic_of(goal)
    if problem is None:
        return []
    try:
        return list(islice(within_ranges(problem), 1))
    except NotArithmetic:
        return []


def _generated(problem: Arithmetic) -> list[str]:
    found: list[str] = []
    for generator in _GENERATORS:
        with suppress(NotArithmetic):
            found += islice(generator(problem), MOST_EACH)
    return found
