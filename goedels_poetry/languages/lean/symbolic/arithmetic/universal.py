"""Hypotheses about all numbers, at the numbers where they say something."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from goedels_poetry.languages.lean.symbolic.arithmetic.divisors import divisor_proofs
from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, holds, numeral
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import NUMBERS, Arithmetic, put_in
from goedels_poetry.languages.lean.symbolic.arithmetic.ranges import linear_ranges
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import lean

MOST_CASES, MOST_INSTANCES = 40, 6
_OPPOSITE = {"≤": ">", "<": "≥", "≥": "<", ">": "≤", "≠": "=", "=": "≠"}


def instance_proofs(problem: Arithmetic) -> Iterator[str]:
    """Tactics: by values that the negated target leaves, and by equations that hold for all numbers."""
    general = [(n, h) for n, h in problem.hypotheses if h.op == "∀" and h.args[1].name in ("", *NUMBERS)]
    if general:
        yield from _excluded(problem, general)
        yield from _at_small_values(problem, general)


def _excluded(problem: Arithmetic, general: list[tuple[str, Expr]]) -> Iterator[str]:
    """The negated target leaves few values of a number, and for each of them an instance is false."""
    target = problem.target
    if len(problem.types) != 1 or target.op not in _OPPOSITE:
        return
    (name,) = problem.types
    claim = replace(target, op=_OPPOSITE[target.op])
    negated = replace(problem, hypotheses=(*problem.hypotheses, ("hn", claim)))
    known = linear_ranges(negated).of(name)
    if known is None or not 0 <= known[1] - known[0] < MOST_CASES:
        return
    lines = ["apply Decidable.byContradiction; intro hn"]
    for value in range(known[0], known[1] + 1):
        text = lean(numeral(value))
        wrong = _false_at(problem, general, {name: value})
        if wrong is None:
            return
        lines.append(f"rcases (show {name} = {text} ∨ {name} ≠ {text} by omega) with rfl | _")
        lines.append(f"· exact absurd ({wrong}) (by decide)")
    yield "\n  ".join([*lines, "omega"])


def _false_at(problem: Arithmetic, general: list[tuple[str, Expr]], values: dict[str, int]) -> str | None:
    """An instance of a hypothesis that is false at these values, as a term."""
    for name, h in general:
        names, body = [], h
        while body.op == "∀":
            names.append(body.name)
            body = body.args[0]
        for row in itertools.product(range(MOST_INSTANCES), repeat=min(len(names), 2)):
            inner = {**values, **dict(zip(names, row, strict=False))}
            try:
                if len(row) == len(names) and not holds(body, inner, problem.types):
                    return " ".join([name, *map(str, row)])
            except NotArithmetic:
                break
    return None


def _at_small_values(problem: Arithmetic, general: list[tuple[str, Expr]]) -> Iterator[str]:
    """Equations at 0, 1, -1 and 2: polynomials that agree everywhere agree there."""
    lines: list[str] = []
    more: list[tuple[str, Expr]] = []
    for name, h in general:
        body = h.args[0]
        if body.op != "=" or any(p.op == "app" for p in body.parts()):
            continue
        int_ = h.args[1].name in ("Int", "ℤ") or (not h.args[1].name and "Int" in problem.types.values())
        for value in (0, 1, -1, 2) if int_ else (0, 1, 2):
            label = f"i{len(lines)}"
            lines.append(f"have {label} := {name} {lean(numeral(value))}")
            more.append((label, put_in(body, h.name, numeral(value))))
    if not lines:
        return
    rest = tuple((n, h) for n, h in problem.hypotheses if (n, h) not in general)
    for text in divisor_proofs(replace(problem, hypotheses=(*rest, *more))):
        yield "\n  ".join([*lines, text])
    yield "\n  ".join([*lines, "first | omega | grind"])
