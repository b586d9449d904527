"""A rejected candidate's report with what Lean's errors mean and what to try, for whoever repairs it."""

from __future__ import annotations

from goedels_poetry.languages.lean.errors.classify import ErrorClassifier, LeanError, Messages
from goedels_poetry.languages.lean.errors.families import ErrorCategory

_MEANS = {
    ErrorCategory.UNKNOWN_IDENTIFIER: "a name is not known here",
    ErrorCategory.TYPE_MISMATCH: "a term has another type than its place needs",
    ErrorCategory.TACTIC_FAILED: "a tactic does not close its goal, or goals are left",
    ErrorCategory.MISSING_PREMISE: "a hypothesis, an instance or an argument is missing",
    ErrorCategory.SYNTAX_ERROR: "the text is not well-formed",
    ErrorCategory.RESOURCE_LIMIT: "Lean ran into a limit of time, steps or depth",
    ErrorCategory.OTHER: "Lean refuses it",
}
_CLASSIFIER = ErrorClassifier()


def advice(report: Messages, code: str = "", classifier: ErrorClassifier = _CLASSIFIER) -> str:
    """What the first error means and what to try, one line each; "" where the report has no error.

    Args:
        report: what Lean said, in any form that `ErrorClassifier.classify_errors` reads.
        code: the text that Lean was given, with the positions of the report.
        classifier: one that knows the names of the environment, if there is one.
    """
    primary = classifier.get_primary_error(classifier.classify_errors(report, code))
    return advice_for(primary) if primary is not None else ""


def advice_for(error: LeanError) -> str:
    """The same for one error: its category in words and its suggestions."""
    lines = [f"What is wrong ({error.category}): {_MEANS[error.category]}."]
    lines += [f"Try: {fix}" for fix in error.suggested_fixes]
    return "\n".join(lines)
