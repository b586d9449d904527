"""The command `export`, and `prove --lean`: Lean files, and the trust levels that certificates have with them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from goedels_poetry.checker import CheckReport
from goedels_poetry.checker.certificate.archive import (
    EVIDENCE,
    FILES,
    LEAN_PROOF,
    BadCertificate,
    read_archive,
    read_canonical,
)
from goedels_poetry.checker.certificate.writing import add_files, write_archive
from goedels_poetry.checker.lean.certify import REFUTED, LeanArchive, read_lean
from goedels_poetry.checker.lean.verify import fresh_lean, fresh_leans, second_kernel, verify_with, within
from goedels_poetry.checker.limited import check_within
from goedels_poetry.checker.plugins import CLAIMS
from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.lean import fetch_first
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.interfaces.proof_levels import with_level
from goedels_poetry.lean.gate.compare import Opinion
from goedels_poetry.lean.gate.data import read as read_stream
from goedels_poetry.lean.gate.stream import write as write_stream
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS
from goedels_poetry.lean.smt_proofs.export import DEFAULT_SECONDS, Exported, exported
from goedels_poetry.settings.declared import LeanSettings
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.terminal import lines_to, one_line, say
from goedels_poetry.version import __version__

CHECK_SECONDS = 300.0
"""For a certificate that has more evidence now."""
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


def for_kernels(certificate: Path, file: Path | None, seconds: float | None = None) -> int:
    """Write all that a certificate of Lean rests on as NDJSON 3.1 (lean4export's), for kernels that are not ours.

    It is written only when the certificate is accepted; returns the exit code. What our Lean keeps no value of is an
    axiom there, and counted.
    """
    errors = lines_to(sys.stderr)
    try:
        archive = read_lean(certificate)
        fetch_first(settings().lean, quiet=False)
        report, streams = asyncio.run(_streams(archive, CHECK_SECONDS if seconds is None else seconds))
    except BadCertificate as problem:
        say(errors, one_line(f"{certificate}: {problem.message}"))
        return 2
    except (Unusable, GoedelsPoetryError) as problem:
        say(errors, one_line(str(problem)))
        return 2
    except TimeoutError:
        say(errors, "the certificate could not be checked in time: --lean-timeout 600s")
        return 1
    if not report.accepted or streams is None:
        say(errors, f"the certificate is not accepted: {one_line('; '.join(report.reasons))}")
        return 1
    library, candidate = map(read_stream, streams)
    there = len(library.parts) - 1, len(library.levels) - 1, len(library.exprs)
    made = {"name": "goedels-poetry", "version": __version__}
    lean = {"githash": "", "version": str(report.versions.get("lean", ""))}
    meta = json.dumps({"meta": {"exporter": made, "lean": lean, "format": {"version": "3.1.0"}}})
    rows = [_with_axiom(line) for line in streams[0].splitlines()]
    text = "\n".join([meta, *rows, write_stream(candidate, candidate.declarations, there)])
    if file is None:
        sys.stdout.write(text)
        return 0
    try:
        file.write_text(text, "utf-8")
    except OSError as problem:
        say(errors, f"{one_line(str(file))}: {problem.strerror or problem}")
        return 2
    assumed = sum(declaration.kind == "assumed" for declaration in library.declarations)
    found = f"{len(library.declarations) + len(candidate.declarations)} declarations"
    say(errors, f"{one_line(str(file))}: {found}, {assumed} of the library without a value here: axioms there")
    return 0


async def _streams(archive: LeanArchive, seconds: float) -> tuple[CheckReport, tuple[str, str] | None]:
    """The report on a certificate, and what the second kernel was given: library and proof as data."""
    given: list[tuple[str, str]] = []

    async def second(library: str, candidate: str, premises: Sequence[str], left: float) -> Opinion:
        given.append((library, candidate))
        return await second_kernel(library, candidate, premises, left)

    claim = archive.about(archive.original, archive.statement)
    async with within(seconds) as until, fresh_leans(fresh_lean) as leans:
        report = await verify_with(replace(leans, second=second), claim, until)
    return report, given[0] if given else None


def _with_axiom(line: str) -> str:
    """A line of the library's data, as other kernels read it: a constant without its value is an axiom."""
    row = json.loads(line)
    if "assumed" not in row:
        return line
    record = {key: value for key, value in row["assumed"].items() if key != "kind"}
    return json.dumps({"axiom": record | {"isUnsafe": False}}, ensure_ascii=False, separators=(",", ":"))


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
