"""The command ``bench``: data sets of questions, samples of proofs, and figures over what was recorded."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.cli.configure import BadSettings, Flags, settings_of
from goedels_poetry.cli.failures import INTERRUPTED, code_of
from goedels_poetry.cli.inputs import Unreadable, find, read
from goedels_poetry.cli.lean import fetch_first
from goedels_poetry.cli.signals import Signals
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.evaluation import (
    Answerer,
    BadData,
    Data,
    EvaluationPipeline,
    Limits,
    Outcome,
    Report,
    compare,
    load,
    read_outcomes,
    report,
    sample,
)
from goedels_poetry.evaluation.answerers import ProofAnswerer, Theorem, setup_of
from goedels_poetry.evaluation.outcome import RESULTS
from goedels_poetry.evaluation.pipeline import answerer_of
from goedels_poetry.evaluation.questions import digest
from goedels_poetry.evaluation.report import SCHEMA, passes, shown
from goedels_poetry.evaluation.runner import Run
from goedels_poetry.evaluation.tables import compare_table, pass_table
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.models import models_from
from goedels_poetry.settings import Settings
from goedels_poetry.tasks.question import NO_MODEL
from goedels_poetry.trace.terminal import console, one_line, say
from goedels_poetry.tree.state import Verdict

DEFAULT_TIMEOUT = 300.0
"""Seconds for a question or a theorem, as for ``prove``."""
MAX_SAMPLES = 10_000
_PROVED = {"true": "proved", "false": "refuted"}


@dataclass(frozen=True)
class Request(Flags):
    """What the command line asks for."""

    paths: list[str]
    line: str = ""
    """The command line itself: what goes on with a run that stopped."""
    dataset: str | None = None
    asking: dict[str, Any] = field(default_factory=dict)
    """How questions are asked: ``backend``, ``semantics``, ``world``, …; only those given."""
    post: list[str] = field(default_factory=list)
    """Post-processors: ``self-consistency=5``."""
    facts: bool = False
    limit: int | None = None
    jobs: int = 1
    samples: int | None = None
    pass_at: str | None = None
    compare: bool = False
    limits: Limits = field(default_factory=Limits)
    """Of the whole run."""


def bench(request: Request) -> int:
    """Run it; returns the exit code."""
    try:
        ks = read_ks(request.pass_at)
        if request.compare:
            return _compare(request)
        if _are_results(request.paths):
            return _again(request, ks)
        theorems = _are_theorems(request.paths)
        return asyncio.run(_prove(request, ks) if theorems else _ask(request, ks))
    except (BadData, BadSettings, GoedelsPoetryError, Unreadable) as problem:
        say(console(sys.stderr), one_line(str(problem)))
        return code_of(problem, Verdict.INVALID.exit_code)
    except asyncio.CancelledError:
        say(console(sys.stderr), f"stopped; to go on: {request.line}")
        return INTERRUPTED


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
def _are_results(paths: Sequence[str]) -> bool:
    """Whether the first path is a results file, or a folder with one."""
    first = Path(paths[0])
    if first.is_dir():
        return (first / RESULTS).is_file()
    if not first.is_file() or first.suffix.lower() not in (".jsonl", ".ndjson"):
        return False
    try:
        return bool(read_outcomes(first))
    except BadData:
        return False


def _compare(request: Request) -> int:
    if len(request.paths) != 2:
        raise BadData("--compare needs two results: the results.jsonl of two runs, or their folders")
    first, second = (read_outcomes(Path(path)) for path in request.paths)
    found = compare(first, second)
    out = console(sys.stdout)
    if request.as_json:
        _print_json({"schema": SCHEMA, "kind": "comparison", "paths": request.paths, **found.to_json()})
        return 0
    for line in compare_table(found):
        say(out, line)
    if any(found.unmatched):
        say(out, f"in one of the two only, and in no figure: {found.unmatched[0]} and {found.unmatched[1]} questions")
    return 0


def _again(request: Request, ks: Sequence[int]) -> int:
    """The figures of results that are there."""
    outcomes: list[Outcome] = []
    files: dict[str, int] = {}
    for path in request.paths:
        found = read_outcomes(Path(path))
        files[path] = len(found)
        outcomes += found
    if ks:
        tables = passes(outcomes, ks)
        if request.as_json:
            at = {name: each.to_json() for name, each in tables.items()}
            _print_json({"schema": SCHEMA, "kind": "pass_at", "paths": request.paths, "pass_at": at})
        else:
            for line in pass_table(tables):
                say(console(sys.stdout), line)
        return 0
    _show(report(Run(tuple(outcomes), 0, 0), Data((), files), {}), None, request)
    return 0


# -- questions -------------------------------------------------------------------------------------------------
async def _ask(request: Request, ks: Sequence[int]) -> int:
    from goedels_poetry.reasoning import ProofOfThought
    from goedels_poetry.reasoning.postprocessors import parse_option

    posted = dict(map(parse_option, request.post))
    asking: dict[str, Any] = {
        **request.asking,
        "postprocessors": list(posted),
        "postprocessor_configs": {name: config for name, config in posted.items() if config},
    }
    data = load(request.paths, request.dataset, facts=request.facts)
    in_force = settings_of(request, timeout=DEFAULT_TIMEOUT)
    models = models_from(in_force)
    if models is None:
        raise BadData(NO_MODEL)
    async with ProofOfThought(llm=models, settings=in_force, **asking) as asks:
        for name in models.unpriced():
            _note(request, f"no price is known for {name}: it counts as free")
        return await _run(request, in_force, data, answerer_of(asks), ks)


# -- theorems --------------------------------------------------------------------------------------------------
def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for _, suffixes in languages.BUILT_IN.values() for suffix in suffixes)


def _are_theorems(paths: Sequence[str]) -> bool:
    """Whether theorems are named: files by their names, or a folder that holds such."""
    suffixes = _suffixes()
    path = Path(paths[0])
    if path.is_dir():
        return any(file.name.lower().endswith(suffixes) for file in path.rglob("*"))
    return path.name.rpartition(":")[0].lower().endswith(suffixes) or path.name.lower().endswith(suffixes)


async def _prove(request: Request, ks: Sequence[int]) -> int:
    in_force = settings_of(request, timeout=DEFAULT_TIMEOUT)
    sources = list(find(request.paths, _suffixes()))
    if any(source.file.endswith(".lean") for source in sources):
        fetch_first(in_force.lean, quiet=request.quiet or request.as_json)
    theorems: list[Theorem] = []
    async with GoedelsPoetryFramework(in_force) as framework:
        models = framework.models.fingerprint if framework.models is not None else {}
        for source in sources:
            text = read(source)
            names = [source.theorem] if source.theorem else await _names(framework, text, source.file)
            name = Path(source.file).parent.name or "theorems"
            theorems += [Theorem(source.of(n).name if n else source.name, text, source.file, n, name) for n in names]
    files = Counter(theorem.file for theorem in theorems)
    data = Data(tuple(theorem.question for theorem in theorems), dict(files))
    async with ProofAnswerer(in_force, theorems, setup_of(in_force, models=models)) as answerer:
        return await _run(request, in_force, data, answerer, ks or [1], proofs=True)


async def _names(framework: GoedelsPoetryFramework, text: str, file: str) -> list[str]:
    """The theorems that a file leaves open, "" for the only one; the run says what is wrong with a bad file."""
    try:
        found = await framework.theorems(text, name=file)
    except (GoedelsPoetryError, OSError):
        return [""]
    return list(found) if len(found) > 1 else [""]


# -- both ------------------------------------------------------------------------------------------------------
async def _run(
    request: Request, in_force: Settings, data: Data, answerer: Answerer, ks: Sequence[int], *, proofs: bool = False
) -> int:
    names = [Path(path).name for path in request.paths]
    folder = request.out or in_force.data_dir / "bench" / digest(names, dict(answerer.setup))
    samples = max([request.samples or 1, *ks])
    total = samples * len(sample(data.questions, request.limit, in_force.seed))
    pipeline = EvaluationPipeline(
        answerer,
        folder,
        num_workers=request.jobs,
        samples=samples,
        pass_at=ks,
        limits=request.limits,
        proofs=proofs,
        resume=request.line,
        on_outcome=_progress(request, total, proofs),
        on_note=lambda note: _note(request, note),
    )

    def stop() -> None:
        _note(request, "finishing what is under way; press Ctrl-C once more to stop at once", always=True)
        pipeline.interrupt()

    with Signals(stop):
        found = await pipeline.aevaluate(
            data, max_samples=request.limit, seed=in_force.seed, skip_existing=not request.fresh
        )
    _show(found, folder, request)
    if found.run.missing:
        return Verdict.OUT_OF_BUDGET.exit_code
    return Verdict.UNKNOWN.exit_code if found.run.errors else 0


def _show(found: Report, folder: Path | None, request: Request) -> None:
    if request.as_json:
        _print_json({**found.to_json(), "folder": str(folder) if folder is not None else None})
        return
    out = console(sys.stdout)
    for line in shown(found):
        say(out, one_line(line) if not line.startswith("|") else line)
    if folder is not None:
        say(out, f"report: {folder / 'report.md'}")


def _print_json(data: Mapping[str, Any]) -> None:
    sys.stdout.write(json.dumps(data, default=str) + "\n")
    sys.stdout.flush()


def _progress(request: Request, total: int, proofs: bool) -> Callable[[Outcome], None]:
    """A line for each outcome, on standard error."""
    errors = console(sys.stderr)
    number = 0

    def show(outcome: Outcome) -> None:
        nonlocal number
        number += 1
        if request.quiet or request.as_json:
            return
        if proofs:
            mark = _PROVED.get(outcome.predicted, outcome.predicted.replace("_", " "))
        else:
            right = "right" if outcome.correct else "no answer" if outcome.predicted == "failed" else "wrong"
            mark = f"{outcome.predicted}, gold {outcome.gold}: {right}"
        why = f": {one_line(outcome.reason, 100)}" if outcome.reason and not outcome.correct else ""
        say(errors, f"{number}/{total}  {one_line(outcome.id)}  {mark}{why}")

    return show


def _note(request: Request, text: str, *, always: bool = False) -> None:
    if always or not (request.quiet or request.as_json):
        say(console(sys.stderr), one_line(text))


def command_line(arguments: Sequence[str]) -> str:
    """What a person types to run this again, without ``--fresh``, which would begin anew."""
    return shlex.join(["goedels-poetry", *(argument for argument in arguments if argument != "--fresh")])


__all__ = ["Request", "bench", "command_line", "read_ks"]
