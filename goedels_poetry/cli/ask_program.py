"""The part of the command ``ask`` that answers programs: files in, verdicts out, no model asked."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, find, is_awaited, read
from goedels_poetry.cli.verdicts import worst_code
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.logic.result import Semantics, VerificationResult, World, invalid_result
from goedels_poetry.reasoning.backends import BACKENDS, JSONBackend, SMT2Backend

if TYPE_CHECKING:
    from goedels_poetry.cli.no_verdict import Failure

SCHEMA = 1
"""Version of the object that ``ask --program --json`` prints."""
SUFFIXES = {".smt2": "smt2", ".json": "json"}


@dataclass(frozen=True)
class ProgramRequest:
    """What the command line asks for."""

    inputs: list[str]
    backend: str | None = None
    verify_timeout: float = 10_000
    optimize_timeout: float | None = None
    semantics: Semantics = "entailment"
    world: World = "open"
    confirm: bool | None = None
    """None: when there is one program only."""
    jobs: int = 1
    as_json: bool = False


def ask_programs(request: ProgramRequest) -> int:
    """Answer each program, in the order given; returns the exit code of the worst outcome."""
    sources = list(find(request.inputs, tuple(SUFFIXES)))
    if not sources:
        from goedels_poetry.trace.terminal import console, one_line, say

        say(console(sys.stderr), f"no programs in {', '.join(map(one_line, request.inputs))}")
        return Verdict.INVALID.exit_code
    typed = {source: _text(source) for source in sources if is_awaited(source)}  # here, where Ctrl-C ends the waiting
    confirm = len(sources) == 1 if request.confirm is None else request.confirm
    jobs = min(request.jobs, len(sources))
    by_dialect = {
        name: backend(
            request.verify_timeout,
            request.optimize_timeout,
            semantics=request.semantics,
            world=request.world,
            confirm=confirm,
            processes=jobs,
        )
        for name, backend in BACKENDS.items()
    }
    codes = []
    threads = ThreadPoolExecutor(jobs, "goedels-poetry-program")
    try:
        for source, (result, failure) in zip(
            sources,
            threads.map(lambda s: _answer(s, typed[s] if s in typed else _text(s), request, by_dialect), sources),
            strict=True,
        ):
            codes.append(result.verdict.exit_code if failure is None else failure.exit_code)
            _print(source, result, failure, as_json=request.as_json)
            if len(sources) > 1 and not request.as_json:
                sys.stdout.write("\n")
    finally:
        for backend in by_dialect.values():  # ends what is under way, so that no thread is waited for
            backend.close()
        threads.shutdown(cancel_futures=True)
    return worst_code(codes)


def _text(source: Source) -> str | Unreadable:
    try:
        return read(source)
    except Unreadable as problem:
        return problem


def _answer(
    source: Source, text: str | Unreadable, request: ProgramRequest, by_dialect: dict[str, SMT2Backend | JSONBackend]
) -> tuple[VerificationResult, Failure | None]:
    """One program; whatever happens becomes a result, or the reason why there is none."""
    if isinstance(text, Unreadable):
        error = InvalidInput(text.reason, text.line, text.column)
        return _invalid(error, text.reason, request), None
    try:
        return by_dialect[request.backend or _backend(source, text)].execute(text), None
    except Exception as error:  # noqa: BLE001 - a defect on one program must not stop the others
        from goedels_poetry.cli.no_verdict import failure_of

        failure = failure_of(error, Path())  # no run is kept of programs
        empty = VerificationResult(
            None, Verdict.UNKNOWN, failure.reason, semantics=request.semantics, world=request.world
        )
        return empty, failure


def _invalid(error: InvalidInput, reason: str, request: ProgramRequest) -> VerificationResult:
    return replace(invalid_result(error, semantics=request.semantics, world=request.world), reason=reason)


def _backend(source: Source, text: str) -> str:
    """By the file's suffix; what has no such suffix is JSON when it begins like an object."""
    suffix = source.name[source.name.rfind(".") :].lower() if source.name != STDIN and "." in source.name else ""
    return SUFFIXES.get(suffix, "json" if text.lstrip("\ufeff \t\r\n").startswith("{") else "smt2")


def to_json(file: str, result: VerificationResult, failure: Failure | None = None) -> dict[str, Any]:
    """The object that ``--json`` prints for a program; with a ``failure`` it has no verdict."""
    data = {"schema": SCHEMA, "file": file, **result.to_json(), "exit_code": result.verdict.exit_code, "error": None}
    if failure is not None:
        data |= {"verdict": None, "exit_code": failure.exit_code, "error": failure.to_json()}
    return data


def _print(source: Source, result: VerificationResult, failure: Failure | None, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(to_json(source.name, result, failure)) + "\n")
    elif failure is not None:
        from goedels_poetry.cli.endings import say_failure
        from goedels_poetry.trace.terminal import console

        say_failure(console(sys.stdout), failure, source.name)
    else:
        from goedels_poetry.cli.program_page import show  # what draws on terminals takes its time to load

        show(source.name, result)
    sys.stdout.flush()
