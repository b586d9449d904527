"""What the checker says about a counterexample: evaluated by the kernel, confirmed by solvers, told as a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from goedels_poetry.checker.certificate.archive import INTERPRETATION
from goedels_poetry.checker.certificate.report import CheckReport, Counts, TrustLevel
from goedels_poetry.checker.smt.portfolio import Solvers
from goedels_poetry.checker.smt.portfolio import Undecided as NotShown
from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems, agreed, split_evidence, with_theorems
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.counterexample import (
    Confirmation,
    Counterexample,
    check_definitions,
    confirmation_of,
    counterexample_script,
    read_counterexample,
    shown_values,
)
from goedels_poetry.kernel.refutation.interpretation import Interpretation, interpreted_theorem, shown_interpretation
from goedels_poetry.kernel.structure import posed_ends
from goedels_poetry.kernel.termination import TerminationObligations
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.limits import Answer

EVALUATED = "the definition is consistent; the counterexample makes only calls that come to an end"
EVALUATED_ALONE = "not refuted: only this program's evaluator says that the counterexample is one"
RULES_SECONDS = 0.4
"""For each way to look for a contradiction between the values and premises that were read as definitions."""
AT_VALUES = "goal at the counterexample"


def with_interpretation(text: bytes, problem: Problem, evidence: Any) -> Problem:
    """The problem that the evidence of a counterexample is about: what it gives a meaning is defined there.

    Raises:
        CodecError: not of the form of an interpretation. BadProof: it does not fit the theorem.
    """
    if not isinstance(evidence, dict) or INTERPRETATION not in evidence:
        return problem
    given = Interpretation.from_json(evidence[INTERPRETATION])
    if given.exist:
        raise BadProof("a counterexample says what the values are, not that some exist")
    return interpreted_theorem(text, problem, given)[1]


def evidence_script(context: Context, evidence: Any, ends: TerminationObligations) -> str:
    """The script behind the evidence of a counterexample: each ``(check-sat)`` must answer ``unsat``.

    Raises:
        CodecError: the evidence is not of the form of a counterexample. BadProof: it is none, or premises are not
            proved.
    """
    claimed, theorems = _read(context, evidence)
    return _script(context, confirmation_of(context, claimed), theorems, ends)


_READ_ELSEWHERE = ("termination", "bounds", INTERPRETATION)


def _read(context: Context, evidence: Any) -> tuple[Counterexample, PremiseTheorems | None]:
    parts, theorems = split_evidence(evidence, context.problem)
    if isinstance(parts, dict):  # how definitions end, and what is interpreted, is read elsewhere
        parts = {key: value for key, value in parts.items() if key not in _READ_ELSEWHERE}
    return read_counterexample(context, parts, theorems.names if theorems else ()), theorems


def _script(
    context: Context, questions: Confirmation, theorems: PremiseTheorems | None, ends: TerminationObligations
) -> str:
    script = counterexample_script(context, questions)
    if theorems is not None:  # it has what the definitions rest on
        return with_theorems(script, theorems, context.problem, ends)
    for obligation in posed_ends(context, ends):
        script += f"(reset)\n; {obligation.name}\n{context.script(obligation)}\n(check-sat)\n"
    return script


def check_counterexample(
    context: Context, evidence: Any, obligations: bytes, solvers: Solvers, ends: TerminationObligations
) -> CheckReport:
    """Evaluate the premises and the goal at the counterexample, then have a solver confirm it, see `confirmation`.

    Definitions need not be shown to terminate for that, see `check_definitions`.

    Raises:
        CodecError, BadProof: it is not a counterexample. NotShown: no solver confirms it.
    """
    claimed, theorems = _read(context, evidence)
    if INTERPRETATION in evidence and ends.doubts:  # another one may be the only one that they leave open
        raise BadProof(f"an interpretation beside definitions that may not terminate: {'; '.join(ends.doubts)}")
    check_definitions(context, ends.terminating)
    questions = confirmation_of(context, claimed)
    given = Interpretation.from_json(evidence[INTERPRETATION]) if INTERPRETATION in evidence else None
    if _script(context, questions, theorems, ends).encode() != obligations:
        raise BadProof("obligations.smt2 is not what the counterexample gives")
    if theorems is not None:
        posed, left_open = theorems.replay(context.problem, ends, solvers, foundations=True)
    else:
        posed, left_open = agreed(context, posed_ends(context, ends), solvers)
    first, second = _confirmed(questions, solvers)
    level = TrustLevel.REBUILT if ends.doubts else TrustLevel.NOT_VACUOUS
    if not ends.doubts and first and second and not left_open:
        level = TrustLevel.CONFIRMED
    second_agreed = posed - len(left_open) if solvers.second is not None else 0
    return CheckReport(
        Verdict.REFUTED,
        level,
        obligations=Counts(1 + posed, first + posed, second + second_agreed),
        undecided_by_first=() if first else (AT_VALUES,),
        undecided_by_second=(*(() if second else (AT_VALUES,)), *left_open),
        assumptions=tuple(f"{EVALUATED}: {reason}" for reason in ends.doubts),
        statement=show(context.problem.goal),
        counterexample={
            **shown_values(context, claimed, questions),
            **(shown_interpretation(given, context.problem) if given is not None else {}),
        },
    )


def _confirmed(questions: Confirmation, solvers: Solvers) -> tuple[int, int]:
    """Which solvers say that the goal is false at the values, as numbers.

    One has to say so, one that the values go together, and none may contradict. An error says nothing.

    Raises:
        BadProof: a solver contradicts. NotShown: none confirms.
    """
    answers = _answers(questions.refutation, solvers)
    _contradicted(answers, "sat")
    first, second = (int(a.status == "unsat") for a in answers)
    if not first + second:
        raise NotShown(f"{EVALUATED_ALONE}: no solver decides it ({_reasons(answers)})")
    answers = _answers(questions.agreement(), solvers, enough="sat")
    _contradicted(answers, "unsat")
    if all(a.status != "sat" for a in answers):
        raise NotShown(f"{EVALUATED_ALONE}: no solver says that its values go together ({_reasons(answers)})")
    if questions.rules is not None:
        briefly = replace(solvers, limits=replace(solvers.limits, seconds=RULES_SECONDS))
        _contradicted(_answers(questions.rules(), briefly, enough="sat"), "unsat")
    return first, second


def _answers(script: str, solvers: Solvers, enough: str = "") -> Sequence[Answer]:
    """What the solvers say; the second one is not asked when the first one says what is ``enough``."""
    first = solvers.refutes(script, short=True)
    return (first,) if first.status == enough else (first, solvers.confirms(script))


def _contradicted(answers: Sequence[Answer], status: str) -> None:
    if any(a.status == status for a in answers):
        shown = ", ".join(a.status for a in answers)
        raise BadProof(f"ALARM: a solver contradicts the evaluation of the counterexample ({shown})")


def _reasons(answers: Sequence[Answer]) -> str:
    return "; ".join(f"{a.status} {a.reason}".strip() for a in answers)
