"""Where a Lean of the user's is: in their project, through elan, or on the path."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.lean.runtime.driven import LeanUnavailable

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
    lake = _program("lake")
    if lake is None:
        raise LeanUnavailable(
            f"the Lean project {folder} needs `lake`, which is neither on the path nor elan's: {INSTALL}"
        )
    output = _ask([lake, "env", sys.executable, "-I", "-S", "-c", _TELL_ENVIRONMENT], folder)
    try:
        environment: dict[str, str] = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError) as fault:
        raise LeanUnavailable(f"`lake env` in {folder} does not run programs: {output[-200:]!r}") from fault
    lean = shutil.which("lean", path=environment.get("PATH", "")) or _program("lean")
    if lean is None:
        raise LeanUnavailable(f"`lake env` in {folder} has no `lean`")
    return _toolchain(Path(lean), folder, True, environment)


def _alone(folder: Path) -> Toolchain:
    lean = _program("lean")
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


def _program(name: str) -> str | None:
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
