"""The embedded Lean: Lean 4 compiled to WebAssembly, run by Node in a process without rights.

Lean sees its library, read-only, and nothing else: no other file, no process, no network.
"""

from __future__ import annotations

import json
from pathlib import Path

from goedels_poetry.languages.lean.runtime.driven import DrivenLean
from goedels_poetry.languages.lean.runtime.embedded.install import (
    LEAN_VERSION,
    InstallError,
    Progress,
    cache_folder,
    install,
    is_installed,
    node_program,
)
from goedels_poetry.languages.lean.runtime.pool import LeanPool

_HERE = Path(__file__).parent
MEMORY_MB = 1536
STACK_MB = 512


def command(folder: Path, memory_mb: int = MEMORY_MB, *, snapshot: bool = True) -> list[str]:
    """The command line of one driver process over an installation at ``folder``.

    Node's permission model keeps the process to reading the installation and our driver, and to writing the snapshot.
    """
    build, library, cache = folder / "build", folder / "lib", folder / "snapshots"
    cache.mkdir(exist_ok=True)
    settings = {"maxMb": memory_mb, "stackMb": STACK_MB, "snapshot": str(cache / "init.bin") if snapshot else None}
    rights = ["--permission", "--allow-worker", *(f"--allow-fs-read={p}" for p in (_HERE, folder))]
    rights.append(f"--allow-fs-write={cache}")
    program = [str(node_program()), *rights, str(_HERE / "driver.cjs"), str(build), str(library)]
    return [*program, json.dumps(settings)]


def embedded_pool(size: int = 1, progress: Progress = lambda what, part: None, memory_mb: int = MEMORY_MB) -> LeanPool:
    """A pool of embedded Leans, installed on first use; raises :class:`InstallError`."""
    folder = install(progress=progress)
    return LeanPool("embedded", LEAN_VERSION, lambda: DrivenLean(command(folder, memory_mb)), size)


__all__ = [
    "LEAN_VERSION",
    "InstallError",
    "Progress",
    "cache_folder",
    "command",
    "embedded_pool",
    "install",
    "is_installed",
    "node_program",
]
