"""Any certificate: the language that its manifest names says who checks it."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goedels_poetry.checker.certificate.archive import (
    HASHED,
    LEAN_PROOF,
    MANIFEST,
    BadCertificate,
    Choices,
    plain_bytes,
)
from goedels_poetry.checker.certificate.report import CheckReport
from goedels_poetry.checker.certificate.writing import report_to_json
from goedels_poetry.checker.plugins import check_by_plugin, registered
from goedels_poetry.kernel.verdict import Verdict

Json = dict[str, Any]

SMT, LEAN, PYTHON = "smt", "lean", "python"


def check_any(
    path: Path, against: str | None, *, assume_definitions: bool = False, theorem: str = "", world: str = "open"
) -> CheckReport:
    """Check a certificate of whatever language, from nothing.

    Args:
        path: the certificate's folder.
        against: the text of the theorem that it has to be about; None accepts the theorem inside it.
        assume_definitions, theorem, world: what the caller chooses of what is claimed, see `Choices`.
    """
    choices = Choices(assume_definitions, theorem, world)
    language = language_of(path)
    if not language and not may_be_smt(path):
        nothing = f"{MANIFEST} names no `language`, and these are not the files of a certificate in SMT-LIB"
        reason = _manifest(path)[1] or nothing
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    if language in CHECKERS or not language:
        return CHECKERS.get(language, _check_smt)(path, against, choices)
    plugin = registered().plugins.get(language)
    if plugin is None:
        reason = f"no checker is registered for the language {language}"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    return check_by_plugin(plugin, path, against)


def language_of(path: Path) -> str:
    """The language that a certificate's manifest names, unchecked; "" when it names none."""
    manifest = _manifest(path)[0]
    return str(manifest.get("language", "")) if isinstance(manifest, dict) else ""


def _manifest(path: Path) -> tuple[Any, str]:
    """What a certificate's manifest says, and why it is no JSON: "" where it is, or is not there."""
    try:
        return json.loads(plain_bytes(path / MANIFEST)), ""
    except RecursionError:
        return None, f"{MANIFEST} is nested too deeply"
    except ValueError as error:
        return None, f"{MANIFEST} is not JSON: {error}"
    except (BadCertificate, OSError):
        return None, ""


def may_be_smt(path: Path) -> bool:
    """Whether a certificate is in SMT-LIB, or nobody can tell what else it is: its manifest may name no language."""
    if language_of(path):
        return language_of(path) == SMT
    return not (path / MANIFEST).is_file() or any((path / name).exists() for name in HASHED)


def _check_smt(path: Path, against: str | None, choices: Choices) -> CheckReport:
    from goedels_poetry.checker.smt.check import check_certificate  # only where there is one of SMT

    text = None if against is None else against.encode()
    return check_certificate(path, text, assume_definitions=choices.assume_definitions)


def _check_lean(path: Path, against: str | None, choices: Choices) -> CheckReport:
    from goedels_poetry.checker.lean.certify import check_lean  # only where there is a Lean certificate
    from goedels_poetry.checker.lean.verify import run

    return run(check_lean(path, against, theorem=choices.theorem))


def _check_logic(path: Path, against: str | None, choices: Choices) -> CheckReport:
    from goedels_poetry.checker.logic.check import check_logic

    return check_logic(path, against, world=choices.world)


def _check_python(path: Path, against: str | None, choices: Choices) -> CheckReport:
    from goedels_poetry.checker.python.check import check_python  # only where there is one of Python

    return check_python(path, against, function=choices.theorem)


CHECKERS: dict[str, Callable[[Path, str | None, Choices], CheckReport]] = {
    SMT: _check_smt,
    LEAN: _check_lean,
    "logic": _check_logic,
    PYTHON: _check_python,
}
"""Who checks the certificates of a language; plug-ins only those of their own ones."""


def check_again(payload: Json) -> Json:
    """What the checker of ``language`` says today about the certificate at ``directory``; nothing is written.

    A certificate of another language is none: what it says about the text would be another's word.
    """
    from goedels_poetry.checker.smt.jobs import check_written  # only where there is one of SMT

    where = Path(payload["directory"])
    language = language_of(where)
    if language != payload.get("language", language):
        reason = f"it is a certificate of {language or 'nothing'}, not of {payload['language']}"
        return report_to_json(CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,)))
    if language and language != SMT:
        if language == LEAN:
            _lift_memory_limit()
        return report_to_json(check_any(where, payload["theorem"], theorem=payload.get("function", "")))
    if (where / LEAN_PROOF).is_file():
        _lift_memory_limit()
    return report_to_json(check_written(payload, where, payload["theorem"].encode(), time.monotonic()))


def _lift_memory_limit() -> None:
    """A worker's address space is limited; Lean's process reserves far more than it uses, and has its own limit."""
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
