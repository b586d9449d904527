"""The command `code`: read the tasks, run them one after the other, write and print what came of them."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from goedels_poetry import languages
from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.inputs import Source, Unreadable, find, read
from goedels_poetry.cli.report import GOES_ON, model_costs, say_verdict, write_whole
from goedels_poetry.cli.requests import Code
from goedels_poetry.cli.run_errors import Unusable, exit_code_of, worst_code
from goedels_poetry.cli.session import guarded, print_json, progress_of, stoppable
from goedels_poetry.errors import InvalidInput
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask, check_code
from goedels_poetry.search.tasks.code_file import code_task, task_of_problem
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.results import RunResult
from goedels_poetry.trace.terminal import aligned, console, indented, one_line, printable, say

DEFAULT_TIMEOUT = 900.0
"""Seconds for a task: slow models take a minute for a reply, and several replies may be needed."""
SUFFIXES = (".toml",)
DATA = (".jsonl", ".jsonl.gz", ".json", ".gz")
"""Suffixes of data sets of problems."""


PASSED = (Verdict.TESTED, Verdict.PROVED)
Named = tuple[str, CodeTask | InvalidInput]
"""A task by its name, or why its file is none."""


def write_all(request: Code) -> int:
    """Work on all tasks; returns the exit code."""
    return guarded(lambda: _write_all(request), os_errors=True)


def _write_all(request: Code) -> int:
    tasks = list(tasks_of(request))
    _check_target(request, tasks)
    results, unwritten = asyncio.run(_run(request, tasks, settings_of(request, timeout=DEFAULT_TIMEOUT)))
    if len(tasks) > 1 and not request.as_json:
        table(console(sys.stdout), [row(result) for result in results])
    code = worst_code(exit_code_of(result, request.required) for result in results)
    return code or (Verdict.INVALID.exit_code if unwritten else 0)


# -- which tasks -------------------------------------------------------------------------------------------------


def tasks_of(request: Code) -> Iterator[Named]:
    """Names and tasks, in the order given; a file that cannot be read is its error.

    Raises:
        Unusable: nothing is there to do, or a problem that is named is not there.
    """
    found: list[Named] = []
    for argument in request.inputs:
        if argument.lower().endswith(DATA):
            found += _problems(argument, request)
        else:
            found += [(source.name, _from_file(source, request)) for source in find([argument], SUFFIXES)]
    if request.problem:
        missing = set(request.problem) - {name for name, _ in found}
        if missing:
            raise Unusable(f"there is no problem {', '.join(sorted(missing))}")
    if not found:
        raise Unusable("there is no task: give TOML files (see docs/code.md), or a HumanEval or MBPP file")
    yield from found[: request.limit]


def _from_file(source: Source, request: Code) -> CodeTask | InvalidInput:
    try:
        return _with_flags(code_task(read(source), source.name), request)
    except Unreadable as problem:
        return InvalidInput(problem.reason, problem.line, problem.column)
    except InvalidInput as problem:
        return problem


def _problems(path: str, request: Code) -> list[Named]:
    from goedels_poetry.python.datasets import load_problems

    found: list[Named] = []
    try:
        problems = load_problems(Path(path))
    except InvalidInput as error:
        raise Unusable(f"{path}:{error}" if error.line else f"{path}: {error}") from None
    for problem in problems:
        if request.problem and problem.name not in request.problem:
            continue
        try:
            found.append((problem.name, _with_flags(task_of_problem(problem), request)))
        except InvalidInput as error:
            found.append((problem.name, error))
    return found


def _with_flags(task: CodeTask, request: Code) -> CodeTask:
    changed = replace(task, **request.fields).with_bans(tuple(request.ban))
    check_code(changed)
    return changed


# -- the runs ----------------------------------------------------------------------------------------------------


def _check_target(request: Code, tasks: list[Named]) -> None:
    """Refuse before any work what could not be written after it."""
    for name, _ in tasks if request.save is not None else ():
        place = _place(request, name, len(tasks))
        problem = {
            f"{place} is a folder; with one task it is a file": place.is_dir(),
            f"{place} is no file": place.exists() and not place.is_file(),  # a device or a pipe would be replaced
            f"{place} is there already; --force overwrites it": not request.force and os.path.lexists(place),
            f"{place}: there is no folder {place.parent}": not place.parent.is_dir() and len(tasks) == 1,
        }
        for words, holds in problem.items():
            if holds:
                raise Unusable(f"--save {words}")


def _place(request: Code, name: str, tasks: int) -> Path:
    assert request.save is not None
    if tasks == 1:
        return request.save
    stem = re.sub(r"[^\w.-]", "_", name.removesuffix(".toml").replace("/", "_")).strip("._") or "task"
    return request.save / f"{stem}.py"


async def _run(request: Code, tasks: list[Named], in_force: Settings) -> tuple[list[RunResult], int]:
    """The results in order, and how many functions could not be written where they were to go."""
    progress = progress_of(request, several=len(tasks) > 1)
    results: list[RunResult] = []
    stopped, unwritten = False, 0
    async with GoedelsPoetryFramework(in_force, checkpoint_all=False) as framework:
        language = languages.get("python")

        def stop() -> None:
            nonlocal stopped
            stopped = True
            framework.interrupt()

        async def worked(name: str, task: CodeTask) -> RunResult:
            result = await framework.arun_task(
                task,
                language,
                {"theorem": task.function},
                name=name,
                fresh=request.fresh or request.by_script,
                on_event=lambda event: progress.event(name, event),
            )
            return result if request.no_proof or stopped else await with_proof(task, result, in_force, request.fresh)

        try:
            with stoppable(progress, stop):
                for name, task in tasks:
                    if stopped:
                        result = RunResult(name, Verdict.OUT_OF_BUDGET, reason="not started: interrupted")
                    elif isinstance(task, InvalidInput):
                        result = RunResult(name, Verdict.INVALID, reason=str(task), location=task.location)
                    else:
                        result = await worked(name, task)
                    results.append(result)
                    with progress.paused():
                        unwritten += not _show(request, result, len(tasks), stopped)
        finally:
            await language.aclose()
    return results, unwritten


def _show(request: Code, result: RunResult, tasks: int, stopped: bool) -> bool:
    """Write and print; whether what was to be written is. ``stopped``: somebody has interrupted the batch."""
    written, failed = "", False
    if request.save is not None and result.verdict in PASSED and result.answer is not None:
        place = _place(request, result.input, tasks)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, str(result.answer["source"]), overwrite=request.force)
            written = str(place)
        except OSError as problem:
            failed = True
            say(console(sys.stderr), f"--save {one_line(str(place))}: {problem.strerror or problem}")
    if request.as_json:
        code = exit_code_of(result, request.required)
        print_json({**result.to_json(), "exit_code": code, "written": written or None})
        return not failed
    out = console(sys.stdout)
    for line in page(result, written):
        say(out, line)
    if stopped and result.verdict is Verdict.OUT_OF_BUDGET and result.run_id:
        without = " without --record and --replay" if request.by_script else " without --fresh" * request.fresh
        say(out, f"  to go on: {GOES_ON.format(without)}")
    say_verdict(out, result.verdict, one_line(result.input), result.reason, disputed=result.disputed, away=result.away)
    if tasks > 1:
        say(out, "")
    sys.stdout.flush()
    return not failed


MAX_REASON = 160
MOST_LINES = 400
"""Characters of a reason in the table; lines of a function that are printed."""
HEAD = ("task", "verdict", "attempts", "strategy", "checks", "seconds")


def page(result: RunResult, written: str = "") -> Iterator[str]:
    """What stands above the verdict, line by line; ``written``: the file that the function is in now."""
    answer = _answer(result)
    rows = [("", "by", "strategy", "outcome", "checks", "what failed")]
    for entry in answer["attempts"]:
        failed = "" if entry["outcome"] == "passed" else one_line(str(entry["reason"]), MAX_REASON)
        number, author, strategy, outcome = (
            str(entry.get(n) or "") for n in ("attempt", "by", "fingerprint", "outcome")
        )
        rows.append((number, author, strategy, outcome, _checks(entry), failed))
    yield from (f"  {line}".rstrip() for line in aligned(rows) if len(rows) > 1)
    for ban in answer["bans"]:
        yield f"  banned after {ban['failures']} failures: {one_line(str(ban['strategy']))}"
    if answer["source"] and not written:
        best = f"the best attempt ({answer['passed']} of {answer['total']} checks)"
        yield f"  {'the function' if result.verdict in PASSED else best}:"
        yield from indented(str(answer["source"]))[:MOST_LINES]
    yield from (f"  warning: {one_line(warning)}" for warning in result.warnings)
    if written:
        yield f"  written to {printable(written)}"
    if result.certificate is not None:
        yield f"  certificate: {printable(str(result.certificate))}"
    if result.run_id:
        models = result.metrics.get("models", {})
        calls, read, sent, money = (float(models.get(n, 0)) for n in ("calls", "tokens_in", "tokens_out", "money"))
        costs = model_costs(
            calls, read + sent, money, float(result.metrics.get("wall_seconds", 0.0)), models.get("unpriced", 0)
        )
        yield f"  run {result.run_id}: {costs}"


def _answer(result: RunResult) -> dict[str, Any]:
    """What is known of the function; nothing where the run has not begun."""
    return {"attempts": [], "bans": [], "source": "", **(result.answer or {})}


def _checks(numbers: Mapping[str, Any]) -> str:
    return f"{numbers['passed']}/{numbers['total']}" if numbers.get("total") else ""


def row(result: RunResult) -> tuple[str, ...]:
    """A line of the table about several tasks."""
    answer = _answer(result)
    attempts = answer["attempts"]
    last = str(attempts[-1].get("fingerprint") or "") if attempts else ""
    seconds = f"{float(result.metrics.get('wall_seconds', 0.0)):.1f}"
    return one_line(result.input, 60), result.verdict_text, str(len(attempts)), last, _checks(answer), seconds


def table(out: Console, rows: Sequence[tuple[str, ...]]) -> None:
    """All tasks, a line each, and how many have a function."""
    for line in aligned([HEAD, *rows]):
        say(out, f"  {line}".rstrip())
    tested = sum(cells[1] == Verdict.TESTED for cells in rows)
    say(out, f"{tested} of {len(rows)} tested")


SECONDS = 30.0
"""For one proof: a function that keeps its contract is tested in any case."""
BROKEN = "it passed every check, but not on another input: {}"


async def with_proof(task: CodeTask, result: RunResult, settings: Settings, fresh: bool) -> RunResult:
    """The result, as ``proved`` where the contract can be proved; the certificate is then that of the proof.

    A proof of the contract says nothing about the other checks: these have passed. An input that breaks the contract,
    and that no check came upon, makes the function none that passes.
    """
    if result.verdict is not Verdict.TESTED or result.answer is None or not (task.ensures or task.raises):
        return result
    budgets = settings.budgets.model_copy(update={"wall_seconds": SECONDS})
    limited = settings.model_copy(update={"budgets": budgets})
    text = contracted(task, str(result.answer["source"]))
    async with GoedelsPoetryFramework(limited, checkpoint_all=False) as framework:
        options = {"theorem": task.function}
        found = await framework.arun(text, name=result.input, language="python", options=options, fresh=fresh)
    if found.verdict is Verdict.PROVED:
        reason = f"every check passed, and the contract is proved ({found.trust_level})"
        known = replace(result, certificate=found.certificate, trust_level=found.trust_level)
        return replace(known, verdict=found.verdict, reason=reason, answer={**result.answer, "proved": text})
    if found.verdict is Verdict.REFUTED:
        broken = replace(result, counterexample=found.counterexample, certificate=None)
        return replace(broken, verdict=Verdict.UNKNOWN, reason=BROKEN.format(found.reason))
    return result


def contracted(task: CodeTask, source: str) -> str:
    """The module with the task's contract written before its function."""
    names = ", ".join(task.parameters)
    result = ", ".join(("result", *task.parameters))
    lines = ["from goedels_poetry.contracts import ensures, raises, requires", ""]
    lines += [f"@requires(lambda {names}: {text})" for text in task.requires]
    lines += [f"@ensures(lambda {result}: {text})" for text in task.ensures]
    lines += [f"@raises({name}" + (f", when=lambda {names}: {when})" if when else ")") for name, when in task.raises]
    defined = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    function = next(node for node in reversed(defined) if node.name == task.function)
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)]) - 1
    whole = source.splitlines()
    return "\n".join([*whole[:first], *lines, *whole[first:], ""])
