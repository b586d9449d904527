"""Which inputs a command names, and their text: theorems in files, claims in words."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.errors import InvalidInput, lacks_resources
from goedels_poetry.files import files_in, free_place, read_bytes
from goedels_poetry.languages.sources import text_of
from goedels_poetry.trace.terminal import Progress, console, one_line, printable, say

if TYPE_CHECKING:
    from goedels_poetry.settings.declared import LeanSettings

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
        place = self.place.with_name(f"{self.place.name}.{theorem.replace('/', '_')}")
        return replace(self, name=f"{self.file}:{theorem}", place=place, theorem=theorem)


class Unreadable(Unusable):
    """An input that cannot be read as text; becomes the verdict ``invalid``. ``reason`` begins with the place."""

    def __init__(self, reason: str, line: int | None = None, column: int | None = None) -> None:
        self.reason = reason if line is None else f"{line}:{column}: {reason}"
        super().__init__(self.reason)
        self.line, self.column = line, column


def find(arguments: Sequence[str], suffixes: tuple[str, ...]) -> Iterator[Source]:
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
        file, theorem = one_of(argument)
        for found, place in _files(Path(file), suffixes):
            key = (Path(os.path.realpath(found)), theorem)
            if key not in seen:
                seen.add(key)
                source = Source(str(found), place, named=not os.path.isdir(file))
                yield source.of(theorem) if theorem else source


def one_of(argument: str) -> tuple[str, str]:
    """``FILE:theorem`` taken apart, where there is such a file and none with the colon in its name."""
    file, colon, theorem = argument.rpartition(":")
    if colon and theorem and not os.path.lexists(argument) and os.path.isfile(file):
        return file, theorem
    return argument, ""


def _files(path: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[Path, Path]]:
    if not os.path.isdir(path):  # of a name that is too long Path raises
        yield path, Path(path.stem or "theorem")
        return
    for file in files_in(path, suffixes):
        yield file, file.relative_to(path).with_suffix("")


def is_awaited(source: Source) -> bool:
    """Whether somebody is still writing it: standard input, a pipe. It is read once, where Ctrl-C ends the waiting."""
    if source.file == STDIN:
        return True
    try:
        mode = os.stat(source.file).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def attempt_read(source: Source) -> str | Unreadable:
    """The text, or why there is none."""
    try:
        return read(source)
    except Unreadable as problem:
        return problem


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
    try:
        return text_of(source.file, data, _lean_settings)
    except InvalidInput as fault:
        raise Unreadable(fault.message + (f" ({fault.hint})" if fault.hint else ""), fault.line, fault.column) from None


def _lean_settings() -> LeanSettings:
    from goedels_poetry.cli.configure import settings  # with the models: only where there may be imports

    return settings().lean


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


def certificate_folder(out: Path | None, source: Source, text: str, *, fresh: bool) -> Path | None:
    """Where the certificate of this very text goes below ``out``; None without a folder.

    The text's hash is part of the name, so that neither an edited file nor another one of the same name ever
    overwrites a finished proof; a fresh run never takes the place of an earlier one.
    """
    if out is None:
        return None
    stem = re.sub(r"[^\w.+-]", "_", source.place.name)[:80].strip(".") or "theorem"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    folder = out.joinpath(*source.place.parts[:-1]) / f"{stem}-{digest}"
    return free_place(folder) if fresh else folder


SUFFIXES = (".txt", ".md")
"""Files with claims; a folder is searched for them."""


def claims(arguments: Sequence[str]) -> Iterator[Source]:
    """The claims that the arguments name: files, folders, standard input, or the claim itself."""
    for argument in arguments:
        if _names_a_file(argument):
            yield from find([argument], SUFFIXES)
        else:
            notes = " ".join(argument.split())
            yield Source(notes, Path("claim"), notes)


def _names_a_file(argument: str) -> bool:
    if argument == STDIN or (argument.lower().endswith(SUFFIXES) and not any(c.isspace() for c in argument)):
        return True
    try:
        return Path(argument).exists()
    except OSError:  # longer than any name
        return False


class Confirmation:
    """Asks the person at the terminal, one question at a time."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lock = asyncio.Lock()

    async def __call__(self, stated: dict[str, Any]) -> bool:
        """Whether the person agrees; the end of the input is a no."""
        async with self._lock:
            with self._progress.paused():
                out = console(sys.stderr)
                say(out, f"claim: {one_line(stated['informal'])}")
                say(out, "formal statement:")
                for line in str(stated["formal"]).splitlines():
                    say(out, f"  {printable(line.expandtabs())}")
                if stated["judge_reason"]:
                    say(out, f"the judge: {one_line(stated['judge_reason'])}")
                sys.stderr.write("Is this what you mean? Prove it? [y/N] ")
                sys.stderr.flush()
                answer = await _typed()
        return answer.strip().lower() in ("y", "yes")


async def _typed() -> str:
    """A line from the terminal; cancelling does not wait for it."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def come() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(sys.stdin.fileno(), come)
    try:
        await ready
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline()


def can_ask() -> bool:
    """Whether there is a person to ask: both ends of the conversation are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def check_can_ask() -> None:
    """Raise `Unusable` where there is no terminal for ``--confirm``."""
    if not can_ask():
        raise Unusable("--confirm needs a terminal to ask at; leave it out and read the formal statement in the result")


def make_folder(out: Path | None) -> None:
    """Make the folder of ``--out``; raises `Unusable`."""
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Unusable(f"--out {out}: {problem.strerror or problem}") from problem
