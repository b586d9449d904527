"""Certificates made and checked in one go: what is not accepted is not left lying around as a finished proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.checker.archive import (
    CLAIMS,
    EVIDENCE,
    MANIFEST,
    OBLIGATIONS,
    THEOREM,
    FinishedProofExists,
    canonical,
    finished_proof,
    make_manifest,
    sha256,
    write_archive,
)
from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems, with_theorems
from goedels_poetry.kernel.codec import derivation_from_json, derivation_to_json
from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.extension import with_auxiliaries
from goedels_poetry.kernel.foundations import lay_foundations
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.refutation.counterexample import counterexample_script, make_evidence
from goedels_poetry.kernel.refutation.evaluator import Value
from goedels_poetry.kernel.replay import Solvers
from goedels_poetry.kernel.structure import BadProof, audit
from goedels_poetry.solvers import Limits
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.version import __version__

_FOUNDATION_LIMITS = Limits(seconds=20.0)


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

    Returns:
        The path of the certificate.

    Raises:
        BadProof: the steps are no proof of the claim.
        FinishedProofExists: something else stands at the place.
    """
    if claim not in CLAIMS or claim == "counterexample":
        raise ValueError(f"not a claim of a derivation: {claim}")
    problem = parse_problem(problem_text)
    evidence = derivation_to_json(derivation)
    if derivation_from_json(evidence, problem.signature) != derivation:
        raise BadProof("the derivation does not survive being written down")
    context = Context(with_auxiliaries(problem, derivation.auxiliary, derivation.measures))
    with Solvers.start(_FOUNDATION_LIMITS, second=False) as solvers:
        foundations = lay_foundations(context, solvers)
    script = audit(context, derivation, claim, foundations).script
    script = with_theorems(script, theorems, context.problem, foundations)
    evidence = {**evidence, **({"premises": theorems.to_json()} if theorems else {})}
    return _write(problem_text, context, evidence, script, directory, info or {}, claim, assume_definitions, overwrite)


def write_counterexample(
    problem_text: bytes,
    values: Mapping[str, Value],
    directory: Path,
    info: Mapping[str, Any] | None = None,
    *,
    interpret: Callable[[str, tuple[Value, ...]], Value] | None = None,
    theorems: PremiseTheorems | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the certificate of a refutation by values for the goal's outer variables.

    Args:
        values: by the names that `goal_of` gives the variables.
        interpret: the values of declared functions, constants included, at given arguments.
        theorems: premises that the definitions imply, with the proof.

    Raises:
        BadProof: the goal is not false there, or a premise is not true. FinishedProofExists: as above.
    """
    problem = parse_problem(problem_text)
    context = Context(problem)
    evidence = make_evidence(problem, values, interpret, theorems)
    foundations = None
    if theorems is not None:
        with Solvers.start(_FOUNDATION_LIMITS, second=False) as solvers:
            foundations = lay_foundations(context, solvers)
    script = counterexample_script(context, evidence, foundations)
    return _write(problem_text, context, evidence, script, directory, info or {}, "counterexample", False, overwrite)


def _write(
    text: bytes,
    context: Context,
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
        statement=show(context.problem.goal),
        assume_definitions=assume_definitions,
        versions={"goedels-poetry": __version__, **solver_versions()},
        info=info,
    )
    write_archive(directory, {**files, MANIFEST: canonical(manifest)}, overwrite=overwrite)
    return directory
