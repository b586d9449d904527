"""Tries the proofs of steps in Lean until each step has one.

All statements stand before the trials, left open, in a text that Lean elaborates once. So steps are tried in any order
and several at once, and each alternative is a request of its own with its own heartbeats: a time-out ends nothing else.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from goedels_poetry.kernel.derivation import ByScheme, Query, Step
from goedels_poetry.languages.bridge import leaves, schemes
from goedels_poetry.languages.bridge.shortcuts import shortcuts
from goedels_poetry.languages.bridge.writing import SIZE, Writing, in_section, indented, name_of
from goedels_poetry.languages.lean.runtime import CheckRequest, LeanRuntime

HEARTBEATS = (4_000, 30_000)
"""Of one alternative: in the first round, and for those that it was too few for. About 0.5 s and 4 s."""
SHORTCUT_HEARTBEATS = 3_000
REQUEST_SECONDS = 20.0
_LIMIT = re.compile(r"maximum number of heartbeats|\(deterministic\) timeout|maximum recursion depth")
TRIAL = "_trial"
MOST_SLOW, MOST_LEMMAS, MOST_WITH_MORE = 4, 12, 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """The proof of one step. ``cites``: the steps that it needs."""

    text: str
    cites: tuple[str, ...]
    heartbeats: int


@dataclass(frozen=True, slots=True)
class StepFailed:
    """The first step that no alternative has proved."""

    step: str
    statement: str
    tried: tuple[str, ...]
    reason: str
    """Lean's last word."""


@dataclass
class Replay:
    """One proof in one Lean. ``found`` has the steps that the last one needs."""

    writing: Writing
    steps: tuple[Step, ...]
    lean: LeanRuntime
    deadline: float
    """By `time.monotonic`."""
    progress: Progress = lambda done, total: None
    found: dict[str, Found] = field(default_factory=dict)
    failed: StepFailed | None = None
    sizes: dict[str, str] = field(default_factory=dict)
    """What proves the lemmas about sizes of results, by function."""
    requests: int = 0

    def __post_init__(self) -> None:
        self.by_id: Mapping[str, Step] = {step.id: step for step in self.steps}
        self.used = self._used()
        self.prefix = self._prefix()

    def _prefix(self) -> str:
        theory = self.writing.theory
        stated = []
        for step in self.steps:
            if step.id in self.used:
                text = f"{self.writing.theorem(name_of(step.id), step.sequent)} := sorry\n"
                stated.append(in_section(self.writing.before(step.id), text))
        sizes = [f"{self.writing.bound(name)} := sorry\n" for name in self.writing.bounds]
        return "\n".join([theory.header, "section", self.writing.context, "", *sizes, *stated])

    async def _measure(self) -> None:
        """Prove what is known of sizes; what cannot be proved is not known."""
        for name in list(self.writing.bounds):
            stated = self.writing.bound(name).replace(f"{SIZE}{self.writing.number(name)}", TRIAL, 1)
            for text in leaves.sizes(self.writing, name):
                limit = f"set_option maxHeartbeats {HEARTBEATS[1]} in\n"
                if await self._ask(f"{limit}{stated} := by\n{indented(text)}\n") is None:
                    self.sizes[name] = text
                    break

    def _used(self) -> set[str]:
        """The steps that the last one rests on."""
        waiting, used = [self.steps[-1].id], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in used:
                used.add(name)
                waiting.extend(self.by_id[name].by.cites)
        return used

    async def run(self) -> bool:
        """Whether every step that is needed has a proof; else `failed` says which has none."""
        refused = await self._ask("theorem _warm : True := trivial")
        if refused is not None:
            self.failed = StepFailed("", "", (), f"Lean does not accept the translation: {refused}")
            return False
        await self._measure()
        if len(self.sizes) < len(self.writing.bounds):
            bounds = {name: b for name, b in self.writing.bounds.items() if name in self.sizes}
            self.writing = replace(self.writing, bounds=bounds)
            self.prefix = self._prefix()
        waiting = [self.steps[-1].id]
        tasks: dict[asyncio.Task[Found | None], str] = {}
        try:
            while waiting or tasks:
                for name in waiting:
                    tasks[asyncio.create_task(self._prove(self.by_id[name]))] = name
                waiting = []
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    name, result = tasks.pop(task), task.result()
                    if result is None:
                        return False
                    self.found[name] = result
                    known = {*self.found, *tasks.values(), *waiting}
                    waiting += [c for c in dict.fromkeys(result.cites) if c not in known]
                self.progress(len(self.found), len(self.found) + len(tasks) + len(waiting))
            return True
        finally:
            for task in tasks:
                task.cancel()

    async def _prove(self, step: Step) -> Found | None:
        tried: list[str] = []
        last = "no alternative"
        for text, cites in shortcuts(self.writing, step, self.by_id):
            if time.monotonic() > self.deadline:
                break
            reason = await self._try(step, text, SHORTCUT_HEARTBEATS, cites)
            if reason is None:
                return Found(text, cites, SHORTCUT_HEARTBEATS)
        slow: list[str] = []
        for text in self._alternatives(step):
            if time.monotonic() > self.deadline:
                last = "the time is over"
                break
            tried.append(text)
            reason = await self._try(step, text, HEARTBEATS[0])
            if reason is None:
                return Found(text, step.by.cites, HEARTBEATS[0])
            last = reason
            if _LIMIT.search(reason):
                slow.append(text)
        for text, cites in [*self._with_more(step), *[(text, step.by.cites) for text in slow[:MOST_SLOW]]]:
            if time.monotonic() > self.deadline:
                break
            heartbeats = HEARTBEATS[text in slow]
            tried.append(text)
            reason = await self._try(step, text, heartbeats, cites)
            if reason is None:
                return Found(text, cites, heartbeats)
        if self.failed is None:
            self.failed = StepFailed(step.id, self.writing.theorem(name_of(step.id), step.sequent), tuple(tried), last)
        return None

    def _with_more(self, step: Step) -> list[tuple[str, tuple[str, ...]]]:
        """What may prove a leaf with all lemmas that the proof has before it, not only those its query cites."""
        if not isinstance(step.by, Query):
            return []
        earlier = self.steps[: self.steps.index(step)]
        needed = self.writing.needs[step.id]
        lemmas = [s.id for s in earlier if s.id in self.used and isinstance(s.by, ByScheme)]
        lemmas = [name for name in lemmas if self.writing.needs[name] <= needed]
        known = frozenset(self.writing.definitions(*step.sequent.hyps, step.sequent.concl))
        lemmas.sort(key=lambda name: not self._speaks_of(name) <= known)  # those about nothing else come first
        cites = tuple(dict.fromkeys((*step.by.cites, *lemmas[:MOST_LEMMAS])))
        if cites == step.by.cites:
            return []
        found = leaves.proofs(self.writing, step.sequent, replace(step.by, cites=cites, equations=True))
        return [(text, cites) for text in islice(found, MOST_WITH_MORE)]

    def _speaks_of(self, step: str) -> frozenset[str]:
        sequent = self.by_id[step].sequent
        return frozenset(self.writing.definitions(*sequent.hyps, sequent.concl))

    def _alternatives(self, step: Step) -> Iterable[str]:
        if isinstance(step.by, ByScheme):
            found = schemes.proofs(self.writing, step.sequent, step.by)
        else:
            assert isinstance(step.by, Query)
            found = leaves.proofs(self.writing, step.sequent, step.by)
        return dict.fromkeys(found)

    async def _try(self, step: Step, text: str, heartbeats: int, cites: Sequence[str] | None = None) -> str | None:
        statement = self.writing.theorem(TRIAL, step.sequent)
        before = [*self.writing.before(step.id), *self.writing.patterns(step.by.cites if cites is None else cites)]
        limit = f"set_option maxHeartbeats {heartbeats} in\n"
        return await self._ask("\n".join([*before, f"{limit}{statement} := by", indented(text), ""]))

    async def _ask(self, code: str) -> str | None:
        """Why Lean refuses the code after the prefix; None when it does not."""
        self.requests += 1
        result = await self.lean.check(
            CheckRequest(
                code=code, prefix=self.prefix, seconds=max(1.0, min(REQUEST_SECONDS, self.deadline - time.monotonic()))
            )
        )
        if result.status != "done":
            return f"{result.status}: {result.error}"
        return result.errors[0].text if result.errors else None


__all__ = ["HEARTBEATS", "Found", "Progress", "Replay", "StepFailed"]
