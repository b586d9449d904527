"""What the command ``code`` does: read the tasks, run them one after the other, write and print what came of them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from goedels_poetry import languages
from goedels_poetry.cli.code_page import page, row, table
from goedels_poetry.cli.code_proof import with_proof
from goedels_poetry.cli.configure import BadSettings, Flags, settings_of
from goedels_poetry.cli.endings import say_verdict
from goedels_poetry.cli.failures import INTERRUPTED, code_after_failure
from goedels_poetry.cli.inputs import Source, Unreadable, find, read
from goedels_poetry.cli.resuming import GOES_ON
from goedels_poetry.cli.signals import Signals
from goedels_poetry.cli.verdicts import exit_code_of, worst_code
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import PriceError
from goedels_poetry.models.prompts import PromptError
from goedels_poetry.models.record import RecordingError
from goedels_poetry.settings.declared import Settings
from goedels_poetry.tasks.code import CodeTask, check_code
from goedels_poetry.tasks.code_file import code_task, task_of_problem
from goedels_poetry.trace.lines import Lines, Progress, Silent
from goedels_poetry.trace.terminal import console, one_line, say
from goedels_poetry.tree.results import RunResult

DEFAULT_TIMEOUT = 900.0
"""Seconds for a task: slow models take a minute for a reply, and several replies may be needed."""
SUFFIXES = (".toml",)
DATA = (".jsonl", ".jsonl.gz", ".json", ".gz")
"""Suffixes of data sets of problems."""


@dataclass(frozen=True)
class CodeRequest(Flags):
    """What the command line asks for."""

    inputs: list[str]
    problems: tuple[str, ...] = ()
    """Names of problems in data sets; () for all."""
    limit: int | None = None
    target: Path | None = None
    """Where the function goes; with several tasks a folder."""
    force: bool = False
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of `CodeTask`, those given."""
    bans: tuple[str, ...] = ()
    proof: bool = True
    """Whether a contract is also to be proved."""
    required: Verdict | None = None
    """The least that is asked for, see `exit_code_of`."""


PASSED = (Verdict.TESTED, Verdict.PROVED)


class Refused(Exception):
    """The command line cannot be carried out; the message says why."""


def write_all(request: CodeRequest) -> int:
    """Work on all tasks; returns the exit code."""
    errors = console(sys.stderr)
    try:
        tasks = list(tasks_of(request))
        _check_target(request, tasks)
        results, unwritten = asyncio.run(_run(request, tasks, settings_of(request, timeout=DEFAULT_TIMEOUT)))
    except (Refused, Unreadable, InvalidInput, BadSettings, RecordingError, PriceError, PromptError) as problem:
        say(errors, one_line(str(problem)))
        return Verdict.INVALID.exit_code
    except OSError as problem:
        say(errors, f"{one_line(str(problem.filename or ''))}: {problem.strerror or problem}")
        return Verdict.INVALID.exit_code
    except GoedelsPoetryError as problem:  # e.g. another process is at it
        say(errors, one_line(str(problem)))
        return code_after_failure(problem, Verdict.UNKNOWN.exit_code)
    except asyncio.CancelledError:
        return INTERRUPTED
    if len(tasks) > 1 and not request.as_json:
        table(console(sys.stdout), [row(result) for result in results])
    code = worst_code(exit_code_of(result, request.required) for result in results)
    return code or (Verdict.INVALID.exit_code if unwritten else 0)


# -- which tasks -------------------------------------------------------------------------------------------------


def tasks_of(request: CodeRequest) -> Iterator[tuple[str, CodeTask | InvalidInput]]:
    """Names and tasks, in the order given; a file that cannot be read is its error.

    Raises:
        Refused: nothing is there to do, or a problem that is named is not there.
    """
    found: list[tuple[str, CodeTask | InvalidInput]] = []
    for argument in request.inputs:
        if argument.lower().endswith(DATA):
            found += _problems(argument, request)
        else:
            found += [(source.name, _from_file(source, request)) for source in find([argument], SUFFIXES)]
    if request.problems:
        missing = set(request.problems) - {name for name, _ in found}
        if missing:
            raise Refused(f"there is no problem {', '.join(sorted(missing))}")
    if not found:
        raise Refused("there is no task: give TOML files (see docs/code.md), or a HumanEval or MBPP file")
    yield from found[: request.limit]


def _from_file(source: Source, request: CodeRequest) -> CodeTask | InvalidInput:
    try:
        return _with_flags(code_task(read(source), source.name), request)
    except Unreadable as problem:
        return InvalidInput(problem.reason, problem.line, problem.column)
    except InvalidInput as problem:
        return problem


def _problems(path: str, request: CodeRequest) -> list[tuple[str, CodeTask | InvalidInput]]:
    from goedels_poetry.languages.python.datasets import load_problems

    found: list[tuple[str, CodeTask | InvalidInput]] = []
    try:
        problems = load_problems(Path(path))
    except InvalidInput as error:
        raise Refused(f"{path}:{error}" if error.line else f"{path}: {error}") from None
    for problem in problems:
        if request.problems and problem.name not in request.problems:
            continue
        try:
            found.append((problem.name, _with_flags(task_of_problem(problem), request)))
        except InvalidInput as error:
            found.append((problem.name, error))
    return found


def _with_flags(task: CodeTask, request: CodeRequest) -> CodeTask:
    changed = replace(task, **request.fields).with_bans(request.bans)
    check_code(changed)
    return changed


# -- where the functions go --------------------------------------------------------------------------------------


def _check_target(request: CodeRequest, tasks: list[tuple[str, CodeTask | InvalidInput]]) -> None:
    """Refuse before any work what could not be written after it."""
    for name, _ in tasks if request.target is not None else ():
        place = _place(request, name, len(tasks))
        if place.is_dir():
            raise Refused(f"--out {place} is a folder; with one task it is a file")
        if place.exists() and not place.is_file():  # a device or a pipe would be replaced by a file
            raise Refused(f"--out {place} is no file")
        if (place.exists() or place.is_symlink()) and not request.force:
            raise Refused(f"--out {place} is there already; --force overwrites it")
        if not place.parent.is_dir() and len(tasks) == 1:
            raise Refused(f"--out {place}: there is no folder {place.parent}")


def _place(request: CodeRequest, name: str, tasks: int) -> Path:
    assert request.target is not None
    if tasks == 1:
        return request.target
    stem = re.sub(r"[^\w.-]", "_", name.removesuffix(".toml").replace("/", "_")).strip("._") or "task"
    return request.target / f"{stem}.py"


def _write(place: Path, source: str, *, force: bool) -> None:
    """Whole or not at all; what stands there stays unless it may be overwritten."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(source)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        if force:
            os.replace(beside, place)
        else:
            os.link(beside, place)  # fails where something has appeared meanwhile
    finally:
        Path(beside).unlink(missing_ok=True)


# -- the runs ----------------------------------------------------------------------------------------------------


async def _run(
    request: CodeRequest, tasks: list[tuple[str, CodeTask | InvalidInput]], in_force: Settings
) -> tuple[list[RunResult], int]:
    """The results in order, and how many functions could not be written where they were to go."""
    quiet = request.quiet or request.as_json
    progress: Progress = Silent(sys.stderr) if quiet else Lines(sys.stderr, several=len(tasks) > 1)
    results: list[RunResult] = []
    stopped, unwritten = False, 0
    async with GoedelsPoetryFramework(in_force, checkpoint_all=False) as framework:
        language = languages.get("python")

        def stop() -> None:
            nonlocal stopped
            stopped = True
            progress.note("stopping; press Ctrl-C once more to stop at once")
            framework.interrupt()

        try:
            with progress, Signals(stop):
                for name, task in tasks:
                    if stopped:
                        result = RunResult(name, Verdict.OUT_OF_BUDGET, reason="not started: interrupted")
                    elif isinstance(task, InvalidInput):
                        result = RunResult(name, Verdict.INVALID, reason=str(task), location=task.location)
                    else:
                        result = await framework.arun_task(
                            task,
                            language,
                            {"theorem": task.function},
                            name=name,
                            fresh=request.fresh or request.by_script,
                            on_event=lambda event, name=name: progress.event(name, event),  # type: ignore[misc]
                        )
                        if request.proof and not stopped:
                            result = await with_proof(task, result, in_force, request.fresh)
                    results.append(result)
                    with progress.paused():
                        unwritten += not _show(request, result, len(tasks), stopped)
        finally:
            await language.aclose()
    return results, unwritten


def _without(request: CodeRequest) -> str:
    """What has to be left out of the command, as it would begin anew; "" where nothing has."""
    if request.by_script:
        return " without --record and --replay"
    return " without --fresh" if request.fresh else ""


def _show(request: CodeRequest, result: RunResult, tasks: int, stopped: bool) -> bool:
    """Write and print; whether what was to be written is. ``stopped``: somebody has interrupted the batch."""
    written, failed = "", False
    if request.target is not None and result.verdict in PASSED and result.answer is not None:
        place = _place(request, result.input, tasks)
        try:
            _write(place, str(result.answer["source"]), force=request.force)
            written = str(place)
        except OSError as problem:
            failed = True
            say(console(sys.stderr), f"--out {one_line(str(place))}: {problem.strerror or problem}")
    if request.as_json:
        data = {**result.to_json(), "exit_code": exit_code_of(result, request.required), "written": written or None}
        sys.stdout.write(json.dumps(data, default=str) + "\n")
    else:
        out: Console = console(sys.stdout)
        for line in page(result, written):
            say(out, line)
        if stopped and result.verdict is Verdict.OUT_OF_BUDGET and result.run_id:
            say(out, f"  to go on: {GOES_ON.format(_without(request))}")
        say_verdict(out, result.verdict, one_line(result.input), result.reason, disputed=result.disputed)
        if tasks > 1:
            say(out, "")
    sys.stdout.flush()
    return not failed
