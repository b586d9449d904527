"""Premises that the definitions imply: proved, so that a counterexample need not be evaluated against them, and so that
they are seen to be consistent.

Such a premise holds in whatever satisfies the definitions, so it forbids no values. Its proof may use the definitions
and nothing else: it is a proof of another theorem, one without premises.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.checker.certificate.archive import PREMISES
from goedels_poetry.checker.smt.portfolio import Solvers, Undecided
from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.faults import BadProof, CodecError
from goedels_poetry.kernel.obligations import Context, Obligation
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import derivation_from_json
from goedels_poetry.kernel.structure import Audited, audit
from goedels_poetry.kernel.termination import NO_EVIDENCE, TerminationObligations
from goedels_poetry.kernel.terms import and_

Json = dict[str, Any]


@dataclass(frozen=True)
class PremiseTheorems:
    """Names of premises with the proof of their conjunction in a problem that has no premises."""

    names: tuple[str, ...]
    derivation: Derivation

    @classmethod
    def from_json(cls, json: Any, problem: Problem) -> PremiseTheorems:
        """What ``json`` describes. Raises CodecError: it describes nothing of the kind."""
        match json:
            case {"names": [*names], "proof": proof, **rest} if not rest and all(isinstance(n, str) for n in names):
                return cls(tuple(names), derivation_from_json(proof, problem.signature))
        raise CodecError("premises that are theorems have names and a proof")

    def after(self, script: str, problem: Problem, ends: TerminationObligations) -> str:
        """A script of obligations, followed by those of the premises; errors as in `audited`."""
        return f"{script}(reset)\n; Premises that the definitions imply.\n{self.audited(problem, ends)[1].script}"

    def audited(self, problem: Problem, ends: TerminationObligations) -> tuple[Context, Audited]:
        """The proof's obligations and the context that they belong to.

        Raises:
            BadProof: the steps are no proof of these premises, or rest on definitions that may not terminate.
        """
        if self.derivation.auxiliary or self.derivation.measures or self.derivation.termination != NO_EVIDENCE:
            raise BadProof("premises are proved from the definitions of the theorem alone")
        if ends.unshown:
            raise BadProof("premises are proved from definitions that terminate only")
        context = Context(bare_problem(problem, self.names))
        return context, audit(context, self.derivation, "proved", ends)

    def replay(
        self, problem: Problem, ends: TerminationObligations, solvers: Solvers, *, foundations: bool
    ) -> tuple[int, tuple[str, ...]]:
        """Pose the obligations to both solvers: how many there are, and the names of those the second leaves open.

        ``foundations``: also what the definitions rest on, which is the same for the theorem itself.

        Raises:
            BadProof: as above, or a solver denies one of them.
            Undecided: the first solver does not confirm one of them.
        """
        context, audited = self.audited(problem, ends)
        posed = [o for o in audited.obligations if foundations or not o.foundation]
        return agreed(context, posed, solvers, "a premise is not shown to be a theorem: ")


def agreed(
    context: Context, obligations: Iterable[Obligation], solvers: Solvers, what: str = ""
) -> tuple[int, tuple[str, ...]]:
    """Pose obligations to both solvers: how many there are, and the names of those the second leaves open.

    Raises:
        BadProof: a solver denies one of them; the message begins with ``what``.
        Undecided: the first solver does not confirm one of them.
    """
    scripts = [(f"premises: {o.name}" if what else o.name, context.script(o)) for o in obligations]
    for name, script in scripts:
        answer = solvers.refutes(script)
        if answer.status == "sat":
            raise BadProof(f"{what}{name} ({answer.status})")
        if answer.status != "unsat":
            raise Undecided(f"{what}{name} ({answer.status} {answer.reason})")
    undecided = []
    for name, script in scripts if solvers.second is not None else ():
        answer = solvers.confirms(script)
        if answer.status == "sat":
            raise BadProof(f"ALARM: the solvers contradict each other on {name}")
        if answer.status != "unsat":
            undecided.append(name)
    return len(scripts), tuple(undecided)


def split_evidence(evidence: Any, problem: Problem) -> tuple[Any, PremiseTheorems | None]:
    """The evidence of a proof without its part about premises, and that part.

    Raises:
        CodecError: the part is not of its form.
    """
    if not isinstance(evidence, dict) or PREMISES not in evidence:
        return evidence, None
    rest = {key: value for key, value in evidence.items() if key != PREMISES}
    return rest, PremiseTheorems.from_json(evidence[PREMISES], problem)


def with_theorems(script: str, theorems: PremiseTheorems | None, problem: Problem, ends: TerminationObligations) -> str:
    """A script of obligations, followed by those of the premises that are proved; errors as in `audited`."""
    return script if theorems is None else theorems.after(script, problem, ends)


def bare_problem(problem: Problem, names: Sequence[str]) -> Problem:
    """The theorem that the premises called ``names``, in their order, follow from the definitions.

    Raises:
        BadProof: there are no such premises.
    """
    chosen = [p for p in problem.premises if p.name in names]
    if not chosen or [p.name for p in chosen] != list(names):
        raise BadProof("the theorem has no such premises")
    return replace(problem, premises=(), goal=and_([p.formula for p in chosen]))
