"""One question: a run of the state machine, or several with post-processors, and one result with its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.accounting import Ledger, SharedBudget
from goedels_poetry.models.client import CHARACTERS_PER_TOKEN
from goedels_poetry.protocol.base import REFUSED, VACUOUS
from goedels_poetry.questions.policy import AMBIGUOUS, NO_TRANSLATION, finding_of, policy_text
from goedels_poetry.questions.result import Answer, countermodel_of, render_model
from goedels_poetry.reasoning.steps import Advice, PostProcessor, QueryResult, Task, chain, in_turn
from goedels_poetry.search.machine.runner import MachineRunner
from goedels_poetry.search.retrieval import best_of
from goedels_poetry.search.tasks.base import TITLE_LENGTH, headline
from goedels_poetry.search.tasks.question import (
    DECIDED,
    DOUBTED,
    MAX_QUESTION,
    TRUST,
    Question,
    Sentence,
    is_heading,
    numbered,
    programs,
    split,
)
from goedels_poetry.settings.declared import Budgets
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import OnEvent, RunResult
from goedels_poetry.store.state import ROOT

DECIDES = (Verdict.PROVED, Verdict.REFUTED)
"""Verdicts with which there is an answer."""


async def solve(
    framework: MachineRunner,
    question: Question,
    *,
    fresh: bool = False,
    out: Path | None = None,
    on_event: OnEvent | None = None,
    allowance: SharedBudget | None = None,
    budgets: Budgets | None = None,
) -> QueryResult:
    """Ask once: formalize, verify, correct, decide. A finished run of the same question is not asked again.

    Args:
        question: see :class:`Question`; ``sample`` tells apart several independent answers to one question.
        fresh: begin anew even if there is a run of this question.
        out: directory for the certificate.
        on_event: called in the event loop after every commit of the run; must not block.
        allowance: what other runs with the same purpose leave of the budgets.

    Raises:
        RunLocked: another process is at it. Whatever a model answers, and a limit that is reached, is a result.
    """
    question, unread = read_part(question, _room(framework))
    run = await framework.aask(question, fresh=fresh, out=out, on_event=on_event, allowance=allowance, budgets=budgets)
    if not run.run_id:
        return _empty(question, run)
    with framework.open_store(run.run_id) as store:
        result = answer_of(question, run, store)
    return replace(result, warnings=(*result.warnings, *unread))


SECTION_LENGTH = 1_500
"""Characters after which a section of a text ends with its sentence."""


def _sections(sentences: Iterable[str]) -> list[list[str]]:
    """The sentences of a text by section; one ends before a heading, and after `SECTION_LENGTH`."""
    sections: list[list[str]] = [[]]
    for sentence in sentences:
        if sections[-1] and (is_heading(sentence) or sum(map(len, sections[-1])) > SECTION_LENGTH):
            sections.append([])
        sections[-1].append(sentence)
    return sections


def _room(framework: MachineRunner) -> int:
    """Characters of a text that are read: half of what the model holds, where that is known."""
    endpoint = framework.models.endpoints.get("formalizer") if framework.models is not None else None
    context = endpoint.settings.context if endpoint is not None else None
    return min(MAX_QUESTION, context * CHARACTERS_PER_TOKEN // 2) if context else MAX_QUESTION


def read_part(question: Question, room: int) -> tuple[Question, tuple[str, ...]]:
    """The question with the sections of its text that fit, those that share words with it first; and a warning."""
    if len(question.context) <= room:
        return question, ()
    sections = _sections(split(question.context))
    texts, kept, left = ["\n".join(section) for section in sections], set[int](), room
    for number in best_of(texts, question.text):
        if len(texts[number]) < left:
            kept.add(number)
            left -= len(texts[number]) + 1
    unread = [headline(section[0]) for number, section in enumerate(sections) if number not in kept]
    named = "; ".join(unread[:20]) + ("; …" if len(unread) > 20 else "")
    notice = f"{len(unread)} of {len(sections)} sections of the text were not read, it is too long: {named}"
    return replace(question, context="\n".join(texts[number] for number in sorted(kept))), (notice,)


def answer_of(question: Question, run: RunResult, store: StoreReader) -> QueryResult:
    """The result of a run that has ended or stopped."""
    root = store.root()
    decided = store.load(root.refs[DECIDED]) if DECIDED in root.refs else None
    program = str(store.load(decided["program"])) if decided is not None else None
    report: dict[str, Any] = store.load(decided["report"]) if decided is not None else {}
    details: dict[str, Any] = {**report.get("result", {}), **(run.answer or {})}
    doubts: tuple[str, ...] = (str(report["reason"]),) if report.get("kind") == VACUOUS else ()
    if question.policy and question.rules.card["reviewed"] is None:
        doubts = (*doubts, f"the policy is {question.rules.card['standing']}")
    past = programs(store.history(ROOT))
    tests = [store.load(root.refs[name]) for name in (TRUST, DOUBTED) if name in root.refs]
    trust: dict[str, Any] = next((t for t in tests if decided and t.get("program") == decided["program"]), {})
    if question.policy:
        details |= question.rules.rendered(details)
    goals = list(details.get("goals", ()))
    core = with_texts(details.get("core"), question.sentences)
    settled = run.verdict in DECIDES or run.verdict is Verdict.INCONSISTENT
    unknown = run.verdict is Verdict.UNKNOWN
    counter = countermodel_of(goals) if unknown else None
    return replace(
        _empty(question, run),
        answer=_answer(question, run.verdict, details),
        program=program,
        goal="\n".join(str(goal["formula"]) for goal in goals),
        goal_words="; ".join(filter(None, (str(goal.get("words") or "") for goal in goals))),
        core=core if settled else None,
        sentences=_used(core, question.sentences) if settled else (),
        assumptions=_assumptions(core if settled else None, details),
        **_readings(question, report),
        countermodel=counter,
        countermodel_words="; ".join(render_model(counter)),
        conditions=with_texts(details.get("conditions", ()) if unknown else (), question.sentences) or (),
        finding=finding_of(run.verdict, goals) if question.policy else "",
        options=_options(question, goals),
        attempts=root.attempts,
        history=tuple(_attempt(store, entry) for entry in past),
        confidence=dict(trust.get("confidence", {})),
        warnings=tuple(
            dict.fromkeys((*doubts, *run.warnings, *details.get("warnings", ()), *trust.get("warnings", ())))
        ),
    )


def _empty(question: Question, run: RunResult) -> QueryResult:
    """What is known without looking into the run."""
    return QueryResult(
        question=question.text,
        answer=None,
        verdict=run.verdict,
        context=question.context,
        backend=question.backend,
        semantics=question.semantics,
        world=question.world,
        costs=costs_of(run.metrics),
        certificate=str(run.certificate) if run.certificate is not None else None,
        trust_level=run.trust_level,
        reason=run.reason,
        warnings=run.warnings,
        run_id=run.run_id,
        away=run.away,
        finding=NO_TRANSLATION if question.policy and run.verdict in (Verdict.UNKNOWN, Verdict.INVALID) else "",
        policy=question.rules.card if question.policy and run.run_id else None,
    )


def _answer(question: Question, verdict: Verdict, details: Mapping[str, Any]) -> Answer:
    """The checker's answer, when its verdict is the run's; to a multiple-choice question only a letter is one."""
    if verdict not in DECIDES or details.get("verdict") != str(verdict):
        return None
    return _chosen(question, details.get("answer"))


def _readings(question: Question, report: Mapping[str, Any]) -> dict[str, Any]:
    """Fields about readings: of the program as it was decided in the run, and not of one that begs the question."""
    found: Mapping[str, Any] = report.get("result", {})
    if report.get("kind") == REFUSED or question.policy:  # the rules of a policy have been reviewed as they stand
        return {}
    return {
        "reading_answer": _chosen(question, found.get("reading_answer")),
        "reading_assumptions": tuple(found.get("reading_assumptions", ())),
        "readings": tuple(found.get("readings", ())),
    }


def _chosen(question: Question, answer: Answer) -> Answer:
    return answer if isinstance(answer, str) or not question.choices else None


def with_texts(
    core: Iterable[Mapping[str, Any]] | None, sentences: Iterable[Sentence]
) -> tuple[dict[str, Any], ...] | None:
    """Premises with the sentences that they say they render."""
    if core is None:
        return None
    texts = {s.number: s.text for s in sentences}
    return tuple(
        {**premise, "text": " ".join(texts[n] for n in premise.get("sentences", ()) if n in texts)} for premise in core
    )


def _used(core: Iterable[Mapping[str, Any]] | None, sentences: Iterable[Sentence]) -> tuple[dict[str, Any], ...]:
    numbers = {number for premise in core or () for number in premise.get("sentences", ())}
    return tuple({"number": s.number, "text": s.text} for s in sentences if s.number in numbers)


def _assumptions(core: Iterable[Mapping[str, Any]] | None, details: Mapping[str, Any]) -> tuple[str, ...]:
    """Used premises that are not in the text, and what the program's own definitions and lists of things assume."""
    used = [_premise_text(premise) for premise in core or () if str(premise.get("origin")) != "text"]
    return tuple(dict.fromkeys((*used, *map(str, details.get("assumed", ())))))


def _premise_text(premise: Mapping[str, Any]) -> str:
    line = str(premise.get("words") or premise.get("formula") or premise.get("name"))
    return {"derived": f"derived: {line}", "closure": f"closed world: {line}"}.get(str(premise.get("origin")), line)


def _options(question: Question, goals: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    verdicts = {str(goal["name"]).removeprefix("goal-").removeprefix("goal_"): goal["verdict"] for goal in goals}
    return tuple(
        {"name": letter, "text": text, "verdict": verdicts.get(letter, str(Verdict.UNKNOWN))}
        for letter, text in question.choices
    )


def _attempt(store: StoreReader, entry: Mapping[str, Any]) -> dict[str, Any]:
    ref = entry.get("program_ref")
    return {
        "program": None if ref is None else str(store.load(ref)),
        "verdict": str(entry["verdict"]),
        "outcome": str(entry["outcome"]),
        "reason": str(entry["reason"]),
    }


def costs_of(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Of models: calls, tokens, money, replies without a known price and from the cache; seconds of solvers, in all."""
    models = metrics.get("models", {})
    return {
        "calls": int(models.get("calls", 0)),
        "input_tokens": int(models.get("tokens_in", 0)),
        "output_tokens": int(models.get("tokens_out", 0)),
        "money": float(models.get("money", 0.0)),
        "unpriced_replies": int(models.get("unpriced", 0)),
        "cached_replies": int(models.get("replies_from_cache", 0)),
        "solver_seconds": float(metrics.get("solver_seconds", 0.0)),
        "wall_seconds": float(metrics.get("wall_seconds", 0.0)),
    }


# -- several runs with one budget ---------------------------------------------------------------------------------


class SharedRuns:
    """Runs that belong to one question. Every one is kept under an id of its own, so that a resume finds it again.

    Args:
        framework: its settings' budgets hold for all runs together.
        fresh: begin every run anew.
        on_event: called after every commit of every run; must not block.
    """

    def __init__(self, framework: MachineRunner, *, fresh: bool = False, on_event: OnEvent | None = None) -> None:
        self._framework = framework
        self._fresh = fresh
        self._on_event = on_event
        self._ledger = Ledger(framework.settings.budgets)

    async def answer(self, task: Task) -> QueryResult:
        """One run; see :func:`~goedels_poetry.reasoning.solving.solve`."""
        return await solve(
            self._framework,
            task.question,
            fresh=self._fresh,
            on_event=self._on_event,
            allowance=self._budget(task),
        )

    async def advise(self, task: Task) -> Advice:
        """One run of the refiner."""
        question = task.question
        run = await self._framework.aask(
            question,
            name=" ".join(f"{question.task}: {question.text}".split())[:TITLE_LENGTH],
            fresh=self._fresh,
            on_event=self._on_event,
            allowance=self._budget(task),
        )
        reply = (run.answer or {}).get("said")
        stopped = run.verdict is Verdict.OUT_OF_BUDGET
        why = "" if reply else run.reason
        return Advice(reply, why, costs_of(run.metrics), run.run_id, stopped, bool(run.away))

    def _budget(self, task: Task) -> SharedBudget:
        return SharedBudget(self._ledger, task.used_wall_seconds, task.used_solver_seconds)


async def solve_with(
    framework: MachineRunner,
    question: Question,
    processors: Sequence[PostProcessor],
    *,
    fresh: bool = False,
    out: Path | None = None,
    on_event: OnEvent | None = None,
) -> QueryResult:
    """Answer a question with post-processors around the machine; without any it is one run.

    Asking again goes on where it stood: runs that have ended are not asked again, those that were stopped go on.

    Raises:
        RunLocked: another process is at one of the runs.
    """
    if not processors:
        return await solve(framework, question, fresh=fresh, out=out, on_event=on_event)
    question, unread = read_part(question, _room(framework))
    with framework.together():
        machine = SharedRuns(framework, fresh=fresh, on_event=on_event)
        result = await chain(processors, machine)(Task(question))
        if out is not None and result.certificate is not None:
            certified = await framework.aresume(result.run_id, out=out)
            warnings = tuple(dict.fromkeys((*result.warnings, *certified.warnings)))
            result = replace(result, certificate=str(certified.certificate or result.certificate), warnings=warnings)
        finding = AMBIGUOUS if question.policy and len(result.votes) > 1 else result.finding
        return replace(result, finding=finding, warnings=(*result.warnings, *unread))


async def formalise(
    framework: MachineRunner, title: str, text: str, *, fresh: bool = False, on_event: OnEvent | None = None
) -> tuple[str, Advice]:
    """A policy file for a rule text, one request for each section; and costs, or why there is no file.

    A finished section is not asked for again.
    """
    listed = [(sentence.number, sentence.text) for sentence in numbered(split(text))]
    parts, costs, end = list[Mapping[str, Any]](), dict[str, Any](), 0
    machine = SharedRuns(framework, fresh=fresh, on_event=on_event)
    for section in _sections(sentence for _, sentence in listed):
        end += len(section)
        if all(is_heading(sentence) for sentence in section):
            continue
        policy = policy_text(title, listed[:end], parts)
        question = Question(f"{title}: rules up to sentence {end}", policy=policy, task="rules")
        advice = await machine.advise(Task(question).after(costs))
        costs = in_turn(costs, advice.costs)
        if advice.reply is None:
            return "", replace(advice, costs=costs)
        parts.append(advice.reply["added"])
    return policy_text(title, listed, parts), Advice({}, costs=costs)
