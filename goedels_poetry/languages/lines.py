"""Lines and columns of a text, for messages about what stands somewhere in it."""

from __future__ import annotations

from goedels_poetry.kernel.reading import lines
from goedels_poetry.languages.smt.text import as_invalid_input


@as_invalid_input()
def from_utf8(data: bytes, hint: str | None = None) -> str:
    """The text of bytes.

    Raises:
        InvalidInput: where the first byte stands that is not UTF-8; columns are those of bytes.
    """
    return lines.from_utf8(data, hint)
