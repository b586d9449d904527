"""The trusted base: a certificate in, a verdict out. Only what is said here counts as proved.

The public names below are imported on first use: who only decides logic programs needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.on_first_use import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.checker.archive import BadCertificate, FinishedProofExists
    from goedels_poetry.checker.by_language import check_any
    from goedels_poetry.checker.check import check_certificate
    from goedels_poetry.checker.registry import Checkers
    from goedels_poetry.checker.report import Certificate, CheckReport, Counts, TrustLevel
    from goedels_poetry.checker.structure import BadProof
    from goedels_poetry.checker.submission import Checker, Submission
    from goedels_poetry.checker.write import write_certificate, write_counterexample

_HOME_OF = {
    "BadCertificate": "archive",
    "BadProof": "structure",
    "Certificate": "report",
    "CheckReport": "report",
    "Checker": "submission",
    "Checkers": "registry",
    "Counts": "report",
    "FinishedProofExists": "archive",
    "Submission": "submission",
    "TrustLevel": "report",
    "check_any": "by_language",
    "check_certificate": "check",
    "write_certificate": "write",
    "write_counterexample": "write",
}

__getattr__, __dir__ = on_first_use(__name__, _HOME_OF)


__all__ = [
    "BadCertificate",
    "BadProof",
    "Certificate",
    "CheckReport",
    "Checker",
    "Checkers",
    "Counts",
    "FinishedProofExists",
    "Submission",
    "TrustLevel",
    "check_any",
    "check_certificate",
    "write_certificate",
    "write_counterexample",
]
