"""A text file as lines, with what has to stay when it is written again: line ends, byte order mark, last line."""

from __future__ import annotations

import difflib
import re
from collections import Counter

from goedels_poetry.errors import InvalidInput

BOM = "\ufeff"
NO_END = "\\ No newline at end of file"
_ENDS = re.compile(r"\r\n|\r|\n")


def decoded(data: bytes, name: str) -> str:
    """The text of a file, every character kept; raises InvalidInput when it is not UTF-8 or holds NUL bytes."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{name} is no text in UTF-8 (byte {data[error.start]:#04x})", line) from None
    if "\0" in text:
        raise InvalidInput(f"{name} is no text file: it holds NUL bytes")
    return text


def plain(text: str) -> str:
    """The text with ``\\n`` at the end of every line and without a byte order mark: what changes are applied to."""
    return _ENDS.sub("\n", text.removeprefix(BOM))


def lines_of(text: str) -> list[str]:
    """The lines of a plain text without their ends; the empty text has none."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def joined(lines: list[str], *, ended: bool = True) -> str:
    """The inverse of :func:`lines_of`; ``ended``: whether the last line has an end."""
    return "\n".join(lines) + ("\n" if lines and ended else "")


def like(original: str, changed: str) -> str:
    """A changed plain text written as the original was: its line ends, line by line where they are mixed, and its mark.

    Lines that are new get the ends that most lines of the original have.
    """
    mark = BOM if original.startswith(BOM) else ""
    ends = Counter(_ENDS.findall(original))
    usual = ends.most_common(1)[0][0] if ends else "\n"
    if len(ends) < 2:
        return mark + (changed.replace("\n", usual) if usual != "\n" else changed)
    own = _ENDS.findall(original)
    old, new = plain(original).split("\n"), changed.split("\n")
    kept = [usual] * (len(new) - 1)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        for offset in range(block.size):
            if block.a + offset < len(own) and block.b + offset < len(kept):
                kept[block.b + offset] = own[block.a + offset]
    return mark + "".join(line + end for line, end in zip(new, [*kept, ""], strict=True))


def unified(before: str, after: str, name: str) -> str:
    """The difference of two texts for people and prompts: a unified diff; "" when they are equal."""
    old, new = ([f"{line}\n" for line in lines_of(text)] for text in (plain(before), plain(after)))
    for lines, text in ((old, before), (new, after)):
        if lines and not plain(text).endswith("\n"):
            lines[-1] = lines[-1][:-1]
    found = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}\n" for line in found)


__all__ = ["BOM", "NO_END", "decoded", "joined", "like", "lines_of", "plain", "unified"]
