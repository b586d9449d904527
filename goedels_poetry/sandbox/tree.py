"""The folder that a command gets a copy of: how large it is, what of it is not copied, and names in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from goedels_poetry.errors import InvalidInput
from goedels_poetry.sandbox.places import installed_packages, named_by_pth_files

MAX_TREE_MB: Final = 512
MAX_TREE_FILES: Final = 100_000
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class TreeSize:
    """What a copy of a folder takes: bytes in whole blocks, files and folders; and virtual environments, not in it."""

    bytes: int
    files: int
    environments: tuple[str, ...]


def measure(tree: Path) -> TreeSize:
    """Raises InvalidInput when there is no such folder, or it is too large to copy."""
    if not tree.is_dir():
        raise InvalidInput(f"there is no folder {tree}")
    size = count = 0
    environments: list[str] = []
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(tree / below) as entries:
                for entry in entries:
                    count += 1
                    size += _BLOCK
                    name = os.path.join(below, entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        if os.path.lexists(os.path.join(entry.path, "pyvenv.cfg")):
                            environments.append(name)
                        else:
                            waiting.append(name)
                    elif entry.is_file(follow_symlinks=False):
                        size += -(-entry.stat(follow_symlinks=False).st_size // _BLOCK) * _BLOCK
        except OSError as failure:
            raise InvalidInput(f"{failure.filename or tree} cannot be read: {failure.strerror}") from None
        if size > MAX_TREE_MB << 20 or count > MAX_TREE_FILES:
            raise InvalidInput(
                f"{tree} is too large to copy: more than {MAX_TREE_MB} MB or {MAX_TREE_FILES} files",
                hint="name the folder of the project itself",
            )
    return TreeSize(size, count, tuple(environments))


def relative_name(name: str) -> str:
    """A name of a file relative to its folder, without detours; raises InvalidInput when it leads elsewhere."""
    parts = name.split("/")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{name!r} is no text") from None
    if not name or name.startswith("/") or "\0" in name or ".." in parts or parts[-1] in ("", "."):
        raise InvalidInput(f"{name!r} is no name of a file in the folder")
    return "/".join(part for part in parts if part not in ("", "."))


def moved_packages(tree: str, folder: str) -> dict[str, str]:
    """What makes Python import a project that is installed to be edited from the copy, when that is elsewhere."""
    named = {os.path.realpath(path) for place in installed_packages() for path in named_by_pth_files(place)}
    moved = [folder + path[len(tree) :] for path in sorted(named) if path == tree or path.startswith(tree + "/")]
    return {"PYTHONPATH": os.pathsep.join(moved)} if moved else {}
