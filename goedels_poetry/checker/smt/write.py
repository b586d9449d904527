"""Certificates made and checked in one go: what is not accepted is not left lying around as a finished proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import (
    CLAIMS,
    DEFINED,
    EVIDENCE,
    INTERPRETATION,
    MANIFEST,
    OBLIGATIONS,
    PREMISES,
    THEOREM,
    canonical,
    sha256,
)
from goedels_poetry.checker.certificate.writing import FinishedProofExists, finished_proof, make_manifest, write_archive
from goedels_poetry.checker.smt.counterexample import evidence_script
from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems, with_theorems
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel import faults
from goedels_poetry.kernel.derivation import ByScheme, Derivation
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import SizeInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.certificate import derivation_from_json, with_auxiliaries
from goedels_poetry.kernel.reading.defining import with_definitions
from goedels_poetry.kernel.refutation.counterexample import make_evidence
from goedels_poetry.kernel.refutation.interpretation import Interpretation, condition, interpreted_theorem
from goedels_poetry.kernel.refutation.operations import Value
from goedels_poetry.kernel.structure import audit
from goedels_poetry.kernel.termination import NO_EVIDENCE, TerminationEvidence, termination_obligations
from goedels_poetry.kernel.terms import Term
from goedels_poetry.smt.notation.text import derivation_to_json, parse_problem, termination_to_json
from goedels_poetry.smt.termination.search import Terminations, terminations_by_solver
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.version import __version__


class BadProof(GoedelsPoetryError, faults.BadProof):
    """The steps, or the values, do not show what is claimed."""


@contextmanager
def _as_bad_proof() -> Iterator[None]:
    """Inside, what the kernel refuses is a `BadProof`."""
    try:
        yield
    except KernelError as error:
        raise BadProof(str(error)) from error


@_as_bad_proof()
def write_certificate(
    problem_text: bytes,
    derivation: Derivation,
    directory: Path,
    info: Mapping[str, Any] | None = None,
    *,
    claim: str = "proved",
    assume_definitions: bool = False,
    overwrite: bool = False,
    theorems: PremiseTheorems | None = None,
    found: Terminations | None = None,
    interpretation: Interpretation | None = None,
    defined: Sequence[str] = (),
) -> Path:
    """Write the certificate of a proof; nothing is claimed about it before `check_certificate` has seen it.

    Args:
        problem_text: the user's bytes.
        derivation: its last step is the goal (``proved``), its negation (``negation proved``) or ``false``
            (``inconsistent``).
        directory: where the certificate is to stand. A finished certificate of the same theorem that stands there
            is kept, unless ``overwrite`` is set.
        info: anything about the run that a reader may like to know.
        theorems: premises that the definitions imply, with the proof: then they are consistent.
        found: how definitions end, where that is known; it is looked for otherwise, unless the derivation says it.
        interpretation: of declared functions as definitions; then the premises are conditions of what is negated.
        defined: declared functions that premises define.

    Returns:
        The path of the certificate.

    Raises:
        BadProof: the steps are no proof of the claim.
        FinishedProofExists: something else stands at the place.
    """
    if claim not in CLAIMS or claim == "counterexample":
        raise ValueError(f"not a claim of a derivation: {claim}")
    problem = parse_problem(problem_text)
    goal = problem.goal
    if interpretation is not None:
        problem = condition(problem_text, problem, interpretation)
    problem = with_definitions(problem, defined)
    context = Context(with_auxiliaries(problem, derivation.auxiliary, derivation.measures))
    if derivation.termination == NO_EVIDENCE:
        derivation = replace(derivation, termination=_termination(context, derivation, theorems, found))
    evidence = derivation_to_json(derivation)
    if derivation_from_json(evidence, problem.signature) != derivation:
        raise BadProof("the derivation does not survive being written down")
    ends = termination_obligations(context.signature, derivation.termination, context.guards)
    script = audit(context, derivation, claim, ends).script
    script = with_theorems(script, theorems, context.problem, ends)
    evidence = {**evidence, **_premises(theorems), **_meaning(interpretation)}
    evidence |= {DEFINED: list(defined)} if defined else {}
    return _write(problem_text, goal, evidence, script, directory, info or {}, claim, assume_definitions, overwrite)


@_as_bad_proof()
def write_counterexample(
    problem_text: bytes,
    values: Mapping[str, Value],
    directory: Path,
    info: Mapping[str, Any] | None = None,
    *,
    interpret: Callable[[str, tuple[Value, ...]], Value] | None = None,
    theorems: PremiseTheorems | None = None,
    interpretation: Interpretation | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the certificate of a refutation by values for the goal's outer variables.

    Args:
        values: by the names that `goal_of` gives the variables.
        interpret: the values of declared functions, constants included, at given arguments.
        theorems: premises that the definitions imply, with the proof.
        interpretation: of declared functions and sorts as definitions; they count among these then.

    Raises:
        BadProof: the goal is not false there, or a premise is not true. FinishedProofExists: as above.
    """
    problem = parse_problem(problem_text)
    if interpretation is not None:
        problem = interpreted_theorem(problem_text, problem, interpretation)[1]
    context = Context(problem)
    termination = _termination(context, Derivation(()), theorems, None)
    proved = theorems.names if theorems else ()
    evidence = {
        **make_evidence(problem, values, interpret, proved),
        **_premises(theorems),
        **termination_to_json(termination),
        **_meaning(interpretation),
    }
    ends = termination_obligations(context.signature, termination, context.guards)
    script = evidence_script(context, evidence, ends)
    goal = problem.goal
    return _write(problem_text, goal, evidence, script, directory, info or {}, "counterexample", False, overwrite)


def _termination(
    context: Context, derivation: Derivation, theorems: PremiseTheorems | None, found: Terminations | None
) -> TerminationEvidence:
    """How the definitions end, without what no step and no recursion needs of the sizes of results."""
    found = found or terminations_by_solver(context)
    steps = (*derivation.steps, *(theorems.derivation.steps if theorems else ()))
    schemes = [step.by.scheme for step in steps if isinstance(step.by, ByScheme)]
    terms = [t for scheme in schemes if isinstance(scheme, SizeInduction) for point in scheme.at for t in point]
    return found.evidence({d.name for d in context.signature.definitions} - context.guards.keys(), terms)


def _premises(theorems: PremiseTheorems | None) -> dict[str, Any]:
    """The part of the evidence about premises that are proved."""
    if theorems is None:
        return {}
    return {PREMISES: {"names": list(theorems.names), "proof": derivation_to_json(theorems.derivation)}}


def _meaning(interpretation: Interpretation | None) -> dict[str, Any]:
    """The part of the evidence about what is given a meaning."""
    return {INTERPRETATION: interpretation.to_json()} if interpretation is not None else {}


def _write(
    text: bytes,
    statement: Term,
    evidence: Any,
    script: str,
    directory: Path,
    info: Mapping[str, Any],
    claim: str,
    assume_definitions: bool,
    overwrite: bool,
) -> Path:
    files = {THEOREM: text, EVIDENCE: canonical(evidence), OBLIGATIONS: script.encode()}
    if directory.exists() and not overwrite:
        if finished_proof(directory) == sha256(text):
            return directory
        raise FinishedProofExists(f"{directory} exists already and is not a finished proof of this theorem")
    manifest = make_manifest(
        files,
        claim=claim,
        statement=show(statement),
        assume_definitions=assume_definitions,
        versions={"goedels-poetry": __version__, **solver_versions()},
        info=info,
    )
    write_archive(directory, {**files, MANIFEST: canonical(manifest)}, overwrite=overwrite)
    return directory
