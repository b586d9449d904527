"""The command ``formalize``: claims in plain words to tested formal statements, without a proof."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from goedels_poetry.autoformalizer import (
    AutoformalizationExecutor,
    AutoformalizationResult,
    Item,
    autoformalize_all,
    load_items,
    read_item,
    summarize,
)
from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.inputs import Confirmation, check_can_ask, claims, make_folder, read, read_beside
from goedels_poetry.cli.report import write_whole
from goedels_poetry.cli.requests import Formalize
from goedels_poetry.cli.run_errors import Unusable, worst_code
from goedels_poetry.cli.session import guarded, progress_of, stoppable
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.claim import NO_MODEL
from goedels_poetry.trace.terminal import Progress, console, counted, indented, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``formalize --json`` prints."""
DEFAULT_TIMEOUT = 300.0
"""Seconds for a claim, as for a theorem."""


def formalize_all(request: Formalize) -> int:
    """Formalize every claim; returns the exit code."""
    return guarded(lambda: _formalize_all(request), otherwise=Verdict.INVALID)


def _formalize_all(request: Formalize) -> int:
    items = _items(request)
    progress = progress_of(request, several=len(items) > 1)
    executor = _executor(request, Confirmation(progress) if request.confirm else None)
    return asyncio.run(_run(request, items, executor, progress))


def _executor(request: Formalize, confirm: Confirmation | None) -> AutoformalizationExecutor:
    make_folder(request.out)
    in_force = settings_of(request, timeout=DEFAULT_TIMEOUT)
    context_suffix = request.context.suffix.lower() if request.context is not None else ""
    language = request.language or ("lean" if context_suffix == ".lean" else "smt")
    if language == "lean":
        from goedels_poetry.cli.lean import fetch_first  # not at the cost of other languages

        fetch_first(in_force.lean, quiet=request.quiet or request.as_json)
    executor = AutoformalizationExecutor(
        language=language,
        settings=in_force,
        prove=False,
        round_trip=not request.no_round_trip,
        confirm=confirm,
    )
    if not executor.can_formalize:
        raise Unusable(NO_MODEL)
    return executor


def _items(request: Formalize) -> list[Item]:
    """The claims of the command line, then those of the data set."""
    if request.confirm:
        check_can_ask()
    context = read_beside("--context", request.context) if request.context is not None else ""
    items = [read_item({"statement": read(source)}, source.name) for source in claims(request.inputs)]
    items += load_items(request.file) if request.file is not None else []
    if not items:
        raise Unusable("there is no claim: give one in quotes, a .txt or .md file, or a data set with --file")
    return [replace(item, context=item.context or context) for item in items]


async def _run(request: Formalize, items: list[Item], executor: AutoformalizationExecutor, progress: Progress) -> int:
    out = console(sys.stdout)
    unread: list[BrokenPipeError] = []

    def show(result: AutoformalizationResult) -> None:
        file = _write(request.out, result, executor.suffix) if request.out is not None else None
        try:
            with progress.paused():
                _print(out, result, file, request.as_json)
        except BrokenPipeError as error:  # nobody reads any more: stop, keep what there is
            unread.append(error)
            executor.interrupt()

    async with executor:
        with stoppable(progress, executor.interrupt):
            results = await autoformalize_all(
                executor,
                items,
                concurrency=request.jobs,
                fresh=request.fresh or request.by_script,
                on_result=show,
                on_event=lambda item, event: progress.event(item.id, event),
            )
    if unread:
        raise unread[0]
    summary = summarize(results).to_json()
    if request.out is not None:
        write_whole(request.out / "summary.json", json.dumps(summary, indent=1) + "\n")
    if len(results) > 1 and not request.as_json:
        say(out, f"{summary['successes']} of {summary['items']} formalized; rejected: {_counts(summary['errors'])}")
    return worst_code(result.exit_code for result in results)


def _write(folder: Path, result: AutoformalizationResult, suffix: str) -> Path | None:
    """The formal statement and its record; the statement's file, None where there is no statement."""
    digest = hashlib.sha256(f"{result.item_id}\0{result.statement}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    stem = re.sub(r"[^\w.+-]", "_", result.item_id)[:60].strip("._") or "claim"
    base = folder / f"{stem}-{digest}"
    write_whole(base.with_name(f"{base.name}.json"), _json(result) + "\n")
    file = base.with_name(f"{base.name}{suffix}")
    if not result.success or result.final_code is None:
        file.unlink(missing_ok=True)  # of an earlier call: it no longer stands
        return None
    write_whole(file, result.final_code)
    return file


def _json(result: AutoformalizationResult) -> str:
    return json.dumps({"schema": SCHEMA, **result.to_json()}, default=str)


def _print(out: Console, result: AutoformalizationResult, file: Path | None, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(_json(result) + "\n")
    else:
        for line in _page(result, file):
            say(out, line)
    sys.stdout.flush()


def _page(result: AutoformalizationResult, file: Path | None) -> Iterator[str]:
    """The result for people."""
    head = "formalized" if result.success else "not formalized" if result.verdict == "unknown" else result.verdict
    head = "not run" if result.away and not result.success else head
    yield f"{head}  {one_line(result.item_id)}"
    if result.reason:
        yield f"  {one_line(result.reason)}"
    if result.formal is not None:
        yield f"  formal statement by a model ({result.language}, {counted(result.attempts, 'attempt')}):"
        yield from indented(result.formal)
        yield f"  {'judged to say the same by a model' if result.judged else 'not judged: no model compared it'}"
        if result.round_trip:
            yield f"  put back into words: {one_line(result.round_trip)}"
        if result.confirmed is not None:
            yield f"  {'confirmed' if result.confirmed else 'declined'}"
    for test in result.tests:
        yield f"  test {test['test']}: {test['outcome']}: {one_line(test['words'])}"
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    categories = summarize([result]).errors
    if categories:
        yield f"  rejected before: {_counts(categories)}"
    if file is not None:
        yield f"  written: {printable(str(file))}"
        yield f"  to prove it: goedels-poetry prove {shlex.quote(printable(str(file)))}"
    if result.run_id:
        spent = result.metrics
        yield (
            f"  run {result.run_id}: {spent.get('calls', 0):g} model calls, {spent.get('tokens', 0):g} tokens, "
            f"{result.total_time:.1f} s"
        )


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counted.items()) or "nothing"
