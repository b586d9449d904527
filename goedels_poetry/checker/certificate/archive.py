"""Certificates on disk: four files, and what may be added; canonical JSON, hashes; written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from goedels_poetry.checker.certificate import fields
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


class BadCertificate(GoedelsPoetryError):
    """The files of a certificate are not what they have to be: ``message`` says how.

    ``path`` is what was read, where that is no certificate at all; the text of the error begins with it then.
    """

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.message, self.path = message, path

    def __str__(self) -> str:
        return self.message if self.path is None else f"{self.path}: {self.message}"


class FinishedProofExists(GoedelsPoetryError):
    """There is a certificate at this place already, and it is not to be overwritten."""


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


def sealed(manifest: Json) -> Json:
    """A manifest with the hash of all its other entries."""
    return manifest | {"manifest_sha256": sha256(canonical(manifest))}


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


def make_manifest(
    files: Mapping[str, bytes],
    *,
    claim: str,
    statement: str,
    assume_definitions: bool,
    versions: Mapping[str, str],
    info: Mapping[str, Any],
) -> Json:
    """The manifest of a certificate. ``info`` is anything a reader may like to know; no verdict rests on it."""
    return sealed(
        {
            "schema": SCHEMA,
            "language": "smt",
            "claim": claim,
            "statement": statement,
            "assume_definitions": assume_definitions,
            "files": {name: sha256(files[name]) for name in (*HASHED, LEAN_PROOF) if name in files},
            "versions": dict(versions),
            "info": plain(dict(info)),
        }
    )


def plain(value: Any) -> Any:
    """``value`` as canonical JSON can say it: numbers that are not finite are left out, other objects become text."""
    return json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)


def language_of(path: Path) -> str:
    """The language that a certificate's manifest names, unchecked; "" when it names none."""
    try:
        manifest = json.loads(plain_bytes(path / MANIFEST))
    except (BadCertificate, OSError, ValueError, RecursionError):
        return ""
    return str(manifest.get("language", "")) if isinstance(manifest, dict) else ""


def manifest_fault(path: Path) -> str:
    """Why a certificate's manifest is no JSON; "" where it is, or is not there."""
    try:
        json.loads(plain_bytes(path / MANIFEST))
    except RecursionError:
        return f"{MANIFEST} is nested too deeply"
    except ValueError as error:
        return f"{MANIFEST} is not JSON: {error}"
    except (BadCertificate, OSError):
        return ""
    return ""


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
    manifest = read_manifest(data[MANIFEST], schema=SCHEMA, language="smt", keys=fields.SMT)
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


def add_files(directory: Path, more: Mapping[str, bytes]) -> None:
    """Put a Lean proof, or proof objects, into a certificate, whose other files stay as they are. Nothing is checked.

    Raises:
        BadCertificate: there is no certificate at this place.
    """
    archive = read_archive(directory)
    lean = {} if archive.lean_proof is None else {LEAN_PROOF: archive.lean_proof}
    files = {THEOREM: archive.theorem, EVIDENCE: archive.evidence, OBLIGATIONS: archive.obligations}
    files |= {**lean, **archive.proofs, **more}
    hashes = {name: sha256(data) for name, data in files.items()}
    manifest = {key: value for key, value in archive.manifest.items() if key != "manifest_sha256"} | {"files": hashes}
    write_archive(directory, {**files, MANIFEST: canonical(sealed(manifest))}, overwrite=True)


def plain_bytes(path: Path) -> bytes:
    """The bytes of a file that is no link and not too large; raises `BadCertificate`."""
    if path.is_symlink() or not path.is_file():
        raise BadCertificate(f"{path.name} is not a plain file")
    if path.stat().st_size > MAX_BYTES:
        raise BadCertificate(f"{path.name} is larger than {MAX_BYTES} bytes")
    return path.read_bytes()


def finished_proof(directory: Path) -> str | None:
    """The SHA-256 of the theorem of a finished certificate at this place, or None when there is none."""
    try:
        return sha256(read_archive(directory).theorem)
    except BadCertificate:
        return None


def write_archive(directory: Path, files: Mapping[str, bytes], *, overwrite: bool | Callable[[], bool] = False) -> None:
    """Write a whole certificate under a temporary name beside its place, then rename it.

    Nobody waits for the disk, as with the store of a run: what a power loss tears is not what its manifest says, is
    refused, and made anew. To wait for four files was seen to take 25 ms, more than all that the check computes.

    Args:
        overwrite: whether a certificate at the place is replaced; a function, which may read that one, is asked when
            all is written, and what it cannot read is not replaced.

    Raises:
        FinishedProofExists: something stands at the place and is not to be replaced.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{directory.name}.{os.getpid()}.", dir=directory.parent))
    try:
        for name, data in files.items():
            (temporary / name).parent.mkdir(exist_ok=True)
            (temporary / name).write_bytes(data)
        temporary.chmod(0o755)
        put_in_place(temporary, directory, overwrite=_asked(overwrite))
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _asked(overwrite: bool | Callable[[], bool]) -> bool:
    try:
        return overwrite() if callable(overwrite) else overwrite
    except BadCertificate:
        return False


def put_in_place(temporary: Path, directory: Path, *, overwrite: bool = False) -> None:
    """Rename a folder to where it belongs.

    Raises:
        FinishedProofExists: something stands there and ``overwrite`` is not set.
    """
    taken = f"{directory} exists already; remove it or choose another place"
    there = os.path.lexists(directory)  # a link that leads nowhere takes the place, too
    if there and not overwrite:
        raise FinishedProofExists(taken)
    old = Path(tempfile.mkdtemp(prefix=f".{directory.name}.old.", dir=directory.parent)) if there else None
    try:
        if old is not None:
            directory.rename(old / "replaced")
        temporary.rename(directory)
    except OSError as error:
        if old is not None:
            with suppress(OSError):  # what was there comes back, unless somebody else has taken its place
                (old / "replaced").rename(directory)
        if os.path.lexists(directory):
            raise FinishedProofExists(taken) from error
        raise
    finally:
        if old is not None and os.path.lexists(directory):  # else it holds the only copy
            shutil.rmtree(old, ignore_errors=True)
