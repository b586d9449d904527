"""The embedded Lean: Lean 4 compiled to WebAssembly, run by Node in a process without rights.

Lean sees its library, read-only, and nothing else: no other file, no process, no network.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path

from goedels_poetry.lean.runtime.driven import DrivenLean, InstallError, Progress
from goedels_poetry.lean.runtime.install import (
    LEAN_VERSION,
    SNAPSHOTS,
    alone,
    install,
    misnamed,
    node_program,
)
from goedels_poetry.lean.runtime.pool import LeanPool

_HERE = Path(__file__).resolve().parent
MEMORY_MB = 1536
STACK_MB = 512
SNAPSHOT, QUICK = "init-4.bin", "module-1.bin"
"""The memory of a Lean that has imported `Init`, and Lean's program in a form that is loaded faster. Named by their
formats: older ones are of no use."""
_KINDS = ("snapshot", "quick", "code")
_CODE = "code-1"
"""What most texts call of the program, compiled, for one version of Node."""
_NO_CODE = (12).to_bytes(4, "little") + b'LCD1{"bytes": 0}'
MAKING_SECONDS = 120.0
_LONGEST_HEAD = 1 << 24
_KEPT = ("LD_LIBRARY_PATH", "TZ")
"""All of our environment that Node sees: no key, no token, no NODE_OPTIONS."""


def command(folder: Path, memory_mb: int = MEMORY_MB, *, snapshot: bool = True) -> list[str]:
    """The command line of one driver process over an installation at ``folder``.

    Node's permission model keeps the process to reading the installation and our driver. It writes nothing: what
    makes a start a second shorter, see `make_snapshot`, is made by a process that elaborates only ours.
    """
    files = dict(zip(_KINDS, made_files(folder), strict=True))
    there = {kind: str(file) if file.is_file() else None for kind, file in files.items()}
    return _driver(folder, memory_mb, there if snapshot else {**there, "snapshot": None})


def prepare(folder: Path, progress: Progress = lambda what, part: None) -> None:
    """Make what makes a start short, where it is not there and can be; other processes wait for the one that does."""
    if is_prepared(folder):
        return
    with suppress(OSError), alone(folder, progress):
        if _can_write(folder) and not is_prepared(folder):
            progress("compiling", 0.0)
            make_snapshot(folder)
            progress("ready", 1.0)


def is_prepared(folder: Path) -> bool:
    """Whether all that `prepare` makes is there."""
    return all(map(is_whole, made_files(folder)))


def make_snapshot(folder: Path) -> bool:
    """Write down what makes a start short, see `made_files`; False where the folder cannot be written."""
    if not _can_write(folder):
        return False
    cache, files = _parts(folder)[2], made_files(folder)
    names = dict(zip(_KINDS, map(str, files), strict=True))
    for what in ("snapshot", "code"):  # the code is compiled by a process that the others make short
        made = _driver(folder, MEMORY_MB, {**names, "save": what}, f"--allow-fs-write={cache}")
        with suppress(subprocess.TimeoutExpired):  # then every start takes longer
            subprocess.run(made, stdin=subprocess.DEVNULL, capture_output=True, timeout=MAKING_SECONDS, check=False)
    if not is_whole(files[-1]):  # a V8 that keeps no code, or no time: it is not tried with every start
        files[-1].write_bytes(_NO_CODE)
    others = sorted(cache.glob(f"{_CODE}-*.bin"), key=lambda file: file.stat().st_mtime)[-2:]
    for older in {*cache.glob("*.bin")} - {*files, *others}:
        older.unlink(missing_ok=True)
    return all(file.is_file() for file in files)


def _can_write(folder: Path) -> bool:
    cache = _parts(folder)[2]
    with suppress(OSError):
        cache.mkdir(exist_ok=True)
    return os.access(cache, os.W_OK | os.X_OK)


def made_files(folder: Path) -> tuple[Path, Path, Path]:
    """Where `make_snapshot` writes: the memory, the program, and compiled code, which another Node makes anew."""
    cache = _parts(folder)[2]
    return cache / SNAPSHOT, cache / QUICK, cache / f"{_CODE}-{node_program().stat().st_size:x}.bin"


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


def _driver(folder: Path, memory_mb: int, files: dict[str, str | None] | dict[str, str], *more: str) -> list[str]:
    build, library, cache = _parts(folder)
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
    prepare(folder, progress)
    return LeanPool("embedded", LEAN_VERSION, lambda: DrivenLean(command(folder, memory_mb)), size)
