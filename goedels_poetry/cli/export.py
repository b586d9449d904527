"""The command `export`, and what `prove --lean` does: the proof of a certificate as a Lean file."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from goedels_poetry.checker.certificate.archive import (
    EVIDENCE,
    FILES,
    LEAN_PROOF,
    BadCertificate,
    read_archive,
    read_canonical,
)
from goedels_poetry.checker.certificate.writing import add_files, write_archive
from goedels_poetry.checker.lean.certify import REFUTED, read_lean
from goedels_poetry.checker.limited import check_within
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.lean import fetch_first
from goedels_poetry.cli.proof_objects import CHECK_SECONDS, with_level
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS
from goedels_poetry.lean.smt_proofs.export import DEFAULT_SECONDS, Exported, exported
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.terminal import lines_to, one_line, say

LONGEST_TRIED = 12
"""Lines of what was tried that a person is shown."""
MOST_OF_AN_ATTEMPT = 300
"""Characters of each of them."""


def export_one(certificate: Path, out: Path | None, seconds: float | None = None, *, as_json: bool = False) -> int:
    """Write the Lean text of a certificate's proof, or say why there is none; returns the exit code."""
    errors = lines_to(sys.stderr)
    try:
        lean = settings().lean
        archive = read_archive(certificate)
        evidence = read_canonical(archive.evidence, EVIDENCE)
        claim = str(archive.manifest["claim"])
        if claim == "counterexample":
            raise BadCertificate("it has no proof but a counterexample")
        fetch_first(lean, quiet=as_json)
    except BadCertificate as problem:
        say(errors, one_line(f"{certificate}: {problem.message}"))
        return 2
    except Unusable as problem:
        say(errors, one_line(str(problem)))
        return 2

    def tell(done: int, total: int) -> None:
        if not as_json:
            say(errors, f"Lean accepted {done} of {total} steps that are needed so far")

    found = asyncio.run(exported(archive.theorem, evidence, lean, seconds, tell, claim))
    if found.text is not None and out is not None:
        try:
            out.write_text(found.text, "utf-8")
        except OSError as problem:
            say(errors, f"{one_line(str(out))}: {problem.strerror or problem}")
            return 2
    if as_json:
        sys.stdout.write(json.dumps(found.to_json(certificate, out)) + "\n")
    elif found.text is None:
        for line in failure_lines(found):
            say(errors, line)
        allowed = DEFAULT_SECONDS if seconds is None else seconds
        if found.seconds >= allowed:
            say(errors, f"  {allowed:g} s are used up; more of them: --lean-timeout {2 * allowed:g}s")
    elif out is None:
        sys.stdout.write(found.text)
    else:
        say(errors, f"{one_line(str(out))}: {found.steps} steps, accepted by Lean in {found.seconds:.1f} s")
    return 0 if found.text is not None else 1


LAKEFILE = """name = "judged"
defaultTargets = ["Challenge", "Solution"]

[[lean_lib]]
name = "Challenge"

[[lean_lib]]
name = "Solution"
"""


def for_comparator(certificate: Path, folder: Path | None) -> int:
    """Write a Lake project in which Lean's comparator judges a certificate of Lean; returns the exit code.

    ``Challenge.lean`` is the user's file, ``Solution.lean`` the proof; that a theorem is false is ``NAME.disproof``.
    """
    errors = lines_to(sys.stderr)
    if folder is None:
        say(errors, "--to comparator writes a folder: --save DIR")
        return 2
    try:
        archive = read_lean(certificate)
        config = {
            "challenge_module": "Challenge",
            "solution_module": "Solution",
            "theorem_names": [archive.theorem],
            "permitted_axioms": sorted(LOGIC_AXIOMS),
            "allow_disproofs": archive.claim == REFUTED,
        }
        folder.mkdir(parents=True, exist_ok=True)
        files = {"Challenge.lean": archive.original, "Solution.lean": archive.proof, "lakefile.toml": LAKEFILE}
        for name, text in {**files, "config.json": json.dumps(config, indent=2) + "\n"}.items():
            (folder / name).write_text(text, "utf-8")
    except BadCertificate as problem:
        say(errors, one_line(f"{certificate}: {problem.message}"))
        return 2
    except OSError as problem:
        say(errors, f"{one_line(str(folder))}: {problem.strerror or problem}")
        return 2
    version = archive.versions.get("lean", "")
    say(errors, f"{one_line(str(folder))}: made with Lean {one_line(version)}; `lake env comparator config.json` there")
    return 0


def failure_lines(found: Exported) -> list[str]:
    """For a person: why there is no Lean text, which step it was, its goal, and what was tried."""
    lines = [f"no Lean file: {one_line(found.reason)}"]
    if found.failed is not None and found.failed.step:
        lines.append(f"  the step: {one_line(found.failed.statement)}")
        for tried in found.failed.tried[:LONGEST_TRIED]:
            lines.append(f"  tried: {_begins(one_line(tried))}")
        more = len(found.failed.tried) - LONGEST_TRIED
        if more > 0:
            lines.append(f"  and {more} more")
    return lines


def _begins(text: str) -> str:
    """As much of a long proof attempt as tells it from others."""
    left = len(text) - MOST_OF_AN_ATTEMPT
    return text if left <= 0 else f"{text[:MOST_OF_AN_ATTEMPT]}... ({left} more characters; --json has all)"


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
        before = {name: (directory / name).read_bytes() for name in (*FILES, *archive.proofs)}
        note(f"{result.input}: writing the proof for Lean")

        def tell(done: int, total: int) -> None:
            note(f"{result.input}: Lean accepted {done} of {total} steps that are needed so far")

        found = await exported(archive.theorem, evidence, settings, seconds, tell, claim)
        if found.text is None:
            return replace(result, warnings=(*result.warnings, *failure_lines(found)[:2]))
        add_files(directory, {LEAN_PROOF: found.text.encode()})
        note(f"{result.input}: the certificate is checked with its proof for Lean")
    report = await asyncio.to_thread(
        check_within, CHECK_SECONDS, directory, text, assume_definitions=assume_definitions
    )
    if report.verdict is not result.verdict and before is not None:
        write_archive(directory, before, overwrite=True)
    return with_level(result, report, "no proof for Lean: it was not accepted")
