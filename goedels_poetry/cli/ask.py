"""The part of the command ``ask`` that answers a question in plain language: a model writes, a solver decides."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goedels_poetry.cli.configure import BadSettings, Flags, Unusable, settings_of
from goedels_poetry.cli.endings import say_verdict
from goedels_poetry.cli.failures import INTERRUPTED, code_after_failure
from goedels_poetry.cli.formal import claims
from goedels_poetry.cli.inputs import STDIN, Source, Unreadable, certificate_folder, read, read_beside
from goedels_poetry.cli.program_page import level_text
from goedels_poetry.cli.signals import Signals
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import PriceError
from goedels_poetry.models.prompts import PromptError
from goedels_poetry.models.record import RecordingError
from goedels_poetry.reasoning.postprocessors import PostProcessor, parse_option, post_processors
from goedels_poetry.reasoning.postprocessors.runs import solve_with
from goedels_poetry.reasoning.proof_of_thought import lettered
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.settings.declared import Settings
from goedels_poetry.tasks.question import Question
from goedels_poetry.trace.lines import Lines, Silent
from goedels_poetry.trace.terminal import console, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``ask --json`` prints for a question."""
DEFAULT_TIMEOUT = 900.0
"""Seconds for a question: slow models take a minute for a reply, and several replies may be needed."""


@dataclass(frozen=True)
class QuestionRequest(Flags):
    """What the command line asks for."""

    inputs: list[str]
    """The question itself, or a .txt or .md file."""
    context: str | None = None
    """File with the text to rely on, ``-`` for standard input."""
    asking: dict[str, Any] = field(default_factory=dict)
    """Fields of `Question`, those given."""
    choices: list[str] = field(default_factory=list)
    """Texts, or ``LETTER=text``."""
    post: list[str] = field(default_factory=list)
    """Post-processors, as ``NAME`` or ``NAME=NUMBER``."""


def ask_question(request: QuestionRequest) -> int:
    """Answer one question; returns the exit code."""
    errors = console(sys.stderr)
    try:
        if request.out is not None:
            request.out.parent.mkdir(parents=True, exist_ok=True)  # the certificate is put in its place whole
    except OSError as problem:
        say(errors, f"--out {one_line(str(request.out))}: {problem.strerror or problem}")
        return Verdict.INVALID.exit_code
    try:
        question, in_force = _question(request), settings_of(request, timeout=DEFAULT_TIMEOUT)
        posted = dict(map(parse_option, request.post))
        processors = post_processors(posted, {name: config for name, config in posted.items() if config})
        result = asyncio.run(_run(request, question, processors, in_force))
    except (Unusable, BadSettings, InvalidInput, RecordingError, PriceError, PromptError) as problem:
        say(errors, one_line(str(problem)))
        return Verdict.INVALID.exit_code
    except GoedelsPoetryError as problem:  # e.g. another process is at it
        say(errors, one_line(str(problem)))
        return code_after_failure(problem, Verdict.UNKNOWN.exit_code)
    except asyncio.CancelledError:
        return INTERRUPTED
    if not result.run_id and result.verdict is Verdict.INVALID and not request.as_json:
        say(errors, one_line(result.reason))
    else:
        _print(request, result)
    return result.verdict.exit_code


def _question(request: QuestionRequest) -> Question:
    sources = list(claims(request.inputs))
    if len(sources) != 1:
        many = "one question at a time" if sources else "there is no question"
        raise Unusable(f'{many}: goedels-poetry ask "...", or --program FILE for programs')
    typed = [source for source in sources if source.name == STDIN]
    if typed and request.context == STDIN:
        raise Unusable("standard input cannot hold both the question and its context")
    try:
        text = request.inputs[0] if sources[0].text is not None else read(sources[0])  # as typed, line by line
        context = read_beside("--context", request.context) if request.context is not None else ""
    except Unreadable as problem:
        raise Unusable(problem.reason) from problem
    asking = dict(request.asking)
    if request.choices:
        asking["choices"] = lettered(list(map(_choice, request.choices)))
    return Question(text, context, **asking)


def _choice(text: str) -> tuple[str, str] | str:
    letter, equals, label = text.partition("=")
    return (letter.strip(), label.strip()) if equals and len(letter.strip()) == 1 else text


async def _run(
    request: QuestionRequest, question: Question, processors: Sequence[PostProcessor], in_force: Settings
) -> QueryResult:
    silent = request.quiet or request.as_json
    progress = Silent(sys.stderr) if silent else Lines(sys.stderr, several=False)
    async with GoedelsPoetryFramework(in_force) as framework:

        def stop() -> None:
            progress.note("stopping; press Ctrl-C once more to stop at once")
            framework.interrupt()

        with progress, Signals(stop):
            return await solve_with(
                framework,
                question,
                processors,
                fresh=request.fresh or request.by_script,
                out=_folder(request.out, question, fresh=request.fresh),
                on_event=lambda event: progress.event("question", event),
            )


def _folder(out: Path | None, question: Question, *, fresh: bool) -> Path | None:
    """Where the certificate goes below ``--out``: another place for each question and text, and for each fresh run."""
    if out is None:
        return None
    label = " ".join(question.asked.split())[:60].replace("/", "_")
    first = certificate_folder(out, Source(label, Path(label)), f"{question.text}\0{question.context}")
    place, number = first, 1
    while fresh and place.exists():
        number += 1
        place = first.with_name(f"{first.name}-{number}")
    return place


def _print(request: QuestionRequest, result: QueryResult) -> None:
    if request.as_json:
        posted = {"schema": SCHEMA, **result.to_json(), "exit_code": result.verdict.exit_code}
        sys.stdout.write(json.dumps(posted, default=str) + "\n")
    else:
        out = console(sys.stdout)
        for line in page(result):
            say(out, line)
        say_verdict(out, result.verdict, one_line(result.question), result.reason, answer=_answer(result))
    sys.stdout.flush()


def page(result: QueryResult) -> Iterator[str]:
    """What stands above the answer, line by line: what it rests on, how far it can be trusted, what it cost."""
    if result.goal_words:
        yield f"  asked: {one_line(result.goal_words)}"
    for option in result.options:
        yield f"  {one_line(option['name'])}) {one_line(option['text'])}: {option['verdict']}"
    yield from _grounds(result)
    for part in result.subanswers:
        yield f"  part {part['number']} ({part['verdict']}): {one_line(part['derived'] or part['question'])}"
    if result.votes:
        yield f"  votes: {', '.join(f'{answer} {count}' for answer, count in result.votes.items())}"
    for step in result.steps:
        if "outcome" in step:
            number = f" {step['round']}" if "round" in step else ""
            yield f"  {step['post'].replace('_', '-')}{number}: {one_line(step['outcome'])}"
    if result.countermodel_words:
        yield "  a world of the premises in which it is false:"
        yield from (f"    {one_line(line)}" for line in result.countermodel_words.split("; "))
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    if result.semantics != "entailment" or result.world != "open":
        yield f"  read as {result.semantics}, in {'a closed' if result.world == 'closed' else 'an open'} world"
    if result.confidence:
        level, score = result.confidence["level"], result.confidence["score"]
        yield f"  confidence in the formalisation: {level} ({score:.0%})"
    if result.trust_level:
        yield f"  trust level {result.trust_level}: {level_text(result.trust_level, result.verdict)}"
    if result.program is not None:
        yield f"  program ({result.backend}, attempt {result.attempts}):"
        for line in result.program.splitlines():
            yield f"    {printable(line.expandtabs())}".rstrip()
    if result.certificate is not None:
        yield f"  certificate: {printable(result.certificate)}"
    if result.run_id:
        costs = result.costs
        tokens = costs.get("input_tokens", 0) + costs.get("output_tokens", 0)
        spent = f"{costs.get('calls', 0):,} model calls, {tokens:,} tokens, ${costs.get('money', 0):.4f}"
        yield f"  run {result.run_id}: {spent}, {costs.get('wall_seconds', 0):.1f} s"


def _answer(result: QueryResult) -> str:
    answer = str(result.answer).lower() if isinstance(result.answer, bool) else result.answer
    return str(result.verdict) if answer is None else f"{one_line(str(answer))} ({result.verdict})"


def _grounds(result: QueryResult) -> Iterator[str]:
    """Sentences and premises that the verdict rests on, and apart from them what is not in the text."""
    if result.sentences:
        contradict = result.verdict is Verdict.INCONSISTENT
        yield "  sentences that contradict each other, as they were read:" if contradict else "  because:"
        for sentence in result.sentences:
            yield f"    [{sentence['number']}] {one_line(sentence['text'])}"
    if result.assumptions:
        yield "  assumed, not in the text:"
        yield from (f"    {one_line(assumption)}" for assumption in result.assumptions)
