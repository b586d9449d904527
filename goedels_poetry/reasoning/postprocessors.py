"""Post-processors: ways of asking more than once. None of them changes a verdict by words; every answer is a run's.

They stand around each other in the order in which they are named, the first one next to the machine: of
``["self_refine", "self_consistency"]`` every sample is refined, and then the samples vote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.reasoning.steps import (
    Advice,
    Machine,
    PostProcessor,
    QueryResult,
    Solve,
    Tally,
    Task,
    at_once,
    chain,
    evidence,
    in_turn,
    is_decided,
    noted,
    score,
    side_by_side,
    standing,
    vote_of,
    was_stopped,
    without_answer,
    word_of,
)

MAX_SUBQUESTIONS, MAX_SAMPLES, MAX_ITERATIONS = 20, 50, 10
CLEARLY = 0.1
"""By how much the confidence in one program must exceed that in another for its proof to overturn the other's."""
STOPPED, CONTRADICTION = "stopped", "contradiction"
OVERRULED = ("overturned by a program that is trusted more", "kept: the other program is trusted less")


def _check(name: str, number: int, most: int) -> None:
    if not 1 <= number <= most:
        raise ValueError(f"{name} must be from 1 to {most}, not {number}")


# -- questions below a question ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decomposed:
    """Split, answer the parts at the same time, then answer the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "decomposed"
    max_subquestions: int = 5
    """Further ones of a plan are left out."""

    def __post_init__(self) -> None:
        _check("max_subquestions", self.max_subquestions, MAX_SUBQUESTIONS)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on the proved parts."""
        advice, questions = await _plan(task, machine, "decompose", self.max_subquestions)
        results = await at_once(inner(_below(task.after(advice.costs), question)) for question in questions)
        costs = in_turn(advice.costs, side_by_side(*(result.costs for result in results)))
        answers = [SubAnswer(n, *pair) for n, pair in enumerate(zip(questions, results, strict=True), 1)]
        return await _concluded(self.name, task, inner, advice, answers, costs)


@dataclass(frozen=True, slots=True)
class LeastToMost:
    """From the easiest part to the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "least_to_most"
    max_steps: int = 5
    """Further subquestions of a plan are left out."""

    def __post_init__(self) -> None:
        _check("max_steps", self.max_steps, MAX_SUBQUESTIONS)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on the proved steps."""
        advice, questions = await _plan(task, machine, "steps", self.max_steps)
        answers: list[SubAnswer] = []
        costs = advice.costs
        for number, question in enumerate(questions, 1):
            parts = [answer.to_json() for answer in answers]
            result = await inner(_below(_told(task.after(costs), parts), question))
            answers.append(SubAnswer(number, question, result))
            costs = in_turn(costs, result.costs)
            if was_stopped(result):
                break
        return await _concluded(self.name, task, inner, advice, answers, costs)


@dataclass(frozen=True, slots=True)
class SubAnswer:
    """The answer to one subquestion."""

    number: int
    """From 1, in the order of the plan."""
    question: str
    result: QueryResult

    @property
    def sentence(self) -> str:
        """A sentence to rely on; "" when nothing was decided, or by a program of low confidence."""
        if not is_decided(self.result) or self.result.confidence.get("level") == "low":
            return ""
        answer = self.result.answer
        asked = self.question.replace('"', "'")  # a program repeats these words inside of a string
        if not isinstance(answer, bool):
            return f"{asked} Answer: {answer}"
        if asked.endswith("?"):
            return f"{asked} {'Yes' if answer else 'No'}."
        return asked if answer else f"It is false that: {asked}"

    def to_json(self) -> dict[str, Any]:
        """As it stands in the result: with its own evidence."""
        result = self.result
        return {
            "number": self.number,
            "question": self.question,
            "derived": self.sentence,
            "reason": result.reason,
            "sentences": list(result.sentences),
            "assumptions": list(result.assumptions),
            **evidence(result),
        }


async def _plan(task: Task, machine: Machine, kind: str, most: int) -> tuple[Advice, list[str]]:
    """The subquestions that a model proposes; none when nothing of its reply can be used."""
    advice = await machine.advise(task.asking(task=kind, most=most))
    return advice, [str(question) for question in (advice.reply or {}).get("subquestions", ())][:most]


async def _concluded(
    name: str, task: Task, inner: Solve, advice: Advice, answers: Sequence[SubAnswer], costs: dict[str, Any]
) -> QueryResult:
    """The question itself, by a program that may rely on the answers; not asked when a limit ended one of them."""
    parts = [answer.to_json() for answer in answers]
    stopped = next((answer.result for answer in answers if was_stopped(answer.result)), None)
    if stopped is None:
        final = await inner(_told(task.after(costs), parts))
        costs = in_turn(costs, final.costs)
    else:
        question = f"{stopped.question!r}" if len(stopped.question) <= 80 else f"{stopped.question[:79]!r}…"
        final = replace(stopped, reason=f"{stopped.reason} (in the subquestion {question})", core=None)
    whole = inheriting(standing(final, (*(answer.result for answer in answers), final), costs), parts)
    decided = sum(bool(part["derived"]) for part in parts)
    outcome = f"{decided} of {len(parts)} subquestions decided" if parts else "not split"
    warning = "" if parts else f"{name}: asked as a whole, because {advice.reason or 'it was not split'}"
    return noted(whole, warning, post=name, outcome=outcome, reason=advice.reason, run_id=advice.run_id)


def _below(task: Task, text: str) -> Task:
    """A subquestion about the same text; the case that the question itself tells of becomes part of it."""
    question = task.question
    context = "\n\n".join(part for part in (question.context, "\n".join(question.facts)) if part)
    return task.asking(text=text, context=context, choices=())


def _told(task: Task, parts: Iterable[dict[str, Any]]) -> Task:
    """The same question, with the proved parts as known and the others as open."""
    known, still_open = dict.fromkeys(task.question.known), dict.fromkeys(task.question.open)
    for part in parts:
        known |= {part["derived"]: None} if part["derived"] else {}
        still_open |= {} if part["derived"] else {part["question"]: None}
    return task.asking(known=tuple(known), open=tuple(still_open))


def inheriting(result: QueryResult, parts: Sequence[dict[str, Any]]) -> QueryResult:
    """A result with the parts that its program could rely on; it has the assumptions of those that it does rely on."""
    used = {str(premise.get("words")) for premise in result.core or () if premise.get("origin") == "derived"}
    inherited = (assumed for part in parts if part["derived"] in used for assumed in part["assumptions"])
    assumptions = tuple(dict.fromkeys((*result.assumptions, *inherited)))
    return replace(result, subanswers=(*result.subanswers, *parts), assumptions=assumptions)


# -- votes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Sample and vote. Every sample is a run of its own, with a seed of its own and, after the first, more heat.

    Samples are asked for in waves, each of the smallest size after which the vote may be settled: no model is paid for
    a sample that could not change the answer, and the same replies give the same votes whatever came first.
    """

    name: ClassVar[str] = "self_consistency"
    samples: int = 5
    """Most answers that are asked for."""

    def __post_init__(self) -> None:
        _check("samples", self.samples, MAX_SAMPLES)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer with the most votes, by a sample that gave it; none for a tie."""
        results: list[QueryResult] = []
        spent: dict[str, float] = {}
        tally, stopped = Tally.of((), self.samples), False
        while not (tally.settled or stopped):
            first, at = task.question.sample + len(results), task.after(spent)
            wave = await at_once(inner(at.asking(sample=first + n)) for n in range(tally.needed))
            spent = in_turn(spent, side_by_side(*(result.costs for result in wave)))
            results += wave
            stopped = any(map(was_stopped, wave))
            tally = Tally.of([result for result in results if not was_stopped(result)], self.samples)
        votes = [{**evidence(result), "sample": n, "vote": vote_of(result)} for n, result in enumerate(results)]
        step = {"post": self.name, "votes": tally.counts, "not_asked": tally.left, "samples": votes}
        best = replace(standing(_elected(results, tally), results, spent), votes=tally.counts)
        asked, decided = len(tally.votes), sum(tally.decided)
        few = f"only {decided} of {asked} samples have an answer: {tally.text}"
        return noted(best, few if is_decided(best) and 2 * decided <= asked else "", **step)


def _elected(results: Sequence[QueryResult], tally: Tally) -> QueryResult:
    """The sample that is reported: of those with the winning vote the most trusted one, and then the first."""
    if not tally.settled:
        stopped = next(result for result in results if was_stopped(result))
        return replace(stopped, reason=f"{stopped.reason}; so far {tally.text}")
    if len(tally.leaders) == 1:
        return max((r for r in results if is_decided(r) and vote_of(r) == tally.leaders[0]), key=score)
    if tally.leaders:
        return without_answer(results[0], f"no majority: {tally.text}")
    commonest = next(iter(tally.counts))
    return next(result for result in results if vote_of(result) == commonest)


# -- critiques ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelfRefine:
    """Criticize and mend, several times. Costs two model calls and one run more for each time, at most.

    A result is replaced only by one that the checker decided, and of two proofs that contradict each other the one
    wins whose program is trusted more; when neither is, there is no answer.
    """

    name: ClassVar[str] = "self_refine"
    iterations: int = 2
    """Critiques; one that cannot be used is one of them."""

    def __post_init__(self) -> None:
        _check("iterations", self.iterations, MAX_ITERATIONS)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer of ``inner``, mended where a critique finds a fault and a proof confirms it."""
        result = await inner(task)
        for number in range(1, self.iterations + 1):
            if result.program is None or was_stopped(result):
                break
            result, go_on = await _improved(result, task, machine, number)
            if not go_on:
                break
        return result


async def _improved(result: QueryResult, task: Task, machine: Machine, number: int) -> tuple[QueryResult, bool]:
    """The result after one critique, and whether another one makes sense."""
    task, program = _told(task, result.subanswers), result.program or ""
    turns = (("assistant", program), ("user", render_result(result)))
    # Another number of the sample: a second critique of the same program is to be another one.
    sample = task.question.sample + number - 1
    advice = await machine.advise(task.after(result.costs).asking(task="critique", conversation=turns, sample=sample))
    result = replace(result, costs=in_turn(result.costs, advice.costs))

    def step(outcome: str, reason: str = "", warning: str = "") -> QueryResult:
        entry = {"post": SelfRefine.name, "round": number, "outcome": outcome, "reason": reason}
        return noted(result, warning, **entry, run_id=advice.run_id)

    if advice.stopped:
        return step(STOPPED, advice.reason, _cut_short(advice.reason)), False
    if advice.reply is None:
        return step("unusable critique", advice.reason), True
    faults = advice.reply["faults"]
    if not faults:
        if not advice.reply["vague"]:
            return step("no fault found"), False
        return step("vague critique", "it names no place in the program or the text"), True
    turns = (("assistant", program), ("user", str(advice.reply["message"])))
    refined = inheriting(await machine.answer(task.after(result.costs).asking(conversation=turns)), result.subanswers)
    winner, outcome, warning = _settled(result, refined)
    both = noted(
        standing(winner, (result, refined), in_turn(result.costs, refined.costs)),
        warning,
        post=SelfRefine.name,
        round=number,
        outcome=outcome,
        reason=warning or refined.reason,
        run_id=refined.run_id,
        faults=faults,
        before=evidence(result),
        after=evidence(refined),
    )
    return both, outcome not in (STOPPED, CONTRADICTION, *OVERRULED)


def render_result(result: QueryResult) -> str:
    """A result in words, for the critic of its program."""
    lines = [f"verdict: {result.verdict}"]
    if result.answer is not None:
        lines.append(f"answer: {word_of(result.answer)}")
    lines += [f"{name}: {text}" for name, text in (("goal", result.goal), ("reason", result.reason)) if text]
    for premise in result.core or ():
        cited = ", ".join(map(str, premise.get("sentences") or ()))
        source = f"sentence {cited}" if cited else str(premise.get("origin") or "origin not said")
        lines.append(f"rests on {premise['name']} ({source}): {premise['formula']}")
    lines += [f"assumed beside the text: {assumption}" for assumption in result.assumptions]
    if result.countermodel_words:
        lines.append(f"not excluded by the premises: {result.countermodel_words}")
    return "\n".join(lines)


def _settled(old: QueryResult, new: QueryResult) -> tuple[QueryResult, str, str]:
    """Which of two results stands, the outcome in a word or two, and a warning when they contradict each other."""
    if was_stopped(new):
        return old, STOPPED, _cut_short(new.reason)
    if (old.program or "").split() == (new.program or "").split():
        return old, "unchanged", ""
    if not is_decided(new):
        return old, "not confirmed", ""
    if not is_decided(old):
        return new, "answered", ""
    trusted = score(new) - score(old)
    if word_of(old.answer) == word_of(new.answer):
        return (new, "confirmed by another program", "") if trusted >= 0 else (old, "confirmed", "")
    contradiction = (
        f"two programs contradict each other: one gives {word_of(old.answer)} (confidence {score(old):.2f}), the one "
        f"that mends what a critique found in it gives {word_of(new.answer)} (confidence {score(new):.2f})"
    )
    if abs(trusted) > CLEARLY:
        return (new, OVERRULED[0], contradiction) if trusted > 0 else (old, OVERRULED[1], contradiction)
    return without_answer(old, contradiction), CONTRADICTION, contradiction


def _cut_short(reason: str) -> str:
    return f"the answer was not refined to the end: {reason}"


# -- the model's own word ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BestGuess:
    """Where nothing follows, not even under a reading, ask a model for its word: of grade ``likely``, no verdict."""

    name: ClassVar[str] = "best_guess"
    calls: int = 1
    """Requests at most."""

    def __post_init__(self) -> None:
        _check("calls", self.calls, 1)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The result of ``inner``, with ``said_answer`` where it is open."""
        result = await inner(task)
        if result.grade != "open" or result.verdict is not Verdict.UNKNOWN or was_stopped(result):
            return result
        advice = await machine.advise(task.after(result.costs).asking(task="guess", conversation=()))
        said = advice.reply or {}
        result = replace(result, costs=in_turn(result.costs, advice.costs), said_answer=said.get("answer"))
        outcome = f"the model says {word_of(said['answer'])}" if said else "no usable reply"
        reason = str(said.get("reason") or advice.reason)
        return noted(result, post=self.name, outcome=outcome, reason=reason, run_id=advice.run_id)


# -- by name -----------------------------------------------------------------------------------------------------

POST_PROCESSORS: dict[str, type[Any]] = {
    kind.name: kind for kind in (SelfRefine, SelfConsistency, Decomposed, LeastToMost, BestGuess)
}
"""name -> class; the fields of the class are its configuration."""
SEED_NAMES = {"num_iterations": "iterations", "num_samples": "samples"}
"""What ProofOfThought 1 calls them."""


def post_processors(
    wanted: Iterable[str | PostProcessor], configs: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[PostProcessor, ...]:
    """The post-processors of that name, with their configuration; instances stay what they are.

    Args:
        wanted: names in their order (``self-refine`` is ``self_refine``), or instances.
        configs: name -> configuration, e.g. ``{"self_refine": {"iterations": 2}}``.

    Raises:
        InvalidInput: no such name, twice the same, a configuration that fits none of them.
    """
    given = {_plain(name): dict(config) for name, config in (configs or {}).items()}
    named = [wanted] if isinstance(wanted, str) else wanted
    built = [_built(_plain(each), given) if isinstance(each, str) else each for each in named]
    names = [each.name for each in built]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"the post-processor {name} is named twice: once is enough")
    unused = sorted(given.keys() - set(names))
    if unused:
        raise InvalidInput(f"there is a configuration for {', '.join(unused)}, but no such post-processor is used")
    return tuple(built)


def parse_option(text: str) -> tuple[str, dict[str, int]]:
    """A word of the command line: ``self-consistency=5`` is ``("self_consistency", {"samples": 5})``.

    Raises:
        InvalidInput: no such post-processor, or the number is none.
    """
    name, equals, number = text.partition("=")
    kind = _kind(_plain(name))
    if not equals:
        return kind.name, {}
    if not number.strip().isdecimal():
        raise InvalidInput(f"{text!r}: {number.strip()!r} is no number; write e.g. {kind.name.replace('_', '-')}=3")
    return kind.name, {fields(kind)[0].name: int(number)}


def _built(name: str, configs: Mapping[str, Mapping[str, Any]]) -> PostProcessor:
    kind = _kind(name)
    config = {SEED_NAMES.get(option, option): value for option, value in configs.get(name, {}).items()}
    known = [f.name for f in fields(kind)]
    for option, value in config.items():
        if option not in known:
            raise InvalidInput(f"{name} has no option {option!r}; it has {', '.join(known)}")
        if not isinstance(value, int) or isinstance(value, bool):
            raise InvalidInput(f"{name}: {option} must be a number, not {value!r}")
    try:
        built: PostProcessor = kind(**config)
    except ValueError as problem:
        raise InvalidInput(f"{name}: {problem}") from problem
    return built


def _kind(name: str) -> type[Any]:
    if name not in POST_PROCESSORS:
        raise InvalidInput(f"there is no post-processor {name!r}; there are {', '.join(POST_PROCESSORS)}")
    return POST_PROCESSORS[name]


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_")


__all__ = [
    "POST_PROCESSORS",
    "Advice",
    "BestGuess",
    "Decomposed",
    "LeastToMost",
    "Machine",
    "PostProcessor",
    "SelfConsistency",
    "SelfRefine",
    "Solve",
    "Task",
    "at_once",
    "chain",
    "in_turn",
    "parse_option",
    "post_processors",
    "side_by_side",
    "standing",
]
