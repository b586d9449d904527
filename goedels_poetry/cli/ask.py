"""The command ``ask``: a question in plain language that a model writes down, or a program; a solver decides."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from goedels_poetry.cli.configure import settings_of
from goedels_poetry.cli.inputs import (
    STDIN,
    Source,
    Unreadable,
    attempt_read,
    certificate_folder,
    claims,
    find,
    is_awaited,
    make_folder,
    read,
    read_beside,
)
from goedels_poetry.cli.report import model_costs, say_failure, say_invalid, say_verdict, write_new, write_whole
from goedels_poetry.cli.requests import Ask
from goedels_poetry.cli.run_errors import Failure, Unusable, failure_of, worst_code
from goedels_poetry.cli.session import guarded, print_json, progress_of, stoppable
from goedels_poetry.errors import InvalidInput
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.policy import (
    NO_CLAIM,
    NO_TRANSLATION,
    Policy,
    case_of,
    finding_of,
    read_policy,
    reviewed,
)
from goedels_poetry.questions.result import (
    Answer,
    Semantics,
    VerificationResult,
    World,
    invalid_result,
    render_model,
)
from goedels_poetry.reasoning.backends import BACKENDS, JSONBackend, SMT2Backend
from goedels_poetry.reasoning.postprocessors import parse_option, post_processors
from goedels_poetry.reasoning.proof_of_thought import lettered
from goedels_poetry.reasoning.solving import formalise, solve_with
from goedels_poetry.reasoning.steps import Advice, PostProcessor, QueryResult
from goedels_poetry.search.tasks.question import Question, is_heading, split
from goedels_poetry.settings.declared import Settings
from goedels_poetry.smt.notation.infix import render
from goedels_poetry.store.results import UNAVAILABLE
from goedels_poetry.trace.terminal import indented, lines_to, one_line, printable, say

# The part of the command `ask` that answers programs

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
            conditional=True,
        )
        for name, backend in BACKENDS.items()
    }
    codes = []
    threads = ThreadPoolExecutor(jobs, "goedels-poetry-program")
    try:
        for source, (result, failure) in zip(
            sources,
            threads.map(
                lambda s: _answer_program(s, typed[s] if s in typed else attempt_read(s), request, by_dialect), sources
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


def _answer_program(
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
    yield from condition_lines(result.conditions)
    yield from reading_lines(result)


def condition_lines(conditions: Iterable[dict[str, Any]]) -> Iterator[str]:
    """With which facts a question that is open would not be."""
    yield from (f"  {each['answer']}, if {one_line(each['words'])}" for each in conditions)


def reading_lines(result: VerificationResult | QueryResult) -> Iterator[str]:
    """How the goal was read, where that is unusual, and what the trust level says about the verdict."""
    if result.semantics != "entailment" or result.world != "open":
        yield f"  read as {result.semantics}, in {'a closed' if result.world == 'closed' else 'an open'} world"
    if result.grade == "reading":
        yield f"  follows under a reading of the text: {_word(result.reading_answer)}"
        yield from (f"    {one_line(words)}" for words in result.reading_assumptions)
    for reading in result.readings:
        if result.grade != "reading" or reading["answer"] != result.reading_answer:
            yield f"  read otherwise, {_word(reading['answer'])}: {one_line(reading['words'])}"
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


DEFAULT_TIMEOUT = 900.0
"""Seconds for a question: slow models take a minute for a reply, and several replies may be needed."""


def ask_question(request: Ask) -> int:
    """Answer one question; returns the exit code."""
    return guarded(lambda: _ask(request))


def _ask(request: Ask) -> int:
    make_folder(request.out.parent if request.out is not None else None)  # the certificate is put in its place whole
    question, in_force = _question(request), settings_of(request, timeout=DEFAULT_TIMEOUT)
    posted = dict(map(parse_option, (*request.post, *["best-guess"] * request.best_guess)))
    processors = post_processors(posted, {name: config for name, config in posted.items() if config})
    result = asyncio.run(_run(request, question, processors, in_force))
    if not result.run_id and result.verdict is Verdict.INVALID and not request.as_json:
        raise Unusable(result.reason)
    if request.as_json:
        print_json({"schema": SCHEMA, **result.to_json(), "exit_code": result.exit_code})
    else:
        out = lines_to(sys.stdout)
        for line in page(result):
            say(out, line)
        name = one_line(result.question)
        say_verdict(out, result.verdict, name, result.reason, answer=_answer(result), away=result.away)
        sys.stdout.flush()
    return result.exit_code


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
    if request.policy is not None:
        asking["policy"] = _policy(request.policy).base
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
    if result.finding:
        yield f"  finding: {result.finding}"
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
    yield from condition_lines(result.conditions)
    for warning in result.warnings:
        yield f"  warning: {one_line(warning)}"
    if result.confidence:
        level, score = result.confidence["level"], result.confidence["score"]
        yield f"  confidence in the formalisation: {level} ({score:.0%})"
    yield from reading_lines(result)
    if result.said_answer is not None:
        yield f"  likely, by the model's word alone: {_word(result.said_answer)}"
    if result.program is not None:
        yield f"  program ({result.backend}, attempt {result.attempts}):"
        yield from indented(case_of(result.program)[1].strip("\n") if result.policy else result.program)
    if result.certificate is not None:
        yield f"  certificate: {printable(result.certificate)}"
    if result.run_id:
        calls, read, written, money, seconds = (
            result.costs.get(name, 0) for name in ("calls", "input_tokens", "output_tokens", "money", "wall_seconds")
        )
        unpriced = result.costs.get("unpriced_replies", 0)
        yield f"  run {result.run_id}: {model_costs(calls, read + written, money, seconds, unpriced)}"


def _answer(result: QueryResult) -> str:
    return str(result.verdict) if result.answer is None else f"{_word(result.answer)} ({result.verdict})"


def _word(answer: Answer) -> str:
    return "open" if answer is None else one_line(str(answer).lower() if isinstance(answer, bool) else str(answer))


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


# Policies

TEST_MILLISECONDS = 5_000
"""For each test of a policy."""


def work_on_policy(request: Ask) -> int:
    """Write, review or test a policy; returns the exit code."""
    return guarded(lambda: _work_on_policy(request), os_errors=True)


def _policy(file: Path) -> Policy:
    try:
        return read_policy(read_beside("--policy", file))
    except InvalidInput as error:
        raise Unusable(f"{file}:{error}") from None


def _work_on_policy(request: Ask) -> int:
    assert request.policy is not None
    out, file = lines_to(sys.stdout), request.policy
    if request.formalise is not None:
        return _formalise(request, file, read_beside("--formalise", request.formalise))
    policy = _policy(file)
    if request.reviewed_by is not None and str(file) != STDIN:
        write_whole(file, reviewed(policy.text, request.reviewed_by))
        policy = _policy(file)
    head = {"schema": SCHEMA, "file": str(file), **policy.card}
    if not request.review and request.reviewed_by is None:
        return _run_tests(request, policy, head)
    page = [*policy.vocabulary(), *policy.page()] if request.review else []
    if request.as_json:
        print_json({**head, "page": page})
        return 0
    for line in page:
        say(out, f"  {printable(line)}")
    say(out, f"{printable(str(file))}: {one_line(head['standing'])}")
    return 0


def _run_tests(request: Ask, policy: Policy, head: dict[str, Any]) -> int:
    """The rules alone, then each test; the exit code is 0 where all agree, and there is one."""
    out, jobs = lines_to(sys.stdout), request.jobs or os.cpu_count() or 1
    backend = SMT2Backend(TEST_MILLISECONDS, world=request.world.value, processes=jobs, conditional=True)
    with ThreadPoolExecutor(jobs) as threads, backend:
        programs = (f"{policy.rules}\n{NO_CLAIM}", *(test.program for test in policy.tests))
        alone, *results = threads.map(backend.execute, programs)
    findings = [finding_of(result.verdict, result.goals) for result in results]
    rows: list[dict[str, Any]] = [
        {"question": test.question, "line": test.line, "expected": test.expected, "finding": finding}
        for test, finding in zip(policy.tests, findings, strict=True)
    ]
    failed = [row for row in rows if row["finding"] != row["expected"]]
    broken = Verdict.INVALID if NO_TRANSLATION in findings else Verdict.UNKNOWN
    verdict = alone.verdict if alone.core else broken if failed or not rows else Verdict.PROVED
    clash = [premise["name"] for premise in alone.core or ()]
    if request.as_json:
        tests = [{**row, "result": result.to_json()} for row, result in zip(rows, results, strict=True)]
        print_json({**head, "contradiction": clash, "tests": tests, "exit_code": verdict.exit_code})
        return verdict.exit_code
    for row, result in zip(rows, results, strict=True):
        wrong = f", expected {row['expected']}" if row in failed else ""
        say(out, f"{'FAILED' if wrong else 'ok':<8}{row['finding'] + wrong:<14}  {one_line(row['question'])}")
        for line in (
            (f"line {row['line']}: {result.reason}", *_page(replace(result, **policy.rendered(result.to_json()))))
            if wrong
            else ()
        ):
            say(out, f"  {one_line(line)}")
    if clash:
        say(out, f"inconsistent: the rules contradict each other: {', '.join(map(one_line, clash))}")
    counts = f"{len(rows) - len(failed)} of {len(rows)} tests agree; {len(policy.program.premises)} rules"
    say(out, f"{counts}, {one_line(head['standing'])}")
    return verdict.exit_code


def _formalise(request: Ask, file: Path, text: str) -> int:
    """Write the policy, where there is no other file of that name."""
    if file.exists():
        raise Unusable(f"{file} exists: review and edit it, or give another name")
    if all(map(is_heading, split(text))):
        raise Unusable(f"--formalise {request.formalise}: there is no sentence in it")
    title, in_force = file.stem.replace("_", " "), settings_of(request, timeout=DEFAULT_TIMEOUT)

    async def work() -> tuple[str, Advice]:
        progress, fresh = progress_of(request), request.fresh or request.by_script
        async with GoedelsPoetryFramework(in_force) as framework:
            with stoppable(progress, framework.interrupt):
                return await formalise(framework, title, text, fresh=fresh, on_event=partial(progress.event, "rules"))

    written, advice = asyncio.run(work())
    if not written and not advice.run_id:
        raise Unusable(advice.reason)
    if not written:
        go_on = "; the same command goes on" if advice.stopped else ""
        say(lines_to(sys.stderr), f"{printable(str(file))} is not written: {one_line(advice.reason)}{go_on}")
        code = (Verdict.OUT_OF_BUDGET if advice.stopped else Verdict.UNKNOWN).exit_code
        return UNAVAILABLE if advice.away else code
    write_new(file, written)
    policy = read_policy(written)
    left_out, rules = policy.left_out, len(policy.program.premises)
    if request.as_json:
        facts = {"rules": rules, "left_out": sorted(left_out), "costs": advice.costs, "exit_code": 0}
        print_json({"schema": SCHEMA, "file": str(file), **policy.card, **facts})
        return 0
    out = lines_to(sys.stdout)
    for number, why in left_out.items():
        say(out, f"  not formalised: [{number}] {one_line(policy.sentences[number])} ({one_line(why)})")
    counts = f"{rules} rules of {len(policy.sentences)} sentences"
    say(out, f"{printable(str(file))}: {counts}, {one_line(policy.card['standing'])}")
    return 0
