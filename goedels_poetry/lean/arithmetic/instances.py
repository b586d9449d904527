"""Values that meet the hypotheses of a goal and make it false, found by computing."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress

from goedels_poetry.lean.arithmetic.polynomials import omega_reads
from goedels_poetry.lean.arithmetic.predicates import NO_PREDICATES, Predicate, quantified, spelled, weaker, written_out
from goedels_poetry.lean.arithmetic.problem import (
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    arithmetic_of,
    at_values,
    compute,
    conjuncts,
    holds,
    is_int,
    lean,
    read,
)
from goedels_poetry.lean.arithmetic.roots import intervals
from goedels_poetry.lean.tactics.theory import Goal

SECONDS = 0.8
RADII = {
    0: (0,),
    1: (3_000, 30_000),
    2: (12, 40, 150, 2_000),
    3: (4, 12, 40, 150),
    4: (3, 12, 40),
    5: (2, 6),
    6: (2, 16),
}
"""How far from 0 numbers are looked for, one after the other, by how many there are."""
_STEPWISE = frozenset({"%", "/", "gcd", "lcm", "min", "max", "natAbs", "app", "∃", "∀"})
"""What is no polynomial of its arguments, even where three values say so."""
MOST, MOST_BOUND, MOST_SMALL = 6, 40, 24


def false_instances(goal: Goal, predicates: Mapping[str, Predicate]) -> list[dict[str, str]]:
    """Values of the numbers of a goal, as Lean text; [] when it is no arithmetic or none are found in time."""
    problem = _understood(goal, predicates)
    if problem is None:
        return []
    until = time.thread_time() + SECONDS
    given = _given(problem)
    for radius in RADII[len(problem.types) - len(given)]:
        found = list(itertools.islice(_false_within(problem, given, radius, until), MOST))
        if found:
            return [{n: str(v) for n, v in values.items()} for values in found]
    return []


def fitting_instances(goal: Goal, predicates: Mapping[str, Predicate]) -> list[dict[str, str]]:
    """Small values of the one number of a goal that meet its hypotheses, whatever the goal says about it."""
    problem = _understood(goal, predicates)
    if problem is None or len(problem.types) != 1:
        return []
    rows = [{problem.names[0]: v} for v in range(MOST_SMALL)]
    fitting = [row for row in rows if all(_is(True, h, row, problem) for _, h in problem.hypotheses)]
    return [{n: str(v) for n, v in row.items()} for row in fitting]


def _understood(goal: Goal, predicates: Mapping[str, Predicate]) -> Arithmetic | None:
    """The goal, where its variables are a few numbers and its hypotheses are formulas."""
    problem = arithmetic_of(goal)
    if problem is None or not 0 < len(problem.types) <= max(RADII):
        return None
    covered = {*problem.types, *(name.split(".")[0] for name, _ in problem.hypotheses)}
    if any(v.name not in covered for v in goal.context):
        return None
    with suppress(NotArithmetic):
        return (written_out(problem, predicates) or ("", problem))[1]
    return None


def _given(problem: Arithmetic) -> dict[str, int]:
    """The numbers that a hypothesis says the value of, such as ``r = 1342 % 13``."""
    found: dict[str, int] = {}
    for _, h in problem.hypotheses:
        for side, other in (h.args, h.args[::-1]) if h.op == "=" else ():
            if side.op == "var" and side.name in problem.types and not other.variables():
                with suppress(NotArithmetic):
                    found[side.name] = compute(other, {}, problem.types, problem.types[side.name] == "Int")
    return found


def _false_within(problem: Arithmetic, given: dict[str, int], radius: int, until: float) -> Iterator[dict[str, int]]:
    """Values up to a radius, the first variable's smallest first; a hypothesis is asked as soon as it has a value."""
    names = sorted(problem.names, key=lambda n: n not in given)
    due: list[list[Expr]] = [[] for _ in names]
    for _, h in problem.hypotheses:
        due[max((names.index(n) for n in h.variables()), default=0)].append(h)

    def fill(values: dict[str, int]) -> Iterator[dict[str, int]]:
        if len(values) == len(names):
            if _is(False, problem.target, values, problem):
                yield values
            return
        name, asked = names[len(values)], due[len(values)]
        signed = problem.types[name] == "Int"
        known = [given[name]] if name in given else _solved(name, asked, values, problem)
        for size in range(radius + 1) if known is None else known:
            for value in (size, -size) if signed and size and known is None else (size,):
                if time.thread_time() > until:
                    return
                more = {**values, name: value}
                if all(_is(True, h, more, problem) for h in asked):
                    yield from fill(more)

    yield from fill({})


def _solved(name: str, asked: list[Expr], values: dict[str, int], problem: Arithmetic) -> list[int] | None:
    """What an equation that is linear in the number leaves it, and the first few values, since subtraction may be cut
    off; None where there is no such equation."""
    for h in asked:
        stepwise = any(p.op in _STEPWISE and name in p.variables() for p in h.parts())
        if h.op != "=" or name not in h.variables() or stepwise:
            continue
        int_ = any(is_int(a, problem.types) for a in h.args)
        with suppress(NotArithmetic):
            rows = [[compute(a, {**values, name: v}, problem.types, int_) for a in h.args] for v in range(3)]
            zero, one, two = (a - b for a, b in rows)
            if one != zero and two - one == one - zero:
                value, rest = divmod(-zero, one - zero)
                fits = not rest and (value >= 0 or problem.types[name] == "Int")
                return list(dict.fromkeys([*([value] if fits else []), 0, 1, 2]))
    return None


def _is(wanted: bool, formula: Expr, values: dict[str, int], problem: Arithmetic) -> bool:
    """Whether a formula can be computed and has this truth value."""
    try:
        return holds(formula, values, problem.types, MOST_BOUND) == wanted
    except NotArithmetic:
        return False


def none_below(
    goal: Goal, values: dict[str, str], definitions: str = "", predicates: Mapping[str, Predicate] = NO_PREDICATES
) -> str | None:
    """A tactic for ``¬ target`` at these values, where the target says that numbers exist: `omega` finds bounds for
    them, and all below are tried, with the ``definitions`` unfolded. None when it says nothing of that kind."""
    text = goal.target
    try:
        target = read(text)
    except NotArithmetic:
        return None
    names = []
    while target.op == "∃":
        if target.args[1].name not in ("", *NUMBERS):
            return None
        names.append(target.name)
        target = target.args[0]
    if not names or len(names) > 3:
        return None
    bound = max([abs(int(v)) for v in values.values() if v.lstrip("-").isdecimal()], default=0) + 1
    if bound > MOST_BOUND:
        return None
    plain = "set_option synthInstance.maxSize 2000 in decide +kernel"
    decide = f"first | {plain} | (simp only [{definitions}]; {plain})" if definitions else plain
    parts = [at_values(c, values) for c in conjuncts(target)]
    hyps = [f"e{k}" for k in range(len(parts))]
    unclear = [(h, part) for h, part in zip(hyps, parts, strict=True) if part.op == "=" and not omega_reads(part)]
    known = intervals(Arithmetic(dict.fromkeys(names, "Nat"), tuple(unclear), target))
    limits = {n: min(bound, known.high.get(n, bound)) + 1 for n in names}
    weak = []
    for part, hyp in zip(parts, hyps, strict=True):
        try:
            body = spelled(part, predicates)
        except NotArithmetic:
            return None
        about = body != part or quantified(body)
        weak.append(weaker(body, f"(show {lean(body)} from {hyp})", bound + 1) if about else (lean(part), hyp))
    weak.sort(key=lambda pair: "∀" in pair[0])  # what is quick to decide saves the rest
    all_of = " ∧ ".join(text for text, _ in weak)
    table = "".join(f"∀ {n}, {n} < {limits[n]} → " for n in names)
    proofs = [proof for _, proof in weak]
    given = " ".join([*(f"{n} (by omega)" for n in names), f"⟨{', '.join(proofs)}⟩" if len(proofs) > 1 else proofs[0]])
    first = f"rintro ⟨{', '.join([*names, *hyps])}⟩"
    return "\n    ".join(["", first, *known.lines, f"exact (by {decide} : {table}¬ ({all_of})) {given}"])
