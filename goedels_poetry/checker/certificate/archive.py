"""Certificates on disk, as they are read: four files, and what may be added; canonical JSON, hashes, kinds of fields.

Each field is a claim, a hint, or a note. A claim is computed from the user's text and compared; what differs refuses
the certificate. A hint is what a prover had to find: it is used, and what comes of it is verified. A note is for
people, and decides nothing. What may be claimed besides is the caller's, see `Choices`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from goedels_poetry.errors import GoedelsPoetryError

Json: TypeAlias = dict[str, Any]

SCHEMA = 1
THEOREM = "theorem.smt2"
EVIDENCE = "derivation.json"
OBLIGATIONS = "obligations.smt2"
MANIFEST = "manifest.json"
FILES = (THEOREM, EVIDENCE, OBLIGATIONS, MANIFEST)
HASHED = (THEOREM, EVIDENCE, OBLIGATIONS)
LEAN_PROOF = "proof.lean"
"""The whole proof once more, for Lean; a certificate may do without."""
PROOFS = "proofs"
"""A folder of proof objects in CPC, one for each obligation; a certificate may do without."""
_PROOF = re.compile(r"[0-9]{3,5}\.cpc\.gz")

MAX_BYTES = 200_000_000
CLAIMS = ("proved", "negation proved", "counterexample", "inconsistent")

# What each field of each kind of certificate is; the readers use these tables

CLAIM, HINT, NOTE = "claim", "hint", "note"

_SEALED = {"schema": CLAIM, "language": CLAIM, "versions": NOTE, "info": NOTE, "manifest_sha256": CLAIM}
_STATED = {**_SEALED, "claim": CLAIM, "statement": CLAIM, "files": CLAIM}

SMT = {**_STATED, "assume_definitions": CLAIM}
LEAN = {**_STATED, "theorem": CLAIM, "witness": CLAIM}
LOGIC = {
    **_SEALED, "claim": CLAIM, "statement": CLAIM, "file": CLAIM, "dialect": CLAIM, "choice": CLAIM, "world": CLAIM,
    "milliseconds": HINT, "optimize_milliseconds": HINT,
}  # fmt: skip
PYTHON = {**_SEALED, "claim": CLAIM, "files": CLAIM, "function": CLAIM}
"""Entries of the manifests, by language."""

INTERPRETATION, PREMISES, DEFINED = "interpretation", "premises", "defined"
"""Keys of the evidence: what it says of all that the theorem leaves open, of premises that it proves, and which
declared functions premises define."""
_MORE = {"termination": HINT, "bounds": HINT, INTERPRETATION: HINT, PREMISES: HINT}
EVIDENCE_KEYS: Mapping[str, Mapping[str, str]] = {
    "SMT proof": {"steps": HINT, "auxiliary": HINT, "measures": HINT, DEFINED: HINT, **_MORE},
    "SMT counterexample": {"values": HINT, "table": HINT, **_MORE},
    "Lean": {},
    "logic": {},
    "Python proof": {},
    "Python refutation": {"arguments": HINT},
    "Python tested": {"task": CLAIM, "change": CLAIM},
}
"""Keys of the evidence, by kind of certificate; those that have none are decided from the text alone."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a caller chooses of what is claimed; a certificate that asks for something else is refused.

    Attributes:
        assume_definitions: definitions that are not shown to terminate count as consistent; SMT only.
        theorem: which one of several theorems of the original; "" accepts the one that the certificate names.
        world: ``closed``: what a program does not make true is false, and there is nothing that it does not name.
    """

    assume_definitions: bool = False
    theorem: str = ""
    world: str = "open"


class BadCertificate(GoedelsPoetryError):
    """The files of a certificate are not what they have to be: ``message`` says how.

    ``path`` is what was read, where that is no certificate at all; the text of the error begins with it then.
    """

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.message, self.path = message, path

    def __str__(self) -> str:
        return self.message if self.path is None else f"{self.path}: {self.message}"


@dataclass(frozen=True)
class Archive:
    """The bytes of a certificate, its manifest read; nothing in it has been believed yet."""

    theorem: bytes
    evidence: bytes
    obligations: bytes
    manifest: Json
    lean_proof: bytes | None = None
    proofs: Mapping[str, bytes] = field(default_factory=dict)
    """Proof objects by `proof_name`."""


def proof_name(number: int) -> str:
    """The file of the proof object of an obligation; they count from 1, in the order of their queries."""
    return f"{PROOFS}/{number:03}.cpc.gz"


def canonical(value: Any) -> bytes:
    """JSON with one way to write each value: sorted keys, two spaces, a newline at the end."""
    text = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False)
    return (text + "\n").encode("ascii")


def read_canonical(data: bytes, what: str) -> Any:
    """The value of canonical JSON.

    Raises:
        BadCertificate: not JSON, or written in another way than `canonical` writes it.
    """
    try:
        value = json.loads(data)
        same = canonical(value) == data
    except (ValueError, RecursionError) as error:
        raise BadCertificate(f"{what} is not JSON: {error}") from error
    if not same:
        raise BadCertificate(f"{what} is not in canonical form: it was edited")
    return value


def sha256(data: bytes) -> str:
    """Hexadecimal SHA-256."""
    return hashlib.sha256(data).hexdigest()


def read_manifest(data: bytes, *, schema: int, language: str, keys: Collection[str]) -> Json:
    """A manifest of a kind and with an intact seal; what its entries say is for the caller to judge.

    Raises:
        BadCertificate: malformed, missing or unknown entries, another kind or version, a hash that does not fit.
    """
    manifest = read_canonical(data, MANIFEST)
    if not isinstance(manifest, dict) or set(manifest) != set(keys):
        raise BadCertificate("the manifest has missing or unknown entries")
    if manifest["schema"] != schema or manifest["language"] != language:
        raise BadCertificate(f"a certificate of another kind or version: {manifest['schema']!r}")
    rest = {key: value for key, value in manifest.items() if key != "manifest_sha256"}
    if manifest["manifest_sha256"] != sha256(canonical(rest)):
        raise BadCertificate("the manifest was edited: its hash does not fit")
    return manifest


def read_archive(path: Path) -> Archive:
    """Read a certificate's files and compare their hashes.

    Raises:
        BadCertificate: missing, unknown or oversized files, malformed JSON, a hash that does not fit.
    """
    try:
        if not path.is_dir():
            raise BadCertificate(f"not a certificate: a folder with {', '.join(FILES)} was expected", path)
        names = sorted(entry.name for entry in path.iterdir())
        more = [name for name in (LEAN_PROOF, PROOFS) if name in names]
        if names != sorted((*FILES, *more)):
            odd = sorted(set(names) ^ {*FILES, *more})
            raise BadCertificate(f"missing or unknown files: {', '.join(odd)}")
        if PROOFS in more:
            more[more.index(PROOFS) :] = _proofs_in(path)
        data = {name: plain_bytes(path / name) for name in (*FILES, *more)}
    except OSError as error:
        raise BadCertificate(f"the certificate cannot be read: {error}") from error
    manifest = read_manifest(data[MANIFEST], schema=SCHEMA, language="smt", keys=SMT)
    if manifest["claim"] not in CLAIMS or not isinstance(manifest["assume_definitions"], bool):
        raise BadCertificate(f"unknown claim: {manifest['claim']!r}")
    if manifest["files"] != {name: sha256(data[name]) for name in (*HASHED, *more)}:
        raise BadCertificate("a file was edited: its hash is not the one in the manifest")
    proofs = {name: data[name] for name in more if name != LEAN_PROOF}
    return Archive(data[THEOREM], data[EVIDENCE], data[OBLIGATIONS], manifest, data.get(LEAN_PROOF), proofs)


def _proofs_in(path: Path) -> list[str]:
    """The names of the proof objects of a certificate; raises `BadCertificate` where there is something else."""
    names = sorted(entry.name for entry in (path / PROOFS).iterdir()) if not (path / PROOFS).is_symlink() else []
    if not names or not all(map(_PROOF.fullmatch, names)):
        raise BadCertificate(f"{PROOFS} is no folder of files 001.cpc.gz, ...")
    return [f"{PROOFS}/{name}" for name in names]


def plain_bytes(path: Path) -> bytes:
    """The bytes of a file that is no link and not too large; raises `BadCertificate`."""
    if path.is_symlink() or not path.is_file():
        raise BadCertificate(f"{path.name} is not a plain file")
    if path.stat().st_size > MAX_BYTES:
        raise BadCertificate(f"{path.name} is larger than {MAX_BYTES} bytes")
    return path.read_bytes()
