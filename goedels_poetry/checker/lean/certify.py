"""Certificates of Lean proofs: two Lean files and a manifest, written whole or not at all, and checked from nothing."""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import (
    LEAN,
    MANIFEST,
    BadCertificate,
    canonical,
    plain_bytes,
    read_manifest,
    sha256,
)
from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.certificate.writing import (
    Certificate,
    FinishedProofExists,
    plain,
    report_to_json,
    sealed,
    write_archive,
)
from goedels_poetry.checker.lean.original import has_programs, may_deceive, read_original
from goedels_poetry.checker.lean.verify import (
    FACTS,
    SECONDS,
    VACUOUS,
    Claim,
    FreshLean,
    fresh_lean,
    fresh_leans,
    premises_of,
    refused,
    verify,
    verify_with,
    within,
)
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.opening import at_hand
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import PRIVATE
from goedels_poetry.lean.text.modules import READ_BY
from goedels_poetry.lean.text.source import Target, normalised, open_theorems, read_target
from goedels_poetry.settings.declared import LeanSettings, Settings
from goedels_poetry.version import __version__

# Lean certificates on disk

SCHEMA = 1
LANGUAGE = "lean"
ORIGINAL = "original.lean"
PROOF = "proof.lean"
HASHED = (ORIGINAL, PROOF)
FILES = (*HASHED, MANIFEST)
PROVED, REFUTED, CONTRADICTORY = "proved", "negation proved", "hypotheses contradictory"
CLAIMS = (PROVED, REFUTED, CONTRADICTORY)


@dataclass(frozen=True, slots=True)
class LeanArchive:
    """A certificate as it lies there; nothing in it has been believed yet."""

    original: str
    proof: str
    claim: str
    theorem: str
    """Constant of the user's theorem."""
    witness: str
    """Constant that says that it is false, or that its hypotheses are contradictory; "" where it is proved."""
    statement: str
    versions: dict[str, str]

    def about(self, original: str, stated: str | None) -> Claim:
        """What it claims of an original."""
        return Claim(self.proof, original, (self.theorem,), self.witness, self.claim == CONTRADICTORY, stated=stated)


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
    write_archive(directory, files, overwrite=lambda: read_lean(directory).original == archive.original)


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
    manifest = read_manifest(data[MANIFEST], schema=SCHEMA, language=LANGUAGE, keys=LEAN)
    if manifest["files"] != {name: sha256(data[name]) for name in HASHED}:
        raise BadCertificate("a file was edited: its hash is not the one in the manifest")
    claim, theorem, witness, statement = (manifest[key] for key in ("claim", "theorem", "witness", "statement"))
    if not all(isinstance(text, str) for text in (claim, theorem, witness, statement)) or not isinstance(
        manifest["versions"], dict
    ):
        raise BadCertificate("an entry of the manifest is of the wrong kind")
    if claim not in CLAIMS or (claim != PROVED) != bool(witness):
        raise BadCertificate(f"unknown claim: {claim!r}")
    return LeanArchive(original, proof, claim, theorem, witness, statement, manifest["versions"])


Json = dict[str, Any]

_PLAIN_NAME = re.compile(r"[\w'.!?]+")
_DECLARED = re.compile(
    r"\b(?:theorem|lemma|def|abbrev|axiom|opaque|inductive|structure|class)\s+(?:_root_\.)?([\w'.!?]+)"
)


async def certify_proof(
    fresh: FreshLean,
    target: Target,
    text: str,
    directory: Path,
    info: Mapping[str, Any],
    seconds: float | None = None,
    elaborator: LeanPool | None = None,
) -> Certificate:
    """The verdict on a whole file as a proof of the target; the certificate is written when it is ``proved``.

    ``elaborator``: a Lean that runs already, see `elaborator_at_hand`.
    """
    claim, until = Claim(text, target.reference, (target.full_name,)), time.monotonic() + (seconds or SECONDS)
    found = await _certify(fresh, claim, directory, info, seconds, target.warnings, elaborator)
    if found.path is None or not any(warning.startswith(VACUOUS) for warning in found.warnings):
        return found
    with contextlib.suppress(TimeoutError, InvalidInput):  # then it is proved, and the warning stands
        absurd = await _absurd(fresh, target, claim, until)
        if absurd is not None:
            left = max(until - time.monotonic(), 0.1)
            instead = await _certify(fresh, absurd, directory, info, left, target.warnings, None)
            return instead if instead.path is not None else found
    return found


async def _absurd(fresh: FreshLean, target: Target, claim: Claim, until: float) -> Claim | None:
    """The claim that the hypotheses contradict each other, with the proof of the theorem beside it."""
    async with fresh_leans(fresh) as leans:
        original = await read_original(leans.elaborator, claim.original, until - time.monotonic())
        looked = await premises_of(leans, original, target.full_name)
    if not looked.absurd or not claim.text.startswith(target.prefix):
        return None
    witness, head = _witness(target, "contradiction")
    rest = claim.text[len(target.prefix) :]
    text = f"{target.prefix}{head}{looked.absurd}\n{rest}"
    return Claim(text, claim.original, claim.theorems, witness, empty=True)


async def certify_negation(
    fresh: FreshLean,
    target: Target,
    proof: str,
    directory: Path,
    info: Mapping[str, Any],
    seconds: float | None = None,
    elaborator: LeanPool | None = None,
) -> Certificate:
    """The verdict on ``proof``, the text after ``:=``, as a proof that the target is false.

    What is refuted is the constant that Lean makes of the user's theorem, with its universes, section variables and
    auto-bound names: the gate compares the type of the new theorem with `Not` of that constant's type.
    """
    if not target.type:
        return Certificate(Verdict.UNKNOWN, reason="the statement has no closed form to negate")
    witness, head = _witness(target, "disproof")
    text = f"{target.prefix}{head} : ¬ ({target.type}) := {proof}\n"
    claim = Claim(text, _stated(target), (target.full_name,), witness)
    return await _certify(fresh, claim, directory, info, seconds, (), elaborator)


def _witness(target: Target, what: str) -> tuple[str, str]:
    """Name and head of the theorem that says so; the user's file has no such name, whatever its namespaces are."""
    name = target.full_name.removeprefix(PRIVATE)
    witness, taken = f"{name}.{what}" if _PLAIN_NAME.fullmatch(name) else what, _DECLARED.findall(target.reference)
    while any(f".{witness}".endswith(f".{each}") for each in taken):
        witness += "'"
    universes = f".{{{', '.join(target.levels)}}}" if target.levels else ""
    return witness, f"theorem _root_.{witness}{universes}"


def elaborator_at_hand(original: str, settings: LeanSettings | None = None) -> LeanPool | None:
    """A Lean of a search, to elaborate a proof of this original; None where there is none, or it may not.

    What it says is data that are not believed, as those of a fresh one are not. But then the replayer has to read the
    original: it must be the user's own, without programs, which could change what runs there.
    """
    if has_programs(normalised(original)):
        return None
    return at_hand(Settings().lean if settings is None else settings)


def _stated(target: Target) -> str:
    """The file up to the theorem, which is left open: what follows it plays no part in a refutation."""
    return f"{target.prefix}{target.head} := sorry\n"


async def _certify(
    fresh: FreshLean,
    claim: Claim,
    directory: Path,
    info: Mapping[str, Any],
    seconds: float | None,
    warnings: tuple[str, ...],
    elaborator: LeanPool | None,
) -> Certificate:
    until = time.monotonic() + (SECONDS if seconds is None else seconds)
    report = None
    if elaborator is not None:  # what it does not accept is asked again: for what it has seen before, perhaps
        with contextlib.suppress(InvalidInput):
            report = await verify(fresh, claim, seconds, elaborator)
    try:
        if report is None or not report.accepted:
            report = await verify(fresh, claim, max(until - time.monotonic(), 0.1))
    except InvalidInput as error:
        return Certificate(Verdict.UNKNOWN, reason=f"the original is not valid: {error}")
    if not report.accepted:
        return Certificate(Verdict.UNKNOWN, reason="; ".join(report.reasons), details=report_to_json(report))
    archive = LeanArchive(
        claim.original,
        claim.text,
        CONTRADICTORY if claim.empty else REFUTED if claim.witness else PROVED,
        claim.theorems[0],
        claim.witness,
        report.statement,
        {"goedels-poetry": __version__, **report.versions},
    )
    try:
        write_lean(directory, archive, info)
    except FinishedProofExists as error:
        return Certificate(Verdict.UNKNOWN, reason=str(error), details={**report_to_json(report), "retry": True})
    confirmed = report.trust_level is TrustLevel.CONFIRMED  # where it is not, notes say why
    doubts = (n for n in report.notes if n.startswith(READ_BY) or not (confirmed or n.startswith(FACTS)))
    return Certificate(
        report.verdict,
        directory,
        str(report.trust_level),
        reason="; ".join(report.reasons),
        warnings=(
            *warnings,
            *(f"assumed: {what}" for what in report.assumptions),
            *doubts,
        ),
        details=report_to_json(report),
    )


async def check_lean(
    path: Path,
    against: str | None = None,
    fresh: FreshLean = fresh_lean,
    seconds: float | None = None,
    theorem: str = "",
) -> CheckReport:
    """Check a certificate from nothing: its files, a fresh Lean, and nothing that it says of itself.

    Args:
        against: the user's file that it has to be about; None accepts the original inside it.
        theorem: the one that it has to be about, in full or by its end; "" is any of the user's.

    Raises:
        InvalidInput: ``against`` is not valid or does not state the theorem.
        TimeoutError: not done in time.
    """
    try:
        archive = read_lean(path)
    except BadCertificate as error:
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    name = archive.theorem.removeprefix(PRIVATE)
    if theorem and name != theorem and not name.endswith(f".{theorem}"):
        reason = f"the certificate is about {name}, not about {theorem}"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,), rule="missing")
    if against is None and (deceiving := await asyncio.to_thread(may_deceive, archive.original)):
        explained = f"{deceiving.reason}, in the original of the certificate: {_GIVE_YOURS}"
        return refused(replace(deceiving, reason=explained))
    async with within(SECONDS if seconds is None else seconds) as until, fresh_leans(fresh) as leans:
        original = archive.original if against is None else await _given(leans.elaborator, against, archive)
        stated = archive.statement if against is None else None
        report = await verify_with(leans, archive.about(original, stated), until)
    if against is not None:
        return report
    return replace(report, notes=(*report.notes, "compared with the original in the certificate only"))


_GIVE_YOURS = "compare with your own file (--against)"


async def _given(lean: LeanPool, against: str, archive: LeanArchive) -> str:
    """The user's own file with the theorem left open; it is all that Lean has seen before the check."""
    name = archive.theorem.removeprefix(PRIVATE)
    still_open = await open_theorems(lean, against)
    if still_open and name not in still_open:
        raise InvalidInput(f"it does not leave {name} open, which the certificate is about", hint=", ".join(still_open))
    target = await read_target(lean, against, name, advice=False)
    return _stated(target) if archive.claim == REFUTED else target.reference
