"""The theorems of a lake project, read as text: what its other files state, for a goal in one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from goedels_poetry.protocol.base import Citable

MARKS = ("lakefile.lean", "lakefile.toml")
MOST_FILES = 2_000
MOST_BYTES = 500_000
"""Of one file; a larger one is left out."""
MOST_STATEMENT = 2_000

_COMMENT = re.compile(r"/-(?!-)[\s\S]*?-/|(?<!/)--[^\n]*")
_LINE = re.compile(
    r"^[ \t]*(?:(?P<docstring>/--[\s\S]*?-/)[ \t\n]*)?(?:@\[[^\]]*\][ \t\n]*)*"
    r"(?:(?P<open>namespace)[ \t]+(?P<space>\S+)|(?P<section>(?:noncomputable[ \t]+)?section)\b[ \t]*\S*|(?P<end>end)\b"
    r"|(?:(?:protected|noncomputable|nonrec|public)[ \t]+)*(?:theorem|lemma)[ \t]+"
    r"(?P<name>[^\s:({\[⦃]+)(?P<statement>[\s\S]*?)"
    r"(?=:=|^[ \t]*\||\n[ \t]*\n|\Z))",
    re.MULTILINE,
)


def project_of(file: Path) -> Path | None:
    """The folder of the lake project that a file belongs to."""
    return next((folder for folder in file.resolve().parents if any((folder / m).is_file() for m in MARKS)), None)


def theorems_of_project(file: Path) -> list[Citable]:
    """The theorems of the other files of a file's project; [] when it belongs to none, or there is no such file."""
    root = project_of(file) if file.is_file() else None
    if root is None:
        return []
    return [
        theorem for other in _files(root, file.resolve()) for theorem in _theorems(other, str(other.relative_to(root)))
    ]


def _files(root: Path, but: Path) -> Iterator[Path]:
    found = (
        f for f in sorted(root.rglob("*.lean")) if not any(part.startswith(".") for part in f.relative_to(root).parts)
    )
    for number, file in enumerate(found):
        if number >= MOST_FILES:
            return
        if file != but and file.name != MARKS[0]:
            yield file


def _theorems(file: Path, where: str) -> Iterator[Citable]:
    try:
        if file.stat().st_size > MOST_BYTES:
            return
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return  # not to be read, so nothing to be cited
    yield from theorems_of_text(text, f"project: {where}")


def theorems_of_text(text: str, source: str) -> Iterator[Citable]:
    """The theorems that a Lean text states, as it writes them, with full names."""
    text = _COMMENT.sub("", text)
    spaces: list[str] = []
    for found in _LINE.finditer(text):
        if found["open"]:
            spaces.append(found["space"])
        elif found["section"]:
            spaces.append("")
        elif found["end"]:
            del spaces[-1:]
        else:
            name = ".".join([space for space in spaces if space] + [found["name"].removeprefix("_root_.")])
            statement = " ".join(found["statement"].split())[:MOST_STATEMENT]
            docstring = " ".join((found["docstring"] or "").removeprefix("/--").removesuffix("-/").split())
            yield Citable(name, statement=statement, docstring=docstring, source=source)
