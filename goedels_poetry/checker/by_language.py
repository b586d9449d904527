"""Any certificate: the language that its manifest names says who checks it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goedels_poetry.checker.archive import HASHED, MANIFEST, language_of, manifest_fault
from goedels_poetry.checker.plugins import check_by_plugin, registered
from goedels_poetry.checker.report import CheckReport
from goedels_poetry.kernel.verdict import Verdict

SMT, LEAN, PYTHON = "smt", "lean", "python"


def check_any(path: Path, against: str | None, *, assume_definitions: bool = False, theorem: str = "") -> CheckReport:
    """Check a certificate of whatever language, from nothing.

    Args:
        path: the certificate's folder.
        against: the text of the theorem that it has to be about; None accepts the theorem inside it.
        assume_definitions: see `check_certificate`; SMT only.
        theorem: which of several functions of a Python file it has to be about.
    """
    language = language_of(path)
    if not language and not may_be_smt(path):
        nothing = f"{MANIFEST} names no `language`, and these are not the files of a certificate in SMT-LIB"
        reason = manifest_fault(path) or nothing
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    if language == PYTHON:
        from goedels_poetry.checker.python.check import check_python  # only where there is one of Python

        return check_python(path, against, function=theorem)
    if language in CHECKERS or not language:
        return CHECKERS.get(language, _check_smt)(path, against, assume_definitions)
    plugin = registered().plugins.get(language)
    if plugin is None:
        reason = f"no checker is registered for the language {language}"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    return check_by_plugin(plugin, path, against)


def may_be_smt(path: Path) -> bool:
    """Whether a certificate is in SMT-LIB, or nobody can tell what else it is: its manifest may name no language."""
    if language_of(path):
        return language_of(path) == SMT
    return not (path / MANIFEST).is_file() or any((path / name).exists() for name in HASHED)


def _check_smt(path: Path, against: str | None, assume_definitions: bool) -> CheckReport:
    from goedels_poetry.checker.smt.check import check_certificate  # only where there is one of SMT

    text = None if against is None else against.encode()
    return check_certificate(path, text, assume_definitions=assume_definitions)


def _check_lean(path: Path, against: str | None, assume_definitions: bool) -> CheckReport:
    from goedels_poetry.checker import lean  # only where there is a Lean certificate

    return lean.run(lean.check_lean(path, against))


def _check_logic(path: Path, against: str | None, assume_definitions: bool) -> CheckReport:
    from goedels_poetry.checker.logic import check_logic

    return check_logic(path, against)


CHECKERS: dict[str, Callable[[Path, str | None, bool], CheckReport]] = {
    SMT: _check_smt,
    LEAN: _check_lean,
    "logic": _check_logic,
}
"""Who checks the certificates of a language; plug-ins only those of their own ones."""

__all__ = ["CHECKERS", "LEAN", "PYTHON", "check_any", "may_be_smt"]
