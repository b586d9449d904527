"""Which theorems a command line names: files, folders, standard input; read with a limit, decoded strictly."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from goedels_poetry.errors import lacks_resources
from goedels_poetry.files import read_bytes

STDIN = "-"
NAMELESS = "an empty name: is a variable of the shell not set?"
MAX_BYTES = 64_000_000
"""Larger inputs are refused before they are read whole (a device or a pipe may never end)."""


@dataclass(frozen=True)
class Source:
    """One theorem to read: what to call it, where it is, and where its certificate belongs below ``--out``."""

    name: str
    """As the user wrote it, or the path found in a folder."""
    place: Path
    """Relative path without suffix: the certificate's folder below ``--out``."""
    text: str | None = None
    """The text itself, when the command line holds it."""
    theorem: str = ""
    """Which theorem of the file is meant, in ``FILE:theorem``; "" for all that it leaves open."""
    named: bool = True
    """Whether the user names the file; a file that a folder holds may be about something else."""

    @property
    def file(self) -> str:
        """The name without the theorem's."""
        return self.name.removesuffix(f":{self.theorem}") if self.theorem else self.name

    def of(self, theorem: str) -> Source:
        """One theorem of this file."""
        place = self.place.with_name(f"{self.place.name}.{theorem}")
        return replace(self, name=f"{self.file}:{theorem}", place=place, theorem=theorem)


class Unreadable(Exception):
    """An input that cannot be read as text; becomes the verdict ``invalid``. ``reason`` begins with the place."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason if line is None else f"{line}:{column}: {reason}"
        self.line, self.column = line, column


def find(arguments: list[str], suffixes: tuple[str, ...]) -> Iterator[Source]:
    """The theorems that the arguments name, in the order given; the files of a folder sorted, recursively.

    A name that does not exist is handed on as it is: reading it gives the reason. Pipes and devices in folders are
    left out. The same file named twice is given once. ``FILE:theorem`` is one theorem of a file.
    """
    seen: set[tuple[Path, str]] = set()
    for argument in arguments:
        if argument == STDIN:
            yield Source(STDIN, Path("stdin"))
            continue
        if not argument:  # not the current folder, with all that it holds
            yield Source("", Path("theorem"))
            continue
        file, theorem = _one_of(argument)
        for found, place in _files(Path(file), suffixes):
            key = (Path(os.path.realpath(found)), theorem)
            if key not in seen:
                seen.add(key)
                source = Source(str(found), place, named=not os.path.isdir(file))
                yield source.of(theorem) if theorem else source


def _one_of(argument: str) -> tuple[str, str]:
    """``FILE:theorem`` taken apart, where there is such a file and none with the colon in its name."""
    file, colon, theorem = argument.rpartition(":")
    if colon and theorem and not os.path.lexists(argument) and os.path.isfile(file):
        return file, theorem
    return argument, ""


def _files(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, Path]]:
    if not os.path.isdir(path):  # of a name that is too long Path raises
        yield path, Path(path.stem or "theorem")
        return
    found = sorted(
        Path(folder) / name
        for folder, _, names in os.walk(path)
        for name in names
        if name.lower().endswith(suffixes) and not name.startswith(".")
    )
    for file in filter(_may_be_read, found):
        yield file, file.relative_to(path).with_suffix("")


def _may_be_read(file: Path) -> bool:
    """Whether a name found in a folder is a file, or a link that leads nowhere: then reading it says so.

    A named pipe would be waited for; who wants one read names it.
    """
    return file.is_file() or not file.exists()


def is_awaited(source: Source) -> bool:
    """Whether somebody is still writing it: standard input, a pipe. It is read once, where Ctrl-C ends the waiting."""
    if source.file == STDIN:
        return True
    try:
        mode = os.stat(source.file).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def read(source: Source) -> str:
    """The source's text.

    Raises:
        Unreadable: it is no text; with the place of the first byte that is not UTF-8.
        OSError: the machine has no file handle or memory left, which says nothing about the text.
    """
    if source.text is not None:
        return source.text
    if not source.file:
        raise Unreadable(NAMELESS)
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1) if source.file == STDIN else read_bytes(source.file, MAX_BYTES)
    except OSError as error:
        if lacks_resources(error):
            raise
        raise Unreadable(f"cannot read {source.file}: {error.strerror or error}") from None
    except ValueError as error:  # a NUL character in the name
        raise Unreadable(f"cannot read it: {error}") from None
    if len(data) > MAX_BYTES:
        raise Unreadable(f"larger than {MAX_BYTES // 1_000_000} MB; split it")
    if source.file.lower().endswith(".py"):
        return _python(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise Unreadable(f"not text in UTF-8 (byte {data[error.start]:#04x})", line, column) from None


def _python(data: bytes) -> str:
    from goedels_poetry.kernel.python.faults import PythonFault
    from goedels_poetry.kernel.python.program import decode_source

    try:
        return decode_source(data)
    except PythonFault as fault:
        reason = fault.message + (f" ({fault.hint})" if fault.hint else "")
        raise Unreadable(reason, fault.line, fault.column) from None


def read_beside(flag: str, file: str | Path) -> str:
    """The text of a file that a flag names beside the inputs.

    Raises:
        Unreadable: with the flag and the file in the reason. OSError: as of `read`.
    """
    try:
        return read(Source(str(file), Path(flag)))
    except Unreadable as problem:
        why = problem.reason.removeprefix(f"cannot read {file}: ")
        raise Unreadable(f"{flag} {file}: {why}") from None


def certificate_folder(out: Path, source: Source, text: str) -> Path:
    """Where the certificate of this very text goes below ``out``.

    The text's hash is part of the name, so that neither an edited file nor another one of the same name ever
    overwrites a finished proof.
    """
    stem = re.sub(r"[^\w.+-]", "_", source.place.name)[:80].strip(".") or "theorem"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return out.joinpath(*source.place.parts[:-1]) / f"{stem}-{digest}"
