"""Terms for what a goal says to exist, in the variables of the goal: tried on small values, proved by Lean."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, holds, numeral
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import NUMBERS, Arithmetic, put_in
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

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
