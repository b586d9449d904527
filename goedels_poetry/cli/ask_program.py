"""The part of the command ``ask`` that answers programs: files in, verdicts out, no model asked."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.cli.failures import describe, save_traceback
from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, find, read
from goedels_poetry.cli.verdicts import worst
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.logic.result import invalid_result
from goedels_poetry.reasoning.backends import BACKENDS, JSONBackend, SMT2Backend
from goedels_poetry.reasoning.results import Semantics, VerificationResult, World
from goedels_poetry.tree.state import Verdict

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
    """Answer each program, in the order given; returns the exit code of the worst verdict."""
    sources = list(find(request.inputs, tuple(SUFFIXES)))
    if not sources:
        from goedels_poetry.trace.terminal import console, one_line, say

        say(console(sys.stderr), f"no programs in {', '.join(map(one_line, request.inputs))}")
        return Verdict.INVALID.exit_code
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
    verdicts = []
    threads = ThreadPoolExecutor(jobs, "goedels-poetry-program")
    try:
        for source, result in zip(
            sources, threads.map(lambda s: _answer(s, request, by_dialect), sources), strict=True
        ):
            verdicts.append(result.verdict)
            _print(source, result, as_json=request.as_json)
    finally:
        for backend in by_dialect.values():  # ends what is under way, so that no thread is waited for
            backend.close()
        threads.shutdown(cancel_futures=True)
    return worst(verdicts).exit_code


def _answer(
    source: Source, request: ProgramRequest, by_dialect: dict[str, SMT2Backend | JSONBackend]
) -> VerificationResult:
    """One program; whatever happens becomes a result."""
    try:
        text = read(source)
    except Unreadable as problem:
        error = InvalidInput(problem.reason, problem.line, problem.column)
        return _invalid(error, problem.reason, request)
    try:
        return by_dialect[request.backend or _backend(source, text)].execute(text)
    except Exception as error:  # noqa: BLE001 - a defect on one program must not stop the others
        log = save_traceback(error)
        reason = f"internal error: {describe(error)}" + (f"; details in {log}" if log else "")
        return VerificationResult(None, Verdict.UNKNOWN, reason, semantics=request.semantics, world=request.world)


def _invalid(error: InvalidInput, reason: str, request: ProgramRequest) -> VerificationResult:
    return replace(invalid_result(error, semantics=request.semantics, world=request.world), reason=reason)


def _backend(source: Source, text: str) -> str:
    """By the file's suffix; what has no such suffix is JSON when it begins like an object."""
    suffix = source.name[source.name.rfind(".") :].lower() if source.name != STDIN and "." in source.name else ""
    return SUFFIXES.get(suffix, "json" if text.lstrip("\ufeff \t\r\n").startswith("{") else "smt2")


def to_json(file: str, result: VerificationResult) -> dict[str, Any]:
    """The object that ``--json`` prints for a program."""
    return {"schema": SCHEMA, "file": file, **result.to_json(), "exit_code": result.verdict.exit_code}


def _print(source: Source, result: VerificationResult, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(to_json(source.name, result)) + "\n")
    else:
        from goedels_poetry.cli.program_page import show  # what draws on terminals takes its time to load

        show(source.name, result)
    sys.stdout.flush()


__all__ = ["ProgramRequest", "ask_programs", "to_json"]
