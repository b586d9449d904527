"""Lean certificates on disk: two Lean files and a manifest with their hashes; written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate import fields
from goedels_poetry.checker.certificate.archive import (
    MANIFEST,
    BadCertificate,
    canonical,
    plain,
    plain_bytes,
    read_manifest,
    sealed,
    sha256,
    write_archive,
)

SCHEMA = 1
LANGUAGE = "lean"
ORIGINAL = "original.lean"
PROOF = "proof.lean"
HASHED = (ORIGINAL, PROOF)
FILES = (*HASHED, MANIFEST)
PROVED, REFUTED = "proved", "negation proved"
CLAIMS = (PROVED, REFUTED)


@dataclass(frozen=True, slots=True)
class LeanArchive:
    """A certificate as it lies there; nothing in it has been believed yet."""

    original: str
    proof: str
    claim: str
    theorem: str
    """Constant of the user's theorem."""
    witness: str
    """Constant that says that it is false; "" where it is proved."""
    statement: str
    versions: dict[str, str]


def write_lean(directory: Path, archive: LeanArchive, info: Mapping[str, Any]) -> None:
    """Write a whole certificate beside its place, then rename it; a finished one of the same original is replaced.

    Raises:
        FinishedProofExists: something else stands at the place.
    """
    files = {ORIGINAL: archive.original.encode(), PROOF: archive.proof.encode()}
    manifest = sealed(
        {
            "schema": SCHEMA,
            "language": LANGUAGE,
            "claim": archive.claim,
            "theorem": archive.theorem,
            "witness": archive.witness,
            "statement": archive.statement,
            "files": {name: sha256(data) for name, data in files.items()},
            "versions": archive.versions,
            "info": plain(dict(info)),
        }
    )
    files[MANIFEST] = canonical(manifest)
    write_archive(directory, files, overwrite=lambda: _same_original(directory, archive.original))


def _same_original(directory: Path, original: str) -> bool:
    try:
        return read_lean(directory).original == original
    except BadCertificate:
        return False


def read_lean(path: Path) -> LeanArchive:
    """Read a certificate's files and compare their hashes.

    Raises:
        BadCertificate: missing, unknown or oversized files, malformed JSON, text that is not UTF-8, a wrong hash.
    """
    try:
        if not path.is_dir():
            raise BadCertificate(f"not a certificate: a folder with {', '.join(FILES)} was expected", path)
        names = {entry.name for entry in path.iterdir()}
        if names != set(FILES):
            raise BadCertificate(f"missing or unknown files: {', '.join(sorted(names ^ set(FILES)))}")
        data = {name: plain_bytes(path / name) for name in FILES}
        original, proof = (data[name].decode("utf-8") for name in HASHED)
    except (OSError, UnicodeDecodeError) as error:
        raise BadCertificate(f"the certificate cannot be read: {error}") from error
    manifest = read_manifest(data[MANIFEST], schema=SCHEMA, language=LANGUAGE, keys=fields.LEAN)
    if manifest["files"] != {name: sha256(data[name]) for name in HASHED}:
        raise BadCertificate("a file was edited: its hash is not the one in the manifest")
    claim, theorem, witness, statement = (manifest[key] for key in ("claim", "theorem", "witness", "statement"))
    if not all(isinstance(text, str) for text in (claim, theorem, witness, statement)) or not isinstance(
        manifest["versions"], dict
    ):
        raise BadCertificate("an entry of the manifest is of the wrong kind")
    if claim not in CLAIMS or (claim == REFUTED) != bool(witness):
        raise BadCertificate(f"unknown claim: {claim!r}")
    return LeanArchive(original, proof, claim, theorem, witness, statement, manifest["versions"])
