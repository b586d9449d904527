"""Certificates as they are written, whole or not at all, and reports as JSON. Nothing that is read rests on this."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import (
    EVIDENCE,
    HASHED,
    LEAN_PROOF,
    MANIFEST,
    OBLIGATIONS,
    SCHEMA,
    THEOREM,
    BadCertificate,
    Json,
    canonical,
    read_archive,
    sha256,
)
from goedels_poetry.checker.certificate.report import CheckReport, Counts, ProofObjects, Reading, TrustLevel
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict


class FinishedProofExists(GoedelsPoetryError):
    """There is a certificate at this place already, and it is not to be overwritten."""


def sealed(manifest: Json) -> Json:
    """A manifest with the hash of all its other entries."""
    return manifest | {"manifest_sha256": sha256(canonical(manifest))}


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


# What a checker says, for others


@dataclass(frozen=True, slots=True)
class Certificate:
    """A checker's answer about what a run claims, and where the certificate lies that it has accepted."""

    verdict: Verdict
    path: Path | None = None
    """None when none was written."""
    trust_level: str | None = None
    """"L1" to "L3", see `TrustLevel`; None unless something was shown."""
    reason: str = ""
    warnings: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)
    """The report as JSON; of a logic program ``result`` besides."""
    checked_by: str = ""
    """The plug-in whose checker this is; "" for ours."""


def report_to_json(report: CheckReport) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "verdict": report.verdict.value,
        "trust_level": None if report.trust_level is None else str(report.trust_level),
        "refused": report.refused,
        "retry": report.retry,
        "obligations": asdict(report.obligations),
        "undecided_by_first": list(report.undecided_by_first),
        "undecided_by_second": list(report.undecided_by_second),
        "reasons": list(report.reasons),
        "notes": list(report.notes),
        "assumptions": list(report.assumptions),
        "core": list(report.core),
        "needed": None if report.needed is None else list(report.needed),
        "unneeded": list(report.unneeded),
        "statement": report.statement,
        "seconds": round(report.seconds, 3),
        "counterexample": dict(report.counterexample),
        **about_lean(report),
        **({"checked_by": report.checked_by} if report.checked_by else {}),
        **({"reading": asdict(report.reading)} if report.reading is not None else {}),
        **about_proofs(report),
    }


def report_from_json(json: dict[str, Any]) -> CheckReport:
    """What `report_to_json` has written."""
    lists = (
        "undecided_by_first",
        "undecided_by_second",
        "reasons",
        "notes",
        "assumptions",
        "core",
        "axioms",
        "unneeded",
    )
    level, needed, line = json["trust_level"], json["needed"], json.get("line")
    return CheckReport(
        Verdict(json["verdict"]),
        None if level is None else TrustLevel(int(level.removeprefix("L"))),
        **{name: tuple(json.get(name, ())) for name in lists},
        refused=json["refused"],
        retry=json["retry"],
        obligations=Counts(**json["obligations"]),
        needed=None if needed is None else tuple(needed),
        statement=json["statement"],
        seconds=json["seconds"],
        counterexample=json["counterexample"],
        rule=json.get("rule") or "",
        place=None if line is None else (line, json["column"]),
        versions=json.get("versions", {}),
        checked_by=json.get("checked_by", ""),
        reading=Reading(**json["reading"]) if json.get("reading") else None,
        proofs=ProofObjects(p["checked"], tuple(p["without"])) if (p := json.get("proofs")) else None,
    )


def about_proofs(report: CheckReport) -> dict[str, Any]:
    """What came of proof objects; empty when they were not asked for."""
    if report.proofs is None:
        return {}
    return {"proofs": {"checked": report.proofs.checked, "without": list(report.proofs.without)}}


def about_lean(report: CheckReport) -> dict[str, Any]:
    """What only a check by Lean tells; empty for others."""
    if not (report.versions or report.rule or report.place):
        return {}
    line, column = report.place or (None, None)
    place = {"line": line, "column": column}
    return {"rule": report.rule or None, **place, "axioms": list(report.axioms), "versions": dict(report.versions)}
