"""From what is claimed about a Python function to a certificate that was checked. Glue, not trusted."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import MANIFEST, BadCertificate, canonical, sha256
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import FinishedProofExists, plain, put_in_place, sealed
from goedels_poetry.checker.python.archive import EVIDENCE, LANGUAGE, PROGRAM, PROOF, SCHEMA, read_python
from goedels_poetry.checker.python.check import check_python, original
from goedels_poetry.checker.smt.jobs import report_json, write_proof
from goedels_poetry.errors import GoedelsPoetryError, Unavailable
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.program import read_program, with_contracts
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.version import __version__

Json = dict[str, Any]

SECONDS = 3600.0
RESERVE = 5.0
"""Seconds that are left when the second solver stops: the function is run as well, and the certificate moved."""


def certify(payload: Json) -> Json:
    """Write beside the place, check, and move into place only what is accepted; the report."""
    began, where, source = time.monotonic(), Path(payload["directory"]), payload["source"]
    where.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{where.name}.{os.getpid()}.", dir=where.parent) as beside:
        folder = Path(beside) / where.name
        folder.mkdir(mode=0o755)
        try:
            function = _function(payload)
            _write(payload, function, folder)
            left = float(payload.get("total_seconds") or SECONDS) - RESERVE - (time.monotonic() - began)
            report = check_python(
                folder, original(source, payload["evidence"])[0], function=function, second_seconds=left
            )
            # a proof of what contradicts itself shows that, too
            kept = report.accepted and str(report.verdict) in (payload["claim"], Verdict.INCONSISTENT)
            if kept:
                put_in_place(folder, where, overwrite=same_claim(where, source, function))
        except Unavailable:
            raise  # it says nothing about the program: the run stays as it is, and can be resumed
        except FinishedProofExists as error:
            report, kept = CheckReport(Verdict.UNKNOWN, reasons=(str(error),), retry=True), False
        except (GoedelsPoetryError, PythonFault, OutsideFragment, ValueError) as error:
            report, kept = CheckReport(Verdict.UNKNOWN, reasons=(str(error),)), False
    return report_json(where if kept else None, report)


def _function(payload: Json) -> str:
    """The function that the certificate is about; "" for a whole file that was changed."""
    if "change" in payload["evidence"]:
        return ""
    checks = payload["evidence"].get("checks") or {}
    return str(payload["function"] or checks.get("function") or _only(payload["source"]))


def _only(source: str) -> str:
    return (with_contracts(read_program(source)) or ("",))[0]


def _write(payload: Json, function: str, folder: Path) -> None:
    """Write the files; raises GoedelsPoetryError for what is no proof."""
    evidence: Json = {}
    if payload["claim"] == "proved":
        text = translate(read_program(payload["source"]), function).text
        inner = {"theorem": text, "derivation": payload["evidence"]["derivation"], "seed": payload["seed"]}
        write_proof(inner, folder / PROOF)
    elif payload["claim"] == "refuted":
        evidence = {"arguments": payload["evidence"].get("counterexample")}
    else:
        given = payload["evidence"]
        evidence = {name: given[name] for name in ("task", "change") if name in given}
    write_python(
        folder,
        source=payload["source"],
        claim=payload["claim"],
        function=function,
        evidence=evidence,
        versions={
            "goedels-poetry": __version__,
            "python": ".".join(map(str, sys.version_info[:3])),
            **solver_versions(),
        },
        info=payload["info"],
    )


def write_python(
    directory: Path,
    *,
    source: str,
    claim: str,
    function: str,
    evidence: Mapping[str, Any],
    versions: Mapping[str, str],
    info: Mapping[str, Any],
) -> None:
    """Write the files into a folder that exists; a proof's own certificate is there already."""
    data = {PROGRAM: source.encode("utf-8"), EVIDENCE: canonical(dict(evidence))}
    manifest = sealed(
        {
            "schema": SCHEMA,
            "language": LANGUAGE,
            "claim": claim,
            "function": function,
            "files": {name: sha256(content) for name, content in data.items()},
            "versions": dict(versions),
            "info": plain(dict(info)),
        }
    )
    for name, content in {**data, MANIFEST: canonical(manifest)}.items():
        (directory / name).write_bytes(content)


def same_claim(directory: Path, source: str, function: str) -> bool:
    """Whether a finished certificate about this function of this program stands there."""
    try:
        found = read_python(directory)
    except BadCertificate:
        return False
    return (found.source, found.function) == (source, function)
