"""A check that ends in time, whatever it is of: in a process of its own, which is killed with all that it started.

Every walk of a checker is bounded by the work it does, and every query by its limits; but a certificate may ask for
many of them, and bounds may have gaps. A limit that is enforced from outside has none.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict, Unpack

from goedels_poetry.checker.by_language import LEAN, PYTHON, check_any, language_of, may_be_smt
from goedels_poetry.checker.certificate.archive import LEAN_PROOF, Choices
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import about_lean, about_proofs, report_from_json, report_to_json
from goedels_poetry.checker.plugins import BUILT_IN
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.limits import SolverError
from goedels_poetry.solvers.worker_pool import JobTimeout, WorkerPool

SCHEMA = 1
"""Version of the object that ``check --json`` prints."""
SECONDS = 300.0
"""For a whole check, where nothing else is said."""
RESERVE = 4.0
"""Seconds that are left when the second solver stops; what it leaves open costs a trust level, the limit everything."""
MEMORY_MB = 4096
NO_PROOFS = "there are no proof objects of it: proofs in SMT-LIB and of Python functions may have them"
LEAN_MEMORY_MB = 1 << 24
"""Lean's process reserves far more address space than it uses, and has a limit of its own."""

Json = dict[str, Any]


class Wanted(TypedDict, total=False):
    """What is checked besides a path, see `checked_in`."""

    lean_text: str | None
    theorem: str
    assume_definitions: bool
    world: str
    language: str
    proofs: bool


def check_within(seconds: float, path: Path, against: str | None = None, **wanted: Unpack[Wanted]) -> CheckReport:
    """`checked_in` a process of its own."""

    async def alone() -> CheckReport:
        async with WorkerPool(1) as pool:
            return await checked_in(pool, seconds, path, against, **wanted)

    return asyncio.run(alone())


async def checked_in(
    pool: WorkerPool,
    seconds: float,
    path: Path,
    against: str | None = None,
    *,
    lean_text: str | None = None,
    theorem: str = "",
    assume_definitions: bool = False,
    world: str = "open",
    language: str = "",
    proofs: bool = False,
) -> CheckReport:
    """The report on a certificate, or on anyone's Lean file, after ``seconds`` at most.

    Args:
        pool: a process of it does the work.
        seconds: for everything, the start of processes included; what is not done by then is ended.
        path: the certificate's folder; where ``lean_text`` came from.
        against: text of the theorem that it has to be about; None accepts what the certificate says.
        lean_text: a Lean file that is no certificate.
        theorem, assume_definitions, world: what the caller chooses of what is claimed, see `Choices`.
        proofs: also check the proof objects of a proof in SMT-LIB.
        language: the one of ours that ``against`` is in, where that is known: no checker of a plug-in decides about it.
    """
    began = time.monotonic()
    claimed = language_of(path) if lean_text is None else ""
    if language and claimed and claimed not in BUILT_IN:
        reason = f"the theorem is in the language {language}, the certificate in {claimed}"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    payload = {
        "path": str(path),
        "against": against,
        "lean_text": lean_text,
        "choices": {"assume_definitions": assume_definitions, "theorem": theorem, "world": world},
        "seconds": seconds,
        "proofs": proofs,
    }
    lean = lean_text is not None or language_of(path) == LEAN or (path / LEAN_PROOF).is_file()
    try:
        found = await _in_a_process(pool, payload, seconds, LEAN_MEMORY_MB if lean else MEMORY_MB)
    except JobTimeout:
        reason = f"the check was not done within {seconds:g} s; --timeout gives it more time"
        return CheckReport(Verdict.UNKNOWN, reasons=(reason,), retry=True, seconds=time.monotonic() - began)
    except SolverError as error:
        return CheckReport(Verdict.UNKNOWN, reasons=(str(error),), retry=True, seconds=time.monotonic() - began)
    report = report_from_json(found)
    if proofs and report.accepted and report.proofs is None:
        return replace(report, notes=(*report.notes, NO_PROOFS))
    return report


async def _in_a_process(pool: WorkerPool, payload: Json, seconds: float, memory_mb: int) -> Json:
    found: Json = await pool.run(f"{__name__}:check", payload, seconds, memory_mb)
    return found


def check(payload: Json) -> Json:
    """What `checked_in` asks of its process: the report as JSON."""
    try:
        return report_to_json(_report(payload))
    except GoedelsPoetryError as error:  # there is no Lean to ask
        return report_to_json(CheckReport(Verdict.UNKNOWN, reasons=(str(error),)))


def answer(report: CheckReport, certificate: str, against: str | None) -> Json:
    """The object that ``check --json`` prints, see `check-v1.json`."""
    return {
        "schema": SCHEMA,
        "certificate": certificate,
        "against": against,
        "verdict": str(report.verdict),
        "accepted": report.accepted,
        "refused": report.refused,
        "trust_level": str(report.trust_level) if report.trust_level is not None else None,
        "statement": report.statement,
        "obligations": {
            "total": report.obligations.total,
            "z3": report.obligations.first,
            "cvc5": report.obligations.second,
            "undecided_by_z3": list(report.undecided_by_first),
            "undecided_by_cvc5": list(report.undecided_by_second),
        },
        "assumptions": list(report.assumptions),
        "counterexample": report.counterexample or None,
        "core": list(report.core) or None,
        "needed": None if report.needed is None else list(report.needed),
        "unneeded": list(report.unneeded),
        "reasons": list(report.reasons),
        "notes": list(report.notes),
        "seconds": round(report.seconds, 3),
        **about_lean(report),
        **({"checked_by": report.checked_by} if report.checked_by else {}),
        **about_proofs(report),
        "exit_code": report.verdict.exit_code,
    }


def _report(payload: Json) -> CheckReport:
    path, against, seconds = Path(payload["path"]), payload["against"], float(payload["seconds"])
    choices, proofs = Choices(**payload["choices"]), bool(payload.get("proofs"))
    if payload["lean_text"] is not None or language_of(path) == LEAN:
        from goedels_poetry.checker.lean.audit import audit_file  # only where there is something of Lean
        from goedels_poetry.checker.lean.certify import check_lean
        from goedels_poetry.checker.lean.verify import run

        if payload["lean_text"] is not None:
            return run(audit_file(payload["lean_text"], against, choices.theorem, seconds=seconds))
        return run(check_lean(path, against, seconds=seconds, theorem=choices.theorem))
    if may_be_smt(path):
        from goedels_poetry.checker.smt.check import check_certificate

        text = None if against is None else against.encode()
        left = max(seconds - RESERVE, 0.0)
        assume = choices.assume_definitions
        return check_certificate(path, text, assume_definitions=assume, second_seconds=left, proofs=proofs)
    if language_of(path) == PYTHON:
        from goedels_poetry.checker.python.check import check_python  # only where there is one of Python

        left = max(seconds - RESERVE, 0.0)
        return check_python(path, against, function=choices.theorem, second_seconds=left, proofs=proofs)
    return check_any(path, against, **payload["choices"])
