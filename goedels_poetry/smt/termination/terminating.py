"""How the functions of a problem call themselves that terminate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.calls import TooLarge
from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.recursion import cases_along, moved_variables, points_below
from goedels_poetry.kernel.sequent import Names
from goedels_poetry.smt.termination.search import Termination


@dataclass(frozen=True)
class Recursion:
    """How a function calls itself.

    ``changed``: the positions of the parameters that some call changes. ``structural``: every call is on a field of
    the constructor that its one changing parameter was built by, so structural induction sees as much.
    """

    changed: frozenset[int]
    structural: bool


def recursions(signature: Signature, groups: Iterable[Termination]) -> dict[str, Recursion]:
    """How the functions call themselves that do, and terminate."""
    known = {}
    for group in groups:
        for name in group.group if group.ok else ():
            definition = signature.definition(name)
            recursion = _recursion(definition, signature) if definition and definition.recursive else None
            if recursion is not None:
                known[name] = recursion
    return known


def _recursion(definition: Definition, signature: Signature) -> Recursion | None:
    try:
        points = points_below(definition, signature)
    except TooLarge:
        return None
    moved = moved_variables(definition.params, points, definition)
    names = Names(definition.body, *definition.params, reserved=signature.names)
    cases = cases_along(definition, definition.params, moved, points, signature, names)
    if not any(case.below for case in cases):
        return None
    structural = len(moved) == 1 and all(
        there in case.here[v].args for case in cases for below in case.below for v, there in below.there.items()
    )
    return Recursion(frozenset(moved.values()), structural)
