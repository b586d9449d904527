"""What the definitions rest on: the recursion is well-founded, the equations follow from the bodies."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.kernel.obligations import Context, Obligation
from goedels_poetry.kernel.replay import Solvers
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.wellfounded import termination
from goedels_poetry.solvers import Limits

RLIMIT = 2_000_000
"""Which measure is found must not depend on the speed of the machine, so this is what bounds the search for it."""


@dataclass(frozen=True)
class Foundations:
    """``obligations`` to pose; ``unfounded``: the definitions that are not shown to terminate, each with why;
    ``founded``: the names of all other defined functions."""

    obligations: tuple[Obligation, ...]
    unfounded: tuple[str, ...]
    founded: frozenset[str]


def lay_foundations(context: Context, solvers: Solvers) -> Foundations:
    """Show again that every recursive definition terminates, but those that hold under a guard.

    The solver is asked without premises and without any equation: a premise must not help a definition into
    existence, and a definition must not vouch for itself.
    """
    shown: list[Sequent] = []
    limits = Limits(RLIMIT, max(solvers.limits.seconds, 20.0), solvers.limits.memory_mb)

    def prove(sequent: Sequent) -> bool:
        script = context.script(context.foundation("termination", sequent))
        good = solvers.first.ask(script, limits).status == "unsat"
        if good:
            shown.append(sequent)
        return good

    obligations = list(context.equation_obligations())
    unfounded = []
    founded: set[str] = set()
    for result in termination(context.signature, prove):
        if context.guards.keys() >= set(result.group):
            continue  # nothing is assumed of them but what has a solution anyway
        if result.ok:
            founded.update(result.group)
        else:
            unfounded.append(f"{', '.join(result.group)}: {result.reason}")
    for number, sequent in enumerate(dict.fromkeys(shown), 1):
        obligations.append(context.foundation(f"termination {number}", sequent))
    return Foundations(tuple(obligations), tuple(unfounded), frozenset(founded))
