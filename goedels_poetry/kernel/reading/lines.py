"""Lines and columns of a text, for messages about what stands somewhere in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from goedels_poetry.kernel.faults import InvalidText


class Lines:
    """A text and the way from offsets in it to lines and columns, both counted from 1."""

    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at ``offset``."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


def from_utf8(data: bytes, hint: str | None = None) -> str:
    """The text of bytes.

    Raises:
        InvalidText: where the first byte stands that is not UTF-8; columns are those of bytes.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise InvalidText(f"byte 0x{data[error.start]:02x} is not UTF-8", line, column, hint) from error
