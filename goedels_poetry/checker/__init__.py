"""The trusted base: a certificate in, a verdict out. Only what is said here counts as proved."""

from goedels_poetry.checker.archive import BadCertificate, FinishedProofExists
from goedels_poetry.checker.by_language import check_any
from goedels_poetry.checker.check import check_certificate
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.checker.structure import BadProof
from goedels_poetry.checker.write import write_certificate, write_counterexample

__all__ = [
    "BadCertificate",
    "BadProof",
    "CheckReport",
    "Counts",
    "FinishedProofExists",
    "TrustLevel",
    "check_any",
    "check_certificate",
    "write_certificate",
    "write_counterexample",
]
