"""The command ``premises``: what would be offered for the proof of a theorem, for people or as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict

from goedels_poetry import languages
from goedels_poetry.cli.configure import BadSettings, settings
from goedels_poetry.cli.inputs import Source, Unreadable, find, read
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.base import Configurable, Goal, Searchable
from goedels_poetry.retrieval.search import PremiseSearch, SearchResult
from goedels_poetry.trace.terminal import console, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``premises --json`` prints."""
MOST_WIDTH = 110


class _NoPremises(Exception):
    """The input has none to be looked up; the message says why."""


def look_up(file: str, theorem: str | None, queries: list[str], limit: int | None, *, as_json: bool) -> int:
    """Look up and print; returns the exit code: 0 some were found, 1 none, 2 invalid input."""
    errors = console(sys.stderr)
    try:
        source = next(find([file], ()), None)
        if source is None:
            raise Unreadable("a folder; name one file")
        if source.file.endswith(".lean"):
            from goedels_poetry.cli.lean import fetch_first  # not at the cost of other languages

            fetch_first(settings().lean, quiet=as_json)
        text = read(source)  # before there is a loop, which would keep Ctrl-C waiting for as long as a pipe does
        found, troubles = asyncio.run(_search(source, text, theorem or source.theorem, queries, limit))
    except (Unreadable, InvalidInput, BadSettings, _NoPremises, GoedelsPoetryError, TimeoutError) as problem:
        say(errors, f"{printable(file)}: {one_line(str(problem))}", style="bold red")
        return Verdict.INVALID.exit_code
    for trouble in troubles:
        say(errors, f"warning: {one_line(trouble)}", style="yellow")
    if as_json:
        page = {"schema": SCHEMA, "input": file, **asdict(found), "warnings": troubles}
        sys.stdout.write(json.dumps(page, ensure_ascii=False) + "\n")
    else:
        _show(found)
    return 0 if found.premises else 1


async def _search(
    source: Source, text: str, theorem: str, queries: list[str], limit: int | None
) -> tuple[SearchResult, list[str]]:
    in_force = settings()
    given = in_force.retrieval
    if limit is not None:
        given = given.model_copy(update={"premises": limit})
    language = languages.get(languages.for_file(source.file))
    if isinstance(language, Configurable):
        language.configure(in_force)
    try:
        if not isinstance(language, Searchable):
            raise _NoPremises(f"{language.name} has no library in which premises could be looked up")
        options = {"file": source.file, **({"theorem": theorem} if theorem else {})}
        await language.read(text, options)  # says where the text is wrong
        search = PremiseSearch(given)
        return await search.find(language, Goal(text, options, "0", ""), queries), search.troubles()
    finally:
        await language.aclose()


def _show(found: SearchResult) -> None:
    out = console(sys.stdout)
    for premise in found.premises:
        line = one_line(f"{premise.statement}  {premise.docstring}".strip())
        say(out, f"{premise.name}  ({premise.source})", style="bold")
        say(out, f"  {line if len(line) <= MOST_WIDTH else line[: MOST_WIDTH - 1] + '…'}")
    if not found.premises:
        say(out, "no premises found")
