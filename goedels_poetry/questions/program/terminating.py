"""Recursive definitions of a program: those that are seen to end are definitions, the others premises."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType

from goedels_poetry.kernel.problem import Definition, Signature
from goedels_poetry.kernel.terms import app, eq, forall, fresh_name
from goedels_poetry.questions.entailment.program import DEFINITION, LogicPremise, Place

MAX_DEFINITIONS = 20
"""Recursive ones that are looked at; of more, none is."""
MAX_SIZE = 1_000
"""Nodes of a recursive definition that is looked at."""


def terminating_definitions(
    signature: Signature, taken: set[str], places: dict[str, Place]
) -> tuple[Signature, list[LogicPremise]]:
    """``f(p) = body`` may contradict itself when its recursion does not end, so it is then no definition of ours.

    As a premise it says what SMT-LIB means by it; if it contradicts itself, the premises are found to be inconsistent,
    and it is named as a reason. ``taken``: names of premises, to which those of the new ones are added.
    """
    recursive = [d for d in signature.definitions if d.recursive]
    if not recursive:
        return signature, []
    ended = _ended(signature, recursive)
    loose = [d for d in recursive if d.name not in ended]
    premises = []
    for d in loose:
        name = fresh_name(f"definition-of-{d.name}", taken)
        taken.add(name)
        equation = forall(d.params, eq(app(d.name, d.params, d.sort), d.body))
        place = places.get(d.name, Place())
        premises.append(LogicPremise(name, equation, place, words=f"{DEFINITION}{d.name}"))
    functions = {d.name: (tuple(p.sort for p in d.params), d.sort) for d in loose}
    return (
        replace(
            signature,
            functions=MappingProxyType({**signature.functions, **functions}),
            definitions=tuple(d for d in signature.definitions if d.name not in functions),
        ),
        premises,
    )


def _ended(signature: Signature, recursive: list[Definition]) -> Collection[str]:
    """Functions whose arguments get smaller at every call, as sizes of datatypes."""
    if len(recursive) > MAX_DEFINITIONS or any(d.body.size > MAX_SIZE for d in recursive):
        return set()
    # a program without recursion rests on neither
    from goedels_poetry.kernel.termination import termination_obligations
    from goedels_poetry.smt.termination.search import terminations

    evidence = terminations(signature, None).evidence({d.name for d in signature.definitions})
    ends = termination_obligations(signature, evidence)
    assert not ends.sequents  # sizes are seen from the form of the calls
    return ends.terminating
