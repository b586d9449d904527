"""Which of the machine's files a program may read, and the folder that a command gets a copy of."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from goedels_poetry.errors import InvalidInput

DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_LIBRARIES = (
    "/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/nix/store", "/gnu/store",
)  # fmt: skip
_COMMANDS = ("/bin", "/sbin", "/usr", "/etc/alternatives")
_SITES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Places:
    """Real paths that may be read, folders below them that may not, and links of the root such as /lib.

    Attributes:
        read: folders and files, none below another.
        hidden: folders below them.
        links: place and target.
        packages: folders with installed packages, among `read`.
        path: the search path of commands.
    """

    read: tuple[str, ...]
    hidden: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    packages: tuple[str, ...]
    path: str


@cache
def places(packages: bool, commands: bool) -> Places:
    """What a program may read.

    Args:
        packages: third-party packages of this interpreter too.
        commands: and programs of the machine, to run.
    """
    interpreter = Path(sys.executable).resolve()
    wanted = [*_LIBRARIES, os.path.dirname(os.__file__), sysconfig.get_path("stdlib"), *_own_libraries()]
    sites = installed_packages() if packages else ()
    wanted += [*sites, *(each for place in sites for each in named_by_pth_files(place))]
    bins = ["/usr/local/bin", "/usr/bin", "/bin"]
    if commands:
        bins = [str(Path(sys.prefix) / "bin"), str(interpreter.parent), *bins]
        wanted += [*_COMMANDS, *_prefixes(), str(interpreter)]
    real = {str(place) for path in wanted if path and os.path.exists(path) for place in _open(Path(path).resolve())}
    links = [(path, os.readlink(path)) for path in (*_LIBRARIES, *_COMMANDS) if os.path.islink(path)]
    allowed = {str(Path(place).resolve()) for place in sites}
    hidden = {place for place in _all_sites() if place not in allowed} if not commands else set()
    return Places(
        read=outermost(real),
        hidden=tuple(sorted(hidden)),
        links=tuple(links),
        packages=tuple(sites),
        path=os.pathsep.join(dict.fromkeys(bins)),
    )


def _open(path: Path) -> list[Path]:
    """The path, or what is in it where others may not look in: programs run as nobody, and the places above are new."""
    if not path.is_dir() or path.stat().st_mode & 0o005 == 0o005:
        return [path]
    return list(path.iterdir())


def installed_packages() -> tuple[str, ...]:
    """The folders of installed packages that this interpreter searches."""
    return tuple(path for path in sys.path if os.path.basename(path) in _SITES and os.path.isdir(path))


def named_by_pth_files(place: str) -> list[str]:
    """The folders that files ``*.pth`` add to the search path: projects that are installed to be edited."""
    found = []
    for file in sorted(Path(place).glob("*.pth")):
        try:
            lines = file.read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        names = (line.strip() for line in lines if not line.startswith(("import ", "import\t", "#")))
        found += [path for name in names if name and os.path.isdir(path := os.path.join(place, name))]
    return found


def outermost(paths: set[str]) -> tuple[str, ...]:
    """Those of these paths that are not below another."""
    kept: list[str] = []
    for path in sorted(paths):
        if not any(path.startswith(other.rstrip("/") + "/") for other in kept):
            kept.append(path)
    return tuple(kept)


def _own_libraries() -> list[str]:
    """Where the interpreter's shared libraries are, which is not always where the system's are."""
    prefixes = {sys.base_prefix, sys.base_exec_prefix} - {"/", "/usr", "/usr/local"}
    return [os.path.join(prefix, name) for prefix in sorted(prefixes) for name in ("lib", "lib64")]


def _prefixes() -> list[str]:
    every = {sys.prefix, sys.base_prefix, sys.base_exec_prefix}
    return [prefix for prefix in every if prefix not in ("/", "/usr/local")]


def _all_sites() -> set[str]:
    """Every folder of installed packages that may lie below a folder with libraries."""
    every = site.getsitepackages([sys.prefix, sys.base_prefix, sys.base_exec_prefix, "/usr", "/usr/local"])
    for library in ("/usr/lib", "/usr/local/lib"):
        for name in _SITES:
            every += [str(path) for path in Path(library).glob(f"python3*/{name}")]
    return {str(Path(path).resolve()) for path in every if os.path.isdir(path)}


# The folder that a command gets a copy of

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
