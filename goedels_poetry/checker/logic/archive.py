"""Certificates of logic programs on disk: the program and a manifest with its hash; written whole or not at all."""

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
LANGUAGE = "logic"
PROGRAMS = {"smt2": "program.smt2", "json": "program.json"}
"""dialect -> name of the file."""
CLAIMS = ("proved", "refuted", "inconsistent")
WORLDS = ("open", "closed")


@dataclass(frozen=True, slots=True)
class LogicArchive:
    """A certificate as it lies there; nothing in it has been believed yet."""

    program: str
    dialect: str
    claim: str
    """One of :data:`CLAIMS`, about what the program asks."""
    choice: str
    """Of a multiple-choice question: the one goal that follows; "" for a program that asks one thing."""
    world: str
    milliseconds: int
    optimize_milliseconds: int
    statement: str
    versions: dict[str, str]


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
    write_archive(directory, files, overwrite=lambda: _same_program(directory, archive.program))


def _same_program(directory: Path, program: str) -> bool:
    try:
        return read_logic(directory).program == program
    except BadCertificate:
        return False


def read_logic(path: Path) -> LogicArchive:
    """Read a certificate's files and compare their hashes.

    Raises:
        BadCertificate: missing, unknown or oversized files, malformed JSON, text that is not UTF-8, a wrong hash.
    """
    try:
        names = sorted(entry.name for entry in path.iterdir())
        manifest_data = plain_bytes(path / MANIFEST)
        manifest = read_manifest(manifest_data, schema=SCHEMA, language=LANGUAGE, keys=fields.LOGIC)
        dialect = manifest["dialect"]
        if not isinstance(dialect, str) or dialect not in PROGRAMS or names != sorted((PROGRAMS[dialect], MANIFEST)):
            raise BadCertificate(f"missing or unknown files: {', '.join(names)}")
        data = plain_bytes(path / PROGRAMS[dialect])
        program = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCertificate(f"the certificate cannot be read: {error}") from error
    if manifest["file"] != sha256(data):
        raise BadCertificate("the program was edited: its hash is not the one in the manifest")
    if manifest["claim"] not in CLAIMS or manifest["world"] not in WORLDS:
        raise BadCertificate(f"unknown claim: {manifest['claim']!r} in a world that is {manifest['world']!r}")
    numbers = [manifest[name] for name in ("milliseconds", "optimize_milliseconds")]
    if not all(type(number) is int and number > 0 for number in numbers):
        raise BadCertificate("a limit in the manifest is no number of milliseconds")
    if not (isinstance(manifest["choice"], str) and isinstance(manifest["statement"], str)):
        raise BadCertificate("an entry of the manifest is of the wrong kind")
    versions = manifest["versions"] if isinstance(manifest["versions"], dict) else {}
    return LogicArchive(
        program,
        dialect,
        manifest["claim"],
        manifest["choice"],
        manifest["world"],
        numbers[0],
        numbers[1],
        manifest["statement"],
        versions,
    )
