"""The command ``premises``: what would be offered for the proof of a theorem, for people or as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict

from goedels_poetry import languages
from goedels_poetry.cli.configure import settings
from goedels_poetry.cli.inputs import Source, find, read
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.cli.tools import Premises
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import Configurable, Goal, Searchable
from goedels_poetry.search.retrieval import PremiseSearch, SearchResult
from goedels_poetry.trace.terminal import console, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``premises --json`` prints."""
MOST_WIDTH = 110


def look_up(request: Premises) -> int:
    """Look up and print; returns the exit code: 0 some were found, 1 none, 2 invalid input."""
    errors = console(sys.stderr)
    try:
        source = next(find([request.file], ()), None)
        if source is None:
            raise Unusable("a folder; name one file")
        if source.file.endswith(".lean"):
            from goedels_poetry.cli.lean import fetch_first  # not at the cost of other languages

            fetch_first(settings().lean, quiet=request.as_json)
        text = read(source)  # before there is a loop, which would keep Ctrl-C waiting for as long as a pipe does
        found, troubles = asyncio.run(_search(request, source, text))
    except (Unusable, GoedelsPoetryError, TimeoutError) as problem:
        say(errors, f"{printable(request.file)}: {one_line(str(problem))}", style="bold red")
        return Verdict.INVALID.exit_code
    for trouble in troubles:
        say(errors, f"warning: {one_line(trouble)}", style="yellow")
    if request.as_json:
        page = {"schema": SCHEMA, "input": request.file, **asdict(found), "warnings": troubles}
        sys.stdout.write(json.dumps(page, ensure_ascii=False) + "\n")
    else:
        _show(found)
    return 0 if found.premises else 1


async def _search(request: Premises, source: Source, text: str) -> tuple[SearchResult, list[str]]:
    theorem = request.theorem or source.theorem
    in_force = settings()
    given = in_force.retrieval
    if request.limit is not None:
        given = given.model_copy(update={"premises": request.limit})
    language = languages.get(languages.for_file(source.file))
    if isinstance(language, Configurable):
        language.configure(in_force)
    try:
        if not isinstance(language, Searchable):
            raise Unusable(f"{language.name} has no library in which premises could be looked up")
        options = {"file": source.file, **({"theorem": theorem} if theorem else {})}
        await language.read(text, options)  # says where the text is wrong
        search = PremiseSearch(given)
        return await search.find(language, Goal(text, options, "0", ""), request.query), search.troubles()
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
