"""What a forger with full knowledge of the format can do: any files, all hashes right."""

from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import EVIDENCE, MANIFEST, OBLIGATIONS, THEOREM, canonical, read_archive
from goedels_poetry.checker.certificate.writing import make_manifest, write_archive
from goedels_poetry.checker.smt.counterexample import evidence_script, with_interpretation
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import BadProof
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import (
    TERMINATION,
    derivation_from_json,
    termination_from_json,
    with_auxiliaries,
)
from goedels_poetry.kernel.structure import posed_ends, render
from goedels_poetry.kernel.termination import termination_obligations
from goedels_poetry.kernel.terms import app
from goedels_poetry.smt.notation.text import parse_problem, termination_to_json
from goedels_poetry.smt.termination.search import terminations_by_solver


def evidence_of(certificate: Path) -> Any:
    import json

    return json.loads(read_archive(certificate).evidence)


def forge(
    directory: Path,
    theorem: bytes,
    evidence: Any,
    *,
    script: bytes | None = None,
    claim: str = "proved",
    assume_definitions: bool = False,
    honest_ends: bool = True,
) -> Path:
    """A certificate with consistent hashes and, where the steps can be posed at all, their true obligations.

    ``honest_ends``: what can be seen of the termination of definitions is added to evidence that does not speak of it.
    """
    if honest_ends:
        evidence = with_ends(theorem, evidence)
    if script is None:
        script = _script(theorem, evidence)
    files = {THEOREM: theorem, EVIDENCE: canonical(evidence), OBLIGATIONS: script}
    manifest = make_manifest(
        files,
        claim=claim,
        statement=show(parse_problem(theorem).goal),
        assume_definitions=assume_definitions,
        versions={"z3": "0"},
        info={"trust_level": "L3"},
    )
    write_archive(directory, {**files, MANIFEST: canonical(manifest)}, overwrite=True)
    return directory


def _script(theorem: bytes, evidence: Any) -> bytes:
    """The script as the checker would render it, posed leniently: whatever can be said is said."""
    problem = parse_problem(theorem)
    try:
        derivation = derivation_from_json(evidence, problem.signature)
        context = Context(with_auxiliaries(problem, derivation.auxiliary, derivation.measures))
        everything = {s.id: s.sequent for s in derivation.steps}
        posed = [context.obligation(s, everything) for s in derivation.steps if isinstance(s.by, Query)]
        ends = termination_obligations(context.signature, derivation.termination, context.guards)
        first = (*context.equation_obligations(), *posed_ends(context, ends))
        return render(context, first, posed, derivation.steps).encode()
    except (GoedelsPoetryError, BadProof, ValueError):
        return b""


def interpreted(theorem: bytes, evidence: Any) -> Problem:
    """The problem under the interpretation in the evidence, where that makes one."""
    problem = parse_problem(theorem)
    try:
        return with_interpretation(theorem, problem, evidence)
    except ValueError:
        return problem


def with_ends(theorem: bytes, evidence: Any) -> Any:
    """The evidence with what can be seen of the termination of definitions, unless it says something of that."""
    if not isinstance(evidence, dict) or not evidence.keys().isdisjoint(TERMINATION):
        return evidence
    problem = interpreted(theorem, evidence)
    try:
        derivation = derivation_from_json({"steps": [], **evidence}, problem.signature)
        problem = with_auxiliaries(problem, derivation.auxiliary, derivation.measures)
    except ValueError:
        pass
    try:
        context = Context(problem)
    except ValueError:
        return evidence
    definitions = context.signature.definitions
    calls = [app(d.name, d.params, d.sort) for d in definitions]
    seen = terminations_by_solver(context).evidence({d.name for d in definitions} - context.guards.keys(), calls)
    return {**evidence, **termination_to_json(seen)}


def script_of_counterexample(theorem: bytes, evidence: Any) -> bytes:
    """The obligations that belong to the evidence of a counterexample, or nothing where there are none."""
    try:
        context = Context(interpreted(theorem, evidence))
        said = termination_from_json(evidence, context.signature)
        return evidence_script(context, evidence, termination_obligations(context.signature, said)).encode()
    except (GoedelsPoetryError, ValueError):
        return b""
