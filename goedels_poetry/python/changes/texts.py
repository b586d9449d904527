"""A text file as lines, with what has to stay when it is written again: line ends, byte order mark, last line."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

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


def indented_like(text: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Lines with tabs where the text is indented by tabs, and with spaces where it is by spaces; else as they are."""
    its, theirs = _indented_by(text), _indented_by(lines)
    if its == theirs or "" in (its, theirs):
        return list(lines)
    old, new = (_step(lines), "\t") if its == "\t" else ("\t", _step(text))
    return [_with_steps(line, old, new) for line in lines]


def _indented_by(lines: Sequence[str]) -> str:
    """What every indented line begins with: a tab, a space; "" where they differ or none is."""
    begins = {line[0] for line in lines if line.strip() and line[0] in " \t"}
    return begins.pop() if len(begins) == 1 else ""


def _step(lines: Sequence[str]) -> str:
    """The spaces by which a block is indented: the fewest after a line that begins one, or else four."""
    said = [line for line in lines if line.strip()]
    steps = [_depth(below) - _depth(line) for line, below in pairwise(said) if line.rstrip().endswith(":")]
    return " " * min((step for step in steps if step > 0), default=4)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _with_steps(line: str, old: str, new: str) -> str:
    """A line whose whole steps of indentation are written otherwise."""
    steps = 0
    while line.startswith(old, steps * len(old)):
        steps += 1
    return new * steps + line[steps * len(old) :]


def unified(before: str, after: str, name: str) -> str:
    """The difference of two texts for people and prompts: a unified diff; "" when they are equal."""
    old, new = ([f"{line}\n" for line in lines_of(text)] for text in (plain(before), plain(after)))
    for lines, text in ((old, before), (new, after)):
        if lines and not plain(text).endswith("\n"):
            lines[-1] = lines[-1][:-1]
    found = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}\n" for line in found)
