"""The command ``runs``: which runs there are, filtered, and how old ones are deleted."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.cells import cell_len

from goedels_poetry.cli.inspect import looking
from goedels_poetry.errors import InvalidInput, StoreError
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.store.repair import Salvage, repair
from goedels_poetry.store.results import RunSummary
from goedels_poetry.store.runs import BUSY, Pruning, Selection, moment, outcome_text, prune, to_prune, verdicts_of
from goedels_poetry.store.runs import Runs as Store
from goedels_poetry.trace.terminal import aligned, console, counted, folded, printable, say

if TYPE_CHECKING:
    from rich.console import Console

    from goedels_poetry.cli.tools import Runs

NOT_DELETED = NOT_SAVED = 1
NARROW = 72
"""Columns of a terminal that are too few for figures and dates."""
FIGURES = ("goals", "steps", "size")
GAP = 2


def _selection(request: Runs) -> Selection:
    """Which runs are meant; raises `InvalidInput`."""
    return Selection(
        verdicts=verdicts_of(request.verdict),
        since=moment(request.since) if request.since is not None else None,
        before=moment(request.older_than) if request.older_than is not None else None,
        language=request.language,
        match=request.match,
    )


def list_runs(request: Runs) -> int:
    """Runs, latest first; or what deleting them would do, and with ``yes`` has done."""

    def body(framework: GoedelsPoetryFramework) -> int:
        selection, runs = _selection(request), Store.of(framework.settings)
        if request.prune:
            return _prune(request, selection, framework.runs(), runs)
        if request.yes or request.keep is not None:
            raise InvalidInput("--keep and --yes go with --prune")
        if selection == Selection() and request.limit:  # nobody asks about the others: they are counted, not read
            shown = [run.summary() for run in runs.all()[: request.limit]]
            return _list(request, shown, runs.count(), str(framework.settings.data_dir))
        every = framework.runs()
        return _list(request, selection.of(every), len(every), str(framework.settings.data_dir))

    return looking(body)


def _list(request: Runs, found: Sequence[RunSummary], of: int, place: str) -> int:
    shown = found[: request.limit] if request.limit else found
    if request.as_json:
        for run in shown:
            sys.stdout.write(json.dumps(asdict(run), default=str) + "\n")
        return 0
    out = console(sys.stdout)
    if not of:
        say(out, f"no runs in {place}; begin one with: goedels-poetry prove FILE")
        return 0
    if not found:
        say(out, f"none of {of} runs")
        return 0
    _show(out, shown)
    there = of if _selection(request) == Selection() else len(found)
    if there > len(shown):
        say(out, f"{there - len(shown)} older runs; --limit 0 shows all")
    if len(found) < there:  # how large the others are would have to be looked up in each
        say(out, counted(there, "run"))
    elif len(found) > 1:
        say(out, f"{_count(found)}, {megabytes(sum(run.size for run in found))}")
    return 0


def _prune(request: Runs, selection: Selection, every: Sequence[RunSummary], runs: Store) -> int:
    if request.yes and selection == Selection() and request.keep is None:
        raise InvalidInput("this would delete every run: say which go (--older-than 30d), or how many stay (--keep N)")
    if request.keep is not None and request.keep < 0:
        raise InvalidInput("--keep is a number of runs, at least 0")
    plan = to_prune(every, selection, keep=request.keep or 0)
    done = prune(runs, plan) if request.yes else plan
    if request.as_json:
        sys.stdout.write(json.dumps(_as_json(done, deleted=request.yes)) + "\n")
    else:
        _say_pruned(request, done)
    return NOT_DELETED if any(reason != BUSY for _, reason in done.kept) else 0


def _as_json(done: Pruning, *, deleted: bool) -> dict[str, object]:
    return {
        "schema": 1,
        "deleted": deleted,
        "runs": [run.run_id for run in done.runs],
        "bytes": done.size,
        "kept": [{"run_id": run.run_id, "reason": reason} for run, reason in done.kept],
    }


def _say_pruned(request: Runs, done: Pruning) -> None:
    out = console(sys.stdout)
    if not request.yes and done.runs:
        shown = done.runs[: request.limit] if request.limit else done.runs
        _show(out, shown)
        if len(done.runs) > len(shown):
            say(out, f"and {len(done.runs) - len(shown)} older ones; --limit 0 shows all")
    for run, reason in done.kept:
        say(out, f"{run.run_id} stays: {printable(reason)}")
    said = f"{_count(done.runs)}, {megabytes(done.size)}"
    say(out, f"deleted: {said}" if request.yes else f"would be deleted: {said}; with --yes they are")


def repair_run(run_id: str, *, as_json: bool) -> int:
    """Save what can be read of a damaged run; returns the exit code."""

    def body(framework: GoedelsPoetryFramework) -> int:
        place = Store.of(framework.settings).get(run_id)
        try:
            done = repair(place)
        except StoreError as problem:
            say(console(sys.stderr), str(problem))
            return NOT_SAVED
        except OSError as problem:
            where = problem.filename or place.path
            say(console(sys.stderr), f"{where}: {problem.strerror or problem}; nothing was changed")
            return NOT_SAVED
        if as_json:
            saved = asdict(done.saved) if done.saved is not None else None
            aside = str(done.aside) if done.aside is not None else None
            sys.stdout.write(json.dumps({"schema": 1, "run_id": done.run_id, "saved": saved, "aside": aside}) + "\n")
        elif done.saved is None or done.aside is None:
            say(console(sys.stdout), f"{done.run_id}: proof.db is whole; nothing was changed")
        else:
            _say_saved(done.run_id, done.saved, done.aside.name)
        return 0

    return looking(body)


def _say_saved(run_id: str, saved: Salvage, aside: str) -> None:
    out = console(sys.stdout)
    goals = f"{counted(saved.nodes, 'goal')}, {saved.proved} of them proved"
    say(out, f"{run_id}: saved {saved.commits} of {counted(saved.of, 'commit')}, with {goals}")
    say(out, f"the damaged file is {aside} in {run_id}'s folder; the command that began the run goes on with it")


def _count(runs: Sequence[RunSummary]) -> str:
    return counted(len(runs), "run")


def _show(out: Console, shown: Sequence[RunSummary]) -> None:
    """A table. Ids and verdicts are never broken, they are what people copy; narrow terminals get these and the names.

    Where a name has no room beside the rest, each stands below its run, in pieces that end where its parts do.
    """
    titles = ("run", "verdict") if out.width < NARROW else ("run", "started", "verdict", *FIGURES)
    rows = [_cells(run, titles) for run in shown]
    lines = aligned([titles, *rows], [titles.index(title) for title in FIGURES if title in titles])
    names = [printable(run.name) for run in shown]
    beside = max(map(cell_len, names)) <= out.width - len(lines[0]) - GAP

    for line, name in zip(lines, ("theorem", *names), strict=True):
        say(out, f"{line}{' ' * GAP}{name}" if beside else line.rstrip(), style="bold" if line is lines[0] else "")
        for part in () if beside or line is lines[0] else folded(name, out.width - GAP):
            say(out, " " * GAP + part)


def _cells(run: RunSummary, titles: Sequence[str]) -> list[str]:
    cells = {
        "run": run.run_id,
        "started": time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started)),
        "verdict": outcome_text(run) + ", certificate gone" * run.gone,
        "goals": str(run.nodes),
        "steps": str(run.steps),
        "size": megabytes(run.size),
    }
    return [cells[title] for title in titles]


def megabytes(size: int) -> str:
    """Bytes as people read them."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"
