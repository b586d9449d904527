"""The arithmetical proofs that are worth trying on a goal, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice

from goedels_poetry.lean.arithmetic.divisors import divisor_proofs, gcd_proofs
from goedels_poetry.lean.arithmetic.iterated import iterated_proofs
from goedels_poetry.lean.arithmetic.monotone import table_proofs
from goedels_poetry.lean.arithmetic.predicates import NO_PREDICATES, Predicate, written_out
from goedels_poetry.lean.arithmetic.problem import (
    Arithmetic,
    NotArithmetic,
    arithmetic_of,
    conjuncts,
    inductions,
    not_above,
    reduced,
    unpacked,
)
from goedels_poetry.lean.arithmetic.recurrences import recurrence_proofs
from goedels_poetry.lean.arithmetic.residues import exponent_proofs, is_huge, powers, residue_proofs
from goedels_poetry.lean.arithmetic.roots import bounded, quotients, term_proofs, within_ranges, witness_proofs
from goedels_poetry.lean.arithmetic.squares import inequality, square_proofs
from goedels_poetry.lean.tactics.theory import Goal

MOST_EACH = 5
_GENERATORS: tuple[Callable[[Arithmetic], Iterator[str]], ...] = (
    within_ranges,
    table_proofs,
    witness_proofs,
    term_proofs,
    gcd_proofs,
    quotients,
    divisor_proofs,
    exponent_proofs,
    iterated_proofs,
    recurrence_proofs,
    square_proofs,
    residue_proofs,
    inductions,
    bounded,
)


def arithmetic(goal: Goal, predicates: Mapping[str, Predicate] = NO_PREDICATES) -> list[str]:
    """Tactics; [] when the goal is no arithmetic. ``predicates``: those of the file, by name.

    Nothing here takes more than a second.
    """
    problem = arithmetic_of(goal)
    if problem is None:
        return []
    found = list(islice(powers(problem), 1))
    if is_huge(problem):
        return found
    found += _generated(problem)
    with suppress(NotArithmetic):
        step, inner = written_out(problem, predicates) or ("", problem)
        more = _changed(inner) + _generated(inner) if step else []
        found += [f"{step}\n  {text}" for text in more]
    found += _changed(problem)
    if not problem.types:
        found.append("decide +kernel")
    if problem.target.op == "∧":
        found += _part_by_part(problem)
        found += [
            f"refine ⟨?_, ?_⟩\n  all_goals\n    {text.replace(chr(10), chr(10) + '  ')}" for text in found[:MOST_EACH]
        ]
    if problem.target.op == "↔":
        found.append("(constructor <;> intro h <;> grind)")
    return list(dict.fromkeys(found))


def _changed(problem: Arithmetic) -> list[str]:
    """The tactics that fit what a first step makes of the problem."""
    found: list[str] = []
    for change in (reduced, not_above, unpacked):
        with suppress(NotArithmetic):
            step, inner = change(problem) or ("", problem)
            found += [f"{step}\n  {text}" for text in [*_part_by_part(inner), *_generated(inner)]] if step else []
    return found


def _part_by_part(problem: Arithmetic) -> list[str]:
    """A conjunction, where products of hypotheses show some part of it, and `omega` or `grind` the others."""
    parts = conjuncts(problem.target)
    proofs = [inequality(problem, part) if part.op in ("<", "≤", ">", "≥") else None for part in parts]
    if len(parts) == 1 or not any(proofs):
        return []
    lines = [p.replace("\n", "\n  ") if p else "first | omega | grind" for p in proofs]
    holes = ", ".join(["?_"] * len(parts))
    return ["\n".join([f"refine ⟨{holes}⟩", *(f"  · {line}" for line in lines)])]


def bounded_cases(goal: Goal) -> list[str]:
    """The proof that goes through all values of the goal's numbers, where linear hypotheses leave few; else []."""
    problem = arithmetic_of(goal)
    if problem is None or is_huge(problem):
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


def too_large_to_compute(goal: Goal) -> str:
    """The proof of a goal with a power that would take Lean very long, and that can be reduced; "" for others."""
    problem = arithmetic_of(goal)
    return next(powers(problem), "") if problem is not None and is_huge(problem) else ""
