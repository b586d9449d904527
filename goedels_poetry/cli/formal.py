"""Claims in plain words on the command line: which arguments are claims, the formal statement shown and confirmed."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goedels_poetry.cli.inputs import STDIN, Source, find
from goedels_poetry.trace.lines import Progress
from goedels_poetry.trace.terminal import console, one_line, printable, say
from goedels_poetry.tree.results import RunResult

SUFFIXES = (".txt", ".md")
"""Files with claims; a folder is searched for them."""
ABOUT = "the verdict is about this formal statement, not about the words"


def claims(arguments: list[str]) -> Iterator[Source]:
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


def described(result: RunResult, assumes: bool = False) -> Iterator[str]:
    """Lines about a formalization, for the page for people.

    Args:
        result: of a claim; any other gives nothing.
        assumes: whether definitions were assumed: then ``check`` needs to be told.
    """
    stated = result.formalization
    if stated is None:
        return
    attempts = f"{stated['attempts']} attempt{'s' if stated['attempts'] != 1 else ''}"
    if stated["formal"] is None:
        yield f"no formal statement ({attempts})"
        return
    notes = ["judged to say the same by a model" if stated["judged"] else "not judged"]
    notes += ["confirmed"] if stated["confirmed"] else ["declined"] if stated["confirmed"] is False else []
    yield f"formal statement by a model ({attempts}, {', '.join(notes)}):"
    for line in str(stated["formal"]).splitlines():
        yield f"  {printable(line.expandtabs())}".rstrip()
    if stated["judged"] and stated["judge_reason"]:
        yield f"the judge: {one_line(stated['judge_reason'])}"
    yield ABOUT
    if stated["file"] and result.certificate:
        flag = " --assume-definitions" if assumes else ""
        places = (shlex.quote(printable(str(place))) for place in (result.certificate, stated["file"]))
        yield "check it: goedels-poetry check {} --against {}{}".format(*places, flag)


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
