"""What ``prove --lean`` does after a theorem of SMT-LIB is proved: the proof once more, for Lean."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from goedels_poetry.checker.archive import (
    EVIDENCE,
    FILES,
    BadCertificate,
    add_lean_proof,
    read_archive,
    read_canonical,
    write_archive,
)
from goedels_poetry.checker.limited import check_within
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.cli.export import exported, failure_lines
from goedels_poetry.errors import RunLocked
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.tree.results import RunResult
from goedels_poetry.tree.runs import RunDir

CHECK_SECONDS = 300.0


async def with_lean_proof(
    result: RunResult,
    text: str,
    settings: LeanSettings,
    seconds: float | None,
    assume_definitions: bool,
    note: Callable[[str], None],
) -> RunResult:
    """The result with the trust level that its certificate has when the proof for Lean stands in it.

    Where there is none, the result is what it was, with a warning that says why; the certificate then has no such file.

    Args:
        text: the theorem's.
        seconds: for the Lean text; None: 60.
        note: is told how far it is.
    """
    directory = result.certificate
    if directory is None or result.verdict not in CLAIMS:
        return result
    try:
        archive = read_archive(directory)
        claim = str(archive.manifest["claim"])
        if claim == "counterexample":  # there is no proof to write
            return result
        evidence = read_canonical(archive.evidence, EVIDENCE)
    except BadCertificate as problem:
        return replace(result, warnings=(*result.warnings, f"no proof for Lean: {problem}"))
    before = None
    if archive.lean_proof is None:
        before = {name: (directory / name).read_bytes() for name in FILES}
        note(f"{result.input}: writing the proof for Lean")

        def tell(done: int, total: int) -> None:
            note(f"{result.input}: Lean accepted {done} of {total} steps that are needed so far")

        found = await exported(archive.theorem, evidence, settings, seconds, tell, claim)
        if found.text is None:
            return replace(result, warnings=(*result.warnings, *failure_lines(found)[:2]))
        add_lean_proof(directory, found.text)
        note(f"{result.input}: the certificate is checked with its proof for Lean")
    report = await asyncio.to_thread(
        check_within, CHECK_SECONDS, directory, text, assume_definitions=assume_definitions
    )
    if report.verdict is not result.verdict:
        if before is not None:
            write_archive(directory, before, overwrite=True)
        reason = report.reasons[0] if report.reasons else "no reason given"
        return replace(result, warnings=(*result.warnings, f"no proof for Lean: it was not accepted: {reason}"))
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
