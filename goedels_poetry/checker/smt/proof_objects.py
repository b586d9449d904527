"""Proof objects: of each obligation of a certificate a proof in CPC, which cvc5 has written and `cpc` checks.

They are evidence besides: what is wrong with one costs the level L4 and nothing else. A proof is about the obligation
with its number, as the checker has computed it. Where cvc5's own checker, ethos, is installed, it has to accept each as
well.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from goedels_poetry.checker.certificate.archive import OBLIGATIONS, Archive, plain_bytes, proof_name
from goedels_poetry.checker.certificate.report import CheckReport, ProofObjects, TrustLevel
from goedels_poetry.checker.cpc.check import check_proof
from goedels_poetry.checker.cpc.reader import SExpr, queries
from goedels_poetry.checker.cpc.terms import Rejected
from goedels_poetry.checker.smt.portfolio import CVC5_OPTIONS, SHORT
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.versions import solver_versions

MAX_BYTES = 100_000_000
"""Of the text of one proof."""
LIMITS = Limits(seconds=SHORT, output_bytes=MAX_BYTES)
"""For each way to have cvc5 prove one obligation."""
SECONDS = 120.0
"""For all of a certificate; what cvc5 has not proved by then stays without a proof."""
_OPTIONS = {"produce-proofs": "true", "proof-format-mode": "cpc", "proof-granularity": "dsl-rewrite"}
RULES = Path("cpc") / "Cpc.eo"
NOT_WRITTEN = "there is no proof object"
LOWER = "the trust level stays {} all the same: what keeps it there is no matter of proof objects"


def with_proofs(report: CheckReport, archive: Archive) -> CheckReport:
    """The report of a certificate that is accepted, with what came of its proof objects: L4 if all are proofs."""
    if not report.accepted:
        return report
    if archive.manifest["claim"] == "counterexample":
        return report
    script = archive.obligations.decode()
    lines, checked, without = script.splitlines(), 0, list[str]()
    try:
        posed = list(queries(script))
    except Rejected as error:
        return replace(report, proofs=ProofObjects(0, (f"{OBLIGATIONS}: {error}",)))
    for number, (line, commands) in enumerate(posed, 1):
        fault = _fault(archive.proofs.get(proof_name(number)), commands)
        checked += not fault
        without += [f"{_named(lines, line)} (line {line} of {OBLIGATIONS}): {fault}"] if fault else []
    found = replace(report, proofs=ProofObjects(checked, tuple(without)))
    if checked and (ethos := _ethos()):
        found = replace(found, notes=(*found.notes, f"ethos accepts {checked} proof objects, too ({ethos[0]})"))
    level = report.trust_level
    if without or level is None or not checked:
        return found
    if level < TrustLevel.NOT_VACUOUS:
        return replace(found, notes=(*found.notes, LOWER.format(level)))
    return replace(found, trust_level=TrustLevel.STEP_BY_STEP)


def _ethos() -> tuple[str, Path] | None:
    """The program ethos and the rules of CPC for it, where cvc5's own script installs them, or beside the program."""
    program = shutil.which("ethos")
    if program is None:
        return None
    own = Path(program).resolve().parent
    places = [own / RULES, *[above / "proofs" / "eo" / RULES for above in own.parents[:2]]]
    return next(((program, rules) for rules in places if rules.is_file()), None)


def refused_by_ethos(text: str) -> str:
    """Why ethos, where it is installed, does not accept a proof; "" otherwise."""
    ethos = _ethos()
    if ethos is None:
        return ""
    proof = text[text.index("(") + 1 : text.rindex(")")]  # cvc5 puts brackets around all of it
    with tempfile.NamedTemporaryFile("w", suffix=".cpc", encoding="utf-8") as file:
        file.write(f'(include "{ethos[1]}")\n{proof}\n')
        file.flush()
        try:
            done = subprocess.run([ethos[0], file.name], capture_output=True, timeout=SHORT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"ethos could not check the proof: {error}"
    said = (done.stdout + done.stderr).decode(errors="replace").strip()  # warnings go to standard error
    accepted = done.returncode == 0 and done.stdout.strip() == b"correct"
    return "" if accepted else f"ethos does not accept the proof: {said[:300]}"


def _fault(packed: bytes | None, commands: list[SExpr]) -> str:
    """Why a file is no proof of an obligation; "" if it is one."""
    if packed is None:
        return NOT_WRITTEN
    try:
        inflated = zlib.decompressobj(zlib.MAX_WBITS | 16)
        text = inflated.decompress(packed, MAX_BYTES)
        if not inflated.eof or inflated.unused_data:
            return f"the proof is cut off, or larger than {MAX_BYTES} bytes"
        check_proof(commands, text.decode())
        return refused_by_ethos(text.decode())
    except (zlib.error, UnicodeDecodeError) as error:
        return f"the proof cannot be read: {error}"
    except Rejected as error:
        return str(error)


def _named(lines: list[str], line: int) -> str:
    """The name of the obligation whose query is in a line: the comment before its ``push``. For readers."""
    pushed = next((i for i in range(line - 1, 0, -1) if lines[i] == "(push 1)"), 0)
    return lines[pushed - 1].removeprefix("; ")


def proofs_of(directory: Path, seconds: float = SECONDS) -> Iterator[tuple[int, str, bytes]]:
    """What cvc5 can prove of the obligations of a certificate in some time: number, file, compressed proof."""
    until = time.monotonic() + seconds
    with Cvc5Process() as cvc5:
        for number, script in enumerate(scripts_of(plain_bytes(directory / OBLIGATIONS).decode()), 1):
            for options in CVC5_OPTIONS if time.monotonic() < until else ():
                answer = cvc5.ask(script, LIMITS, "proof", {**_OPTIONS, **options})
                if answer.status == "unsat" and answer.output:
                    text = f"; cvc5 {solver_versions().get('cvc5')}\n{answer.output}\n"
                    yield number, proof_name(number), gzip.compress(text.encode(), mtime=0)
                    break


def scripts_of(text: str) -> Iterator[str]:
    """The script of each query, by lines; what comes of it is only a proof."""
    levels: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == "(push 1)":
            levels.append([])
        elif line == "(pop 1)":
            levels.pop()
        elif line == "(reset)":
            levels = [[]]
        elif line == "(check-sat)":
            yield "\n".join(each for level in levels for each in level)
        else:
            levels[-1].append(line)
