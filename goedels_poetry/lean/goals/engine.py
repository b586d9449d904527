"""A goal of Lean to the engine, and what it finds back to Lean."""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.problem import Definition, Problem
from goedels_poetry.kernel.reading.auxiliary import extended, with_auxiliaries
from goedels_poetry.kernel.reading.certificate import derivation_from_json
from goedels_poetry.kernel.terms import subterms
from goedels_poetry.lean.goals.facts import Facts, facts_of
from goedels_poetry.lean.goals.lemmas import Lemmas
from goedels_poetry.lean.goals.sorts import Reading, Unreadable
from goedels_poetry.lean.goals.theory import FileTheory
from goedels_poetry.lean.goals.translating import Translator
from goedels_poetry.lean.runtime.protocol import LeanRuntime
from goedels_poetry.lean.smt_proofs.writing import STEP, name_of
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.lean.tactics.attempts import Clock, Proposal, accepted
from goedels_poetry.lean.text.task import Task
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.solvers.limits import JobCrashed, JobMemory, JobTimeout
from goedels_poetry.solvers.worker_pool import WorkerPool

Json = dict[str, Any]

JOBS = "goedels_poetry.smt.jobs.whole"
MEMORY_MB = 4096
MOST_KEPT = 64
FINGERPRINT = "lean:engine"
STRATEGY = "lemmas of the engine"
_NUMERAL = re.compile(r"\((-?\d+) : (?:Nat|Int)\)")
ENDINGS = (
    "first | exact {0} .. | (apply {0} <;> assumption) | (apply {0} <;> simp_all)",
    "have l := @{0}; first | grind | simp_all",
)
"""How a theorem follows from what the engine has proved, after `intros`."""


@dataclass(frozen=True, slots=True)
class Read:
    """One way in which a goal is read."""

    reading: Reading
    problem: Problem
    facts: Facts
    unary: bool

    def theory(self, task: Task, auxiliary: Sequence[Definition] = ()) -> FileTheory:
        """The words of the user's file for it, and for what a proof brings along; raises `NotTranslatable`."""
        signature = extended(self.problem.signature, auxiliary)
        return FileTheory(self.facts, self.reading, signature, task.prefix, task.stubs, self.unary, auxiliary)


@dataclass(slots=True)
class Known:
    """What has been found out about one goal."""

    ways: tuple[Read, ...] | None = None
    reason: str = ""
    """Why it is not read."""
    proof: tuple[Read, Derivation] | None = None
    lemmas: dict[str, Lemmas] = field(default_factory=dict)
    """Of the proofs that the engine has found, by the scripts that they are about."""
    settled: set[int] = field(default_factory=set)
    """Ways that the engine was asked about, by their numbers."""


class Engine:
    """The engine for goals of Lean. Its process starts with the first goal that it is asked about."""

    def __init__(self) -> None:
        self._pool: WorkerPool | None = None
        self._known: weakref.WeakKeyDictionary[LeanRuntime, dict[Task, Known]] = weakref.WeakKeyDictionary()

    def known(self, lean: LeanRuntime, task: Task) -> Known:
        """What is known of a goal; of the latest goals of each Lean."""
        goals = self._known.setdefault(lean, {})
        if task not in goals:
            goals[task] = Known()
            while len(goals) > MOST_KEPT:
                goals.pop(next(iter(goals)))
        return goals[task]

    def unread(self, lean: LeanRuntime, task: Task) -> bool:
        """Whether the engine has not looked at all of a goal."""
        ways = self.known(lean, task).ways
        return not ways or any(way.reading.dropped for way in ways)

    async def ways(self, lean: LeanRuntime, task: Task, clock: Clock) -> tuple[Read, ...]:
        """The goal as the engine reads it; () when it does not."""
        known = self.known(lean, task)
        if known.ways is None:
            code = f"{task.stubs}{task.head} := sorry\n"
            found = await facts_of(lean, task.prefix, code, task.name, task.functions, max(1.0, clock.left))
            if found is None:
                known.reason = "Lean gave no answer"
                return ()
            known.ways, known.reason = _ways(*found)
        return known.ways

    async def counterexample(self, lean: LeanRuntime, task: Task, clock: Clock) -> list[dict[int, str]]:
        """Values for the goal's variables (by their place) under which it is false, as the engine says."""
        found = []
        for way in await self.ways(lean, task, clock):
            answer = await self._ask("judge", way, clock)
            if answer.get("status") == "refuted":
                try:
                    found.append(_values(way, way.theory(task), answer["values"]))
                except (NotTranslatable, InvalidInput, KernelError):
                    continue
        return found

    async def search(self, lean: LeanRuntime, task: Task, clock: Clock) -> bool:
        """Whether the engine has found a proof; `prove` makes it one of Lean's."""
        known = self.known(lean, task)
        if known.proof is not None:
            return True
        for number, way in enumerate(await self.ways(lean, task, clock)):
            if number in known.settled or clock.over:
                continue
            part = clock.part(clock.left / 2) if known.ways and number + 1 < len(known.ways) else clock
            answer = await self._ask("search", way, part)
            known.settled.add(number)
            known.reason = str(answer.get("reason", ""))
            if answer.get("status") == "proved":
                try:
                    known.proof = way, derivation_from_json(answer["proof"], way.problem.signature)
                    break
                except KernelError as fault:
                    known.reason = str(fault)
        return known.proof is not None

    async def prove(
        self, lean: LeanRuntime, task: Task, clock: Clock, *, leave_open: bool = False, once: bool = False
    ) -> Proposal | None:
        """A proof by lemmas that the engine has found and Lean accepts.

        With ``leave_open`` lemmas for which Lean has found no proof stay open. With ``once`` the engine is not asked
        again where Lean does not accept what it has found.
        """
        known = self.known(lean, task)
        first = known.proof
        while not clock.over and await self.search(lean, task, clock) and known.proof is not None:
            # Perhaps the goal read in another way has a better proof; then this one gets the time that is left.
            elsewhere = not once and known.ways is not None and len(known.settled) < len(known.ways)
            part = clock.part(clock.left / 2) if elsewhere else clock
            try:
                found = await _translated(lean, task, known, part, leave_open=leave_open)
            except (NotTranslatable, Unreadable, KernelError) as fault:
                found, known.reason = None, str(fault)
            if found is not None or once:
                return found
            first, known.proof = first or known.proof, None
            if not elsewhere:
                break
        known.proof = first
        return None

    async def _ask(self, job: str, way: Read, clock: Clock) -> Json:
        if self._pool is None:
            self._pool = WorkerPool(1, modules=(JOBS,))
        seconds = max(1.0, clock.left)
        payload = {"theorem": way.reading.text, "seconds": seconds}
        try:
            answer: Json = await self._pool.run(f"{JOBS}:{job}", payload, seconds + 1.0, MEMORY_MB)
        except (JobTimeout, JobMemory, JobCrashed) as fault:
            return {"status": "open", "reason": str(fault)}
        return answer

    async def aclose(self) -> None:
        """End its process. Safe to call twice."""
        if self._pool is not None:
            pool, self._pool = self._pool, None
            await pool.aclose()


def _ways(statement: Any, facts: Facts) -> tuple[tuple[Read, ...], str]:
    """A goal with natural numbers as a datatype and as integers, the likelier first."""
    found: list[Read] = []
    reason = ""
    texts: set[str] = set()
    for unary in (True, False):
        try:
            reading = Translator(facts, unary).read(statement)
            if reading.text not in texts:
                texts.add(reading.text)
                found.append(Read(reading, parse_problem(reading.text), facts, unary))
        except (Unreadable, InvalidInput, RecursionError) as fault:
            reason = str(fault)
    arithmetic = any(map(_is_arithmetic, found))
    return tuple(reversed(found) if arithmetic else found), "" if found else reason


def _is_arithmetic(way: Read) -> bool:
    """Whether a goal with natural numbers as a datatype is rather one about integers: it has sums, or compares numbers
    that no function of its own takes apart."""
    signs = set(way.reading.operations.values())
    if not way.unary or not signs:
        return False
    own = [d for d in way.problem.signature.definitions if d.name not in way.reading.operations]
    selected = {t.args[0].sort.name for d in own for t in subterms(d.body) if way.problem.signature.selector(t.name)}
    counts = any(way.reading.types[name].head == "Nat" for name in selected if name in way.reading.types)
    return not signs <= {"≤", "pred"} or not counts


def _values(way: Read, theory: FileTheory, values: Mapping[str, str]) -> dict[int, str]:
    """Values as Lean text, by the places of the goal's variables."""
    signature = way.problem.signature
    return {
        place: _NUMERAL.sub(r"\1", theory.value(parse_term(values[name], signature)))
        for place, name in way.reading.places.items()
        if name in values
    }


async def _translated(
    lean: LeanRuntime, task: Task, known: Known, clock: Clock, *, leave_open: bool
) -> Proposal | None:
    assert known.proof is not None
    way, derivation = known.proof
    if leave_open and derivation.auxiliary:
        return None  # a lemma that is left open has to stand by itself
    lemmas = known.lemmas.get(way.reading.text)
    if lemmas is None or lemmas.derivation is not derivation:
        problem = with_auxiliaries(way.problem, derivation.auxiliary)
        theory = way.theory(task, derivation.auxiliary)
        lemmas = Lemmas(lean, task, theory, problem, derivation, clock)
        known.lemmas[way.reading.text] = lemmas
    lemmas.clock = clock
    order = lemmas.order()
    if not await lemmas.prove_all(order, leave_open=leave_open) or order[-1] not in lemmas.texts:
        return None  # a goal that is left open is none of its own subgoals
    stem = re.sub(r"\W+", "_", task.name.split(".")[-1].strip("«»"))
    while f"{stem}_lemma_" in f"{task.prefix}{task.stubs}{task.head}":
        stem += "'"
    needed = lemmas.whole(order[-1]) or {*lemmas.texts, *(order if leave_open else ())}
    written = [s.id for s in derivation.steps if s.id in needed]
    names = {name_of(n): f"{stem}_lemma_{i}" for i, n in enumerate(written, 1)}

    def renamed(text: str) -> str:
        return re.sub(rf"{STEP}s\d+", lambda m: names.get(m[0], m[0]), text)

    last = order[-1]
    before = lemmas.theory.helpers + "\n\n".join(lemmas.text(n) for n in written if n != last)
    # Its variables may have the names of the theorem's: then it need not be stated twice.
    proofs = [(lemmas.proofs[last], before)] if last in lemmas.proofs and not leave_open else []
    for ending in ENDINGS:
        proofs.append((f"by\n  intros\n  {ending.format(name_of(last))}", f"{before}\n\n{lemmas.text(last)}"))
    for proof, helpers in proofs:
        proposal = Proposal(renamed(proof), renamed(helpers), strategy=STRATEGY, fingerprint=FINGERPRINT)
        if leave_open or await accepted(lean, task, proposal, clock):
            return proposal
    return None
