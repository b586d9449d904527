"""Self-consistency: several independent answers to one question, and a vote among those that were decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from goedels_poetry.reasoning.results import QueryResult
from goedels_poetry.reasoning.steps import (
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
    without_answer,
)
from goedels_poetry.reasoning.votes import Tally, is_decided, vote_of

MAX_SAMPLES = 50


@dataclass(frozen=True, slots=True)
class SelfConsistency:
    """Sample and vote. Every sample is a run of its own, with a seed of its own and, after the first, more heat.

    Samples are asked for in waves, each of the smallest size after which the vote may be settled: no model is paid
    for a sample that could not change the answer, and the same replies give the same votes whatever came first.
    """

    name: ClassVar[str] = "self_consistency"
    samples: int = 5
    """Most answers that are asked for."""

    def __post_init__(self) -> None:
        if not 1 <= self.samples <= MAX_SAMPLES:
            raise ValueError(f"samples must be from 1 to {MAX_SAMPLES}, not {self.samples}")

    async def __call__(self, task: Task, inner: Solve, machine: Machine) -> QueryResult:
        """The answer with the most votes, by a sample that gave it; none for a tie."""
        results: list[QueryResult] = []
        spent: dict[str, float] = {}
        tally = Tally.of((), self.samples)
        stopped = False
        while not (tally.settled or stopped):
            first = task.question.sample + len(results)
            at = task.after(spent)
            wave = await at_once(inner(at.asking(sample=first + n)) for n in range(tally.needed))
            spent = in_turn(spent, side_by_side(*(result.costs for result in wave)))
            results += wave
            stopped = any(map(was_stopped, wave))
            tally = Tally.of([result for result in results if not was_stopped(result)], self.samples)
        return _elected(results, tally, spent)


def _elected(results: Sequence[QueryResult], tally: Tally, spent: dict[str, float]) -> QueryResult:
    """What the samples amount to."""
    votes = [{**evidence(result), "sample": number, "vote": vote_of(result)} for number, result in enumerate(results)]
    step = {"post": SelfConsistency.name, "votes": tally.counts, "not_asked": tally.left, "samples": votes}
    best = _standing_for(results, tally)
    best = replace(standing(best, results, spent), votes=tally.counts)
    asked = len(tally.votes)
    decided = sum(tally.decided)
    few = f"only {decided} of {asked} samples have an answer: {tally.text}"
    return noted(best, few if is_decided(best) and 2 * decided <= asked else "", **step)


def _standing_for(results: Sequence[QueryResult], tally: Tally) -> QueryResult:
    """The sample that is reported: of those with the winning vote the most trusted one, and then the first."""
    if not tally.settled:
        stopped = next(result for result in results if was_stopped(result))
        reason = f"{stopped.reason}; so far {tally.text}"
        return replace(stopped, reason=reason)
    if len(tally.leaders) == 1:
        (winner,) = tally.leaders
        return max((r for r in results if is_decided(r) and vote_of(r) == winner), key=_trusted)
    if tally.leaders:
        return without_answer(results[0], f"no majority: {tally.text}")
    commonest = next(iter(tally.counts))
    return next(result for result in results if vote_of(result) == commonest)


def _trusted(result: QueryResult) -> float:
    return float(result.confidence.get("score", 0.0))
