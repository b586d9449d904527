"""The arithmetical proofs that are worth trying on a goal, cheapest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import NotArithmetic
from goedels_poetry.languages.lean.symbolic.arithmetic.problem import Arithmetic, arithmetic_of
from goedels_poetry.languages.lean.symbolic.arithmetic.residues import is_huge, powers, residue_proofs
from goedels_poetry.languages.lean.symbolic.arithmetic.roots import bounded, factored, witness_proofs
from goedels_poetry.languages.lean.symbolic.arithmetic.squares import square_proofs
from goedels_poetry.languages.lean.symbolic.arithmetic.steps import gcd_proofs, inductions
from goedels_poetry.languages.lean.symbolic.theory import Goal

MOST_EACH = 5
_GENERATORS: tuple[Callable[[Arithmetic], Iterator[str]], ...] = (
    witness_proofs,
    gcd_proofs,
    factored,
    square_proofs,
    residue_proofs,
    inductions,
    bounded,
)


def arithmetic(goal: Goal) -> list[str]:
    """Tactics; [] when the goal is no arithmetic. Nothing here takes more than a second."""
    problem = arithmetic_of(goal)
    if problem is None:
        return []
    found = list(islice(powers(problem), 1))
    if is_huge(problem):
        return found
    for generator in _GENERATORS:
        try:
            found += islice(generator(problem), MOST_EACH)
        except NotArithmetic:
            continue
    if not problem.types:
        found.append("decide +kernel")
    if problem.target.op == "∧":
        found += [f"(refine ⟨?_, ?_⟩ <;> ({text}))" for text in list(found)[:MOST_EACH]]
    if problem.target.op == "↔":
        found.append("(constructor <;> intro h <;> grind)")
    return list(dict.fromkeys(found))


def too_large_to_compute(goal: Goal) -> str:
    """The proof of a goal with a power that would take Lean very long, and that can be reduced; "" for others."""
    problem = arithmetic_of(goal)
    return next(powers(problem), "") if problem is not None and is_huge(problem) else ""


__all__ = ["arithmetic", "too_large_to_compute"]
