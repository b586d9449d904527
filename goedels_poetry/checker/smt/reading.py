"""Whether a solver agrees to how the theorem's text was read, for the report."""

from __future__ import annotations

import time
from dataclasses import replace

from goedels_poetry.checker.certificate.report import CheckReport, Reading
from goedels_poetry.checker.smt.portfolio import Solvers
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.faithful import ReadingObligation, reading_obligations
from goedels_poetry.solvers.limits import SolverUnavailable

SECONDS = 0.5
"""For one question, and for all of them together, which are one formula."""
ALL_SECONDS = 3.0
NOT_CONFIRMED = "{} of {} formulas: no solver confirmed that they say what their text says"


def with_reading(report: CheckReport, text: bytes, problem: Problem, solvers: Solvers) -> CheckReport:
    """The report of a certificate that is accepted, with what a solver says to the reading of its theorem.

    Raises:
        BadProof: a solver sees a difference between a formula and what was read; with the line.
    """
    if not report.accepted:
        return report
    obligations = reading_obligations(text, problem)
    reading = Reading(len(obligations), _confirmed([o for o in obligations if o.claim], solvers))
    left_open = reading.posed - reading.confirmed
    notes = (NOT_CONFIRMED.format(left_open, reading.posed),) if left_open else ()
    return replace(report, reading=reading, notes=(*report.notes, *notes))


def _confirmed(obligations: list[ReadingObligation], solvers: Solvers) -> int:
    """How many the first solver agrees to: all at once, or else one by one."""
    if not obligations:
        return 0
    until = time.monotonic() + ALL_SECONDS
    limits = replace(solvers.limits, seconds=min(SECONDS, solvers.limits.seconds))
    session = solvers.first.session(obligations[0].prelude)
    confirmed = 0
    try:
        together = f"(assert (not (and {' '.join(o.claim for o in obligations)} true)))"
        if session.check(together, limits).status == "unsat":
            return len(obligations)
        for obligation in obligations:
            if time.monotonic() > until:
                break
            status = session.check(obligation.question, limits).status
            if status == "sat" and obligation.decisive:
                raise BadProof(f"line {obligation.line}: the {obligation.name} was not read as it stands there")
            confirmed += status == "unsat"
    except SolverUnavailable:
        return confirmed
    return confirmed
