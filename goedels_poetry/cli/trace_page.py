"""What ``trace`` writes beside events and pictures: the page of a run, and two runs side by side."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from rich.table import Table
from rich.text import Text

from goedels_poetry.cli.look import full_id, looking, stored_result
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.trace.compare import Comparison, compare
from goedels_poetry.trace.page.data import run_data
from goedels_poetry.trace.page.html import render
from goedels_poetry.trace.page.side_by_side import lists, parting_lines, render_comparison, rows
from goedels_poetry.trace.terminal import console, one_line, printable, say

STDOUT = Path("-")
MOST_LISTED = 10
"""Goals of a kind that a terminal gets."""
MOST_CHARACTERS = 160


def write_page(run: str, file: Path) -> int:
    """Write a run's page to a file, or to standard output for ``-``."""

    def body(framework: GoedelsPoetryFramework) -> int:
        with framework.open_store(full_id(framework, run)) as store:
            data = run_data(store)
        name = Path(data["run"]["name"]).name or data["run"]["id"]
        _write(file, render(data, title=f"{name} – {data['run']['id']}"))
        return 0

    return looking(body)


def compare_runs(runs: tuple[str, str], *, file: Path | None, as_json: bool) -> int:
    """Two runs side by side: a table, one JSON object, or a page."""

    def body(framework: GoedelsPoetryFramework) -> int:
        first, second = (full_id(framework, run) for run in runs)
        results = stored_result(framework, first), stored_result(framework, second)
        with framework.open_store(first) as a, framework.open_store(second) as b:
            comparison = compare(a, b, results)
        if file is not None:
            _write(file, render_comparison(comparison))
        if as_json:
            sys.stdout.write(json.dumps(comparison.to_json()) + "\n")
        elif file is None:
            _print(comparison)
        return 0

    return looking(body)


def _print(comparison: Comparison) -> None:
    out = console(sys.stdout)
    if not comparison.same_theorem:
        say(out, "the two runs are about different theorems", style="yellow")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", f"A  {comparison.a.run_id}", f"B  {comparison.b.run_id}"):
        table.add_column(title, overflow="fold")
    for row in rows(comparison.a, comparison.b):
        table.add_row(*(Text(one_line(cell)) for cell in row))
    out.print(table)
    for title, goals in lists(comparison):
        out.print()
        say(out, f"{title} ({goals.count}):", style="bold")
        for statement in goals.statements[:MOST_LISTED]:
            say(out, f"  {one_line(statement, MOST_CHARACTERS)}")
        if goals.count > MOST_LISTED:
            say(out, f"  and {goals.count - MOST_LISTED} more; --json and --html have them", style="dim")
    out.print()
    for line in parting_lines(comparison):
        say(out, printable(line))


def _write(file: Path, text: str) -> None:
    """The whole file or none of it.

    Raises:
        GoedelsPoetryError: it cannot be written.
    """
    if file == STDOUT:
        sys.stdout.buffer.write(text.encode())
        return
    temporary = None
    try:
        if file.exists() and not file.is_file():  # a device or a pipe is written to, never replaced
            file.write_text(text, "utf-8")
            return
        with tempfile.NamedTemporaryFile("w", dir=file.parent, suffix=".part", delete=False, encoding="utf-8") as new:
            temporary = Path(new.name)
            new.write(text)
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(file)
    except OSError as problem:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise GoedelsPoetryError(f"cannot write {file}: {problem.strerror or problem}") from problem
