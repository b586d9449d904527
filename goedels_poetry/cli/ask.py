"""The part of the command ``ask`` that answers a question in plain language: a model writes, a solver decides."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from goedels_poetry.cli.ask_program import reading_lines
from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.inputs import STDIN, Source, certificate_folder, claims, make_folder, read, read_beside
from goedels_poetry.cli.report import model_costs, say_verdict
from goedels_poetry.cli.requests import Ask
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.cli.session import guarded, print_json, progress_of, stoppable
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.postprocessors import parse_option, post_processors
from goedels_poetry.reasoning.proof_of_thought import lettered
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.solving import solve_with
from goedels_poetry.reasoning.steps import PostProcessor
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.settings.declared import Settings
from goedels_poetry.trace.terminal import indented, lines_to, one_line, printable, say

SCHEMA = 1
"""Version of the object that ``ask --json`` prints for a question."""
DEFAULT_TIMEOUT = 900.0
"""Seconds for a question: slow models take a minute for a reply, and several replies may be needed."""


def ask_question(request: Ask) -> int:
    """Answer one question; returns the exit code."""
    return guarded(lambda: _ask(request))


def _ask(request: Ask) -> int:
    make_folder(request.out.parent if request.out is not None else None)  # the certificate is put in its place whole
    question, in_force = _question(request), settings_of(request, timeout=DEFAULT_TIMEOUT)
    posted = dict(map(parse_option, request.post))
    processors = post_processors(posted, {name: config for name, config in posted.items() if config})
    result = asyncio.run(_run(request, question, processors, in_force))
    if not result.run_id and result.verdict is Verdict.INVALID and not request.as_json:
        raise Unusable(result.reason)
    if request.as_json:
        print_json({"schema": SCHEMA, **result.to_json(), "exit_code": result.verdict.exit_code})
    else:
        out = lines_to(sys.stdout)
        for line in page(result):
            say(out, line)
        say_verdict(out, result.verdict, one_line(result.question), result.reason, answer=_answer(result))
        sys.stdout.flush()
    return result.verdict.exit_code


def _question(request: Ask) -> Question:
    sources = list(claims(request.inputs))
    if len(sources) != 1:
        many = "one question at a time" if sources else "there is no question"
        raise Unusable(f'{many}: goedels-poetry ask "...", or --program FILE for programs')
    typed = [source for source in sources if source.name == STDIN]
    if typed and request.context == STDIN:
        raise Unusable("standard input cannot hold both the question and its context")
    text = request.inputs[0] if sources[0].text is not None else read(sources[0])  # as typed, line by line
    context = read_beside("--context", request.context) if request.context is not None else ""
    asking = request.asking
    if request.choice:
        asking["choices"] = lettered(list(map(_choice, request.choice)))
    return Question(text, context, **asking)


def _choice(text: str) -> tuple[str, str] | str:
    letter, equals, label = text.partition("=")
    return (letter.strip(), label.strip()) if equals and len(letter.strip()) == 1 else text


async def _run(
    request: Ask, question: Question, processors: Sequence[PostProcessor], in_force: Settings
) -> QueryResult:
    progress = progress_of(request)
    label = " ".join(question.asked.split())[:60].replace("/", "_")
    source, text = Source(label, Path(label)), f"{question.text}\0{question.context}"
    async with GoedelsPoetryFramework(in_force) as framework:
        with stoppable(progress, framework.interrupt):
            return await solve_with(
                framework,
                question,
                processors,
                fresh=request.fresh or request.by_script,
                out=certificate_folder(request.out, source, text, fresh=request.fresh),
                on_event=lambda event: progress.event("question", event),
            )


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
    if result.confidence:
        level, score = result.confidence["level"], result.confidence["score"]
        yield f"  confidence in the formalisation: {level} ({score:.0%})"
    yield from reading_lines(result)
    if result.program is not None:
        yield f"  program ({result.backend}, attempt {result.attempts}):"
        yield from indented(result.program)
    if result.certificate is not None:
        yield f"  certificate: {printable(result.certificate)}"
    if result.run_id:
        calls, read, written, money, seconds = (
            result.costs.get(name, 0) for name in ("calls", "input_tokens", "output_tokens", "money", "wall_seconds")
        )
        yield f"  run {result.run_id}: {model_costs(calls, read + written, money, seconds)}"


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
