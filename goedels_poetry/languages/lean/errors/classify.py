"""`ErrorClassifier`: Lean's messages to errors with a category, a place and what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from goedels_poetry.languages.lean.errors.code import Code
from goedels_poetry.languages.lean.errors.culprit import Consequences, culprit
from goedels_poetry.languages.lean.errors.families import LONGEST, ErrorCategory, family_of
from goedels_poetry.languages.lean.errors.fixes import fixes, name_in
from goedels_poetry.languages.lean.errors.names import Names
from goedels_poetry.languages.lean.errors.reading import Said, read_messages
from goedels_poetry.languages.lean.runtime.protocol import Message

Messages = str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]]


class ErrorSeverity(StrEnum):
    """As Lean says it."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class LeanError:
    """One message of Lean and what it means."""

    category: ErrorCategory
    message: str
    """All of the message, without its place."""
    line_number: int | None = None
    """From 1; None where the message came without a place."""
    severity: ErrorSeverity = ErrorSeverity.ERROR
    suggested_fixes: list[str] = field(default_factory=list)
    """Sentences, most likely first; Lean's own hints come before ours."""
    original_stderr: str = ""
    """What was classified, when it was text."""
    column: int | None = None
    """From 0."""
    confidence: float = 1.0
    """How sure the category is, 0 to 1."""
    identifier: str | None = None
    """The name that is not known, where that is the matter."""
    consequence: bool = False
    """It only follows from another error: a parse error cut the declaration off, say."""


class ErrorClassifier:
    """Sorts messages of Lean by what is wrong.

    Args:
        known_names: names that exist, for suggestions of a name that was mistyped.
        find_import: the module that has a name, or None; asked before our own small table.
    """

    def __init__(self, known_names: Iterable[str] = (), find_import: Callable[[str], str | None] | None = None) -> None:
        self._names = Names(known_names)
        self._find_import = find_import

    def classify_errors(self, stderr: Messages, code: str = "", *, warnings: bool = False) -> list[LeanError]:
        """The errors, in Lean's order; then the warnings, where they are wanted. Never raises on any text.

        Args:
            stderr: text as `lean`, `lean --json` or `lake` prints it, or structured messages.
            code: the text that Lean was given; what is wrong is told from the messages alone without it.
            warnings: add them.
        """
        messages = read_messages(stderr)
        original = stderr if isinstance(stderr, str) else ""
        selected = [message for message in messages if message.severity == "error"]
        selected += [message for message in messages if message.severity == "warning"] if warnings else []
        text = Code(code)
        consequences = Consequences(messages, text)
        return [self._classified(message, consequences, text, original) for message in selected]

    def get_primary_error(self, errors: Sequence[LeanError]) -> LeanError | None:
        """The error to repair first: the first one that does not only follow from another; None without errors."""
        real = [error for error in errors if error.severity is ErrorSeverity.ERROR]
        return next((error for error in real if not error.consequence), real[0] if real else None)

    def _classified(self, whole: Said, consequences: Consequences, code: Code, original: str) -> LeanError:
        message = replace(whole, text=whole.text[:LONGEST])
        consequence = consequences.has(message)
        category, confidence = (ErrorCategory.SYNTAX_ERROR, 0.8) if consequence else _category(message, code)
        name = name_in(message, code)
        return LeanError(
            category=category,
            message=whole.text,
            line_number=message.line,
            severity=ErrorSeverity(message.severity),
            suggested_fixes=fixes(category, message.text, name, self._names, code.names, self._find_import),
            original_stderr=original,
            column=message.column,
            confidence=confidence,
            identifier=name,
            consequence=consequence,
        )


def _category(message: Said, code: Code) -> tuple[ErrorCategory, float]:
    """What is wrong; the wording's family counts where nothing in the message or the code says more."""
    category, confidence = family_of(message.text)
    if category is ErrorCategory.RESOURCE_LIMIT:
        return category, confidence
    found = culprit(message, code)
    return (found, 0.75) if found else (category, confidence)
