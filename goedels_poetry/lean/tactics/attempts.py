"""Many proofs of one theorem, tried in order until Lean accepts one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime, Message
from goedels_poetry.lean.tactics.theory import renamed
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task
from goedels_poetry.protocol.trials import Status, trial_log

SMALL, LARGE = 4_000, 40_000
"""Heartbeats (Lean's measure of work: thousands of small allocations) of an attempt in the first round, and in the
second for those that it was too few for; about 0.5 s and 5 s."""
FIRST_BATCH, MOST_BATCH = 3, 5
BATCH_SECONDS = 40.0
_TRY_THIS = re.compile(r"Try this:\s*(?:\[\w+\]\s*)?(exact .+)", re.DOTALL)
_LIMIT = re.compile(r"maximum number of heartbeats|\(deterministic\) timeout")
LEAST_SECONDS = 5.0
"""A request that is cut off costs a new Lean process; heartbeats are the limit, not this clock."""
_ANY = re.compile(r"⟪(.+?)⟫", re.DOTALL)
_ATTRIBUTES = re.compile(r"@\[[^\]]*\]\s*")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proof that Lean has accepted for the task, or a sketch: the same with `sorry` where a subgoal is left."""

    proof: str
    """The text after ``:=``."""
    helpers: str = ""
    """Declarations to put before the theorem."""
    strategy: str = ""
    """For people: what the proof does first."""
    fingerprint: str = ""
    """What makes two sketches the same plan."""
    deterministic: bool = True
    shape: str = ""
    """The kind of goal, for statistics of strategies."""


class Clock:
    """The wall time that an agent may still spend."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._parts: list[Clock] = []

    @property
    def left(self) -> float:
        """Seconds, never negative."""
        return max(0.0, self._until - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0.05

    def part(self, seconds: float) -> Clock:
        """A clock that stops with this one, or earlier."""
        inner = Clock(min(seconds, self.left))
        self._parts.append(inner)
        return inner

    def stop(self) -> None:
        """Nothing is left from now on: who works by it ends after the request that is under way."""
        self._until = time.monotonic()
        for inner in self._parts:
            inner.stop()


async def first_success(
    lean: LeanRuntime, task: Task, proofs: Iterable[str], *, clock: Clock, strategy: str, start: str = ""
) -> Proposal | None:
    """The first proof that Lean accepts without `sorry`; those that need more work than most come last.

    ``strategy``: what the log of the job calls them; ``start``: how all of them begin, which it leaves out.
    """
    log = trial_log()
    log.begin(strategy)
    once = list(dict.fromkeys(proofs))
    slow = [proof for proof in once if "exact?" in proof]  # it reads the library, and notices too late what that costs
    found = await _round(lean, task, [proof for proof in once if proof not in slow], SMALL, clock, slow, start)
    found = found or await _round(lean, task, slow, LARGE, clock, [], start)
    if found is not None:
        log.end(Status.PROVED, "accepted", what=found.proof)
    else:
        log.end(*((Status.TIMEOUT, "the time was used up") if clock.over else (Status.FAILED, "none closes the goal")))
    return found


async def _round(
    lean: LeanRuntime, task: Task, proofs: Sequence[str], heartbeats: int, clock: Clock, slow: list[str], start: str
) -> Proposal | None:
    log = trial_log()
    size, at = FIRST_BATCH, 0
    while at < len(proofs) and not clock.over:
        batch = proofs[at : at + size]
        at += len(batch)
        size = MOST_BATCH
        log.at("; ".join(_tactic(proof, start) for proof in batch))
        for proof, messages in zip(batch, await tried(lean, task, batch, heartbeats, clock), strict=True):
            if messages is None or any(_LIMIT.search(m.text) for m in messages):
                slow.append(proof)
                if heartbeats >= LARGE:
                    log.tried(_tactic(proof, start), Status.TIMEOUT, f"stopped after {heartbeats} heartbeats")
                continue
            if any(m.severity == "error" or m.kind == "hasSorry" for m in messages):
                status, said, left = _verdict(messages)
                log.tried(_tactic(proof, start), status, said, left=left)
                continue
            reply = suggestion(messages)
            exact = proof if reply is None else proof.replace("exact?", reply)
            for text in await _narrowed(lean, task, exact, heartbeats, clock):
                if await accepted(lean, task, Proposal(text), clock):
                    return Proposal(text)
    return None


def _tactic(proof: str, start: str) -> str:
    """The tactic by itself, as a person reads it."""
    return " ".join(_cascade(proof.removeprefix(start)).split())


def _verdict(messages: Sequence[Message]) -> tuple[Status, str, str]:
    """What Lean says against a proof, in its first line, and what the first goal that it leaves asks for."""
    said = next((m.text for m in messages if m.severity == "error"), "it leaves a hole")
    if said.startswith("unsolved goals"):
        return Status.OPEN, "leaves a goal open", target_of(said)
    return Status.FAILED, next(iter(said.splitlines()), "").removesuffix(":"), ""


def target_of(goals: str) -> str:
    """What the first of the goals that Lean has printed asks for, from its ``⊢``."""
    return " ".join(goals.split("\n\n")[0].partition("⊢")[2].split())


def any_of(tactics: Sequence[str]) -> str:
    """A tactic that is any of these: in an attempt whichever works first, in the proof that is given only that one."""
    return f"⟪{'‖'.join(tactics)}⟫"


async def _narrowed(lean: LeanRuntime, task: Task, proof: str, heartbeats: int, clock: Clock) -> list[str]:
    """The proof with a single tactic for each `any_of` where one is enough, then as it was tried."""
    match = _ANY.search(proof)
    if match is None:
        return [proof]
    single = [_ANY.sub(tactic.replace("\\", "\\\\"), proof) for tactic in match[1].split("‖")]
    replies = zip(single, await tried(lean, task, single, heartbeats, clock), strict=True)
    good = [text for text, said in replies if said is not None and all(m.severity != "error" for m in said)]
    return [*good, _cascade(proof)]


def _cascade(proof: str) -> str:
    return _ANY.sub(lambda m: f"(first | {m[1].replace('‖', ' | ')})", proof)


def suggestion(messages: Sequence[Message]) -> str | None:
    """The tactic that `exact?` has found."""
    found = next(filter(None, (_TRY_THIS.search(message.text) for message in messages)), None)
    return " ".join(found[1].split()) if found else None


async def tried(
    lean: LeanRuntime, task: Task, proofs: Sequence[str], heartbeats: int, clock: Clock
) -> list[list[Message] | None]:
    """Lean's messages about each proof of the task; None for a proof about which it gave none in time."""
    code, lines = f"\n{task.stubs}", []
    first = task.prefix.count("\n") + 1
    for number, proof in enumerate(proofs):
        start = first + code.count("\n")
        head = _ATTRIBUTES.sub("", renamed(task, f"_{number}"))
        code += f"set_option maxHeartbeats {heartbeats} in\n{head} := {_cascade(proof)}\n\n"
        lines.append((start, first + code.count("\n")))
    seconds = min(max(clock.left, LEAST_SECONDS), BATCH_SECONDS)
    result = await lean.check(CheckRequest(code, prefix=task.prefix, seconds=seconds))
    if result.status == "done":
        return [[m for m in result.messages if a <= m.line < b] for a, b in lines]
    if len(proofs) == 1 or clock.over:
        return [None] * len(proofs)
    alone = [await tried(lean, task, [proof], heartbeats, clock) for proof in proofs]
    return [messages for (messages,) in alone]


async def accepted(lean: LeanRuntime, task: Task, proof: Proposal, clock: Clock) -> bool:
    """Whether the whole text elaborates under Lean's own limits, and the theorem rests on no axiom but the logic's."""
    checked = await check_proof(lean, task, proof.proof, proof.helpers, max(clock.left, 5.0))
    return not checked.reason
