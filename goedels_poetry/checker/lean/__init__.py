"""The trusted base for Lean: a file against the user's original, in a fresh Lean; certificates; anyone's files."""

from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.certify import certify_negation, certify_proof, check_lean
from goedels_poetry.checker.lean.verify import FreshLean, fresh_lean, run

__all__ = ["FreshLean", "audit_file", "certify_negation", "certify_proof", "check_lean", "fresh_lean", "run"]
