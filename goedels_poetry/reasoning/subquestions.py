"""Questions below a question: how they are found, and what their answers are to the question above.

Only what the checker decided becomes a sentence to rely on, and only when the confidence in the program is not low. The
rest is told as open, so that nobody assumes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import Advice, Machine, Solve, Task, evidence, in_turn, noted, standing
from goedels_poetry.reasoning.votes import is_decided

MAX_SUBQUESTIONS = 20


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


def check_most(name: str, most: int) -> None:
    """Raises ValueError for a number of subquestions, by the name of its parameter, that is out of range."""
    if not 1 <= most <= MAX_SUBQUESTIONS:
        raise ValueError(f"{name} must be from 1 to {MAX_SUBQUESTIONS}, not {most}")


async def plan(
    task: Task, machine: Machine, kind: Literal["decompose", "steps"], most: int
) -> tuple[list[str], Advice]:
    """The subquestions that a model proposes, each once, at most ``most`` of them; [] when nothing can be used."""
    advice = await machine.advise(task.asking(task=kind, most=most))
    reply = advice.reply or {}
    return [str(subquestion) for subquestion in reply.get("subquestions", ())][:most], advice


def below(task: Task, text: str) -> Task:
    """A subquestion about the same text; the case that the question itself tells of becomes part of it."""
    question = task.question
    context = "\n\n".join(part for part in (question.context, "\n".join(question.facts)) if part)
    return task.asking(text=text, context=context, choices=())


def relying_on(task: Task, answers: Sequence[SubAnswer]) -> Task:
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


async def ask_whole(
    task: Task, inner: Solve, answers: Sequence[SubAnswer], costs: dict[str, Any], name: str, advice: Advice
) -> QueryResult:
    """The question itself, by a program that may rely on the answers; ``costs``: of all before it."""
    final = await inner(relying_on(task.after(costs), answers))
    return put_together(final, answers, in_turn(costs, final.costs), name, advice)


def put_together(
    result: QueryResult, answers: Sequence[SubAnswer], costs: dict[str, Any], name: str, advice: Advice
) -> QueryResult:
    """The result of the last run, with the answers that it could rely on listed apart."""
    whole = standing(result, (*(answer.result for answer in answers), result), costs)
    whole = inheriting(whole, [answer.to_json() for answer in answers])
    decided = sum(bool(answer.sentence) for answer in answers)
    outcome = f"{decided} of {len(answers)} subquestions decided" if answers else "not split"
    warning = "" if answers else f"{name}: asked as a whole, because {advice.reason or 'it was not split'}"
    return noted(whole, warning, post=name, outcome=outcome, reason=advice.reason, run_id=advice.run_id)


def stopped_early(
    answers: Sequence[SubAnswer], stopped: QueryResult, costs: dict[str, Any], name: str, advice: Advice
) -> QueryResult:
    """A limit ended the run of a subquestion: the question itself has not been asked."""
    question = f"{stopped.question!r}" if len(stopped.question) <= 80 else f"{stopped.question[:79]!r}…"
    reason = f"{stopped.reason} (in the subquestion {question})"
    return put_together(replace(stopped, reason=reason, core=None), answers, costs, name, advice)
