"""Run a program or a command in a process of its own, in the best way that this machine gives.

With which of the machine's files it may read, and the folder that a command gets a copy of.
"""

from __future__ import annotations

import asyncio
import contextvars
import math
import os
import site
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, ParamSpec

from goedels_poetry.errors import InvalidInput
from goedels_poetry.sandbox import isolation
from goedels_poetry.sandbox import isolation as bubblewrap
from goedels_poetry.sandbox.child.processes import remove
from goedels_poetry.sandbox.isolation import Isolation, Loaded, Setup
from goedels_poetry.sandbox.limits import UNAVAILABLE, SandboxLimits, SandboxResult, explain, tasks_of
from goedels_poetry.sandbox.process import FOLDERS, Outcome, run_process

_FOLDER = "/box"
_PREFIX = "goedels-poetry-box-"
_SCRATCH = ("/tmp", "/dev/shm")
"""Further folders of a command that has a view of its own, where it may write: other than the machine's."""
_FILES = 4096
"""How many files a program may have in its folder, beyond those it began with."""
_INTERPRETER_BYTES = 32 << 20
"""Address space of the interpreter before the program's first line."""
_DEFAULTS = SandboxLimits()
_TRIED = SandboxLimits(cpu_seconds=10, wall_seconds=30, memory_mb=128)
_TRIALS = 3
_TRIAL = """
import math, zlib, sys
open("left", "w").write(str(math.gcd(4, 6)))
print(open("given").read())
"""


def run_python(
    program: str,
    *,
    arguments: Sequence[str] = (),
    stdin: bytes = b"",
    files: Mapping[str, bytes] | None = None,
    keep: Sequence[str] = (),
    packages: bool = False,
    ours: Mapping[str, Path] | None = None,
    limits: SandboxLimits = _DEFAULTS,
    cancelled: int | None = None,
) -> SandboxResult:
    """Run a program in Python as ``__main__`` in an empty folder that is removed.

    Args:
        arguments: ``sys.argv`` after the name.
        files: of the folder, by names relative to it; modules among them can be imported.
        keep: names of files that are wanted when it has ended.
        packages: it may import third-party packages of this interpreter.
        ours: folders by the names of packages, all modules of which it finds loaded.
        cancelled: a file descriptor that can be read when nobody wants the result any more.

    Raises InvalidInput for names of files that lead out of the folder.
    """
    folders = [(name, str(place)) for name, place in (ours or {}).items()]
    modules = [f"{name}.{m.stem}" for name, place in (ours or {}).items() for m in sorted(place.glob("*.py"))]
    given = {relative_name(name): content for name, content in (files or {}).items()}
    wanted = {
        "program": program,
        "arguments": [str(each) for each in arguments],
        "argv": [],
        "files": given,
        "keep": [relative_name(name) for name in keep],
        "folders": folders,
        "modules": modules,
    }
    how = chosen(loaded=(folders, modules))
    return _run(wanted, packages=packages, stdin=stdin, limits=limits, cancelled=cancelled, chosen=how)


def run_command(
    argv: Sequence[str],
    tree: Path,
    *,
    changes: Mapping[str, bytes] | None = None,
    keep: Sequence[str] = (),
    packages: bool = True,
    limits: SandboxLimits | None = None,
    cancelled: int | None = None,
) -> SandboxResult:
    """Run a command in a copy of a folder, in which some files are replaced; the folder itself is never touched.

    Virtual environments in it are not copied: they can be read where they are.

    Args:
        argv: the command and its arguments; found on the path of this interpreter and the system.
        changes: new contents of files by names relative to it.
        keep: names of files that are wanted when it has ended.
        packages: it may import third-party packages of this interpreter.
        limits: what it may use; by default 16 processes and 256 open files, otherwise as for programs.
        cancelled: as for `run_python`.

    Raises InvalidInput for a folder that is not there or too large to copy, and for names that lead out of it.
    """
    source = Path(os.path.realpath(tree))
    size = measure(source)
    inside = {_inside(source, relative_name(name)): content for name, content in (changes or {}).items()}
    wanted = {
        "program": "",
        "arguments": [],
        "argv": [str(each) for each in argv],
        "files": inside,
        "keep": [relative_name(name) for name in keep],
        "tree": str(source),
        "skip": list(size.environments),
        "tree_bytes": size.bytes,
        "tree_files": size.files,
    }
    if not argv:
        raise InvalidInput("there is no command to run")
    bounds = limits or SandboxLimits(processes=16, open_files=256, memory_mb=1024, disk_mb=64)
    return _run(wanted, packages=packages, stdin=b"", limits=bounds, cancelled=cancelled, chosen=chosen(True))


def find_isolation() -> Isolation:
    """What keeps programs in on this machine; found out by running some, the first time."""
    return isolation.describe(chosen())


def chosen(several: bool = False, loaded: Loaded = ((), ())) -> Setup:
    """How programs are run here, or commands, which may start `several` processes."""
    return isolation.setup(_trial, several, loaded)


def _trial(candidate: Setup, loaded: Loaded) -> str:
    wanted = {
        "program": _TRIAL, "arguments": [], "argv": [], "files": {"given": b"given"}, "keep": ["left"],
        "folders": loaded[0], "modules": loaded[1],
    }  # fmt: skip
    for _ in range(_TRIALS):
        result = _run(wanted, packages=False, stdin=b"", limits=_TRIED, cancelled=None, chosen=candidate)
        if (result.status, result.stdout, result.files) == ("exited", b"given\n", {"left": b"2"}):
            return ""
        if result.status not in ("cpu", "wall", "killed"):
            break  # otherwise the machine may have been too busy: no reason to do without walls
    return result.explanation


def _inside(source: Path, name: str) -> str:
    """Where a name leads in the folder, through its own links; raises InvalidInput when that is outside."""
    parent = os.path.realpath(source / os.path.dirname(name))
    if parent != str(source) and not parent.startswith(str(source).rstrip("/") + "/"):
        raise InvalidInput(f"{name} leads out of the folder")
    return os.path.relpath(os.path.join(parent, os.path.basename(name)), source)


def _run(
    wanted: dict[str, Any],
    *,
    packages: bool,
    stdin: bytes,
    limits: SandboxLimits,
    cancelled: int | None,
    chosen: Setup,
) -> SandboxResult:
    there = places(packages, bool(wanted["argv"]))
    if chosen.own_view:
        return _in(wanted.get("tree") or _FOLDER, wanted, there, packages, stdin, limits, cancelled, chosen)
    try:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    except OSError as failure:
        return _result(Outcome(failure=str(failure)), limits, command=False)
    try:
        return _in(str(folder), wanted, there, packages, stdin, limits, cancelled, chosen)
    finally:
        remove(str(folder))  # the keeper has, unless it was never there


def _in(
    folder: str,
    wanted: dict[str, Any],
    there: Places,
    packages: bool,
    stdin: bytes,
    limits: SandboxLimits,
    cancelled: int | None,
    chosen: Setup,
) -> SandboxResult:
    """Run what is wanted with `folder` as the program's own."""
    tree = wanted.get("tree")
    given = sum(-(-len(content) // 4096) * 4096 for content in wanted["files"].values())
    disk = limits.disk_mb << 20
    beyond = [os.path.join(tree, name) for name in wanted.get("skip", ())] if tree else []
    config = {
        "tree": None, "tree_name": tree or "", "skip": [], "folders": [], "modules": [], **wanted,
        "features": list(chosen.features),
        "folder": folder,
        "folder_bytes": disk + given + wanted.get("tree_bytes", 0),
        "folder_files": _FILES + 2 * len(wanted["files"]) + wanted.get("tree_files", 0),
        "disk_bytes": disk + wanted.get("tree_bytes", 0),
        "keep_bytes": disk + wanted.get("tree_bytes", 0),
        "read": [*(path for path in there.read if not _below(path, tree)), *beyond],
        "hidden": [path for path in there.hidden if not _below(path, tree)],
        "links": list(there.links),
        "devices": list(DEVICES),
        "packages": list(there.packages) if packages else [],
        "prefix": sys.prefix,
        "scratch": list(_SCRATCH) if wanted["argv"] and chosen.own_view else [],
        "own_view": chosen.own_view,
        "tasks": 0 if chosen.own_view or chosen.nobody else tasks_of(os.geteuid()),
        "user": chosen.user(),
        "cpu_seconds": float(limits.cpu_seconds),
        "wall_seconds": float(limits.wall_seconds),
        "memory_bytes": (limits.memory_mb << 20) + _INTERPRETER_BYTES,
        "processes": limits.processes if wanted["argv"] else 0,
        "open_files": limits.open_files,
    }  # fmt: skip
    environment = {
        "PATH": there.path, "HOME": folder, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"
    }  # fmt: skip
    if tree and folder != tree:
        environment |= moved_packages(tree, folder)
    walls: list[str] = []
    if chosen.bwrap:
        more = [os.path.realpath(sys.executable), *FOLDERS, *(place for _, place in config["folders"])]
        walls = bubblewrap.walls(chosen.bwrap, config, more, environment)
        config["tree"] = tree and bubblewrap.SOURCE
    return _result(run_process(config, walls, environment, stdin, limits, cancelled), limits, command=bool(tree))


def _below(path: str, tree: str | None) -> bool:
    return tree is not None and (path == tree or path.startswith(tree.rstrip("/") + "/"))


def _result(outcome: Outcome, limits: SandboxLimits, *, command: bool) -> SandboxResult:
    """What the keeper reported, and what we saw ourselves, in one."""
    status, code, seconds, cpu, text, files = _read_report(bytes(outcome.report))
    stderr = bytes(outcome.stderr)
    more = text
    returncode: int | None = code
    if outcome.failure:
        status, more, returncode = UNAVAILABLE, outcome.failure, None
    elif outcome.stopped and status in ("", "stopped", "exited"):
        status = {"processes": "killed", "cancelled": "killed"}.get(outcome.stopped, outcome.stopped)
        more = {"processes": "it started too many processes or threads", "cancelled": "nobody waits for it"}.get(
            outcome.stopped, ""
        )
    elif not status and not outcome.report:  # not even that it began
        status, more = UNAVAILABLE, next(iter(stderr.decode("utf-8", "replace").strip().splitlines()[-1:]), "")[:200]
    elif not status:
        status, returncode, more = "killed", None, "the process that watched it ended before it"
    elif status == "exited" and code < 0:
        status = "killed"
    if status not in ("exited", "killed", "memory", "disk"):
        returncode = None
    spent = cpu if math.isfinite(cpu) else 0.0
    return SandboxResult(
        status=status,
        returncode=returncode,
        stdout=bytes(outcome.stdout),
        stderr=stderr,
        seconds=seconds or outcome.seconds,
        cpu_seconds=spent,
        files=files,
        explanation=explain(status, returncode, limits, b"" if command else stderr, more),
    )


def _read_report(report: bytes) -> tuple[str, int, float, float, str, dict[str, bytes]]:
    """Status ("" when there is no report), exit code, seconds, processor seconds, text, files."""
    head, found, body = report.lstrip(b"\n").partition(b"\n\n")
    lines = head.split(b"\n") if found else []
    try:
        status, code, seconds, cpu = lines[0].decode().split(" ")
        text = bytes.fromhex(lines[1][1:].decode()).decode("utf-8", "replace")
        files = {}
        for line in lines[2:]:
            name, length = line.decode().split(" ")
            files[bytes.fromhex(name).decode()], body = body[: int(length)], body[int(length) :]
        return status, int(code), float(seconds), float(cpu), text, files
    except (ValueError, IndexError):
        return "", 0, 0.0, 0.0, "", {}


# The same without blocking the event loop

P = ParamSpec("P")

_threads = ThreadPoolExecutor(max_workers=64, thread_name_prefix="sandbox")
"""They only wait; how many programs run at once is the caller's affair."""


def _asynchronous(run: Callable[P, SandboxResult]) -> Callable[P, Coroutine[Any, Any, SandboxResult]]:
    async def in_thread(*args: P.args, **kwargs: P.kwargs) -> SandboxResult:
        cancelled, cancel = os.pipe()
        kwargs["cancelled"] = cancelled
        work = partial(contextvars.copy_context().run, run, *args, **kwargs)
        future = asyncio.get_running_loop().run_in_executor(_threads, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            os.write(cancel, b"1")
            await asyncio.wait([future])
            raise
        finally:
            os.close(cancel)
            if future.done():
                os.close(cancelled)

    return in_thread


run_python_async = _asynchronous(run_python)
"""As `run_python`; a coroutine that is cancelled ends the program before it lets go."""
run_command_async = _asynchronous(run_command)
"""As `run_command`; a coroutine that is cancelled ends the command before it lets go."""


# Which of the machine's files a program may read

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
