"""Lean's error messages: read from every form, sorted by what is wrong, with suggestions."""

from goedels_poetry.lean.errors.classify import ErrorClassifier, ErrorSeverity, LeanError, Messages, advice, advice_for
from goedels_poetry.lean.errors.families import ErrorCategory

__all__ = ["ErrorCategory", "ErrorClassifier", "ErrorSeverity", "LeanError", "Messages", "advice", "advice_for"]
