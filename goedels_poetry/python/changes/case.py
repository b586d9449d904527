"""What is needed to verify a change from nothing, as data: the project, the file, the error, how it is looked for."""

from __future__ import annotations

import base64
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from goedels_poetry.errors import InvalidInput
from goedels_poetry.protocol.record import STRICT, Record

MAX_PROJECT = 16_000_000
"""Bytes of a project that are kept with a run."""
MAX_FILES = 4_000
SECONDS = 60.0
"""Processor seconds for one run of a project's tests; twice as many by the clock."""
NOT_TAKEN = frozenset(
    {".git", ".hg", ".svn", ".tox", ".nox", ".eggs", "__pycache__", "node_modules", ".venv", ".direnv"}
    | {".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".idea", ".vscode"}
)
"""Folders that are no part of a project."""
SECRET = re.compile(r"\.env(\..*)?|\.netrc|\.pypirc|id_(rsa|ed25519|ecdsa)|.*\.(pem|key|p12|pfx)")
"""Files that are never copied into a run, where others might read them."""
ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", ".git", ".hg")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*")
_SHELL = frozenset({"&&", "||", "|", ";", ">", ">>", "<", "&"})


def _encoded(text: str) -> str:
    base64.b64decode(text, validate=True)
    return text


Encoded = tuple[Literal["base64"], Annotated[str, AfterValidator(_encoded)]]


@dataclass(frozen=True, slots=True)
class ChangeCase(Record):
    """A file that is to be changed, and what says whether the change is right. JSON-able."""

    __pydantic_config__ = STRICT

    file: str
    """Path below the project's root, with ``/``."""
    before: str
    """Its text, every character as it is."""
    files: Mapping[str, str | Encoded] = field(default_factory=dict)
    """The other files: text, or ``["base64", data]``."""
    executable: tuple[str, ...] = ()
    """Those that may be run."""
    error: str = ""
    """What is wrong: a traceback, output of tests, or words."""
    tests: tuple[str, ...] = ()
    """Command that runs the tests, word by word; () where the project's own are looked for."""
    run: tuple[str, ...] = ()
    """Command that shows the error."""
    meant: tuple[str, ...] = ()
    """Functions whose behaviour the change is meant to alter, whatever the tests say."""
    seconds: Annotated[float, Field(gt=0, le=3600)] = SECONDS

    def __post_init__(self) -> None:
        for path in (self.file, *self.files):
            checked_path(path)

    @property
    def is_python(self) -> bool:
        """Whether the file is one of Python."""
        return self.file.endswith((".py", ".pyw"))

    @property
    def module(self) -> str:
        """The dotted name under which the file is imported; "" where it has none."""
        return self.module_and_path[0]

    @property
    def module_and_path(self) -> tuple[str, str]:
        """The module's name, and the folder that has to be on the path for it."""
        path = PurePosixPath(self.file)
        parts = [path.stem] if path.stem != "__init__" else []
        folder = path.parent
        while folder != PurePosixPath() and str(folder / "__init__.py") in {*self.files, self.file}:
            parts.insert(0, folder.name)
            folder = folder.parent
        named = all(part.isidentifier() for part in parts) and bool(parts)
        return (".".join(parts), str(folder)) if named else ("", str(folder))

    def content(self, path: str) -> bytes:
        """What stands in one of the other files."""
        found = self.files[path]
        return found.encode("utf-8") if isinstance(found, str) else base64.b64decode(found[1])

    def sources(self) -> Iterator[tuple[str, str]]:
        """The other Python files: path and text."""
        for path, found in self.files.items():
            if path.endswith(".py") and isinstance(found, str):
                yield path, found

    def write(self, root: Path) -> None:
        """Write the project into an empty folder, the file as it was."""
        for path in (self.file, *self.files):
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(self.before.encode("utf-8") if path == self.file else self.content(path))
            if path in self.executable:
                place.chmod(0o755)


def checked_path(path: str) -> str:
    """A path below a project's root; raises InvalidInput when it leads out of it."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise InvalidInput(f"{path!r} is no path below the project's folder")
    return path


# -- from the disk --------------------------------------------------------------------------------------------------


def root_of(file: Path) -> Path:
    """The folder of the project that a file belongs to: the nearest above it that looks like one, else its own."""
    for folder in file.parents:
        if any((folder / mark).exists() for mark in ROOT_MARKS):
            return folder
    return file.parent


def snapshot(root: Path, file: Path) -> tuple[dict[str, str | Encoded], tuple[str, ...]]:
    """The files of a project but for one, and which of them may be run. Links and caches are left out.

    Raises:
        InvalidInput: it is too large.
    """
    kept: dict[str, str | Encoded] = {}
    executable: list[str] = []
    total = 0
    for path in _walk(root):
        try:
            mode = path.lstat()
            if path == file or not stat.S_ISREG(mode.st_mode):
                continue
            total += mode.st_size
            if total > MAX_PROJECT or len(kept) >= MAX_FILES:
                raise InvalidInput(
                    f"the project {root} is larger than {MAX_PROJECT // 1_000_000} MB or {MAX_FILES} files",
                    hint="name a smaller folder that holds the file and its tests with --project",
                )
            data = path.read_bytes()
        except OSError:
            continue
        name = path.relative_to(root).as_posix()
        kept[name] = "base64", base64.b64encode(data).decode("ascii")
        with suppress(UnicodeDecodeError):
            kept[name] = data.decode("utf-8") if b"\0" not in data else kept[name]
        executable += [name] if mode.st_mode & 0o100 else []
    return kept, tuple(executable)


def _walk(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        inner = (Path(folder, name) for name in sorted(names) if name not in NOT_TAKEN)
        names[:] = [each.name for each in inner if not each.is_symlink() and not (each / "pyvenv.cfg").exists()]
        for name in sorted(files):
            if not name.endswith((".pyc", ".pyo")) and not SECRET.fullmatch(name):
                yield Path(folder, name)


def decoded(data: bytes, name: str) -> str:
    """The text of a file, every character kept; raises InvalidInput when it is not UTF-8 or holds NUL bytes."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{name} is no text in UTF-8 (byte {data[error.start]:#04x})", line) from None
    if "\0" in text:
        raise InvalidInput(f"{name} is no text file: it holds NUL bytes")
    return text


# -- commands -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    """A test command as it is run."""

    kind: str
    """"pytest", "unittest", or "other": then its exit code is all that is known."""
    arguments: tuple[str, ...]
    """Of pytest or unittest; of another command all of its words."""
    root_on_path: bool = True
    path: tuple[str, ...] = ()
    """Folders of the project that it puts on Python's path."""


def words_of(command: str) -> tuple[str, ...]:
    """A command line taken apart; one that needs a shell gets one.

    Raises:
        InvalidInput: quotes that are not closed, or no command at all.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(f"the command {command!r} cannot be read: {error}") from None
    if not words:
        raise InvalidInput("the command is empty")
    if any(word in _SHELL for word in words) or words[0] == "cd":
        return ("sh", "-c", command)
    return tuple(words)


def command_of(words: tuple[str, ...]) -> Command:
    """What a test command runs, so that the tests can be told apart where that is possible."""
    rest, path = list(words), list[str]()
    while rest and _ASSIGNED.fullmatch(rest[0]):
        name, _, value = rest.pop(0).partition("=")
        if name != "PYTHONPATH":
            return Command("other", ("env", *words))
        path += [part for part in value.split(os.pathsep) if part and not part.startswith(("/", "$"))]
    if not rest:
        return Command("other", words)
    program = PurePosixPath(rest[0]).name
    if program in ("pytest", "py.test"):
        return Command("pytest", tuple(rest[1:]), root_on_path=False, path=tuple(path))
    if re.fullmatch(r"python(\d(\.\d+)?)?", program):
        options = [word for word in rest[1:] if word not in ("-B", "-u", "-q", "-s", "-E")]
        if options[:2] in (["-m", "pytest"], ["-m", "unittest"]):
            return Command(options[1], tuple(options[2:]), path=tuple(path))
        rest[0] = sys.executable
    return Command("other", ("env", f"PYTHONPATH={os.pathsep.join(path)}", *rest) if path else tuple(rest))


def own_tests(case: ChangeCase) -> bool:
    """Whether a project has tests that pytest would find."""
    names = [PurePosixPath(path).name for path in (*case.files, case.file)]
    return any(name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")) for name in names)
