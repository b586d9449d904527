"""Lean's errors for whoever writes Lean: classified, with suggestions, and a repair prompt for each category."""

from goedels_poetry.autoformalizer.errors.repair import ErrorClassifier, generate_repair_prompt, prompt_name
from goedels_poetry.languages.lean.errors import ErrorCategory, ErrorSeverity, LeanError, advice

__all__ = [
    "ErrorCategory",
    "ErrorClassifier",
    "ErrorSeverity",
    "LeanError",
    "advice",
    "generate_repair_prompt",
    "prompt_name",
]
