"""What the kernel refuses. It raises nothing else on purpose, and knows none of the program's other exceptions."""

from __future__ import annotations


class KernelError(ValueError):
    """Base of every refusal of the kernel."""


class InvalidText(KernelError):
    """A text that is no theorem, no term, no definition.

    ``line`` and ``column`` are counted from 1; ``hint`` says what would make it valid, where we know.
    """

    def __init__(
        self, message: str, line: int | None = None, column: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.line, self.column, self.hint = message, line, column, hint

    def __str__(self) -> str:
        where = ":".join(str(n) for n in (self.line, self.column) if n is not None)
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}: {self.message}{hint}" if where else f"{self.message}{hint}"


class TextTooLong(KernelError):
    """A term that cannot be written in as many characters as a text may have."""


class EncodingError(KernelError):
    """Something that cannot be handed to a solver faithfully: a builtin declared again, a stray variable."""


class ObligationError(KernelError):
    """A step that cannot be posed as a query: a citation without a step, an instance that does not fit."""


class GuardError(KernelError):
    """Measures that do not make a guard; the message says why."""


class SchemeError(KernelError):
    """A scheme that does not apply to the sequent it was named for; the message says why."""


class CodecError(KernelError):
    """A proof in JSON that is not of the form this version writes."""


class BadProof(KernelError):
    """The steps do not make a proof of what is claimed; the message names the step."""
