"""Structural proofs: a step of `schemes`, each of its cases closed by whatever closes it, the others left open."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from goedels_poetry.languages.lean.runtime.protocol import LeanRuntime, Message
from goedels_poetry.languages.lean.symbolic.attempts import LARGE, SMALL, Clock, Proposal, accepted, target_of, tried
from goedels_poetry.languages.lean.symbolic.schemes import Scheme
from goedels_poetry.languages.lean.symbolic.theory import Goal, read_goal
from goedels_poetry.languages.lean.task import Task
from goedels_poetry.languages.trials import Status, trial_log

BATCH = 5
SCHEME_BATCH = 12
MOST_CASES = 12


@dataclass(slots=True)
class Plan:
    """A step that applies to the goal, and what is known about its cases."""

    scheme: Scheme
    cases: tuple[str, ...]
    """Tags of the goals that it leaves."""
    size: int
    """Characters of these goals."""
    closed: dict[str, str] = field(default_factory=dict)
    """What closes a case."""
    tried: set[str] = field(default_factory=set)
    """What has been tried on its cases."""
    simplest: str = ""
    """The smallest goal that is left of an open case after a closer; "" when none has left any."""

    @property
    def open(self) -> tuple[str, ...]:
        """The cases that nothing has closed yet."""
        return tuple(case for case in self.cases if case not in self.closed)

    def proof(self, goal: Goal) -> str:
        """The text after ``:=``, with `sorry` in the open cases."""
        used = [self.closed.get(case, "sorry") for case in self.cases]
        step = _indented(self.scheme.tactic)
        if len(set(used)) == 1 and used[0] != "sorry":
            return f"{goal.start}  {step} <;> {used[0]}"
        lines = [
            f"  case {case} => {tactic}" if case else f"  {tactic}"
            for case, tactic in zip(self.cases, used, strict=True)
        ]
        return "\n".join([f"{goal.start}  {step}", *lines])


def _indented(tactic: str) -> str:
    return tactic.replace("\n", "\n  ")


async def plans(lean: LeanRuntime, task: Task, goal: Goal, steps: Sequence[Scheme], clock: Clock) -> list[Plan]:
    """The steps that apply to the goal and leave cases that can be told apart."""
    found = []
    for at in range(0, len(steps), SCHEME_BATCH):
        batch = steps[at : at + SCHEME_BATCH]
        proofs = [f"{goal.start}  {_indented(scheme.tactic)}" for scheme in batch]
        if clock.over:
            break
        for scheme, messages in zip(batch, await tried(lean, task, proofs, SMALL, clock), strict=True):
            left = unsolved(messages)
            if left is None:
                continue
            tags = tuple(tag for tag, _ in left)
            if (
                tags
                and (all(tags) or len(tags) == 1)
                and len(set(tags)) == len(tags) <= MOST_CASES
                and not _same(goal, left)
            ):
                found.append(Plan(scheme, tags, sum(len(text) for _, text in left)))
    return found


def _same(goal: Goal, left: Sequence[tuple[str, str]]) -> bool:
    """Whether the step has changed nothing."""
    return len(left) == 1 and read_goal(left[0][1]) == ([(v.name, v.type) for v in goal.context], goal.target)


def unsolved(messages: Sequence[Message] | None) -> list[tuple[str, str]] | None:
    """The tags and texts of the goals that Lean says to be left; None when there was any other error."""
    if messages is None:
        return None
    errors = [m for m in messages if m.severity == "error"]
    if any(not m.text.startswith("unsolved goals") for m in errors) or len(errors) > 1:
        return None
    if not errors:
        return []
    goals = errors[0].text.partition("\n")[2].split("\n\n")
    return [((re.match(r"case (\S+)", text) or ["", ""])[1], text) for text in goals]


async def close(
    lean: LeanRuntime, task: Task, goal: Goal, made: Sequence[Plan], closers: Sequence[str], clock: Clock
) -> Proposal | None:
    """Try every closer on every open case of the plans; the first plan without an open case is the proof."""
    work = [(plan, closer) for closer in closers for plan in made if closer not in plan.tried]
    slow: list[tuple[Plan, str]] = []
    log = trial_log()
    log.begin("structural steps")
    found = await _close(lean, task, goal, work, SMALL, clock, slow) or await _close(
        lean, task, goal, slow, LARGE, clock, []
    )
    if found is not None:
        log.end(Status.PROVED, "accepted", what=found.proof)
        return found
    log.end(*((Status.TIMEOUT, "the time was used up") if clock.over else (Status.FAILED, "each leaves a case open")))
    for plan in {id(plan): plan for plan, _ in work}.values():
        log.tried(plan.scheme.tactic, Status.OPEN, _still_open(plan), strategy=plan.scheme.strategy, left=plan.simplest)
    return None


def _still_open(plan: Plan) -> str:
    """For people; ``open`` is empty where Lean did not accept what was put together."""
    named = ", ".join(filter(None, plan.open))
    which = f": {named}" if named else ""
    return (
        f"{len(plan.open) or 'some'} of {len(plan.cases)} cases open{which} ({len(plan.tried)} tactics tried on each)"
    )


async def _close(
    lean: LeanRuntime,
    task: Task,
    goal: Goal,
    work: Sequence[tuple[Plan, str]],
    heartbeats: int,
    clock: Clock,
    slow: list[tuple[Plan, str]],
) -> Proposal | None:
    for at in range(0, len(work), BATCH):
        if clock.over:
            return None
        batch = work[at : at + BATCH]
        proofs = [f"{goal.start}  {_indented(plan.scheme.tactic)} <;> try (solve | {closer})" for plan, closer in batch]
        trial_log().at("; ".join(f"{' '.join(plan.scheme.tactic.split())} <;> {closer}" for plan, closer in batch))
        for (plan, closer), messages in zip(batch, await tried(lean, task, proofs, heartbeats, clock), strict=True):
            left = unsolved(messages)
            if left is None and heartbeats < LARGE:
                slow.append((plan, closer))
                continue
            plan.tried.add(closer)
            if left is None:
                continue
            still = {tag for tag, _ in left}
            targets = [target_of(text) for _, text in left]
            plan.simplest = min(filter(None, (plan.simplest, *targets)), key=len, default="")
            closes = [case for case in plan.cases if case not in still]
            if not still:
                plan.closed = dict.fromkeys(plan.cases, closer)  # one tactic for all reads better than several
            plan.closed.update({case: closer for case in closes if case not in plan.closed})
            if plan.open:
                continue
            proposal = proposed(goal, plan)
            if await accepted(lean, task, proposal, clock):
                return proposal
            plan.closed.clear()
    return None


def proposed(goal: Goal, plan: Plan) -> Proposal:
    """The plan as a proof or sketch."""
    return Proposal(plan.proof(goal), "", plan.scheme.strategy, fingerprint(plan.scheme), True, shape(goal))


def fingerprint(scheme: Scheme) -> str:
    """What makes two plans the same: the step itself."""
    return "lean:" + " ".join(scheme.tactic.split())


def shape(goal: Goal) -> str:
    """The kind of goal: its relation, and the types of its variables."""
    relation = re.search(r" (=|≠|≤|<|≥|>|∣|∧|∨|↔|∈) ", goal.target)
    types = sorted({v.type.split()[0] for v in goal.context if v.info == "default" and len(v.type) < 40})
    return f"{relation[1] if relation else '·'}:{','.join(types)}"


async def open_plan(
    lean: LeanRuntime, task: Task, goal: Goal, made: Sequence[Plan], banned: frozenset[str], clock: Clock
) -> Proposal | None:
    """The best plan with open cases that is not banned and that Lean accepts but for the holes."""
    fitting = [p for p in made if not p.scheme.creative and fingerprint(p.scheme) not in banned and p.open]
    order = {id(p): n for n, p in enumerate(fitting)}
    for plan in sorted(fitting, key=lambda p: (len(p.open), order[id(p)])):
        if clock.over:
            return None
        proposal = proposed(goal, plan)
        (messages,) = await tried(lean, task, [proposal.proof], LARGE, clock)
        if messages is not None and not any(m.severity == "error" for m in messages):
            return proposal
    return None
