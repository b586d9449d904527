"""The command `change`: read what it is told, run, show, and write a file only where it was asked to."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goedels_poetry import languages
from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.options import given
from goedels_poetry.cli.report import GOES_ON, NotWritten, say_verdict, write_in_place, write_new
from goedels_poetry.cli.requests import Change as Request
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.cli.session import guarded, print_json, progress_of, stoppable
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.python.changes import ChangeReport, decoded, root_of, snapshot, words_of
from goedels_poetry.python.changes.verification import REACHED
from goedels_poetry.search.agents.changes import go_back
from goedels_poetry.search.machine.kinds import task_of
from goedels_poetry.search.tasks.change import Change, steps_of, text_of_step
from goedels_poetry.search.tasks.change import states as states_of
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.trace.terminal import console, indented, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``change --json`` prints."""
DEFAULT_TIMEOUT = 900.0
MAX_BYTES = 8_000_000
"""Of a file or a patch that is read."""


def change_file(request: Request) -> int:
    """Do what the line says; returns the exit code."""
    refuse = _refuse if request.as_json else None
    return guarded(lambda: _change(request), refused=refuse, os_errors=True)


def _change(request: Request) -> int:
    if request.history is not None:
        return _history(request, request.history)
    if request.restore is not None:
        return _restore(request, request.restore)
    if request.save is not None and request.write:
        raise Unusable("--save and --write exclude each other")
    in_force = settings_of(request, timeout=DEFAULT_TIMEOUT)
    try:
        result = asyncio.run(_run(request, in_force))
    except ValueError as problem:  # a name with a NUL character, a command that no shell could split
        raise Unusable(str(problem)) from problem
    return _finish(request, result)


def _refuse(reason: str) -> None:
    print_json({"schema": SCHEMA, "verdict": str(Verdict.INVALID), "reason": reason, "exit_code": 2})


# -- what is asked --------------------------------------------------------------------------------------------------


def task_from(request: Request) -> Change:
    """The change that a line describes, with everything that it rests on read from the disk.

    Raises:
        Unusable, InvalidInput: with what to do about it.
    """
    if request.file is None:
        raise Unusable("which file is to be changed? goedels-poetry change FILE --test COMMAND --patch FILE")
    text = _read(request.file)  # first of all: it says what is wrong with a name
    path = request.file.resolve()
    root = Path(os.path.realpath(request.project)) if request.project is not None else root_of(path)
    if not path.is_relative_to(root):
        raise Unusable(f"{request.file} is not below the project's folder {root}")
    files, executable = snapshot(root, path)
    limits: dict[str, Any] = {**given(max_attempts=request.max_attempts), **given(seconds=request.test_seconds)}
    return Change(
        text,
        file=path.relative_to(root).as_posix(),
        path=str(path),
        link=_link(request.file, path, root),
        files=json.dumps(files, sort_keys=True),
        executable=executable,
        error=_error(request),
        tests=words_of(request.test) if request.test is not None else (),
        run=words_of(request.command) if request.command is not None else (),
        meant=tuple(request.meant),
        patches=tuple(_read(patch) for patch in request.patch),
        **limits,
    )


def _link(named: Path, path: Path, root: Path) -> str:
    """The path of a link by which the file was named, below the project's folder if it is there; "" for no link."""
    given = named.parent.resolve() / named.name
    if given == path:
        return ""
    return given.relative_to(root).as_posix() if given.is_relative_to(root) else given.name


def _error(request: Request) -> str:
    if request.error is not None and request.error_file is not None:
        raise Unusable("--error and --error-file exclude each other")
    if request.error_file is not None:
        return _read(request.error_file)
    return sys.stdin.read(MAX_BYTES) if request.error == "-" else request.error or ""


def _read(path: Path) -> str:
    try:
        if not path.is_file():
            raise Unusable(f"there is no file {path}" if not path.exists() else f"{path} is no file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise Unusable(f"{path} is larger than {MAX_BYTES // 1_000_000} MB")
    return decoded(data, str(path))


# -- running --------------------------------------------------------------------------------------------------------


async def _run(request: Request, in_force: Settings) -> RunResult:
    """A new run, the one of the same line that was not over, or with --back one that had ended."""
    progress, heard = progress_of(request), list[Event]()
    where = _run_and_step(request.back) if request.back is not None else None
    task = task_from(request) if where is None else None
    patches = tuple(map(_read, request.patch))
    language = languages.get("python")

    def listen(event: Event) -> None:
        heard.append(event)
        progress.event("change", event)

    async with GoedelsPoetryFramework(in_force, checkpoint_all=False) as framework:
        try:
            with stoppable(progress, framework.interrupt):
                if where is not None:
                    run_id = go_back(framework.settings.data_dir, *where, patches)
                    result = await framework.aresume(run_id, on_event=listen)
                elif task is not None:
                    fresh = request.fresh or request.by_script
                    name = str(request.file)
                    result = await framework.arun_task(task, language, {}, fresh=fresh, on_event=listen, name=name)
                if result.run_id and not heard:
                    progress.note("this run had ended before; its result is that of then (--fresh begins anew)")
            if request.export is not None and result.run_id:
                write_export(framework, result.run_id, request.export)
        finally:
            await language.aclose()
    return result


def write_export(framework: GoedelsPoetryFramework, run_id: str, place: Path) -> None:
    """The conversation of a run, one JSON object a line."""
    lines = [json.dumps(entry, ensure_ascii=False, default=str) + "\n" for entry in framework.conversation(run_id)]
    place.write_text("".join(lines), "utf-8")


# -- showing and writing --------------------------------------------------------------------------------------------


def _finish(request: Request, result: RunResult) -> int:
    """Print the result, and write the file where that was asked for and may be done."""
    told = (result.answer or {}).get("change")
    written, failed = _written(request, result, told) if told else ("", False)
    code = result.exit_code or (Verdict.INVALID.exit_code if failed else 0)
    on = f"; {GOES_ON.format('')}" if result.verdict is Verdict.OUT_OF_BUDGET and request.back is None else ""
    if request.as_json:
        data = {"schema": SCHEMA, **result.to_json(), **(told or {}), "written": written}
        data.pop("answer", None)
        data["exit_code"] = code
        print_json(data)
    elif told is None:
        say(console(sys.stderr), one_line(f"{result.input}: {result.reason}{on}"))
    else:
        out = console(sys.stdout)
        for line in page(result, told, written):
            say(out, line)
        say_verdict(out, result.verdict, result.input, result.reason + on, away=result.away)
    sys.stdout.flush()
    return code


def _written(request: Request, result: RunResult, told: dict[str, Any]) -> tuple[str, bool]:
    """What became of the file, in words; and whether it could not be written although it was to be."""
    if not (request.write or request.save):
        return "", False
    if result.verdict not in (Verdict.TESTED, Verdict.UNKNOWN):
        return f"nothing was written: the run is not over ({result.verdict})", False
    if result.verdict is Verdict.UNKNOWN and (told["report"] or {}).get("goal") == REACHED:
        return "nothing was written: the checker did not accept the change", False
    if not told["diff"]:
        return "nothing was written: the file stays as it was", False
    try:
        if request.save is not None:
            write_new(request.save, told["text"])
            return f"written: {request.save}", False
        backup = write_in_place(Path(told["path"]), _original(request, result.run_id), told["text"])
        return f"written: {told['path']}; what it was is in {backup}", False
    except (NotWritten, OSError) as problem:
        return f"nothing was written: {problem}", True


def _original(request: Request, run_id: str) -> str:
    """The file as the run found it."""
    with GoedelsPoetryFramework(settings_of(request, timeout=None)) as framework, framework.open_store(run_id) as store:
        return str(store.meta("theorem"))


def page(result: RunResult, told: dict[str, Any], written: str) -> Iterator[str]:
    """What stands above the verdict, line by line: steps, report, difference, what was written."""
    yield from step_lines(told["steps"])
    report = told["report"]
    if report is not None:
        kept = ChangeReport.from_json(report)
        for title, items in (("goal", kept.goal_words), ("not checked", kept.unchecked), ("remark", kept.remarks)):
            yield from (f"  {title}: {one_line(item)}" for item in items)
    if told["diff"]:
        yield f"  the file after step {told['state']}:"
        yield from indented(told["diff"])
    else:
        yield "  the file stays as it was"
    if written:
        yield f"  {one_line(written)}"
    elif told["diff"]:
        yield "  nothing was written; --write changes the file, --save FILE writes another one"
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    if result.certificate is not None:
        yield f"  certificate: {printable(str(result.certificate))}"
    if result.run_id:
        yield f"  run {result.run_id}: steps with --history {result.run_id}, states with --restore {result.run_id}:STEP"


def step_lines(steps: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Each change with what came of it and what was decided."""
    for step in steps[1:]:
        base = f", to the state after step {step['base']}" if step.get("base") else ""
        source, reason = (one_line(str(step.get(name, ""))) for name in ("source", "reason"))
        yield f"  step {step['step']} ({source}{base}): {reason}"
        for note in step.get("notes", ()):
            yield f"    {one_line(str(note))}"
        if "move" in step:
            to = f", to the state after step {step['to']}" if step["to"] != step["step"] else ""
            words = f"{step['move'].replace('_', ' ')}{to} (by {step['by']}): {step['why']}"
            yield f"    decision: {one_line(words)}"


# -- looking at a run -----------------------------------------------------------------------------------------------


def _run_and_step(where: str) -> tuple[str, int]:
    run, colon, step = where.rpartition(":")
    if not colon or not run or not step.isdecimal():
        raise Unusable(f"{where!r} is not RUN:STEP, e.g. 1f03aa2b9c41:2")
    return run, int(step)


@contextmanager
def _opened(request: Request, run: str) -> Iterator[tuple[GoedelsPoetryFramework, ProofStore, Change]]:
    with GoedelsPoetryFramework(settings_of(request, timeout=None)) as framework, framework.open_store(run) as store:
        task = task_of(store)
        if not isinstance(task, Change):
            raise Unusable(f"run {run} is about no change")
        yield framework, store, task


def _history(request: Request, run: str) -> int:
    with _opened(request, run) as (framework, store, task):
        steps, run_id = steps_of(store), store.meta("run_id")
        if request.export is not None:
            write_export(framework, run, request.export)
    if request.as_json:
        print_json({"schema": SCHEMA, "run_id": run_id, "steps": steps})
        return 0
    out = console(sys.stdout)
    for line in (f"run {run_id}  {printable(task.title)}", "  step 0: the file as it was", *step_lines(steps)):
        say(out, line)
    return 0


def _restore(request: Request, where: str) -> int:
    run, step = _run_and_step(where)
    with _opened(request, run) as (_, store, task):
        states = {number: text_of_step(store, number, task.text) for number in states_of(store)}
    if step not in states:
        raise Unusable(f"run {run} has no state after step {step}")
    text, err = states[step], console(sys.stderr)
    if request.save is not None:
        write_new(request.save, text)
        say(err, f"written: {request.save}")
    elif request.write:
        backup = write_in_place(Path(task.path), None, text)
        known = backup.read_bytes() in {state.encode("utf-8", "surrogatepass") for state in states.values()}
        was = "what it was is" if known else "it had been edited since, and the edits are kept"
        say(err, f"written: {task.path}; {was} in {backup}")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
        sys.stdout.buffer.flush()
    return 0
