"""The command ``bench`` for theorems: files, folders and rows of problems, proved several times each."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.cli.bench_run import DEFAULT_TIMEOUT, note, run
from goedels_poetry.cli.configure import connected, seats_of, settings_of
from goedels_poetry.cli.inputs import Source, Unreadable, find, read
from goedels_poetry.cli.lean import fetch_first
from goedels_poetry.cli.requests import Bench
from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.evaluation import BadData, Data
from goedels_poetry.evaluation.answerers import (
    ABLATIONS,
    OF_SMT,
    ProofAnswerer,
    Theorem,
    options_without,
    setup_of,
    without,
)
from goedels_poetry.evaluation.load import holds_questions
from goedels_poetry.evaluation.problems import Problem, gold_of, holds_problems, read_problems, with_answer
from goedels_poetry.evaluation.runner import is_of_report
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.interfaces.since import Since
from goedels_poetry.settings.declared import Settings


@dataclass(frozen=True)
class _Inputs:
    """What the command line names."""

    rows: Sequence[Problem]
    left_out: Mapping[str, int]
    """Rows that are none, by reason."""
    texts: Sequence[tuple[Source, str]]
    """Files that are theorems themselves."""


def prove(request: Bench, ks: Sequence[int]) -> int:
    """Every theorem that the command line names; returns the exit code."""
    _check_cluster(request)
    given = settings_of(request, timeout=DEFAULT_TIMEOUT)
    rows, left_out = _rows(request)
    # Read before there is a loop, which would keep Ctrl-C waiting for as long as a pipe does.
    if request.split is not None and not rows:
        note(request, f"--split {request.split} changes nothing: only rows of problems have a split")
    inputs = _Inputs(rows, left_out, [(source, _text(source)) for source in _files(request).values()])
    named = (*(source.name for source, _ in inputs.texts), *(problem.file for problem in rows))
    if any(name.endswith(".lean") for name in named):
        fetch_first(given.lean, quiet=request.quiet or request.as_json)
    with connected(request.cluster) as ray:
        return asyncio.run(_prove(request, given, inputs, ks, ray))


async def _prove(request: Bench, given: Settings, inputs: _Inputs, ks: Sequence[int], ray: Any) -> int:
    """``ray``: a cluster, where one is asked for."""
    more: dict[str, Any] = {}
    in_force = without(given, request.without)
    async with GoedelsPoetryFramework(in_force) as framework:
        theorems = await _theorems(framework, inputs, None if request.since is None else Since(request.since))
        if framework.models is not None:
            more["models"] = framework.models.fingerprint
    _remark(request, theorems)
    if request.without:
        more["without"] = list(request.without)
    if request.bank:
        more["bank"] = True
    files = Counter(theorem.file for theorem in theorems)
    questions = {question.key: question for question in (theorem.question for theorem in theorems)}
    left_out = Counter(inputs.left_out)
    if again := len(theorems) - len(questions):
        left_out["the same theorem again"] += again
    data = Data(tuple(questions.values()), dict(files), dict(left_out))
    answerer = ProofAnswerer(
        in_force,
        theorems,
        setup_of(in_force, **{"models": {}, **more}),
        options_without(request.without),
        learns=request.bank and "bank" not in request.without,
    )
    async with seats_of(ray, in_force, request.jobs or 0, lambda text: note(request, text)) as seats:
        if seats is not None:
            from goedels_poetry.cluster.runs import ClusterRuns

            answerer.elsewhere = partial(ClusterRuns, seats)
            request = replace(request, jobs=await seats.room())
        async with answerer:
            return await run(request, in_force, data, answerer, ks or [1], proofs=True)


def _check_cluster(request: Bench) -> None:
    """Raise BadData for what cannot be done on several machines."""
    if request.cluster is None:
        return
    if request.by_script:
        raise BadData("--record and --replay are one file of one machine: leave out --cluster")
    if request.bank:
        raise BadData("--bank is of one machine, where theorems come one after another: leave out --cluster")


def _rows(request: Bench) -> tuple[list[Problem], dict[str, int]]:
    """The problems in rows, and what was left out of them."""
    problems: list[Problem] = []
    left_out: Counter[str] = Counter()
    for path in dict.fromkeys(map(Path, request.paths)):
        inside = [path]
        if os.path.isdir(path):
            inside = [file for file in sorted(path.rglob("*")) if not is_of_report(file)]
        for file in filter(holds_problems, inside):
            found, less = read_problems(file, split=request.split)
            problems += found
            left_out.update(less)
    return problems, dict(left_out)


def _files(request: Bench) -> dict[str, Any]:
    """Files that are theorems themselves, by their names on the command line."""
    suffixes = tuple(suffix for _, found in languages.BUILT_IN.values() for suffix in found)
    paths = [path for path in request.paths if not holds_problems(Path(path))]
    found = {source.name: source for source in find(paths, suffixes)}
    ours = {name for name in found if name not in paths and is_of_report(Path(name))}
    rows = {name for name in found if holds_problems(Path(name)) or holds_questions(Path(name))}
    return {name: source for name, source in found.items() if name not in rows | ours}


async def _theorems(framework: GoedelsPoetryFramework, inputs: _Inputs, since: Since | None) -> list[Theorem]:
    """``since``: of files only what may have changed; of rows all."""
    theorems: list[Theorem] = []
    for problem in inputs.rows:
        names = await _open_names(framework, problem.text, problem.file)
        theorems += [
            Theorem(
                f"{problem.name}:{name}" if name else problem.name,
                problem.text,
                problem.file,
                name,
                problem.dataset,
                problem.gold,
                problem.tags,
            )
            for name in names
        ]
    for source, text in inputs.texts:
        written = text
        if source.file.endswith(".lean"):
            text = with_answer(text)
        names = [source.theorem] if source.theorem else await _open_names(framework, text, source.file)
        if since is not None:
            names = since.may_differ(source.file, written, languages.for_file(source.file), names)
        dataset = _folder_of(source.file)
        gold = gold_of(text, source.file)
        theorems += [
            Theorem(source.of(n).name if n else source.name, text, source.file, n, dataset, gold) for n in names
        ]
    return theorems


def _folder_of(file: str) -> str:
    """The name of the folder that a file is in, from wherever it is named."""
    return Path(os.path.abspath(file)).parent.name or "theorems"


def _text(source: Source) -> str:
    """Raises BadData where it cannot be read: a problem that nobody was asked would change all shares."""
    try:
        return read(source)
    except Unreadable as problem:
        if problem.line is None:
            raise BadData(f"{source.file}: {problem.reason}") from problem
        raise BadData(f"{source.file}:{problem.reason}; mend it or leave it out") from problem


async def _open_names(framework: GoedelsPoetryFramework, text: str, file: str) -> list[str]:
    """The theorems that a text leaves open, "" for the only one; the run says what is wrong with a bad one."""
    try:
        found = await framework.theorems(text, name=file)
    except (GoedelsPoetryError, OSError):
        return [""]
    return list(found) if len(found) > 1 else [""]


def _remark(request: Bench, theorems: Sequence[Theorem]) -> None:
    """What a person should know about what is left out."""
    for name in request.without:
        elsewhere = [theorem for theorem in theorems if not theorem.file.lower().endswith((".smt2", ".smt"))]
        if name in OF_SMT and elsewhere:
            note(request, f"--without {name} changes nothing for {len(elsewhere)} theorems: {ABLATIONS[name]}")
        if name == "bank" and not request.bank:
            note(request, "--without bank changes nothing: theorems of bench learn from others with --bank only")
