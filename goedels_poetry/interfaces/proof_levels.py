"""Proof objects for the certificate of a run, as `prove` writes them when asked to, and the level that it has then."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.checker.by_language import PYTHON, SMT
from goedels_poetry.checker.certificate.archive import PROOFS, BadCertificate, read_archive
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import add_files
from goedels_poetry.checker.limited import MEMORY_MB, NO_PROOFS, checked_in
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.checker.python.archive import PROOF
from goedels_poetry.errors import RunLocked
from goedels_poetry.solvers.limits import SolverError, SolverUnavailable
from goedels_poetry.solvers.worker_pool import WorkerPool
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.runs import RunDir

CHECK_SECONDS = 300.0
"""For a certificate that has more evidence now."""


async def with_proof_objects(
    result: RunResult,
    text: str,
    assume_definitions: bool,
    note: Callable[[str], None],
    pool: WorkerPool | None = None,
    seconds: float | None = None,
) -> RunResult:
    """The result with the trust level that its certificate has with a proof object for each obligation.

    What cvc5 does not prove stays without one, with a warning; the certificate is as good as it was.

    Args:
        text: the theorem's. note: is told how far it is.
        pool: a process of it does the work, or one of our own; cancelling ends that.
        seconds: for cvc5; None: what `proofs_of` allows.
    """
    if pool is None:
        async with WorkerPool(1) as own:
            return await with_proof_objects(result, text, assume_definitions, note, own, seconds)
    directory = result.certificate
    if directory is None:
        return result
    none = replace(result, warnings=(*result.warnings, NO_PROOFS))
    if result.language not in (SMT, PYTHON) or result.verdict not in CLAIMS:
        return none
    of_smt = directory / PROOF if (directory / PROOF).is_dir() else directory
    try:
        archive = read_archive(of_smt)
        if archive.manifest["claim"] == "counterexample":
            return none
        if not archive.proofs:
            note(f"{result.input}: cvc5 writes the proof objects")
            payload = {"path": str(of_smt), "seconds": seconds}
            found = await pool.run(f"{__name__}:write", payload, 2 * (seconds or CHECK_SECONDS), MEMORY_MB)
            if fault := found["fault"]:
                return replace(result, warnings=(*result.warnings, f"no {PROOFS}: {fault}"))
        more = {"assume_definitions": assume_definitions, "proofs": True}
        report = await checked_in(pool, CHECK_SECONDS, directory, text, **more)  # type: ignore[arg-type]
    except (BadCertificate, SolverError) as problem:
        return replace(result, warnings=(*result.warnings, f"no {PROOFS}: {problem}"))
    without = report.proofs.without if report.proofs is not None else ()
    warnings = tuple(f"no proof object: {reason}" for reason in without)
    result = replace(result, warnings=(*result.warnings, *warnings))
    return with_level(result, report, f"the certificate was not accepted with its {PROOFS}")


def write(payload: dict[str, Any]) -> dict[str, str]:
    """What `with_proof_objects` asks of its process: the proof objects are in the certificate, or why not."""
    from goedels_poetry.checker.smt.proof_objects import SECONDS, proofs_of  # for who asks for them

    path = Path(payload["path"])
    try:
        found = {name: packed for _, name, packed in proofs_of(path, payload["seconds"] or SECONDS)}
    except (BadCertificate, SolverUnavailable) as problem:
        return {"fault": str(problem)}
    if found:
        add_files(path, found)
    return {"fault": "" if found else "cvc5 proves none of the obligations"}


def with_level(result: RunResult, report: CheckReport, failure: str) -> RunResult:
    """The result with the level of a later report on its certificate, which the run remembers; if that does not say the
    same, with a warning."""
    if report.verdict is not result.verdict:
        reason = report.reasons[0] if report.reasons else "no reason given"
        return replace(result, warnings=(*result.warnings, f"{failure}: {reason}"))
    level = str(report.trust_level) if report.trust_level is not None else result.trust_level
    remember(result, level)
    return replace(result, trust_level=level)


def remember(result: RunResult, level: str | None) -> None:
    """Let the run know the trust level that its certificate has now. Who works on the run meanwhile writes his own."""
    if result.run_dir is None:
        return
    run = RunDir(result.run_dir)
    with suppress(RunLocked, OSError), run.lock():
        known = run.result()
        if known is not None and known.verdict is result.verdict and known.trust_level != level:
            run.write_card(result=replace(known, trust_level=level).to_json())
