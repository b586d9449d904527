"""A native Lean: the user's own toolchain and project, behind a driver program of ours that the toolchain runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.lean.runtime.driven import DrivenLean, LeanUnavailable
from goedels_poetry.lean.runtime.kimina import header_lines
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest, ReplayResult
from goedels_poetry.solvers.child import executable_command

# Where a Lean of the user's is

ASK_SECONDS = 300.0
"""For one question to lake or lean; elan may fetch the project's toolchain first."""
INSTALL = "install elan (https://github.com/leanprover/elan), or do without: `goedels-poetry lean install`"
_LAKEFILES = ("lakefile.toml", "lakefile.lean")
_VERSION = re.compile(r"\bversion (?P<version>\d+\.\d+\.\d+[^\s,)]*)")
_TELL_ENVIRONMENT = "import json, os; print(json.dumps(dict(os.environ)))"
_TOLD = ("LEAN_PATH", "LEAN_SRC_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Lean and what it is to see."""

    lean: Path
    """The program itself, not elan's stand-in for it."""
    root: Path
    """The folder of the toolchain."""
    version: str
    folder: Path
    """The project, or where we were asked for a Lean without one."""
    project: bool
    environment: Mapping[str, str]
    """Search paths, absolute."""

    @property
    def readable(self) -> tuple[Path, ...]:
        """Every folder that this Lean has to read, besides the system's."""
        paths = [Path(p) for value in self.environment.values() for p in value.split(os.pathsep) if p]
        return tuple(dict.fromkeys([self.root, *([self.folder] if self.project else []), *paths]))


def project_above(start: Path) -> Path | None:
    """The nearest folder from ``start`` upwards that holds a lake project."""
    start = start.absolute()
    return next((folder for folder in (start, *start.parents) if _is_project(folder)), None)


def find_toolchain(project: Path | None = None, start: Path | None = None) -> Toolchain:
    """The Lean of ``project``, else of ``LEAN_PROJECT_PATH``, else of the lake project around ``start`` (the working
    directory), else the one that stands alone on the path or in elan's folder.

    ``lake env`` is run in the project: what its lakefile does, it does with the user's rights. Raises
    :class:`LeanUnavailable` with what is missing and what to do.
    """
    named = str(project) if project else os.environ.get("LEAN_PROJECT_PATH", "")
    if named:
        folder = Path(named).expanduser().absolute()
        if not _is_project(folder):
            source = "" if project else "LEAN_PROJECT_PATH: "
            raise LeanUnavailable(f"{source}{folder} is no lake project: there is neither {' nor '.join(_LAKEFILES)}")
        return _in_project(folder)
    around = project_above(start or Path.cwd())
    return _in_project(around) if around else _alone((start or Path.cwd()).absolute())


def _is_project(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _LAKEFILES)


def _in_project(folder: Path) -> Toolchain:
    lake = program("lake")
    if lake is None:
        raise LeanUnavailable(
            f"the Lean project {folder} needs `lake`, which is neither on the path nor elan's: {INSTALL}"
        )
    output = _ask([lake, "env", sys.executable, "-I", "-S", "-c", _TELL_ENVIRONMENT], folder)
    try:
        environment: dict[str, str] = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError) as fault:
        raise LeanUnavailable(f"`lake env` in {folder} does not run programs: {output[-200:]!r}") from fault
    lean = shutil.which("lean", path=environment.get("PATH", "")) or program("lean")
    if lean is None:
        raise LeanUnavailable(f"`lake env` in {folder} has no `lean`")
    return _toolchain(Path(lean), folder, True, environment)


def _alone(folder: Path) -> Toolchain:
    lean = program("lean")
    if lean is None:
        raise LeanUnavailable(
            f"there is no Lean here: neither `lean` on the path nor elan's, and no project: {INSTALL}"
        )
    return _toolchain(Path(lean), folder, False, os.environ)


def _toolchain(lean: Path, folder: Path, project: bool, environment: Mapping[str, str]) -> Toolchain:
    root = Path(_ask([str(lean), "--print-prefix"], folder).strip())
    own = root / "bin" / "lean"
    if not own.is_file():
        raise LeanUnavailable(f"`{lean} --print-prefix` names {root}, but there is no {own}")
    output = _ask([str(own), "--version"], folder)
    version = _VERSION.search(output)
    if version is None:
        raise LeanUnavailable(f"`{own} --version` names no version: {output[:200]!r}")
    passed = {name: _absolute(environment[name], folder) for name in _TOLD if environment.get(name)}
    return Toolchain(own, root, version["version"], folder, project, passed)


def _absolute(paths: str, folder: Path) -> str:
    return os.pathsep.join(str(folder / path) for path in paths.split(os.pathsep) if path)


def program(name: str) -> str | None:
    """Where a program of a toolchain is; None where there is none."""
    elan = Path(os.environ.get("ELAN_HOME") or Path.home() / ".elan") / "bin"
    return shutil.which(name) or shutil.which(name, path=str(elan))


def _ask(command: list[str], folder: Path) -> str:
    shown = " ".join([Path(command[0]).name, *command[1:2]])
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=ASK_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as fault:
        raise LeanUnavailable(f"`{shown}` in {folder} has not ended within {ASK_SECONDS:g} s") from fault
    except OSError as fault:
        raise LeanUnavailable(f"`{shown}` does not run: {fault}") from fault
    if done.returncode:
        output = (done.stderr + done.stdout).decode(errors="replace").strip()
        raise LeanUnavailable(f"`{shown}` in {folder} ends with {done.returncode}: {output[-400:]}")
    return done.stdout.decode(errors="replace")


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
