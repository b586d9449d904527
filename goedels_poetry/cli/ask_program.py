"""The part of the command ``ask`` that answers programs: files in, verdicts out, no model asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, find, read
from goedels_poetry.cli.main import describe, save_traceback
from goedels_poetry.cli.report import WORST_FIRST
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.logic.words import model_words
from goedels_poetry.reasoning.backends import BACKENDS, JSONBackend, SMT2Backend
from goedels_poetry.reasoning.results import Semantics, VerificationResult, World
from goedels_poetry.reasoning.verification import invalid_result
from goedels_poetry.state import Verdict
from goedels_poetry.trace.terminal import console, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``ask --program --json`` prints."""
SUFFIXES = {".smt2": "smt2", ".json": "json"}
_STYLE = {
    Verdict.PROVED: "bold green",
    Verdict.REFUTED: "bold red",
    Verdict.INCONSISTENT: "bold magenta",
    Verdict.INVALID: "bold red",
}


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
    errors = console(sys.stderr)
    sources = list(find(request.inputs, tuple(SUFFIXES)))
    if not sources:
        say(errors, f"no programs in {', '.join(map(one_line, request.inputs))}")
        return Verdict.INVALID.exit_code
    confirm = len(sources) == 1 if request.confirm is None else request.confirm
    jobs = min(request.jobs, len(sources))
    chosen = {
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
        for source, result in zip(sources, threads.map(lambda s: _answer(s, request, chosen), sources), strict=True):
            verdicts.append(result.verdict)
            _print(source, result, as_json=request.as_json)
    finally:
        for backend in chosen.values():  # ends what is under way, so that no thread is waited for
            backend.close()
        threads.shutdown(cancel_futures=True)
    return min(verdicts, key=WORST_FIRST.index).exit_code


def _answer(
    source: Source, request: ProgramRequest, chosen: dict[str, SMT2Backend | JSONBackend]
) -> VerificationResult:
    """One program; whatever happens becomes a result."""
    try:
        text = read(source)
    except Unreadable as problem:
        error = InvalidInput(problem.reason, problem.line, problem.column)
        return _invalid(error, problem.reason, request)
    try:
        return chosen[request.backend or _backend(source, text)].execute(text)
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
        out = console(sys.stdout)
        for number, line in enumerate(_page(source.name, result)):
            say(out, line, style=_STYLE.get(result.verdict, "bold yellow") if number == 0 else "")
    sys.stdout.flush()


def _page(name: str, result: VerificationResult) -> Iterator[str]:
    """The page for people, line by line: verdict and answer, why, evidence."""
    if result.verdict is Verdict.INVALID:
        known = (result.location or {}).get("line") is not None
        yield f"{result.verdict}  {printable(name)}"
        yield f"  {printable(name)}:{one_line(result.reason)}" if known else f"  {one_line(result.reason)}"
        return
    answer = "" if result.answer is None else f": {one_line(str(result.answer))}"
    yield f"{result.verdict}{answer}  {printable(name)}"
    if result.reason:
        yield f"  {one_line(result.reason)}"
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    for goal in result.goals:
        verdict = f" ({goal['verdict']})" if len(result.goals) > 1 else ""
        yield f"  {one_line(goal['name'])}: {one_line(goal['words'])}{verdict}"
    if result.core is not None and result.core:
        conflict = result.verdict is Verdict.INCONSISTENT
        yield "  premises that contradict each other:" if conflict else "  premises used:"
        for premise in result.core:
            yield f"    {one_line(_premise(premise))}"
    for optimum in result.optima:
        value = optimum["value"] if optimum["attained"] else f"none: {optimum['reason']}"
        yield f"  {optimum['type']} {one_line(optimum['expression'])}: {one_line(str(value))}"
    if result.model:
        yield "  reached where:" if result.optimum is not None else "  " + _kind_of_world(result)
        yield from (f"    {one_line(line)}" for line in model_words(result.model))
    if result.semantics != "entailment" or result.world != "open":
        yield f"  read as {result.semantics}, in {'a closed' if result.world == 'closed' else 'an open'} world"
    if result.trust_level:
        yield f"  trust level {result.trust_level}: {TRUST[result.trust_level]}"


TRUST = {
    "L0": "one solver says so",
    "L1": "posed again in a fresh process",
    "L2": "posed again, and the premises are shown to be consistent",
    "L3": "posed again, the premises are consistent, and a second solver confirms it",
}


def _kind_of_world(result: VerificationResult) -> str:
    counter = any(goal["countermodel"] for goal in result.goals)
    return f"a world of the premises in which it is {'false' if counter else 'true'}:"


def _premise(premise: dict[str, Any]) -> str:
    origin = {"text": "sentence", "world": "world knowledge", "closure": "closed world", "derived": "derived"}
    said = origin.get(premise["origin"], "")
    if premise["sentences"]:
        said = f"sentence {', '.join(map(str, premise['sentences']))}"
    return f"{premise['name']}: {premise['words']}" + (f" [{said}]" if said else "")


__all__ = ["ProgramRequest", "ask_programs", "to_json"]
