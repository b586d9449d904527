"""The trusted base: a certificate in, a verdict out. Only what is said here counts as proved.

The public names below are imported on first use: who only decides logic programs needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.checker.by_language import check_any
    from goedels_poetry.checker.certificate.archive import BadCertificate
    from goedels_poetry.checker.certificate.report import CheckReport, Counts, TrustLevel
    from goedels_poetry.checker.certificate.writing import Certificate, FinishedProofExists
    from goedels_poetry.checker.plugins import Checker, Submission
    from goedels_poetry.checker.registry import Checkers
    from goedels_poetry.checker.smt.check import check_certificate
    from goedels_poetry.checker.smt.write import BadProof, write_certificate, write_counterexample

__getattr__, __dir__ = on_first_use(__name__)

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
