"""The check of a certificate about a Python function, from nothing.

A proof counts when the program's translation, made anew, is the theorem of a certificate in SMT-LIB that holds. A
refutation is an input on which CPython shows the fault. Checks that passed are run again. Each claim loads what it
rests on, and nothing of the others.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import BadCertificate
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.python.archive import PythonArchive, read_python
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault

Json = dict[str, Any]


def check_python(
    path: Path,
    against: str | None = None,
    *,
    function: str = "",
    second_seconds: float = math.inf,
    proofs: bool = False,
) -> CheckReport:
    """Check a certificate.

    Args:
        path: its folder.
        against: the text that it has to be about; None accepts the one inside it. That is the program; of a candidate
            for a task the task, as JSON; of a change the file as it was.
        function: the function that it has to be about; "" accepts the one that it names.
        second_seconds, proofs: as of `check_certificate`, for a proof.

    Returns:
        The report; it never raises on account of what the certificate contains.
    """
    began = time.monotonic()
    try:
        archive = read_python(Path(path))
        about, what = original(archive.source, archive.evidence)
        if against is not None and about != against:
            raise BadCertificate(f"the certificate is about another {what} than the one given")
        if function and archive.function != function:
            raise BadCertificate(f"the certificate is about the function {archive.function}, not about {function}")
        report = _of_claim(archive, began + second_seconds, proofs)
    except (BadCertificate, OutsideFragment, InvalidInput) as error:
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    except PythonFault as fault:
        report = CheckReport(Verdict.INVALID, refused=True, reasons=(f"the program is not valid: {fault.message}",))
    except (RecursionError, MemoryError) as error:
        reason = f"the certificate is too deeply nested or too large ({type(error).__name__})"
        report = CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    return replace(report, seconds=time.monotonic() - began)


def _of_claim(archive: PythonArchive, until: float, proofs: bool) -> CheckReport:
    if archive.claim == "proved":
        from goedels_poetry.checker.python.proof import proved  # rests on a translation and on solvers

        return proved(archive, until, proofs)
    from goedels_poetry.checker.python.runs import refuted, tested  # rests on CPython

    return refuted(archive) if archive.claim == "refuted" else tested(archive, until)


def original(source: str, evidence: Json) -> tuple[str, str]:
    """The text that a certificate of a program is about, and what it is."""
    task, change = evidence.get("task"), evidence.get("change")
    if task is None and change is None:
        return source, "program"
    case = change.get("case") if isinstance(change, dict) else None
    about = task if change is None else case.get("before") if isinstance(case, dict) and task is None else None
    if not isinstance(about, str):
        raise BadCertificate("the evidence is malformed")
    return about, "task" if change is None else "file before the change"
