"""Certificates about Python functions on disk: the program, the evidence, and for a proof that of its translation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import (
    EVIDENCE_KEYS,
    MANIFEST,
    PYTHON,
    BadCertificate,
    plain_bytes,
    read_canonical,
    read_manifest,
    sha256,
)

SCHEMA = 1
LANGUAGE = "python"
PROGRAM, EVIDENCE, PROOF = "program.py", "evidence.json", "proof"
"""The user's file; what shows the claim, {} for a proof; the folder of the certificate in SMT-LIB, only for a proof."""
CLAIMS = ("proved", "refuted", "tested")
_KINDS = {"proved": "Python proof", "refuted": "Python refutation", "tested": "Python tested"}


@dataclass(frozen=True, slots=True)
class PythonArchive:
    """A certificate as it lies there; nothing in it has been believed yet."""

    source: str
    claim: str
    """One of :data:`CLAIMS`."""
    function: str
    evidence: dict[str, Any]
    """Of a refutation ``arguments``, Python literals by parameter; of tests ``task`` or ``change``, or nothing."""
    proof: Path | None
    """Where the certificate of the translation is."""


def read_python(path: Path) -> PythonArchive:
    """Read a certificate's files and compare their hashes.

    Raises:
        BadCertificate: missing, unknown or oversized files, malformed JSON, text that is not UTF-8, a wrong hash.
    """
    try:
        manifest = read_manifest(plain_bytes(path / MANIFEST), schema=SCHEMA, language=LANGUAGE, keys=PYTHON)
        claim, function = manifest["claim"], manifest["function"]
        if claim not in CLAIMS or not isinstance(function, str):
            raise BadCertificate(f"unknown claim: {claim!r} about {function!r}")
        expected = {PROGRAM, EVIDENCE, MANIFEST} | ({PROOF} if claim == "proved" else set())
        names = {entry.name for entry in path.iterdir()}
        if names != expected:
            raise BadCertificate(f"missing or unknown files: {', '.join(sorted(names ^ expected))}")
        data = {name: plain_bytes(path / name) for name in (PROGRAM, EVIDENCE)}
        source = data[PROGRAM].decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCertificate(f"the certificate cannot be read: {error}") from error
    if manifest["files"] != {name: sha256(content) for name, content in data.items()}:
        raise BadCertificate("a file was edited: its hash is not the one in the manifest")
    evidence = read_canonical(data[EVIDENCE], EVIDENCE)
    known = EVIDENCE_KEYS[_KINDS[claim]]
    if not isinstance(evidence, dict) or not set(evidence) <= set(known):
        raise BadCertificate(f"the evidence is no JSON object that has at most {', '.join(known) or 'no key'}")
    return PythonArchive(source, claim, function, evidence, path / PROOF if claim == "proved" else None)
