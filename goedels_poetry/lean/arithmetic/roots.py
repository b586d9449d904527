"""Solutions found by plain computation: factors of equations, values between bounds, witnesses."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import replace

from goedels_poetry.lean.arithmetic.monotone import table
from goedels_poetry.lean.arithmetic.polynomials import linear_ranges, omega_reads
from goedels_poetry.lean.arithmetic.problem import (
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    holds,
    lean,
    numeral,
    put_in,
)
from goedels_poetry.lean.arithmetic.squares import inequality
from goedels_poetry.lean.tactics.attempts import any_of

# -- Terms for what a goal says to exist, in the variables of the goal ---------------------------------------------


SECONDS = 0.4
MOST_ROWS, MOST_VALUE, MOST_FOUND, MOST_TRIED = 12, 7, 3, 1_500
_LEAF = "(by first | omega | grind | (simp; done))"


def term_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics that name a term for each number that the target says to exist, wherever in a conjunction it says so."""
    bound = _bound(problem.target)
    if not bound or len(bound) > 2 or not problem.types or not problem.target.variables():
        return
    rows = _rows(problem)
    if not rows:
        return
    tried = itertools.islice(itertools.product(_candidates(problem), repeat=len(bound)), MOST_TRIED)
    found, until = 0, time.thread_time() + SECONDS
    for terms in sorted(tried, key=lambda ts: sum(len(t.parts()) for t in ts)):
        try:
            body, proof = _named(problem.target, list(terms))
            if all(holds(body, row, problem.types) for row in rows):
                yield f"exact {proof}"
                found += 1
        except NotArithmetic:
            return
        if found == MOST_FOUND or time.thread_time() > until:
            return


def _bound(target: Expr) -> list[str]:
    if target.op == "∃" and target.args[1].name in ("", *NUMBERS):
        return [target.name, *_bound(target.args[0])]
    return [n for a in target.args for n in _bound(a)] if target.op == "∧" else []


def _named(target: Expr, terms: list[Expr]) -> tuple[Expr, str]:
    """The target with the terms, taken from the front, for what it says to exist; and the proof that has them."""
    if target.op == "∃":
        term = terms.pop(0)
        body, proof = _named(put_in(target.args[0], target.name, term), terms)
        return body, f"⟨{lean(term)}, {proof}⟩"
    if target.op == "∧" and _bound(target):
        parts = [_named(a, terms) for a in target.args]
        return replace(target, args=tuple(p for p, _ in parts)), f"⟨{', '.join(p for _, p in parts)}⟩"
    return target, _LEAF


def _candidates(problem: Arithmetic) -> list[Expr]:
    """Simple terms in the variables."""
    names = [Expr("var", (), n) for n in problem.names[:3]]
    found = [numeral(0), numeral(1), numeral(2), *names]
    for x in names:
        found += [Expr("+", (x, numeral(c))) for c in (1, 2)]
        found += [Expr(op, (x, y)) for op in "+-*" for y in names if op == "*" or y != x]
        found += [Expr(op, (x, numeral(2))) for op in "*/"]
        found += [Expr("+", (Expr("*", (numeral(2), x)), numeral(1))), Expr("+", (Expr("*", (x, x)), numeral(1)))]
    return list(dict.fromkeys(found))


def _rows(problem: Arithmetic) -> list[dict[str, int]]:
    """Small values that meet the hypotheses."""
    sets = [range(-MOST_VALUE if t == "Int" else 0, MOST_VALUE + 1) for t in problem.types.values()]
    rows = (dict(zip(problem.names, row, strict=True)) for row in itertools.islice(itertools.product(*sets), 4_000))
    try:
        fitting = (r for r in rows if all(holds(h, r, problem.types) for _, h in problem.hypotheses))
        return list(itertools.islice(fitting, MOST_ROWS))
    except NotArithmetic:
        return []


# -- Solutions found by plain computation --------------------------------------------------------------------------


SEARCH_SECONDS = 0.4
MOST_VALUES, MOST_CASES = 60, 40


def witness_proofs(problem: Arithmetic) -> Iterator[str]:
    """Values for what the target says to exist."""
    target, names, types = problem.target, [], dict(problem.types)
    while target.op == "∃":
        type_ = target.args[1].name or ("Int" if "Int" in types.values() else "Nat")
        names.append(target.name)
        types[target.name] = type_
        target = target.args[0]
    if not names or target.variables() - set(names):
        return
    sets = [range(-30 if types[n] == "Int" else 0, 400 if len(names) == 1 else 60) for n in names]
    until = time.thread_time() + SEARCH_SECONDS
    for row in sorted(itertools.islice(itertools.product(*sets), 4_000), key=lambda r: sum(map(abs, r))):
        if time.thread_time() > until:
            return
        try:
            if holds(target, dict(zip(names, row, strict=True)), types):
                yield f"exact ⟨{', '.join(map(str, row))}, by {any_of(['decide', 'omega', 'simp', 'grind'])}⟩"
                return
        except NotArithmetic:
            return


def within_ranges(problem: Arithmetic) -> Iterator[str]:
    """Numbers that linear hypotheses leave few values: all of them, or one that makes the rest linear."""
    names, known = _assumed(problem), linear_ranges(problem)
    ranges = {n: range(r[0], r[1] + 1) for n in names if (r := known.of(n)) is not None}
    if names and len(ranges) == len(names):
        yield from _finished(problem, ranges, known.facts)
    for name, values in ranges.items():
        if 0 < len(values) <= MOST_CASES and all(map(omega_reads, problem.at(name, numeral(values[0])).formulas)):
            yield from _finished(problem, {name: values}, known.facts)


def bounded(problem: Arithmetic) -> Iterator[str]:
    """Numbers that lie between bounds which products of hypotheses prove."""
    names, known = _assumed(problem), linear_ranges(problem)
    open_ = [n for n in names if known.of(n) is None]
    seen = _solutions(problem, names) if open_ and len(names) <= 3 else None
    if seen is None:
        return
    facts, problem = ordered(problem)
    lines, ranges = [*known.facts, *facts], {}
    for k, name in enumerate(names):
        linear = known.of(name)
        if linear is not None:
            ranges[name] = range(linear[0], linear[1] + 1)
            continue
        ends = {1: 0, -1: 0}
        for sign in (1, -1) if problem.types[name] == "Int" else (1,):
            far = max(0, *(sign * row[k] for row in [*seen, (0,) * len(names)]))
            tried = [sign * b for b in (far, *range(far + 1, 2 * far + 9, 4), 40)]
            ends[sign], proof = _least_proved(problem, tried, name, below=sign < 0)
            if not proof and len(names) > 1:
                return
            sides = [name, lean(numeral(ends[sign]))][::sign]
            lines.append(f"have b{k}_{max(sign, 0)} : {' ≤ '.join(sides)} := by\n    {proof or 'grind'}")
        ranges[name] = range(ends[-1], ends[1] + 1)
    yield from _finished(problem, ranges, lines)


def _assumed(problem: Arithmetic) -> list[str]:
    """The numbers that a hypothesis is about."""
    return [n for n in problem.names if any(n in h.variables() for _, h in problem.hypotheses)]


def _finished(problem: Arithmetic, ranges: dict[str, range], lines: list[str]) -> Iterator[str]:
    """Cases, or a table that the kernel computes, for numbers between bounds that `omega` proves after these lines."""
    total = math.prod(map(len, ranges.values()))
    if not total:
        return  # then `omega` alone shows that the hypotheses contradict each other
    if total <= MOST_CASES:
        cases = [" ∨ ".join(f"{name} = {lean(numeral(v))}" for v in values) for name, values in ranges.items()]
        stated = [f"have c{k} : {case} := by omega" for k, case in enumerate(cases)]
        splits = [f"rcases c{k} with {'|'.join(['rfl'] * len(values))}" for k, values in enumerate(ranges.values())]
        closed = f"{' <;> '.join(splits)} <;> {any_of(['omega', 'simp_all', 'grind'])}"
        yield "\n  ".join([*lines, *stated, closed])
    if ranges.keys() >= set(_assumed(problem)) and all(problem.types[n] == "Nat" for n in ranges):
        decided = table(problem, {n: values[-1] for n, values in ranges.items()})
        if decided is not None:
            yield "\n  ".join([*lines, *decided])


def ordered(problem: Arithmetic) -> tuple[list[str], Arithmetic]:
    """Which of two numbers is the smaller, where products of hypotheses show it: as tactics, and as hypotheses."""
    lines: list[str] = []
    for n, (a, b) in enumerate(itertools.permutations(problem.names[:3], 2)):
        claim = Expr("<", (Expr("var", (), a), Expr("var", (), b)))
        proof = inequality(problem, claim) if problem.types[a] == problem.types[b] else None
        if proof is not None:
            lines.append(f"have o{n} : {lean(claim)} := by\n    {_inner(proof)}")
            problem = problem.given((f"o{n}", claim))
    return lines, problem


def _least_proved(problem: Arithmetic, bounds: list[int], name: str, *, below: bool = False) -> tuple[int, str]:
    """The first of these bounds of a number that products of hypotheses prove, with the proof; "" when none does."""
    until = time.thread_time() + SEARCH_SECONDS
    for bound in bounds:
        sides = (numeral(bound), Expr("var", (), name))
        proof = inequality(problem, Expr("≤", sides if below else sides[::-1]))
        if proof is not None:
            return bound, _inner(proof)
        if time.thread_time() > until:
            break
    return bounds[0], ""


def _inner(proof: str) -> str:
    return proof.replace("\n", "\n  ")


def _solutions(problem: Arithmetic, names: list[str]) -> list[tuple[int, ...]] | None:
    """All small values that meet the hypotheses; None when there are too many, or they go on to the end."""
    far = {1: 400, 2: MOST_VALUES, 3: 16}[len(names)]
    sets = [range(-far if problem.types[n] == "Int" else 0, far + 1) for n in names]
    fitting = [h for _, h in problem.hypotheses if h.variables() <= set(names)]
    found, until = [], time.thread_time() + SEARCH_SECONDS
    try:
        for row in itertools.product(*sets):
            values = dict(zip(names, row, strict=True))
            if all(holds(h, values, problem.types) for h in fitting):
                found.append(row)
            if time.thread_time() > until or len(found) > MOST_VALUES * 4:
                return found or None
    except NotArithmetic:
        return None
    return None if any(max(map(abs, row)) == far for row in found) else found
