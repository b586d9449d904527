"""A native Lean: the user's own toolchain and project, behind a driver program of ours that the toolchain runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

from goedels_poetry.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.lean.runtime.find import Toolchain, find_toolchain, project_above
from goedels_poetry.lean.runtime.kimina_text import header_lines
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest, ReplayResult
from goedels_poetry.solvers.child import executable_command

# -- What a native Lean may reach ----------------------------------------------------------------------------------


NO_SANDBOX = (
    "Lean runs without a sandbox: what a Lean file does while it is checked, it does with your rights. "
    "Install bubblewrap (bwrap) to keep it from your files and the network."
)
DATA_HEADROOM_MB = 4096
"""Beyond Lean's own limit: stacks of threads, and what its allocator has reserved and not used."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/ld.so.conf")
_PROBE_SECONDS = 10.0
# The limit counts what the process can write, not the libraries that it maps; `-M` below it lets Lean say so itself.
_BOUNDED = 'ulimit -d "$0" && exec "$@"'


def lean_command(toolchain: Toolchain, program: Path, memory_mb: int) -> tuple[list[str], bool]:
    """The command that runs a Lean program, and whether it is in a sandbox.

    Nothing of our environment is handed on but search paths: keys and tokens stay here.
    """
    lean = [str(toolchain.lean), "-M", str(memory_mb), "--run", str(program)]
    bounded = ["/bin/sh", "-c", _BOUNDED, str((memory_mb + DATA_HEADROOM_MB) * 1024), *lean]
    variables = {
        **toolchain.environment,
        "LEAN_SYSROOT": str(toolchain.root),
        "PATH": os.pathsep.join([str(toolchain.root / "bin"), "/usr/bin", "/bin"]),
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
    }
    walls = _walls(toolchain, program, variables)
    if walls:
        return [*walls, *bounded], True
    return ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in variables.items()), *bounded], False


def _walls(toolchain: Toolchain, program: Path, variables: dict[str, str]) -> list[str]:
    """The beginning of a command that runs the rest of it in bubblewrap; [] where that does not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return []
    seen = [*(["--ro-bind-try", path, path] for path in _SYSTEM), ["--proc", "/proc"], ["--dev", "/dev"]]
    seen += [["--tmpfs", "/tmp"]]
    seen += [["--ro-bind-try", str(path), str(path)] for path in (*toolchain.readable, program)]
    where = str(toolchain.folder) if toolchain.project else "/"
    settings = [word for name, value in variables.items() for word in ("--setenv", name, value)]
    walls = [bwrap, "--unshare-all", "--die-with-parent", "--clearenv", *settings]
    walls += [word for words in seen for word in words] + ["--chdir", where, "--"]
    try:
        probe = subprocess.run([*walls, "/bin/sh", "-c", ":"], capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return walls if probe.returncode == 0 else []


# -- A native Lean -------------------------------------------------------------------------------------------------


DRIVER = Path(__file__).with_name("Driver.lean")
HEADER_SECONDS = 120.0
"""To read the imports of a text for the first time: Mathlib from a cold disk takes a minute."""
MEMORY_MB = 8192
GRACE_SECONDS = 0.1


class NativeLean(DrivenLean):
    """One process of the toolchain. A time-out kills it, with all that it has started; the next request starts another.

    The first request with imports that this process has not read may take ``header_seconds`` more than its limit.
    """

    def __init__(self, command: list[str], header_seconds: float = HEADER_SECONDS) -> None:
        super().__init__(command, grace=GRACE_SECONDS, group=True)
        self._header_seconds = header_seconds
        self._read: tuple[int, set[str | tuple[str, ...]]] = (0, set())
        """How often the process had been started, and the imports that this one has read: headers of texts, and modules
        on top of which declarations are added."""

    def check(self, request: CheckRequest) -> CheckResult:
        """As `LeanRuntime.check`."""
        fault = self._read_header(request.prefix + request.code)
        return fault if fault is not None else super().check(request)

    def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`."""
        if not self._has_read(request.modules):
            nothing = super().replay(ReplayRequest(request.modules, "", seconds=self._header_seconds))
            if nothing.status != "done" or nothing.failed:
                return nothing
            self._note_read(request.modules)
        return super().replay(request)

    def _read_header(self, text: str) -> CheckResult | None:
        """Have the process read the imports of a text; what happened when it could not."""
        header = "\n".join(line for line in header_lines(text.replace("\r\n", "\n").split("\n")) if line)
        if self._has_read(header):
            return None
        result = super().check(CheckRequest(header, seconds=self._header_seconds))
        if result.status != "done":
            return CheckResult(result.status, f"while reading the imports: {result.error}", seconds=result.seconds)
        self._note_read(header)
        return None

    def _has_read(self, imports: str | tuple[str, ...]) -> bool:
        starts, read = self._read
        return starts == self.starts and imports in read

    def _note_read(self, imports: str | tuple[str, ...]) -> None:
        starts, read = self._read
        self._read = (self.starts, {imports} | (read if starts == self.starts else set()))


def native_pool(
    project: Path | None = None,
    size: int = 1,
    seconds: float = HEADER_SECONDS,
    memory_mb: int = MEMORY_MB,
    *,
    start: Path | None = None,
    warn: Callable[[str], None] = warnings.warn,
) -> LeanPool:
    """A pool of native Leans in a lake project, or of the toolchain alone where there is no project.

    Args:
        project: the project's folder; else ``LEAN_PROJECT_PATH``, else the project around ``start``.
        size: at most so many processes.
        seconds: for the reading of imports that a process has not read yet, beyond a request's own limit.
        memory_mb: of each process.
        start: where to look for a project from, upwards; the working directory by default.
        warn: told in one sentence when there is no sandbox.

    Raises:
        LeanUnavailable: there is no toolchain; what is missing and what to do.
    """
    toolchain = find_toolchain(project, start)
    command, walled = lean_command(toolchain, DRIVER, memory_mb)
    if not walled:
        warn(NO_SANDBOX)
    bound = executable_command(*command, address_space=0)
    return LeanPool("native", toolchain.version, lambda: NativeLean(bound, seconds), size)


__all__ = [
    "DRIVER",
    "NO_SANDBOX",
    "LeanUnavailable",
    "NativeLean",
    "Toolchain",
    "find_toolchain",
    "lean_command",
    "native_pool",
    "project_above",
]
