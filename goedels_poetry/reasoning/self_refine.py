"""Self-refine: a critique that has seen the program names faults, and the program that mends them is proved anew.

Words change nothing. What stands is replaced only by what the checker decided, and of two proofs that contradict each
other the one wins whose program is trusted more; when neither is, there is no answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from goedels_poetry.reasoning.parts import inheriting, with_parts
from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import (
    Machine,
    Solve,
    Task,
    evidence,
    in_turn,
    noted,
    standing,
    was_stopped,
    without_answer,
)
from goedels_poetry.reasoning.votes import is_decided, word_of

CLEARLY = 0.1
"""By how much the confidence in one program must exceed that in another for its proof to overturn the other's."""
MAX_ITERATIONS = 10
STOPPED, CONTRADICTION = "stopped", "contradiction"
OVERRULED = ("overturned by a program that is trusted more", "kept: the other program is trusted less")
VAGUE = "it names no place in the program or the text"


@dataclass(frozen=True, slots=True)
class SelfRefine:
    """Criticize and mend, several times. Costs two model calls and one run more for each time, at most."""

    name: ClassVar[str] = "self_refine"
    iterations: int = 2
    """Critiques; one that cannot be used is one of them."""

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MAX_ITERATIONS:
            raise ValueError(f"iterations must be from 1 to {MAX_ITERATIONS}, not {self.iterations}")

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
    task = with_parts(task, result)
    program = result.program or ""
    turns = (("assistant", program), ("user", render_result(result)))
    # Another number of the sample: a second critique of the same program is to be another one.
    sample = task.question.sample + number - 1
    advice = await machine.advise(task.after(result.costs).asking(task="critique", conversation=turns, sample=sample))
    result = replace(result, costs=in_turn(result.costs, advice.costs))

    def step(outcome: str, reason: str = "") -> QueryResult:
        entry = {"post": SelfRefine.name, "round": number, "outcome": outcome, "reason": reason}
        return noted(result, _cut_short(reason) if outcome == STOPPED else "", **entry, run_id=advice.run_id)

    if advice.stopped:
        return step(STOPPED, advice.reason), False
    if advice.reply is None:
        return step("unusable critique", advice.reason), True
    faults = advice.reply["faults"]
    if not faults:
        vague = int(advice.reply["vague"])
        return (step("vague critique", VAGUE), True) if vague else (step("no fault found"), False)
    turns = (("assistant", program), ("user", str(advice.reply["message"])))
    refined = await machine.answer(task.after(result.costs).asking(conversation=turns))
    refined = inheriting(refined, result.subanswers)
    winner, outcome, warning = _settled(result, refined)
    both = standing(winner, (result, refined), in_turn(result.costs, refined.costs))
    both = noted(
        both,
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
    """What came of a program, in the words that its critic reads."""
    lines = [f"verdict: {result.verdict}"]
    if result.answer is not None:
        lines.append(f"answer: {word_of(result.answer)}")
    if result.goal:
        lines.append(f"goal: {result.goal}")
    if result.reason:
        lines.append(f"reason: {result.reason}")
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
    trusted = _score(new) - _score(old)
    if word_of(old.answer) == word_of(new.answer):
        return (new, "confirmed by another program", "") if trusted >= 0 else (old, "confirmed", "")
    contradiction = (
        f"two programs contradict each other: one gives {word_of(old.answer)} (confidence {_score(old):.2f}), the one "
        f"that mends what a critique found in it gives {word_of(new.answer)} (confidence {_score(new):.2f})"
    )
    if trusted > CLEARLY:
        return new, OVERRULED[0], contradiction
    if trusted < -CLEARLY:
        return old, OVERRULED[1], contradiction
    return without_answer(old, contradiction), CONTRADICTION, contradiction


def _cut_short(reason: str) -> str:
    return f"the answer was not refined to the end: {reason}"


def _score(result: QueryResult) -> float:
    """Confidence in the formalization, from 0 to 1; where nothing is known it is as good as any other."""
    return float(result.confidence.get("score", 0.0))
