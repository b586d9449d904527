"""A receipt: what was decided about which text, by what, and how anyone checks it again.

Every digest is the SHA-256 of a file that stands in the certificate, computed from its bytes now, as `sha256sum` gives
it. The manifest has the digests of all other files, so that its own is that of the whole certificate.
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import MANIFEST, MAX_BYTES, PROOFS, THEOREM, sha256
from goedels_poetry.files import read_bytes
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.versions import solver_versions
from goedels_poetry.version import __version__

OURS = "goedels-poetry"
STATEMENTS = (THEOREM, "original.lean", "program.py", "program.smt2", "program.json")
"""Files of certificates with the text that was proved, by language."""


def basis_of(report: dict[str, Any]) -> dict[str, Any] | None:
    """What a check that accepted something rests on, by its report as JSON; None where it accepted nothing.

    ``axioms``: those of Lean and definitions that are assumed; ``checkers``: what has checked, with versions.
    """
    if report.get("trust_level") is None:
        return None
    axioms = list(report.get("axioms", report.get("assumptions", ())))  # of Lean, or else what is assumed
    return {"axioms": axioms, "checkers": {OURS: __version__, **(report.get("versions") or solver_versions())}}


def receipt(
    verdict: Verdict,
    certificate: Path | None,
    *,
    trust_level: str | None = None,
    checked: dict[str, Any] | None = None,
    checked_by: str | None = None,
    statement: str | None = None,
    against: str | None = None,
) -> dict[str, Any]:
    """The receipt of a verdict, as `receipt-v1.json` has it.

    ``certificate`` is the folder that bears it out, ``statement`` the text that it is about where no certificate has
    that, ``against`` the file with that text, for the command; ``checked`` is as of `basis_of`.
    """
    manifest = _file(certificate, MANIFEST)
    stated = next((data for name in STATEMENTS if (data := _file(certificate, name)) is not None), None)
    if stated is None and statement is not None:
        stated = statement.encode("utf-8", "surrogatepass")
    compared = "" if against is None else f" --against {shlex.quote(against)}"
    if certificate is not None and any((certificate / part / PROOFS).is_dir() for part in ("", "proof")):
        compared += " --proofs"
    return {
        "schema": 1,
        "verdict": str(verdict),
        "trust_level": trust_level,
        "statement_sha256": None if stated is None else sha256(stated),
        "checkers": checked["checkers"] if checked else {},
        "checked_by": checked_by or None,
        "axioms": checked["axioms"] if checked else None,
        "certificate": None if manifest is None else str(certificate),
        "certificate_sha256": None if manifest is None else sha256(manifest),
        "check": None if manifest is None else f"goedels-poetry check {shlex.quote(str(certificate))}{compared}",
    }


def _file(certificate: Path | None, name: str) -> bytes | None:
    """The bytes of a file of a certificate; None where it is not there, or is no regular file."""
    place = certificate / name if certificate is not None else None
    if place is None or not place.is_file() or place.is_symlink():
        return None
    with suppress(OSError):
        return read_bytes(place, MAX_BYTES)
    return None
