"""The command `bench`: data sets of questions, samples of proofs, and figures over what was recorded."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.rows import first_row
from goedels_poetry.cli.bench_run import DEFAULT_TIMEOUT, note, run, show
from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.inputs import NAMELESS
from goedels_poetry.cli.requests import Bench
from goedels_poetry.cli.session import guarded, print_json
from goedels_poetry.evaluation import (
    BadData,
    Data,
    compare,
    load,
    report,
)
from goedels_poetry.evaluation.load import holds_questions
from goedels_poetry.evaluation.outcome import RESULTS, Recorded, each_once, is_outcome, read_recorded
from goedels_poetry.evaluation.problems import holds_problems
from goedels_poetry.evaluation.report import SCHEMA, answerer_of, compare_table, pass_table, passes
from goedels_poetry.evaluation.runner import Run, is_of_report
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import models_from
from goedels_poetry.search.tasks.question import NO_MODEL
from goedels_poetry.trace.terminal import console, lines_to, one_line, say

if TYPE_CHECKING:
    pass

MAX_SAMPLES = 10_000


def bench(request: Bench) -> int:
    """Run it; returns the exit code."""

    def cancelled() -> None:
        say(lines_to(sys.stderr), f"stopped; to go on: {request.line}")

    return guarded(lambda: _bench(request), otherwise=Verdict.INVALID, on_cancel=cancelled)


def _bench(request: Bench) -> int:
    ks, without = read_ks(request.pass_at), request.without
    if "" in request.paths:
        raise BadData(NAMELESS)
    if request.compare:
        _check_nothing_is_run(request)
        return _compare(request)
    if _are_results(request.paths[0]):
        _check_nothing_is_run(request)
        return _again(request, ks)
    for path in filter(_are_results, request.paths):
        raise BadData(f"{path} holds results of bench, and {request.paths[0]} something to ask: name one of them")
    if are_theorems(request.paths):
        from goedels_poetry.cli.bench_proofs import prove

        return prove(request, ks)
    of_theorems = {"--without": without, "--cluster": request.cluster, "--since": request.since}
    for flag, given in of_theorems.items():
        if given:
            raise BadData(f"{flag} is for theorems, and these are questions")
    # Read before there is a loop, which would keep Ctrl-C waiting for as long as a pipe does.
    data = load(request.paths, request.dataset, facts=request.facts)
    return asyncio.run(_ask(request, data, ks))


def read_ks(text: str | None) -> list[int]:
    """``1,5,10``; raises `BadData`."""
    if text is None:
        return []
    try:
        ks = sorted({int(part) for part in text.split(",")})
    except ValueError:
        ks = [0]
    if not ks or ks[0] < 1 or ks[-1] > MAX_SAMPLES:
        raise BadData(f"--pass-at {text!r}: numbers from 1 to {MAX_SAMPLES} with commas between them, e.g. 1,5,10")
    return ks


# -- what was recorded -----------------------------------------------------------------------------------------
def _check_nothing_is_run(request: Bench) -> None:
    """Raise `BadData` for options that say how to ask, which results that are there would not heed."""
    given = [flag for flag, name in _OF_RUNS.items() if getattr(request, name) not in _UNSET]
    if given:
        raise BadData(f"{', '.join(given)}: says how to ask or prove, and {request.paths[0]} holds results already")


_OF_RUNS = {f"--{name}": name for name in ("without", "bank", "split", "cluster", "samples", "limit", "fresh", "out")}
_UNSET: tuple[Any, ...] = (None, False, ())


def _are_results(path: str) -> bool:
    """Whether a path is a results file, or a folder with one."""
    first = Path(path)
    if os.path.isdir(first):
        return os.path.isfile(first / RESULTS)
    if not os.path.isfile(first) or first.suffix.lower() not in (".jsonl", ".ndjson"):
        return False
    return is_outcome(first_row(first))


def _compare(request: Bench) -> int:
    """The first results with each of the others."""
    if len(request.paths) < 2:
        raise BadData("--compare needs two results or more: the results.jsonl of runs, or their folders")
    first, *others = (_some(path) for path in request.paths)
    out = console(sys.stdout)
    for path, other in zip(request.paths[1:], others, strict=True):
        try:
            found = compare(first.outcomes, other.outcomes)
        except BadData as problem:
            raise BadData(f"{request.paths[0]} and {path}: {problem}") from None
        notes = [*first.notes, *other.notes]
        if request.as_json:
            pair = [request.paths[0], path]
            print_json({"schema": SCHEMA, "kind": "comparison", "paths": pair, **found.to_json(), "notes": notes})
            continue
        if len(others) > 1:
            say(out, f"first: {one_line(request.paths[0])}; second: {one_line(path)}")
        for line in compare_table(found):
            say(out, line)
        if any(found.unmatched):
            counts = f"{found.unmatched[0]} and {found.unmatched[1]}"
            say(out, f"in one of the two only, and in no figure: {counts} questions")
        _say_notes(notes)
    return 0


def _say_notes(notes: Sequence[str]) -> None:
    for text in notes:
        say(console(sys.stdout), one_line(f"note: {text}"))


def _some(path: str) -> Recorded:
    """What a results file holds; raises `BadData`, also where that is nothing."""
    found = read_recorded(path)
    if not found.outcomes:
        raise BadData(f"{path}: there are no results in it; the bench command that writes it goes on with it")
    return found


def _again(request: Bench, ks: Sequence[int]) -> int:
    """The figures of results that are there."""
    every = list(map(read_recorded, each_once(request.paths)))
    outcomes = [outcome for each in every for outcome in each.outcomes]
    notes = [note for each in every for note in each.notes]
    proofs = all(each.proofs for each in every)
    if ks:
        tables = passes(outcomes, ks)
        if request.as_json:
            at = {name: each.to_json() for name, each in tables.items()}
            print_json({"schema": SCHEMA, "kind": "pass_at", "paths": request.paths, "pass_at": at, "notes": notes})
        else:
            for line in pass_table(tables):
                say(console(sys.stdout), line)
            _say_notes(notes)
        return 0
    data = Data((), {each.path: len(each.outcomes) for each in every}, notes=tuple(notes))
    show(report(Run(tuple(outcomes), 0, 0), data, {}, ks=[1] if proofs else (), proofs=proofs), None, request)
    return 0


def are_theorems(paths: Sequence[str]) -> bool:
    """Whether theorems are named: files by their names, rows of problems, or a folder that holds such.

    JSON may hold a logic program, which is a theorem, or the rows of a data set: what is in it tells.
    """
    suffixes = tuple(suffix for _, found in languages.BUILT_IN.values() for suffix in found)
    path = Path(paths[0])
    if not os.path.isdir(path):
        name = path.name.lower()
        return holds_problems(path) or (
            name.rpartition(":")[0].endswith(suffixes) or (name.endswith(suffixes) and not holds_questions(path))
        )
    every = [file for file in path.rglob("*") if file.is_file() and not is_of_report(file)]
    named = [file for file in every if file.name.lower().endswith(suffixes) and not file.name.startswith(".")]
    return any(not holds_questions(file) for file in named) or any(map(holds_problems, every))


# -- questions -------------------------------------------------------------------------------------------------
async def _ask(request: Bench, data: Data, ks: Sequence[int]) -> int:
    from goedels_poetry.reasoning import ProofOfThought
    from goedels_poetry.reasoning.postprocessors import parse_option

    posted = dict(map(parse_option, request.post))
    asking: dict[str, Any] = {
        **request.asking,
        "postprocessors": list(posted),
        "postprocessor_configs": {name: config for name, config in posted.items() if config},
    }
    in_force = settings_of(request, timeout=DEFAULT_TIMEOUT)
    models = models_from(in_force)
    if models is None:
        raise BadData(NO_MODEL)
    async with ProofOfThought(llm=models, settings=in_force, **asking) as asks:
        for name in models.unpriced():
            note(request, f"no price is known for {name}: it counts as free")
        return await run(request, in_force, data, answerer_of(asks), ks)
