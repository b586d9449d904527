"""The part of the command `ask` that answers programs: files in, verdicts out, no model asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, attempt_read, find, is_awaited
from goedels_poetry.cli.report import say_failure, say_invalid, say_verdict
from goedels_poetry.cli.requests import Ask
from goedels_poetry.cli.run_errors import Failure, failure_of, worst_code
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.result import Semantics, VerificationResult, World, invalid_result, render_model
from goedels_poetry.reasoning.backends import BACKENDS, JSONBackend, SMT2Backend
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.smt.notation.infix import render
from goedels_poetry.trace.terminal import lines_to, one_line, say

SCHEMA = 1
"""Version of the object that ``ask --program --json`` prints."""
SUFFIXES = {".smt2": "smt2", ".json": "json"}


def ask_programs(request: Ask, inputs: list[str], jobs: int) -> int:
    """Answer each program, in the order given, ``jobs`` at once; returns the exit code of the worst outcome."""
    sources = list(find(inputs, tuple(SUFFIXES)))
    if not sources:
        say(lines_to(sys.stderr), f"no programs in {', '.join(map(one_line, inputs))}")
        return Verdict.INVALID.exit_code
    # Here, where Ctrl-C ends the waiting.
    typed = {source: attempt_read(source) for source in sources if is_awaited(source)}
    confirm = len(sources) == 1 if request.confirm is None else request.confirm
    jobs = min(jobs, len(sources))
    by_dialect = {
        name: backend(
            request.verify_timeout,
            request.optimize_timeout,
            semantics=request.semantics.value,
            world=request.world.value,
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
            threads.map(
                lambda s: _answer(s, typed[s] if s in typed else attempt_read(s), request, by_dialect), sources
            ),
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


def _answer(
    source: Source, text: str | Unreadable, request: Ask, by_dialect: dict[str, SMT2Backend | JSONBackend]
) -> tuple[VerificationResult, Failure | None]:
    """One program; whatever happens becomes a result, or the reason why there is none."""
    semantics: Semantics = request.semantics.value
    world: World = request.world.value
    if isinstance(text, Unreadable):
        error = InvalidInput(text.reason, text.line, text.column)
        return replace(invalid_result(error, semantics=semantics, world=world), reason=text.reason), None
    try:
        return by_dialect[request.backend or _backend(source, text)].execute(text), None
    except Exception as error:  # noqa: BLE001 - a defect on one program must not stop the others
        failure = failure_of(error, Path())  # no run is kept of programs
        return VerificationResult(None, Verdict.UNKNOWN, failure.reason, semantics=semantics, world=world), failure


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
        say_failure(lines_to(sys.stdout), failure, source.name)
    else:
        show(source.name, result)
    sys.stdout.flush()


TRUST = {
    "L0": "one solver says so",
    "L1": "posed again in a fresh process",
    "L2": "posed again, and the premises are shown to be consistent",
    "L3": "posed again, the premises are consistent, and a second solver confirms it",
}
_CONTRADICTORY = {
    "L2": "posed again, and they contradict each other again",
    "L3": "posed again, and a second solver says, too, that they contradict each other",
}
"""In place of those of TRUST, which speak of consistent premises."""


def show(name: str, result: VerificationResult) -> None:
    """Print the page to standard output."""
    out = lines_to(sys.stdout)
    if result.verdict is Verdict.INVALID:
        say_invalid(out, name, result.reason, result.location)
        return
    for line in _page(result):
        say(out, line)
    answer = "" if result.answer is None else f"{result.verdict}: {one_line(str(result.answer))}"
    say_verdict(out, result.verdict, name, result.reason, answer=answer)


def _page(result: VerificationResult) -> Iterator[str]:
    """What stands above verdict and answer, line by line: what was asked, evidence."""
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
        yield f"  {optimum['type']} {one_line(render(optimum['expression']))}: {one_line(str(value))}"
    if result.model:
        yield "  reached where:" if result.optimum is not None else "  " + _kind_of_world(result)
        yield from (f"    {one_line(line)}" for line in render_model(result.model))
    yield from reading_lines(result)


def reading_lines(result: VerificationResult | QueryResult) -> Iterator[str]:
    """How the goal was read, where that is unusual, and what the trust level says about the verdict."""
    if result.semantics != "entailment" or result.world != "open":
        yield f"  read as {result.semantics}, in {'a closed' if result.world == 'closed' else 'an open'} world"
    if level := result.trust_level:
        contradictory = _CONTRADICTORY if result.verdict is Verdict.INCONSISTENT else {}
        yield f"  trust level {level}: {contradictory.get(level) or TRUST[level]}"


def _kind_of_world(result: VerificationResult) -> str:
    counter = any(goal["countermodel"] == result.model for goal in result.goals)
    return f"a world of the premises in which it is {'false' if counter else 'true'}:"


def _premise(premise: dict[str, Any]) -> str:
    origin = {"text": "sentence", "world": "world knowledge", "closure": "closed world", "derived": "derived"}
    source = origin.get(premise["origin"], "")
    if premise["sentences"]:
        source = f"sentence {', '.join(map(str, premise['sentences']))}"
    return f"{premise['name']}: {premise['words']}" + (f" [{source}]" if source else "")
