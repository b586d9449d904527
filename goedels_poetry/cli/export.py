"""The command ``export``, and what ``prove --lean`` does: the proof of a certificate as a Lean file."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goedels_poetry.cli.options import TIME, Json, duration

if TYPE_CHECKING:  # other commands do not wait for Lean's modules
    from goedels_poetry.languages.bridge.export import Exported
    from goedels_poetry.settings.declared import LeanSettings

LONGEST_TRIED = 12
"""Lines of what was tried that a person is shown."""
MOST_OF_AN_ATTEMPT = 300
"""Characters of each of them."""


class Target(StrEnum):
    """What a proof can be exported to."""

    LEAN = "lean"


def export(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERT", help="The certificate of a proof in SMT-LIB: a folder.")
    ],
    to: Annotated[Target, typer.Option("--to", help="What to write.")] = Target.LEAN,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it (default: standard output).")
    ] = None,
    lean_timeout: Annotated[
        float | None,
        typer.Option("--lean-timeout", parser=duration(), metavar=TIME, help="For the whole proof. [default: 60]"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the proof of a certificate as a Lean file that Lean accepts.

    Exit code: 0 it is written, 1 Lean was not led to accept a step, or there is no Lean, 2 no such certificate.
    """
    del to  # there is one so far
    raise typer.Exit(export_one(certificate, out, lean_timeout, as_json=as_json))


def export_one(certificate: Path, out: Path | None, seconds: float | None = None, *, as_json: bool = False) -> int:
    """Write the Lean text of a certificate's proof, or say why there is none; returns the exit code."""
    from goedels_poetry.checker.archive import EVIDENCE, BadCertificate, read_archive, read_canonical
    from goedels_poetry.cli.configure import BadSettings, settings
    from goedels_poetry.cli.lean import fetch_first
    from goedels_poetry.languages.bridge.export import DEFAULT_SECONDS
    from goedels_poetry.trace.terminal import lines_to, one_line, say

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
    except BadSettings as problem:
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
        sys.stdout.write(json.dumps(_to_json(certificate, out, found)) + "\n")
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


async def exported(
    theorem: bytes,
    evidence: Any,
    settings: LeanSettings,
    seconds: float | None,
    tell: Callable[[int, int], None],
    claim: str = "proved",
) -> Exported:
    """What becomes of a proof of ``claim`` in the Lean of the settings; that there is no Lean is a result, too."""
    from goedels_poetry.languages.bridge.export import DEFAULT_SECONDS, Exported
    from goedels_poetry.languages.bridge.export import export as to_lean
    from goedels_poetry.languages.lean.runtime.driven import LeanUnavailable
    from goedels_poetry.languages.lean.runtime.opening import open_lean

    try:
        lean = await asyncio.to_thread(open_lean, settings)
    except LeanUnavailable as problem:
        return Exported(None, str(problem))
    try:
        return await to_lean(theorem, evidence, lean, DEFAULT_SECONDS if seconds is None else seconds, tell, claim)
    except LeanUnavailable as problem:
        return Exported(None, str(problem))
    finally:
        await lean.aclose()


def failure_lines(found: Exported) -> list[str]:
    """For a person: why there is no Lean text, which step it was, its goal, and what was tried."""
    from goedels_poetry.trace.terminal import one_line

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


def _to_json(certificate: Path, out: Path | None, found: Exported) -> dict[str, Any]:
    failed = found.failed
    return {
        "schema": 1,
        "certificate": str(certificate),
        "to": "lean",
        "file": str(out) if out is not None and found.text is not None else None,
        "text": found.text if out is None else None,
        "steps": found.steps,
        "reason": found.reason or None,
        "step": failed.step if failed is not None else None,
        "goal": failed.statement if failed is not None else None,
        "tried": list(failed.tried) if failed is not None else [],
        "seconds": round(found.seconds, 3),
    }


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(export)
