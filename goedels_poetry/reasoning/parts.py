"""Decomposed and least to most: questions below a question, and what their answers are to the question above.

Only what the checker decided becomes a sentence to rely on, and only when the confidence in the program is not low. The
rest is passed on as open, so that no program assumes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import (
    Advice,
    Machine,
    Solve,
    Task,
    at_once,
    evidence,
    in_turn,
    noted,
    side_by_side,
    standing,
    was_stopped,
)
from goedels_poetry.reasoning.votes import is_decided

MAX_SUBQUESTIONS = 20


@dataclass(frozen=True, slots=True)
class Decomposed:
    """Split, answer the parts at the same time, then answer the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "decomposed"
    max_subquestions: int = 5
    """Further ones of a plan are left out."""

    def __post_init__(self) -> None:
        _check_most("max_subquestions", self.max_subquestions)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on what is proved of the parts."""
        plan = await _Plan.of(task, machine, "decompose", self.max_subquestions, self.name)
        results = await at_once(inner(_below(task.after(plan.costs), question)) for question in plan.questions)
        for question, result in zip(plan.questions, results, strict=True):
            plan.add(question, result)
        plan.costs = in_turn(plan.costs, side_by_side(*(result.costs for result in results)))
        return await plan.concluded(task, inner)


@dataclass(frozen=True, slots=True)
class LeastToMost:
    """From the easiest part to the whole. Costs one call and k runs more."""

    name: ClassVar[str] = "least_to_most"
    max_steps: int = 5
    """Further subquestions of a plan are left out."""

    def __post_init__(self) -> None:
        _check_most("max_steps", self.max_steps)

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer to the question by a program that may rely on what is proved of the steps."""
        plan = await _Plan.of(task, machine, "steps", self.max_steps, self.name)
        for question in plan.questions:
            result = await inner(_below(_relying_on(task.after(plan.costs), plan.answers), question))
            plan.add(question, result)
            plan.costs = in_turn(plan.costs, result.costs)
            if was_stopped(result):
                break
        return await plan.concluded(task, inner)


@dataclass(frozen=True, slots=True)
class SubAnswer:
    """What is known about one subquestion."""

    number: int
    """From 1, in the order of the plan."""
    question: str
    result: QueryResult

    @property
    def sentence(self) -> str:
        """What may be relied on, in words; "" when nothing was decided, or by a program that is hardly trusted."""
        if not is_decided(self.result) or self.result.confidence.get("level") == "low":
            return ""
        answer, asked = self.result.answer, self.question
        # No quotes: a program repeats these words inside of a string.
        asked = asked.replace('"', "'")
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


@dataclass
class _Plan:
    """The subquestions that a model proposes, each once; none when nothing of its reply can be used."""

    name: str
    questions: list[str]
    advice: Advice
    costs: dict[str, Any]
    answers: list[SubAnswer]

    @classmethod
    async def of(cls, task: Task, machine: Machine, kind: Literal["decompose", "steps"], most: int, name: str) -> _Plan:
        """Ask for at most ``most`` of them."""
        advice = await machine.advise(task.asking(task=kind, most=most))
        proposed = (advice.reply or {}).get("subquestions", ())
        return cls(name, [str(subquestion) for subquestion in proposed][:most], advice, advice.costs, [])

    def add(self, question: str, result: QueryResult) -> None:
        """The next answer."""
        self.answers.append(SubAnswer(len(self.answers) + 1, question, result))

    async def concluded(self, task: Task, inner: Solve) -> QueryResult:
        """The question itself, by a program that may rely on the answers; not asked when a limit ended one of them."""
        stopped = next((answer.result for answer in self.answers if was_stopped(answer.result)), None)
        if stopped is None:
            final = await inner(_relying_on(task.after(self.costs), self.answers))
            return self._together(final, in_turn(self.costs, final.costs))
        question = f"{stopped.question!r}" if len(stopped.question) <= 80 else f"{stopped.question[:79]!r}…"
        reason = f"{stopped.reason} (in the subquestion {question})"
        return self._together(replace(stopped, reason=reason, core=None), self.costs)

    def _together(self, result: QueryResult, costs: dict[str, Any]) -> QueryResult:
        """The result of the last run, with the answers that it could rely on listed apart."""
        whole = standing(result, (*(answer.result for answer in self.answers), result), costs)
        whole = inheriting(whole, [answer.to_json() for answer in self.answers])
        decided = sum(bool(answer.sentence) for answer in self.answers)
        outcome = f"{decided} of {len(self.answers)} subquestions decided" if self.answers else "not split"
        reason = self.advice.reason
        warning = "" if self.answers else f"{self.name}: asked as a whole, because {reason or 'it was not split'}"
        return noted(whole, warning, post=self.name, outcome=outcome, reason=reason, run_id=self.advice.run_id)


def _check_most(name: str, most: int) -> None:
    """Raises ValueError for a number of subquestions, by the name of its parameter, that is out of range."""
    if not 1 <= most <= MAX_SUBQUESTIONS:
        raise ValueError(f"{name} must be from 1 to {MAX_SUBQUESTIONS}, not {most}")


def _below(task: Task, text: str) -> Task:
    """A subquestion about the same text; the case that the question itself tells of becomes part of it."""
    question = task.question
    context = "\n\n".join(part for part in (question.context, "\n".join(question.facts)) if part)
    return task.asking(text=text, context=context, choices=())


def _relying_on(task: Task, answers: Sequence[SubAnswer]) -> Task:
    """The same question, with what is proved told as known and what is open as open."""
    return _told(task, [answer.to_json() for answer in answers])


def with_parts(task: Task, result: QueryResult) -> Task:
    """The same question as the last program of a result was written for: with what is known of its parts."""
    return _told(task, result.subanswers)


def _told(task: Task, parts: Iterable[dict[str, Any]]) -> Task:
    known, still_open = dict.fromkeys(task.question.known), dict.fromkeys(task.question.open)
    for part in parts:
        known |= {part["derived"]: None} if part["derived"] else {}
        still_open |= {} if part["derived"] else {part["question"]: None}
    return task.asking(known=tuple(known), open=tuple(still_open))


def inheriting(result: QueryResult, parts: Sequence[dict[str, Any]]) -> QueryResult:
    """A result with the parts that its program could rely on; what those that it does rely on assume, it assumes."""
    used = {str(premise.get("words")) for premise in result.core or () if premise.get("origin") == "derived"}
    inherited = (subquestion for part in parts if part["derived"] in used for subquestion in part["assumptions"])
    assumptions = tuple(dict.fromkeys((*result.assumptions, *inherited)))
    return replace(result, subanswers=(*result.subanswers, *parts), assumptions=assumptions)
