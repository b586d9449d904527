"""Which premises a proof needs: those in the unsat cores of its obligations. For readers; no verdict rests on it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from goedels_poetry.checker.smt.portfolio import Z3_OPTIONS, Solvers
from goedels_poetry.kernel.obligations import Context, Obligation, is_quantified
from goedels_poetry.kernel.refutation.theory import named_premises
from goedels_poetry.solvers.limits import Limits

_PREMISE = re.compile(r"premise\.([0-9]+)")
RLIMIT = 300_000
SECONDS = 0.5


def needed_premises(context: Context, obligations: Iterable[Obligation], solvers: Solvers) -> tuple[str, ...] | None:
    """Names of the premises that the obligations rest on, as far as z3's cores tell; None when it gives none."""
    premises = context.problem.premises
    found: set[int] = set()
    for obligation in obligations if premises else ():
        if not obligation.foundation:
            core = _core(_script_naming_premises(context, obligation), solvers)
            if core is None:
                return None
            found.update(core)
    return tuple(p.name for i, p in enumerate(premises) if i in found)


def _core(script: str, solvers: Solvers) -> set[int] | None:
    """Numbers of the premises in an unsat core; None when z3 gives none in any of its ways."""
    limits = Limits(RLIMIT, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    for options in Z3_OPTIONS:
        answer = solvers.first.ask(script, limits, "core", options)
        if answer.status == "unsat":
            return {int(n) for n in _PREMISE.findall(answer.output)}
    return None


def _script_naming_premises(context: Context, obligation: Obligation) -> str:
    """The query of a step with the premises by name, for an unsat core."""
    given = zip(named_premises(context), context.problem.premises, strict=True)
    named = [text for text, premise in given if obligation.quantified or not is_quantified(premise.formula)]
    prelude = context.prelude(obligation.equations, obligation.quantified)
    return "\n".join((*prelude[: len(prelude) - len(named)], *named, *obligation.lines))
