#!/usr/bin/env python3
"""From theorems in SMT-LIB to proofs that Lean accepts: for each problem the engine's verdict, and what became of Lean.

    python scripts/bench_bridge.py FOLDER --every 6 --timeout 20 --lean-timeout 60 --json rows.json

A row has the engine's verdict and seconds, whether a Lean file came of the proof and in how many seconds, else the
step that failed, and what the gate says of the file (``--no-gate``: it is not asked). The table is Markdown. Exit
code 0 when at least three quarters of the proofs became files that are accepted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import EVIDENCE, LEAN_PROOF, read_archive, read_canonical
from goedels_poetry.checker.certificate.writing import add_files
from goedels_poetry.checker.limited import check_within
from goedels_poetry.lean.runtime.opening import open_lean
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.smt_proofs.export import export
from goedels_poetry.settings.declared import LeanSettings

BAR = 0.75
GATE_SECONDS = 300.0


@dataclass
class Row:
    """One problem."""

    problem: str
    verdict: str
    engine_seconds: float
    accepted: bool = False
    lean_seconds: float = 0.0
    steps: int = 0
    lines: int = 0
    gate: str = ""
    failed: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="every n-th file, in the order of names")
    parser.add_argument("--offset", type=int, default=0, help="beginning with this one")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for the engine")
    parser.add_argument("--lean-timeout", type=float, default=60.0, help="seconds for the Lean file")
    parser.add_argument("--no-gate", action="store_true", help="be content with the Lean that the file was made with")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows there")
    given = parser.parse_args()
    files = sorted(given.folder.glob("*.smt2"))[given.offset :: given.every]
    rows = asyncio.run(measured(files, given))
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    proved = [row for row in rows if row.verdict == "proved"]
    accepted = [row for row in proved if row.accepted]
    sys.stdout.write(f"\n{len(rows)} problems, {len(proved)} proved, {len(accepted)} of these accepted by Lean\n")
    return 0 if proved and len(accepted) >= BAR * len(proved) else 1


async def measured(files: list[Path], given: argparse.Namespace) -> list[Row]:
    """Every problem, one after the other; rows are printed as they come."""
    sys.stdout.write("| problem | engine | seconds | Lean file | seconds | steps | gate | what failed |\n")
    sys.stdout.write("|---|---|---|---|---|---|---|---|\n")
    lean = open_lean(LeanSettings())
    rows = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                row = await one(file, Path(folder), lean, given)
                rows.append(row)
                told = ("yes" if row.accepted else "no") if row.verdict == "proved" else ""
                cells = [row.problem, row.verdict, f"{row.engine_seconds:.1f}", told, f"{row.lean_seconds:.1f}"]
                cells += [str(row.steps), row.gate, row.failed.replace("|", "\\|")]
                sys.stdout.write(f"| {' | '.join(cells)} |\n")
                sys.stdout.flush()
    finally:
        await lean.aclose()
    return rows


async def one(file: Path, folder: Path, lean: LeanPool, given: argparse.Namespace) -> Row:
    """The engine in a data directory of its own, then Lean on the certificate."""
    began = time.monotonic()
    found = await asyncio.to_thread(engine, file, Path(tempfile.mkdtemp(dir=folder)), given.timeout)
    row = Row(file.stem, found["verdict"], time.monotonic() - began)
    if row.verdict != "proved":
        return row
    certificate = Path(found["certificate"])
    archive = read_archive(certificate)
    result = await export(archive.theorem, read_canonical(archive.evidence, EVIDENCE), lean, given.lean_timeout)
    row.lean_seconds, row.steps = result.seconds, result.steps
    if result.text is None:
        row.failed = " ".join(result.reason.split())[:120]
        return row
    row.accepted, row.lines = True, result.text.count("\n")
    if not given.no_gate:
        add_files(certificate, {LEAN_PROOF: result.text.encode()})
        report = await asyncio.to_thread(check_within, GATE_SECONDS, certificate, archive.theorem.decode())
        row.gate = str(report.trust_level) if report.accepted else "refused"
        row.accepted = row.gate == "L4" or any("Lean's kernel accepted" in note for note in report.notes)
        row.failed = "" if row.accepted else " ".join([*report.reasons, *report.notes])[:120]
    return row


def engine(file: Path, home: Path, seconds: float) -> dict[str, Any]:
    """What ``prove`` says, in a process of its own."""
    command = [sys.executable, "-m", "goedels_poetry", "prove", str(file), "--json", "--no-bank"]
    done = subprocess.run(
        [*command, "--timeout", str(seconds)],
        env={**os.environ, "GOEDELS_POETRY__HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines else {"verdict": f"exit code {done.returncode}"}


if __name__ == "__main__":
    sys.exit(main())
