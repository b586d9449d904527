"""What comes with the program besides its code: examples and JSON schemas, in the package or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_IN_A_CHECKOUT = {"theorems": "theorems", "schema": "docs/schema"}
"""What the build puts below ``data/`` of the package, and where it is before that."""


def shipped(what: str) -> Path:
    """The folder ``theorems`` or ``schema``.

    Raises:
        FileNotFoundError: this installation came without it.
    """
    for folder in (_PACKAGE / "data" / what, _PACKAGE.parent / _IN_A_CHECKOUT[what]):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(2, "this installation came without them", what)


def files_below(folder: Path) -> list[Path]:
    """Its files, sorted, relative to it; nothing hidden and nothing compiled."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(file for file in found if not any(part.startswith((".", "__")) for part in file.parts))
