"""Tries the proofs of steps in Lean until each step has one.

All statements stand before the trials, left open, in a text that Lean elaborates once. So steps are tried in any order
and several at once, and each alternative is a request of its own with its own heartbeats: a time-out ends nothing else.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from goedels_poetry.kernel.derivation import ByScheme, Query, Step
from goedels_poetry.kernel.inductions import RecursionInduction, SizeInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.languages.bridge import along, leaves, schemes
from goedels_poetry.languages.bridge.casework import Casework
from goedels_poetry.languages.bridge.shortcuts import shortcuts
from goedels_poetry.languages.bridge.writing import ALONG, SIZE, Writing, in_section, indented, name_of, spoken
from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.solvers.process import SolverProcess
from goedels_poetry.solvers.z3_process import Z3Process

HEARTBEATS = (4_000, 30_000)
"""Of one alternative: in the first round, and for those that it was too few for. About 0.5 s and 4 s."""
SHORTCUT_HEARTBEATS = 3_000
FACT_HEARTBEATS = (8_000, 40_000)
REQUEST_SECONDS = 20.0
_LIMIT = re.compile(r"maximum number of heartbeats|\(deterministic\) timeout|maximum recursion depth")
TRIAL = "_trial"
FIRST = 2
"""Of the alternatives for a leaf, before it is taken to pieces."""
MOST_SLOW, MOST_LEMMAS, MOST_WITH_MORE = 4, 12, 4

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Found:
    """The proof of one step. ``cites``: the steps that it needs."""

    text: str
    cites: tuple[str, ...]
    heartbeats: int


@dataclass(frozen=True, slots=True)
class Fact:
    """The proof of a theorem that many steps may use: its statement, the commands before it, the tactics."""

    stated: str
    before: tuple[str, ...]
    text: str


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
    proved_facts: dict[str, Fact] = field(default_factory=dict)
    """By key, see `Writing.fact`."""
    requests: int = 0
    longest: float = REQUEST_SECONDS
    """Seconds of one request."""

    def __post_init__(self) -> None:
        self.by_id: Mapping[str, Step] = {step.id: step for step in self.steps}
        self.used = self._used()
        schemes = [s.by.scheme for s in self.steps if s.id in self.used and isinstance(s.by, ByScheme)]
        self.facts = along.facts([s for s in schemes if isinstance(s, RecursionInduction)], self.writing)
        self.by_size = any(isinstance(s, SizeInduction) for s in schemes)
        self.prefix = self._prefix()
        self._facts: dict[str, asyncio.Task[bool]] = {}
        self._context = Context(self.writing.problem)
        self._z3: SolverProcess = Z3Process()
        self._z3_busy = asyncio.Lock()

    def _prefix(self) -> str:
        theory = self.writing.theory
        stated = []
        for step in self.steps:
            if step.id in self.used:
                text = f"{self.writing.theorem(name_of(step.id), step.sequent)} := sorry\n"
                stated.append(in_section(self.writing.before(step.id), text))
        orders = self.writing.orders
        counted = [orders.text] if orders is not None else []
        facts = [(key, along.stated(self.writing, key)) for key in self.facts]
        open_ = [in_section(self.writing.before(key, text), f"{text} := sorry\n") for key, text in facts]
        return "\n".join([theory.header, "section", self.writing.context, "", *counted, *open_, *stated])

    async def _known(self, text: str) -> list[str]:
        """The keys of the facts that a text speaks of and that have no proof."""
        wanted = [key for key in self.facts if spoken(self.writing.fact(key), text)]
        return [key for key, proved in zip(wanted, await self._prove_facts(wanted), strict=True) if not proved]

    async def _prove_facts(self, keys: Sequence[str]) -> list[bool]:
        """Whether each fact has a proof. Those that several steps wait for are looked for once."""
        for key in keys:
            if key not in self._facts:
                self._facts[key] = asyncio.create_task(self._prove_fact(key))
        return await asyncio.gather(*[asyncio.shield(self._facts[key]) for key in keys])

    async def _prove_fact(self, key: str) -> bool:
        kind = ALONG if key.startswith(ALONG) else SIZE
        function = key.removeprefix(kind)
        earlier = along.rests_on(self.writing, function)
        known = await self._prove_facts([SIZE + name for name in earlier])
        sized = frozenset(name for name, proved in zip(earlier, known, strict=True) if proved)
        writing = replace(self.writing, sized=sized)
        stated = along.stated(writing, key)
        before = (*writing.before(key, stated), *writing.size_patterns)
        texts = list(along.facts_proofs(writing, key))
        for heartbeats in FACT_HEARTBEATS:
            for text in texts:
                if time.monotonic() > self.deadline or await self._known(text):
                    continue
                tried = stated.replace(self.writing.fact(key), TRIAL, 1)
                if await self._ask(_limited(before, heartbeats, tried, text)) is None:
                    self.proved_facts[key] = Fact(stated, before, text)
                    return True
        return False

    @property
    def used_facts(self) -> list[Fact]:
        """The facts that the proofs of steps need, in order."""
        waiting = [found.text for found in self.found.values()]
        used = set[str]()
        while waiting:
            text = waiting.pop()
            new = [k for k in self.proved_facts if k not in used and spoken(self.writing.fact(k), text)]
            used.update(new)
            waiting += [line for k in new for line in (self.proved_facts[k].text, *self.proved_facts[k].before)]
        return [self.proved_facts[key] for key in self.facts if key in used]

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
        began, self.longest = time.monotonic(), math.inf
        refused = await self._ask("theorem _warm : True := trivial")
        if refused is not None:
            self.failed = StepFailed("", "", (), f"Lean does not accept the translation: {refused}")
            return False
        # Another process of Lean has all this to do once more before its first answer, and after each one it missed.
        self.longest = REQUEST_SECONDS + 3 * (time.monotonic() - began)
        if self.by_size:
            names = list(self.writing.bounds)
            proofs = await self._prove_facts([SIZE + name for name in names])
            sized = frozenset(name for name, proved in zip(names, proofs, strict=True) if proved)
            self.writing = replace(self.writing, sized=sized)
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
            for waiter in (*tasks, *self._facts.values()):
                waiter.cancel()
            self._z3.kill()  # a query of a task that was cancelled may be under way, in a thread
            self._z3.close()

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
        for number, text in enumerate(self._alternatives(step)):
            if number == FIRST and isinstance(step.by, Query):
                found = await self._in_pieces(step, step.by)
                if found is not None:
                    return found
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

    async def _in_pieces(self, step: Step, query: Query) -> Found | None:
        """The proof of a leaf case by case, from the facts that z3 has used."""

        async def accepted(sequent: Sequent, text: str) -> bool:
            if time.monotonic() > self.deadline:
                return False
            stated = self.writing.theorem(TRIAL, sequent)
            before = self.writing.before(step.id, stated)
            return await self._ask(_limited(before, HEARTBEATS[0], stated, text)) is None

        work = Casework(self.writing, self._context, step, query, self._z3, self._z3_busy, accepted)
        text = await work.proof()
        return None if text is None else Found(text, tuple(work.cites), HEARTBEATS[1])

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
        query = replace(step.by, cites=cites, equations=True)
        found = leaves.proofs(self.writing, step.sequent, query, needed)
        return [(text, cites) for text in islice(found, MOST_WITH_MORE)]

    def _speaks_of(self, step: str) -> frozenset[str]:
        sequent = self.by_id[step].sequent
        return frozenset(self.writing.definitions(*sequent.hyps, sequent.concl))

    def _alternatives(self, step: Step) -> Iterable[str]:
        if isinstance(step.by, ByScheme):
            found = schemes.proofs(self.writing, step.sequent, step.by)
        else:
            assert isinstance(step.by, Query)
            found = leaves.proofs(self.writing, step.sequent, step.by, self.writing.needs[step.id])
        return dict.fromkeys(found)

    async def _try(self, step: Step, text: str, heartbeats: int, cites: Sequence[str] | None = None) -> str | None:
        unproved = await self._known(text)
        if unproved:
            return f"{', '.join(map(self.writing.fact, unproved))}: Lean was not led to accept this"
        before = [*self.writing.before(step.id), *self.writing.patterns(step.by.cites if cites is None else cites)]
        return await self._ask(_limited(before, heartbeats, self.writing.theorem(TRIAL, step.sequent), text))

    async def _ask(self, code: str) -> str | None:
        """Why Lean refuses the code after the prefix; None when it does not."""
        self.requests += 1
        seconds = max(1.0, min(self.longest, self.deadline - time.monotonic()))
        result = await self.lean.check(CheckRequest(code=code, prefix=self.prefix, seconds=seconds))
        if result.status != "done":
            return f"{result.status}: {result.error}"
        return result.errors[0].text if result.errors else None


def _limited(before: Sequence[str], heartbeats: int, statement: str, text: str) -> str:
    """A theorem within limits, after commands."""
    return "\n".join([*before, f"set_option maxHeartbeats {heartbeats} in\n{statement} := by", indented(text), ""])
