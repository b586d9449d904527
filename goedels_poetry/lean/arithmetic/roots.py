"""Solutions found by plain computation: factors of equations, values between bounds, witnesses."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

from goedels_poetry.lean.arithmetic.polynomials import linear_ranges, omega_reads
from goedels_poetry.lean.arithmetic.problem import (
    NUMBERS,
    Arithmetic,
    Expr,
    NotArithmetic,
    conjuncts,
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
MOST_VALUES, MOST_CASES, MOST_TABLE = 60, 40, 3_000
_SPARSE = 100
"""How far from the end of what is tried the last value has to be for there to be no larger one (`n % 47 = 3`)."""


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
    """`bounded`, where `omega` alone proves the bounds."""
    names = [n for n in problem.names if any(n in h.variables() for _, h in problem.hypotheses)]
    passed = linear_ranges(problem)
    if names and all(_narrower(_linear_bound(problem, n), passed.of(n)) for n in names):
        yield from bounded(problem)


def bounded(problem: Arithmetic) -> Iterator[str]:
    """Each variable lies between bounds that the hypotheses give: cases, or a table that the kernel computes."""
    names = [n for n in problem.names if any(n in h.variables() for _, h in problem.hypotheses)]
    if not names or len(names) > 3:
        return
    passed = linear_ranges(problem)
    linear = {n: _narrower(_linear_bound(problem, n), passed.of(n)) for n in names}
    limits = {}
    if None in linear.values():
        seen = _solutions(problem, names)
        if seen is None:
            return
        for k, name in enumerate(names):
            values = [row[k] for row in seen] or [0]
            limits[name] = (min(*values, 0) if problem.types[name] == "Int" else 0, max(*values, 0))
    lines, ranges = list(passed.facts), {}
    if None in linear.values():
        facts, problem = ordered(problem)
        lines += facts
    for k, name in enumerate(names):
        known = linear[name]
        if known is not None:
            ranges[name] = range(known[0], known[1] + 1)
            lines.append(f"have u{k} : {name} ≤ {known[1]} := by omega")
            continue
        low, high = limits[name]
        high, proof = _least_proved(problem, [high, *range(high + 1, 2 * high + 9, 4), 40], name)
        if not proof and len(names) > 1:
            return
        proof = proof or "grind"
        lines.append(f"have u{k} : {name} ≤ {high} := by\n    {proof}")
        if problem.types[name] == "Int":
            low, proof = _least_proved(problem, [low, *range(low - 1, 2 * low - 9, -4), -40], name, below=True)
            proof = proof or "grind"
            lines.append(f"have l{k} : {lean(numeral(low))} ≤ {name} := by\n    {proof}")
        ranges[name] = range(low, high + 1)
    if not all(ranges.values()):
        return  # then `omega` alone shows that the hypotheses contradict each other
    total = 1
    for r in ranges.values():
        total *= len(r)
    if total <= MOST_CASES:
        for k, name in enumerate(names):
            cases = " ∨ ".join(f"{name} = {v}" for v in ranges[name])
            lines.append(f"have c{k} : {cases} := by omega")
        splits = [f"rcases c{k} with {'|'.join(['rfl'] * len(ranges[n]))}" for k, n in enumerate(names)]
        yield "\n  ".join([*lines, f"{' <;> '.join(splits)} <;> {any_of(['simp_all', 'omega', 'grind'])}"])
    if total <= MOST_TABLE and all(problem.types[n] == "Nat" for n in names) and not problem.unread:
        every = [h for h, _ in problem.hypotheses]  # one premise: Lean looks long for how to decide a chain of them
        premise = f"{' ∧ '.join(lean(f) for _, f in problem.hypotheses)} → " if every else ""
        table = "".join(f"∀ {n}, {n} < {ranges[n].stop} → " for n in names)
        given = " ".join(
            [*(f"{n} (by omega)" for n in names), f"⟨{', '.join(every)}⟩" if len(every) > 1 else "".join(every)]
        )
        decided = f"have table : {table}{premise}{lean(problem.target)} := by decide +kernel"
        yield "\n  ".join([*lines, decided, f"exact table {given}"])


def ordered(problem: Arithmetic) -> tuple[list[str], Arithmetic]:
    """Which of two numbers is the smaller, where products of hypotheses show it: as tactics, and as hypotheses."""
    lines: list[str] = []
    for n, (a, b) in enumerate(itertools.permutations(problem.names[:3], 2)):
        claim = Expr("<", (Expr("var", (), a), Expr("var", (), b)))
        proof = inequality(problem, claim) if problem.types[a] == problem.types[b] else None
        if proof is not None:
            lines.append(f"have o{n} : {lean(claim)} := by\n    {_inner(proof)}")
            problem = replace(problem, hypotheses=(*problem.hypotheses, (f"o{n}", claim)))
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


def _linear_bound(problem: Arithmetic, name: str) -> tuple[int, int] | None:
    """The range that hypotheses about the number alone leave it, as far as `omega` understands them."""
    own = problem.about(name)
    own += [c for _, h in problem.hypotheses for c in conjuncts(h) if c.variables() == {name} and c not in own]
    own = [h for h in own if h.op in "<≤>≥=" and omega_reads(h)]
    low, far = (-600 if problem.types[name] == "Int" else 0), 600
    try:
        fitting = [v for v in range(low, far) if all(holds(h, {name: v}, problem.types) for h in own)]
    except NotArithmetic:
        return None
    if not own or not fitting or fitting[-1] >= far - _SPARSE or (low < 0 and fitting[0] <= low + _SPARSE):
        return None
    return (fitting[0] if problem.types[name] == "Int" else 0), fitting[-1]


def _narrower(*bounds: tuple[int, int] | None) -> tuple[int, int] | None:
    """The range that is in all of those that there are."""
    some = [b for b in bounds if b is not None]
    return (max(b[0] for b in some), min(b[1] for b in some)) if some else None


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
