"""What runs in a worker process when a program has its answer: decide it anew, write the certificate.

Glue, not trusted: the verdict is `checked`'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import MANIFEST, canonical, sha256
from goedels_poetry.checker.certificate.writing import plain, report_to_json, sealed, write_archive
from goedels_poetry.checker.logic.check import LANGUAGE, PROGRAMS, SCHEMA, LogicArchive, checked, read_logic
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.questions.entailment.program import LogicProgram, statement_of
from goedels_poetry.questions.query_runner import SolverPair, decided_by, read_program
from goedels_poetry.questions.result import result_of
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.version import __version__

Json = dict[str, Any]

OLDER_READING = "by the older reading: whether it can be true together with the premises, not whether it follows"


def certify(payload: Json) -> Json:
    """Write the certificate of a program's answer, check it from nothing, and keep it where it is accepted.

    ``text``, ``options``, ``claim``, ``choice``, ``directory``, ``info``.
    """
    options = payload["options"]
    program = read_program(payload["text"], options["dialect"])
    if options["semantics"] != "entailment":
        return _uncertified(program, options)
    archive = LogicArchive(
        payload["text"],
        options["dialect"],
        payload["claim"],
        payload["choice"],
        options["world"],
        options["verify_timeout"],
        options["optimize_timeout"],
        statement_of(program),
        {"goedels-poetry": __version__, **solver_versions()},
    )
    done = checked(archive)
    report, details = done.report, report_to_json(done.report)
    if done.program is not None and done.found is not None:
        details["result"] = result_of(done.program, done.found, world=options["world"]).to_json()
    where = Path(payload["directory"])
    problem: tuple[str, ...] = ()
    if report.accepted:
        try:
            write_logic(where, archive, payload["info"])
        except (GoedelsPoetryError, OSError) as error:
            problem = (f"the certificate could not be written: {error}",)
    return {
        "verdict": str(report.verdict),
        "path": str(where) if report.accepted and not problem else None,
        "trust_level": str(report.trust_level) if report.trust_level is not None else None,
        "reason": "; ".join(report.reasons),
        "warnings": [*report.notes, *problem],
        "details": details,
    }


def _uncertified(program: LogicProgram, options: Json) -> Json:
    """Under the older reading nothing is shown to follow, so there is nothing to certify."""
    solvers = SolverPair()
    try:
        found = decided_by(program, options, solvers)
    finally:
        solvers.close()
    result = result_of(program, found, semantics=options["semantics"], world=options["world"]).to_json()
    return {
        "verdict": result["verdict"],
        "path": None,
        "trust_level": None,
        "reason": result["reason"],
        "warnings": [OLDER_READING],
        "details": {"result": result},
    }


def write_logic(directory: Path, archive: LogicArchive, info: Mapping[str, Any]) -> None:
    """Write a whole certificate beside its place, then rename it; one of the same program is replaced.

    Raises:
        FinishedProofExists: something else stands at the place.
    """
    data = archive.program.encode("utf-8")
    manifest = sealed(
        {
            "schema": SCHEMA,
            "language": LANGUAGE,
            "dialect": archive.dialect,
            "claim": archive.claim,
            "choice": archive.choice,
            "world": archive.world,
            "milliseconds": archive.milliseconds,
            "optimize_milliseconds": archive.optimize_milliseconds,
            "statement": archive.statement,
            "file": sha256(data),
            "versions": archive.versions,
            "info": plain(dict(info)),
        }
    )
    files = {PROGRAMS[archive.dialect]: data, MANIFEST: canonical(manifest)}
    write_archive(directory, files, overwrite=lambda: read_logic(directory).program == archive.program)
