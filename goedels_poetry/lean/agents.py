"""The symbolic agents of Lean that prove and sketch; proofs that were found are made shorter."""

from __future__ import annotations

import asyncio
import re
import textwrap
import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goedels_poetry.lean.arithmetic.predicates import Predicate, predicates_of
from goedels_poetry.lean.arithmetic.tactics import arithmetic, bounded_cases
from goedels_poetry.lean.runtime.protocol import CheckRequest, Hole, LeanRuntime
from goedels_poetry.lean.tactics.portfolio import (
    SMALL,
    Clock,
    Hints,
    Proposal,
    accepted,
    apart,
    closers,
    direct,
    extra_tactics,
    first_success,
    hints_of,
    tried,
    witnesses,
)
from goedels_poetry.lean.tactics.structure import Plan, close, open_plan, plans, schemes, shape, unsolved
from goedels_poetry.lean.tactics.theory import Goal, Theory, Unfolded, opened, theory_of, unfolded, with_suffix
from goedels_poetry.lean.text.sketch import call, edited
from goedels_poetry.lean.text.task import Task, lemma_statement
from goedels_poetry.protocol.trials import Status, TrialLog, logging_trials, trial_log

if TYPE_CHECKING:
    from goedels_poetry.lean.goals.engine import Engine

ENGINE, ENGINE_PLAN = "lemmas of the engine", "lean:engine"
ENGINE_SHARE = 0.5
"""The part of the time that goes to proofs of the engine's lemmas in Lean before anything else is tried."""
AT_ONCE = 6
"""Tactics that are tried before a search for values under which the goal is false: a quick proof saves that."""
OWN_SHARE = 2 / 3
"""The part of a sketch's time that goes to whole proofs without the engine, where the engine has a proof."""
DRAFT_SHARE = 0.5
"""The part of the time for closing the holes of a proof that the file begins, before any other proof is looked for."""
OWN_STEPS = "steps of the file"
MOST_ROOMS = 64


@dataclass(frozen=True, slots=True)
class Room:
    """A goal and what is known about its surroundings."""

    goal: Goal
    theory: Theory
    hints: Hints
    made: list[Plan] = field(default_factory=list)
    """The structural steps that apply to it, with the cases that are closed by now; [] before they were looked for."""
    proof: list[Proposal] = field(default_factory=list)
    """What `at_once` has found."""
    vain: set[str] = field(default_factory=set)
    """Tactics that it has tried in vain: `prove` does not try them again."""
    log: TrialLog = field(default_factory=TrialLog)
    """What came of them."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds that were given to a strategy in vain."""

    @property
    def predicates(self) -> dict[str, Predicate]:
        """The definitions of the file that are formulas of arithmetic."""
        return predicates_of(self.theory)


_ROOMS: weakref.WeakKeyDictionary[LeanRuntime, dict[Task, Room]] = weakref.WeakKeyDictionary()
"""What `prove` has found out about a goal and `sketch` goes on with; the latest goals of each Lean."""


async def look(lean: LeanRuntime, task: Task, clock: Clock) -> Room | None:
    """The goal of a task as Lean sees it; None when Lean gives no answer."""
    rooms = _ROOMS.setdefault(lean, {})
    if task not in rooms:
        room = await _look(lean, task, clock)
        if room is None:
            return None
        rooms[task] = room
        while len(rooms) > MOST_ROOMS:
            rooms.pop(next(iter(rooms)))
    return rooms[task]


async def _look(lean: LeanRuntime, task: Task, clock: Clock) -> Room | None:
    goal = await opened(lean, task, clock.left)
    if goal is None:
        return None
    theory = await theory_of(lean, task.prefix, clock.left)
    extra = await extra_tactics(lean, task.prefix, clock.left)
    return Room(goal, theory, hints_of(goal, theory, [fact.name for fact in task.facts], task.types, extra))


async def at_once(lean: LeanRuntime, task: Task, *, seconds: float) -> bool:
    """Whether one of the first tactics proves the goal; `prove` then gives that proof."""
    clock = Clock(seconds)
    task = (await unfolded(lean, task, clock.left)).task
    room = await look(lean, task, clock)
    if room is None:
        return False
    tactics = [t for t in direct(room.goal, room.hints) if "exact?" not in t][:AT_ONCE] + bounded_cases(room.goal)
    with logging_trials(room.log):
        found = await _first(lean, task, room, tactics, clock, "tactics")
    if found is not None:
        room.proof.append(found)
    elif not clock.over:
        room.vain.update(tactics)
    return found is not None


async def prove(lean: LeanRuntime, task: Task, *, seconds: float, engine: Engine | None = None) -> Proposal | None:
    """A proof by one tactic, one structural step or lemmas of the ``engine``, accepted by Lean; None: none in time."""
    clock = Clock(seconds)
    if task.draft and (found := await _filled(lean, task, clock.part(seconds * DRAFT_SHARE), engine)):
        return found
    smaller = await unfolded(lean, task, clock.left)
    task = smaller.task
    room = await look(lean, task, clock)
    if room is None or seconds < 2 * room.spent.get("prove", 0.0):
        return None
    found = room.proof[0] if room.proof else None
    found = found or await (
        _prove(lean, task, room, clock) if engine is None else _with(engine, lean, task, room, clock)
    )
    if found is None:
        room.spent["prove"] = seconds
        return None
    return _linked(smaller, await shorter(lean, task, found))


async def _filled(lean: LeanRuntime, task: Task, clock: Clock, engine: Engine | None) -> Proposal | None:
    """The proof that the file begins, with every hole closed where it stands; None when one stays open."""
    found, number = Proposal(task.draft, "", OWN_STEPS), 0
    while not clock.over:
        code = task.code(found.proof, found.helpers)
        seen = await lean.check(CheckRequest(code, prefix=task.prefix, seconds=clock.left, holes=True))
        start = len(task.prefix) + len(code) - 1 - len(found.proof)
        holes = [hole for hole in seen.holes if hole.start >= start]
        if not seen.ok or not holes or len(holes[0].goals) != 1 or not holes[0].goals[0].statement:
            return found if seen.ok and not holes and await accepted(lean, task, found, clock) else None
        (goal,), number = holes[0].goals, number + 1
        name, statement = lemma_statement(goal.statement, goal.levels)
        own = with_suffix(task.name.removeprefix("_root_."), f"_step_{number}")
        small = replace(task, head=statement.replace(name, own, 1), name=own, draft="")
        closing = await prove(lean, small, seconds=clock.left / len(holes), engine=engine)
        for new, helpers in await _closed(lean, small, closing, holes[0], clock) if closing else []:
            at = holes[0].start - start
            below = "\n" + " " * (at - found.proof.rfind("\n", 0, at) - 1)
            proof = edited(found.proof, [(at, holes[0].end - start, new.replace("\n", below))])
            more = "\n\n".join(filter(None, (found.helpers, helpers)))
            request = CheckRequest(task.code(proof, more), prefix=task.prefix, seconds=max(clock.left, 5.0))
            if (await lean.check(request)).ok:
                found = replace(found, proof=proof, helpers=more)
                break
        else:
            return None
    return None


async def _closed(lean: LeanRuntime, task: Task, found: Proposal, hole: Hole, clock: Clock) -> list[tuple[str, str]]:
    """What may stand in place of a hole, whose goal is the task, each with what it needs before the theorem."""
    lemma = f"{found.helpers}\n\n{task.head} := {found.proof}".strip()
    ways = [(call(task.name, hole.goals[0], hole.tactic), lemma)]
    room = None if found.helpers else await look(lean, (await unfolded(lean, task, clock.left)).task, clock)
    if room is not None:
        steps = textwrap.dedent(found.proof.removeprefix(room.goal.start).removeprefix("by\n")).strip()
        ways.insert(0, (steps if hole.tactic else f"by {steps}", ""))
    return ways


def _linked(smaller: Unfolded, found: Proposal) -> Proposal:
    """A proof or sketch of the goal from one of what is left of it without the functions that it defines."""
    if not smaller.link:
        return found
    lemma = f"{smaller.task.head} := {found.proof}"
    return replace(found, proof=smaller.link, helpers=f"{found.helpers.strip()}\n\n{lemma}".strip())


async def _with(engine: Engine, lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> Proposal | None:
    """Tactics while the engine looks for a proof; when it has one, that goes first, on the same Lean."""
    searching = asyncio.create_task(engine.search(lean, task, clock))
    shorter = clock.part(clock.left)
    trying = asyncio.create_task(_prove(lean, task, room, shorter))
    try:
        await asyncio.wait({searching, trying}, return_when=asyncio.FIRST_COMPLETED)
        if not trying.done() and searching.result():
            shorter.stop()
        found = await trying
        if found is not None:
            return found
        log, began = trial_log(), clock.left
        if await searching:
            log.begin(ENGINE)
            found = await engine.prove(lean, task, clock.part(clock.left * ENGINE_SHARE), once=True)
            if found is not None:
                log.end(Status.PROVED, "accepted", what=found.proof)
                return found
            log.end(Status.FAILED, "Lean finds no proof of some of its lemmas")
            found = await _prove(lean, task, room, clock) if shorter.over else None
            return found or await engine.prove(lean, task, clock)
        log.tried("", Status.FAILED, engine.known(lean, task).reason, began - clock.left, strategy=ENGINE)
        return None
    finally:
        for job in (searching, trying):
            job.cancel()
        await asyncio.gather(searching, trying, return_exceptions=True)


async def _prove(lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> Proposal | None:
    tactics = [tactic for tactic in direct(room.goal, room.hints) if tactic not in room.vain]
    trial_log().take({"trials": [trial.to_json() for trial in room.log.trials if trial.what]})
    found = await _first(lean, task, room, tactics, clock, "tactics")
    found = found or await _first(lean, task, room, arithmetic(room.goal, room.predicates), clock, "arithmetic")
    if found is None and not room.hints.all:  # the library alone may have it
        found = await _first(lean, task, room, ["exact?"], clock, "library search")
    if found is None:
        found = await _first(lean, task, room, await _with_witnesses(lean, task, room, clock), clock, "witnesses")
    found = found or await _structured(lean, task, room, clock)
    return found or await _first(lean, task, room, ["exact?"] if room.hints.all else [], clock, "library search")


async def _first(
    lean: LeanRuntime, task: Task, room: Room, tactics: list[str], clock: Clock, strategy: str
) -> Proposal | None:
    """The first tactic that proves the goal."""
    start = f"{room.goal.start}  "
    return await first_success(lean, task, [start + t for t in tactics], clock=clock, strategy=strategy, start=start)


async def _with_witnesses(lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> list[str]:
    """Attempts that take the hypotheses apart, as far as Lean says they can be."""
    steps = apart(room.goal, room.theory)
    texts = [f"{room.goal.start}  {step}" for _, step, _ in steps]
    replies = await tried(lean, task, texts, SMALL, clock) if steps else []
    usable: dict[str, tuple[str, str, str]] = {}
    for step, messages in zip(steps, replies, strict=True):
        if unsolved(messages) is not None:
            usable.setdefault(step[0], step)
    return witnesses(room.goal, room.theory, room.hints, list(usable.values()))


async def _structured(lean: LeanRuntime, task: Task, room: Room, clock: Clock) -> Proposal | None:
    """Find the plans for a goal, and try the likely closers on the cases of those that simplify it.

    What was tried before, for the same goal, is not tried again.
    """
    if not room.made:
        steps = schemes(room.goal, room.theory, types=task.types)
        room.made.extend(await plans(lean, task, room.goal, steps, clock))
    return await close(lean, task, room.goal, room.made, closers(room.goal, room.hints), clock)


async def sketch(
    lean: LeanRuntime,
    task: Task,
    *,
    banned: frozenset[str],
    seconds: float,
    leave_open: bool,
    engine: Engine | None = None,
) -> Proposal | None:
    """A decomposition that is not ``banned``: as few open cases as possible, each with `sorry`.

    Without ``leave_open`` only one that closes every case, which is a proof. None when no strategy is left.
    """
    if task.draft and leave_open and OWN_STEPS not in banned:
        return Proposal(task.draft, "", OWN_STEPS, OWN_STEPS)
    clock = Clock(seconds)
    smaller = await unfolded(lean, task, clock.left)
    found = await _sketch(lean, smaller.task, banned, clock, leave_open, engine)
    return None if found is None else _linked(smaller, found)


async def _sketch(
    lean: LeanRuntime, task: Task, banned: frozenset[str], clock: Clock, leave_open: bool, engine: Engine | None
) -> Proposal | None:
    room, seconds = await look(lean, task, clock), clock.left
    if room is None:
        return None
    helped = engine is not None and ENGINE_PLAN not in banned and bool(engine.known(lean, task).proofs)
    own = clock.part(seconds * OWN_SHARE if helped else seconds)
    found = await _structured(lean, task, room, own.part(seconds / 2))
    if found is not None and found.fingerprint not in banned:
        return replace(found, shape=shape(room.goal))
    if engine is not None and helped:
        # `prove` has not found a proof in Lean for all of the engine's lemmas: those become goals, but a whole proof by
        # other lemmas comes before goals that may be harder than this one.
        found = await engine.prove(lean, task, clock, leave_open=leave_open)
        if found is not None:
            return replace(found, shape=shape(room.goal))
    return await open_plan(lean, task, room.goal, room.made, banned, clock) if leave_open else None


# A proof that was found, made shorter: without steps and names that are of no use, names no longer than needed

SECONDS = 3.0
"""For making a proof shorter, besides the time for finding it."""
MOST_NAMES = 8
_GIVEN = re.compile(r"\b(?:simp|simp_all|simpa|dsimp|grind|norm_num|solve_by_elim)(?: only)?( \[([^\[\]⟪⟫]*)\])")
_SPLIT = re.compile(r"^( *)(?:induction|fun_induction|cases)\b[^\n]*? <;> ", re.M)
_DOTTED = re.compile(r"(?<![\w.'!?«»])[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)+(?![\w«])")
_SPACES = re.compile(
    r"^[ \t]*(?:namespace|open)[ \t]+(?:scoped[ \t]+)?([^\n(]+?)(?:[ \t]+(?:in|hiding|renaming)\b.*)?$", re.M
)


async def shorter(lean: LeanRuntime, task: Task, found: Proposal) -> Proposal:
    """The same proof with fewer and shorter words, which Lean has accepted, too."""
    clock = Clock(SECONDS)
    whole = task
    if found.helpers.strip():
        whole = replace(task, prefix=f"{task.prefix}{task.stubs}{found.helpers.strip()}\n\n", facts=())
    plain = _SPLIT.sub(r"\1", found.proof, count=1)
    alone = plain != found.proof and (await _good(lean, whole, [plain], clock))[0]
    made = replace(found, proof=await _with_less(lean, whole, plain if alone else found.proof, clock))
    made = await _with_short_names(lean, task, made, clock)
    return made if made == found or await accepted(lean, task, made, clock) else found


async def _with_less(lean: LeanRuntime, task: Task, proof: str, clock: Clock) -> str:
    """Without the names in brackets that a tactic does not need."""
    number = 0
    while not clock.over and len(lists := list(_GIVEN.finditer(proof))) > number:
        start, end = lists[number].span(1)
        names = [name.strip() for name in lists[number][2].split(",")]

        async def enough(ways: list[list[str]], begin: str = proof[:start], rest: str = proof[end:]) -> list[bool]:
            lists = [f" [{', '.join(some)}]" if some else "" for some in ways]
            return await _good(lean, task, [begin + given + rest for given in lists], clock)

        none, *without = await enough([[], *([n for n in names if n != name] for name in names)])
        needed = [name for name, fine in zip(names, without, strict=True) if not fine]
        ways = [needed, *([n for n in names if n in needed or n == name] for name in names)]  # one of several will do
        kept = [] if none else next((w for w, fine in zip(ways, await enough(ways), strict=True) if w and fine), names)
        given = f" [{', '.join(kept)}]" if kept else ""
        proof, number = f"{proof[:start]}{given}{proof[end:]}", number + bool(kept)
    return proof


async def _good(lean: LeanRuntime, task: Task, proofs: list[str], clock: Clock) -> list[bool]:
    replies = await tried(lean, task, proofs, SMALL, clock)
    bad = (said is None or any(m.severity == "error" or m.kind == "hasSorry" for m in said) for said in replies)
    return [not each for each in bad]


async def _with_short_names(lean: LeanRuntime, task: Task, found: Proposal, clock: Clock) -> Proposal:
    """Without the namespaces that the file is in or has opened."""
    spaces = {part for words in _SPACES.findall(task.prefix) for word in words.split() for part in word.split(".")}
    names = dict.fromkeys(n for n in _DOTTED.findall(f"{found.helpers}\n{found.proof}") if n.split(".")[0] in spaces)
    inside = re.compile(rf"^(?:(?:{'|'.join(map(re.escape, spaces))})\.)+")
    short = {name: inside.sub("", name) for name in names}
    for some in (short, *({name: new} for name, new in list(short.items())[: MOST_NAMES if len(short) > 1 else 0])):
        made = replace(found, proof=_renamed(found.proof, some), helpers=_renamed(found.helpers, some))
        request = CheckRequest(task.code(made.proof, made.helpers), prefix=task.prefix, seconds=max(clock.left, 0.1))
        if made != found and not clock.over and (await lean.check(request)).ok:
            found = made
            if some is short:
                break
    return found


def _renamed(text: str, names: dict[str, str]) -> str:
    return _DOTTED.sub(lambda m: names.get(m[0], m[0]), text)
