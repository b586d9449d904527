"""The three symbolic agents of Lean: prove, sketch, refute."""

from __future__ import annotations

from dataclasses import dataclass

from goedels_poetry.languages.lean.runtime import LeanRuntime
from goedels_poetry.languages.lean.symbolic.attempts import SMALL, Clock, Proposal, first_success, tried
from goedels_poetry.languages.lean.symbolic.portfolio import (
    Words,
    apart,
    closers,
    direct,
    extra_tactics,
    further,
    witnesses,
    words_of,
)
from goedels_poetry.languages.lean.symbolic.schemes import schemes
from goedels_poetry.languages.lean.symbolic.structure import Plan, close, open_plan, plans, unsolved
from goedels_poetry.languages.lean.symbolic.theory import Goal, Theory, opened, theory_of
from goedels_poetry.languages.lean.task import Task

QUICK_CLOSERS = 5


@dataclass(frozen=True, slots=True)
class Room:
    """A goal and what is known about its surroundings."""

    goal: Goal
    theory: Theory
    words: Words


async def look(lean: LeanRuntime, task: Task, clock: Clock) -> Room | None:
    """The goal of a task as Lean sees it; None when Lean gives no answer."""
    goal = await opened(lean, task, clock.left)
    if goal is None:
        return None
    theory = await theory_of(lean, task.prefix, clock.left)
    extra = await extra_tactics(lean, task.prefix, clock.left)
    return Room(goal, theory, words_of(goal, theory, [fact.name for fact in task.facts], task.types, extra))


async def prove(lean: LeanRuntime, task: Task, *, seconds: float, seed: int) -> Proposal | None:
    """A proof by one tactic or one structural step, accepted by Lean; None when there is none in time.

    ``seed`` changes nothing: there is no chance in it.
    """
    clock = Clock(seconds)
    room = await look(lean, task, clock)
    if room is None:
        return None
    found = await first_success(lean, task, _texts(room, direct(room.goal, room.words)), clock=clock)
    found = found or await first_success(lean, task, await _with_witnesses(lean, task, room, clock), clock=clock)
    if found is not None:
        return found
    made, found = await _structured(lean, task, room, clock)
    found = found or await first_success(lean, task, _texts(room, further(room.goal, room.words)), clock=clock)
    return found or await close(lean, task, room.goal, made, closers(room.words, thorough=True)[QUICK_CLOSERS:], clock)


async def _with_witnesses(lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> list[str]:
    """Attempts that take the hypotheses apart, as far as Lean says they can be."""
    steps = apart(room.goal, room.theory)
    said = await tried(lean, task, _texts(room, [step for _, step, _ in steps]), SMALL, clock) if steps else []
    usable = {}
    for step, messages in zip(steps, said, strict=True):
        if unsolved(messages) is not None:
            usable.setdefault(step[0], step)
    return _texts(room, witnesses(room.goal, room.theory, room.words, list(usable.values())))


async def _structured(lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> tuple[list[Plan], Proposal | None]:
    """The plans for a goal, after the quick closers were tried on all their cases."""
    steps = schemes(room.goal, room.theory, types=task.types)
    made = await plans(lean, task, room.goal, steps, clock)
    return made, await close(lean, task, room.goal, made, closers(room.words), clock)


def _texts(room: Room, tactics: list[str]) -> list[str]:
    return [f"{room.goal.start}  {tactic}" for tactic in tactics]


async def sketch(
    lean: LeanRuntime, task: Task, *, banned: frozenset[str], seconds: float, leave_open: bool
) -> Proposal | None:
    """A decomposition that is not ``banned``: as few open cases as possible, each with `sorry`.

    Without ``leave_open`` only one that closes every case, which is a proof. None when no strategy is left.
    """
    clock = Clock(seconds)
    room = await look(lean, task, clock)
    if room is None:
        return None
    made, found = await _structured(lean, task, room, clock.part(seconds / 2))
    if found is not None and found.fingerprint not in banned:
        return found
    if not leave_open:
        return None
    return await open_plan(lean, task, room.goal, made, banned, clock)


__all__ = ["Room", "look", "prove", "sketch"]
