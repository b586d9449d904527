"""Lines and columns of a text, for messages about what stands somewhere in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.reading import reader


@contextmanager
def as_invalid_input() -> Iterator[None]:
    """Inside, or in a function that this decorates, a text that the kernel refuses is the user's `InvalidInput`."""
    try:
        yield
    except InvalidText as error:
        raise InvalidInput(error.message, error.line, error.column, error.hint) from error


@as_invalid_input()
def from_utf8(data: bytes, hint: str | None = None) -> str:
    """The text of bytes; raises InvalidInput."""
    return reader.from_utf8(data, hint)
