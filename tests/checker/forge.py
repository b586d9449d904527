"""What a forger with full knowledge of the format can do: any files, all hashes right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goedels_poetry.checker.archive import (
    EVIDENCE,
    MANIFEST,
    OBLIGATIONS,
    THEOREM,
    canonical,
    make_manifest,
    read_archive,
    write_archive,
)
from goedels_poetry.checker.smt.check import Solvers
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.codec import derivation_from_json
from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.extension import with_auxiliaries
from goedels_poetry.kernel.foundations import lay_foundations
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.structure import BadProof, render
from goedels_poetry.solvers import Limits


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
) -> Path:
    """A certificate with consistent hashes and, where the steps can be posed at all, their true obligations."""
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
        with Solvers.start(Limits(), second=False) as solvers:
            first = lay_foundations(context, solvers).obligations
        return render(context, first, posed, derivation.steps).encode()
    except (GoedelsPoetryError, BadProof, ValueError):
        return b""
