"""The prompt with which a model repairs a Lean text: one a category, in ``data/prompts/lean-repair-*.md``."""

from __future__ import annotations

from goedels_poetry.lean import errors
from goedels_poetry.lean.errors import ErrorCategory, LeanError, advice_for
from goedels_poetry.models.prompts import Prompts

MOST_CHARACTERS = 6_000
"""Characters of Lean's message that a prompt shows; the end of a longer one is left out."""


class ErrorClassifier(errors.ErrorClassifier):
    """The classifier of Lean's messages, which also writes the prompts that repair what it found."""

    def generate_repair_prompt(self, error: LeanError, original_code: str, prompts: Prompts | None = None) -> str:
        """See :func:`generate_repair_prompt`."""
        return generate_repair_prompt(error, original_code, prompts)


def generate_repair_prompt(error: LeanError, original_code: str, prompts: Prompts | None = None) -> str:
    """The prompt of the error's category, filled in.

    Args:
        error: what to repair first, as of `ErrorClassifier.get_primary_error`.
        original_code: the whole text that Lean was given.
        prompts: with the user's own folder of prompts; the shipped ones by default.

    Raises:
        PromptError: a prompt of the user cannot be read or asks for a variable that there is not.
    """
    template = (prompts or Prompts()).get(prompt_name(error.category))
    values = {"candidate": original_code.strip("\n"), "report": _report(error)}
    return "\n\n".join(text for _, text in template.messages(values))


def prompt_name(category: ErrorCategory) -> str:
    """The prompt for a category, without ``.md``."""
    return f"lean-repair-{category.value.replace('_', '-')}"


def _report(error: LeanError) -> str:
    place = "" if error.line_number is None else f"Line {error.line_number}"
    place += f", column {error.column}" if place and error.column is not None else ""
    message = error.message
    if len(message) > MOST_CHARACTERS:
        message = f"{message[:MOST_CHARACTERS]}\n(the rest is left out)"
    return "\n".join(part for part in (f"{place}:" if place else "", message, "", advice_for(error)) if part or place)
