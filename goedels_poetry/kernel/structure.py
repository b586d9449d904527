"""The shape of a proof: every citation earlier, every scheme recomputed, the last step what was claimed.

No solver is asked here. What remains to be asked is returned as obligations, and as the one script that holds
them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import BadProof, EncodingError, ObligationError, SchemeError
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.obligations import Context, Obligation, check_sequent
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.termination import TerminationObligations
from goedels_poetry.kernel.terms import FALSE, Term, alpha, not_

_STEP_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Audited:
    """A derivation that is a proof, provided that every obligation is unsatisfiable."""

    obligations: tuple[Obligation, ...]
    script: str


def claimed_formula(problem: Problem, claim: str) -> Term:
    """What the last step has to be."""
    if claim == "proved":
        return problem.goal
    if claim == "negation proved":
        return not_(problem.goal)
    return FALSE


def audit(context: Context, derivation: Derivation, claim: str, ends: TerminationObligations) -> Audited:
    """Check the structure of a derivation and pose its obligations.

    What the definitions rest on comes first in the script: their equations, and how their recursions end.

    Raises:
        BadProof: with the step at fault.
    """
    if not derivation.steps:
        raise BadProof("there are no steps")
    proved: dict[str, Sequent] = {}
    posed: list[Obligation] = []
    for step in derivation.steps:
        if not _STEP_ID.fullmatch(step.id):
            raise BadProof(f"not an id of a step: {step.id!r}")
        if step.id in proved:
            raise BadProof(f"two steps are called {step.id}")
        try:
            check_sequent(step.sequent)
            if isinstance(step.by, Query):
                posed.append(context.obligation(step, proved))
            else:
                _check_scheme(context, step, step.by, proved, ends)
        except (ObligationError, EncodingError, SchemeError) as error:
            raise BadProof(f"step {step.id}: {error}") from error
        proved[step.id] = step.sequent
    last = derivation.steps[-1]
    wanted = claimed_formula(context.problem, claim)
    if last.sequent.key not in (alpha(wanted), sequent_of(wanted).key):
        raise BadProof(f"the last step, {last.id}, is not what is claimed ({claim})")
    first = (*context.equation_obligations(), *posed_ends(context, ends))
    return Audited((*first, *posed), render(context, first, posed, derivation.steps))


def posed_ends(context: Context, ends: TerminationObligations) -> tuple[Obligation, ...]:
    """What solvers have to agree to so that definitions come to an end."""
    return tuple(context.foundation(name, sequent) for name, sequent in ends.sequents)


def _check_scheme(
    context: Context, step: Step, by: ByScheme, proved: dict[str, Sequent], ends: TerminationObligations
) -> None:
    if isinstance(by.scheme, RecursionInduction) and by.scheme.function not in ends.terminating:
        raise BadProof(f"step {step.id}: {by.scheme.function} was not shown to terminate, so it gives no induction")
    wanted = instances(step.sequent, by.scheme, context.signature, ends.sizes)
    for name in by.cites:
        if name not in proved:
            raise BadProof(f"step {step.id} cites {name}, which was not proved before")
    if [s.key for s in wanted] != [proved[name].key for name in by.cites]:
        raise BadProof(f"step {step.id}: the cited steps are not the instances of its scheme")


def render(context: Context, foundations: Iterable[Obligation], posed: list[Obligation], steps: Iterable[Step]) -> str:
    """All obligations as one script in which every ``(check-sat)`` must answer ``unsat``."""
    lines = [
        "; The obligations of a proof. Every (check-sat) in this script must answer unsat, in any solver.",
        f"; SHA-256 of the theorem: {context.problem.source_sha256}",
        *context.declarations,
    ]
    lines += _section("what the definitions rest on", (), foundations)
    for equations in (True, False):
        for quantified in (True, False):
            members = [o for o in posed if (o.equations, o.quantified) == (equations, quantified)]
            prelude = context.prelude(equations, quantified)[len(context.declarations) :]
            title = f"steps {'with' if equations else 'without'} the equations"
            title += "" if quantified else ", ground facts only"
            lines += _section(title, prelude, members)
    for step in steps:
        if isinstance(step.by, ByScheme):
            scheme = type(step.by.scheme).__name__
            lines.append(f"; step {step.id} follows from {' '.join(step.by.cites)} by {scheme}: nothing to solve")
    return "\n".join(lines) + "\n"


def _section(title: str, prelude: Iterable[str], members: Iterable[Obligation]) -> list[str]:
    members = list(members)
    if not members:
        return []
    lines = [f"; ---- {title}", "(push 1)", *prelude]
    for obligation in members:
        lines += [f"; {_comment(obligation.name)}", "(push 1)", *obligation.lines, "(check-sat)", "(pop 1)"]
    return [*lines, "(pop 1)"]


def _comment(text: str) -> str:
    return re.sub(r"[^\x20-\x7e]", "?", text)
