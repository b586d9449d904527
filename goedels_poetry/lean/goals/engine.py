"""A goal of Lean to the engine, and its proof back to Lean, each lemma proved by itself from those that it cites."""

from __future__ import annotations

import asyncio
import re
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
)
from goedels_poetry.kernel.problem import Definition, Problem
from goedels_poetry.kernel.reading.certificate import derivation_from_json, extended, with_auxiliaries
from goedels_poetry.kernel.schemas import Conjuncts
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.sizes import Sizes
from goedels_poetry.kernel.terms import Kind, app, subterms
from goedels_poetry.lean.goals.facts import Facts, facts_of
from goedels_poetry.lean.goals.sorts import Reading, Unreadable
from goedels_poetry.lean.goals.theory import FileTheory
from goedels_poetry.lean.goals.translating import Translator
from goedels_poetry.lean.runtime.protocol import LeanRuntime
from goedels_poetry.lean.smt_proofs.replay import Found, Replay
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, STEP, Writing, defined, indented, name_of, spoken
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.lean.tactics.portfolio import Clock, Proposal, accepted, tried
from goedels_poetry.lean.text.task import Fact, Task
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.solvers.limits import JobCrashed, JobMemory, JobTimeout
from goedels_poetry.solvers.worker_pool import WorkerPool

# The lemmas of a proof of the engine's as theorems of Lean, each proved by itself from those that it cites

# -- How the proof of a lemma begins in Lean, by the scheme that the engine has proved it with ---------------------

MOST_CALLS = 3


def starts(theory: FileTheory, problem: Problem, tree: Sequence[Step]) -> list[str]:
    """Proofs with a place, ◯, for what closes the cases: the induction of the derivation, and its like."""
    step = tree[0]
    if not isinstance(step.by, ByScheme):
        return ["◯"]
    names, scheme = {v.name: theory.variable(v) for v in step.sequent.vars}, step.by.scheme
    cases = [getattr(case.by.scheme, "on", "") for case in tree[1:] if isinstance(case.by, ByScheme)]
    nested = dict.fromkeys(names[on] for on in cases if isinstance(on, str) and on in names)
    general = [names[g] for g in getattr(scheme, "general", ()) if g in names]
    generalizing = f" generalizing {' '.join(general)}" if general else ""
    calls = _calls(theory, problem, step.sequent)
    match scheme:
        case StructuralInduction() | IntInduction():
            start = f"induction {names[scheme.on]}{generalizing} <;> "
            apart = [f"{start}(try cases {n}) <;> ◯" for n in nested if n != names[scheme.on]]
            return [*apart, f"{start}◯", *calls]
        case RecursionInduction():
            definition = problem.signature.definition(scheme.function)
            if definition is not None:
                call = theory.value(app(definition.name, scheme.at, definition.sort))
                return [f"fun_induction {call}{generalizing} <;> ◯"]
        case MeasureInduction() | SizeInduction():
            return [*calls, "◯"]
    return ["◯", *(f"induction {n} <;> ◯" for n in nested)]


def _calls(theory: FileTheory, problem: Problem, sequent: Sequent) -> list[str]:
    """Along the recursion of the functions that are called on variables."""
    found: dict[str, None] = {}
    for term in (t for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if t.kind is Kind.APP):
        definition = problem.signature.definition(term.name)
        recursive = definition is not None and definition.recursive and term.name in theory.definitions
        if recursive and term.args and all(a.kind is Kind.VAR for a in term.args):
            found[f"fun_induction {theory.value(term)} <;> ◯"] = None
    return list(found)[:MOST_CALLS]


# -- The lemmas of a proof of the engine's as theorems of Lean, each proved by itself from those that it cites------


INDUCTIONS = (StructuralInduction, IntInduction, RecursionInduction, SizeInduction, MeasureInduction)
BATCH = 2
"""Proofs in one request."""
HEARTBEATS = (6_000, 40_000)
LIBRARY = ("List.", "Option.", "Nat.", "Int.", "Prod.")
"""How names of functions begin that a file has not defined, as a rule."""


class Plain(Writing):
    """Proofs with no commands between the theorems: in a proof of the user's theorem there are theorems only."""

    def _is_told(self, step: str) -> bool:
        """`grind` is given what it may use in its own brackets."""
        return False


@dataclass(slots=True)
class Lemmas:
    """The lemmas of one derivation, each proved in Lean by itself from those before."""

    lean: LeanRuntime
    task: Task
    theory: FileTheory
    problem: Problem
    derivation: Derivation
    clock: Clock
    texts: dict[str, str] = field(default_factory=dict)
    """Declarations of the lemmas that have a proof."""
    names: dict[str, str] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    proofs: dict[str, str] = field(default_factory=dict)
    """Of those that an induction and automation have proved, what stands after the statement."""

    def __post_init__(self) -> None:
        self._steps = {s.id: s for s in self.derivation.steps}

    _steps: dict[str, Step] = field(default_factory=dict)
    _needs: dict[str, frozenset[str]] = field(default_factory=dict)

    def needs(self, name: str) -> frozenset[str]:
        """The functions that the goal is about of which a step, or one that it rests on, speaks."""
        if name not in self._needs:
            step = self._steps[name]
            try:
                text = self._proposition(step.sequent)
            except NotTranslatable:  # the search for its proof says so
                text = " ".join(self.theory.arguments)
            own = frozenset(a for a in self.theory.arguments if spoken(a, text))
            self._needs[name] = own.union(*(self.needs(cite) for cite in step.by.cites))
        return self._needs[name]

    def order(self) -> list[str]:
        """Steps that are lemmas: what queries cite, and the last."""
        last = self.derivation.steps[-1]
        found: dict[str, None] = {}

        def visit(name: str) -> None:
            for cited in self.cited(name):
                if cited not in found:
                    visit(cited)
            found[name] = None

        visit(last.id)
        return list(found)

    def cited(self, name: str) -> list[str]:
        """The lemmas that a lemma's own tree cites; where the goal is taken apart by its form, its parts.

        Without what Lean knows of itself, and without those that have no proof in Lean.
        """
        found: dict[str, None] = {}
        own = self._steps[name].by
        if isinstance(own, ByScheme) and not isinstance(own.scheme, INDUCTIONS):
            return list(dict.fromkeys(own.cites))
        for step in self.tree(name):
            if isinstance(step.by, Query):
                found.update(dict.fromkeys(step.by.cites))
        return [cite for cite in found if cite not in self.failed and not self._is_known(cite)]

    def _is_known(self, name: str) -> bool:
        sequent = self._steps[name].sequent
        return all(map(self.theory.is_linear, (*sequent.hyps, sequent.concl)))

    def tree(self, name: str) -> list[Step]:
        """The step and the cases below it, by schemes alone."""
        step = self._steps[name]
        found = [step]
        if isinstance(step.by, ByScheme):
            for case in step.by.cites:
                found += self.tree(case)
        return found

    def statement(self, name: str) -> str:
        """Binders and proposition, as after a theorem's name."""
        text = self._proposition(self._steps[name].sequent)
        return " ".join([*self._outer(text, self.needs(name)), text])

    def _proposition(self, sequent: Sequent) -> str:
        hyps = [h for h in sequent.hyps if not self.theory.guards(h)]
        premises = "".join(f" ({HYPOTHESIS}{i} : {self.theory.prop(h)})" for i, h in enumerate(hyps, 1))
        return f"{self.theory.binders(sequent.vars)}{premises} : {self.theory.prop(sequent.concl)}".strip()

    def _outer(self, text: str, needs: frozenset[str]) -> list[str]:
        """Binders for the types, instances and functions that a statement speaks of.

        `grind` finds no pattern for a lemma that has others, since nothing says what they are.
        """
        kept: list[str] = []
        about = {b[1:].partition(" : ")[0]: b for b in self.theory.outer}
        for name, binder in reversed(about.items()):
            if name in needs or (binder[0] != "[" and spoken(name, text)):
                kept.insert(0, binder)
                text += binder
        left_out = [name for name, binder in about.items() if binder[0] != "[" and binder not in kept]
        instances = [b for b in about.values() if b[0] == "[" and not any(spoken(n, b) for n in left_out)]
        return [b for b in about.values() if b in kept or b in instances]

    def definitions(self, steps: Sequence[Step], deep: bool) -> list[str]:
        """Names of the functions that the steps speak of; see `defined`."""
        terms = [part for s in steps for part in (*s.sequent.hyps, s.sequent.concl)]
        return defined(self.problem.signature, terms, self.theory.definitions, deep=deep)

    async def prove_all(self, order: Sequence[str], *, leave_open: bool) -> bool:
        """Whether the last of these lemmas has found a proof by others that have one; several are tried at once.

        What rests on a lemma that has found none is proved anew without it. With ``leave_open`` such a lemma is stated
        with `sorry` instead.
        """
        for name in order:
            self.names[name] = name_of(name)
        waiting = list(order)
        while waiting and not self.clock.over:
            proving = [asyncio.create_task(self.prove(name)) for name in waiting]
            try:
                for done in asyncio.as_completed(proving):
                    await done
                    if order[-1] in self.failed and not leave_open:
                        return False
                    if self.whole(order[-1]):
                        return True  # whatever else is under way is not needed
            finally:
                for task in proving:
                    task.cancel()
            if leave_open:
                return True
            waiting = [name for name in self.texts if self._rests_on_failed(name)]
            for name in waiting:
                del self.texts[name]
                self.proofs.pop(name, None)
        return bool(self.whole(order[-1]))

    def whole(self, name: str) -> frozenset[str]:
        """A lemma and those that its proof names, that theirs name, and so on; none when one has no proof."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each not in self.texts:
                return frozenset()
            found.add(each)
            waiting += [
                other for other, step in self.names.items() if other not in found and spoken(step, self.texts[each])
            ]
        return frozenset(found)

    def _rests_on_failed(self, name: str) -> bool:
        return any(re.search(rf"\b{self.names[other]}\b", self.texts[name]) for other in self.failed)

    def text(self, name: str) -> str:
        """A lemma as a declaration, open where it has no proof."""
        return self.texts.get(name) or f"{self._head(name)} := by\n  sorry"

    async def prove(self, name: str) -> bool:
        """Whether a lemma has found a proof from those that it cites; what was tried in vain is not tried again."""
        if name in self.texts or name in self.failed:
            return name in self.texts
        found = await self._prove(name)
        if not found and not self.clock.over:
            self.failed.add(name)
        return found

    async def _prove(self, name: str) -> bool:
        cited = self.cited(name)
        facts = tuple(Fact(c, self.names[c], self._head(c)) for c in cited)
        prefix = f"{self.task.prefix.rstrip()}\n\n{self.theory.helpers}" if self.theory.helpers else self.task.prefix
        task = Task(prefix, self._head(name), self.names[name], (*self.task.facts, *facts))
        proofs = [f"by\n  {text}" for text in self.attempts(name, [self.names[c] for c in cited])]
        slow: list[str] = []
        for at in range(0, len(proofs), BATCH):
            if found := await self._first(task, proofs[at : at + BATCH], HEARTBEATS[0], slow):
                self.proofs[name], self.texts[name] = found, f"{task.head} := {found}"
                return True
            if self.clock.over:
                return False
        if not self.theory.natural and await self._replayed(name):
            return True
        for proof in slow:
            if self.clock.over:
                return False
            if found := await self._first(task, [proof], HEARTBEATS[1], []):
                self.texts[name] = f"set_option maxHeartbeats 400000 in\n{task.head} := {found}"
                return True
        return False

    async def _replayed(self, name: str) -> bool:
        """Whether the cases of the derivation, one by one, give the lemma."""
        at = [s.id for s in self.derivation.steps].index(name)
        steps = self.derivation.steps[: at + 1]
        proved = {s.id: s.sequent for s in steps}
        sizes = Sizes(self.problem.signature)
        writing = Plain(self.problem, self.theory, sizes, proved, {n: self.needs(n) for n in proved})
        deadline = time.monotonic() + self.clock.left
        lemmas = self.names.keys() - self.failed - {name}
        try:
            replay = Replay(writing, steps, self.lean, deadline)
            replay.found.update({n: Found("", ()) for n in lemmas if n in proved})
            if not await replay.run():
                return False
        except (NotTranslatable, KernelError, LookupError, ValueError):  # what cannot be written is no proof
            return False
        for step in steps:
            if step.id in replay.found and step.id not in lemmas:
                found = replay.found[step.id]
                self.names.setdefault(step.id, name_of(step.id))
                self.texts[step.id] = f"{self._head(step.id)} := by\n{indented(found.text)}"
        return True

    def _head(self, name: str) -> str:
        return f"theorem {self.names[name]} {self.statement(name)}"

    async def _first(self, task: Task, proofs: Sequence[str], heartbeats: int, slow: list[str]) -> str:
        for proof, messages in zip(proofs, await tried(self.lean, task, proofs, heartbeats, self.clock), strict=True):
            if messages is None or any("maximum number of heartbeats" in m.text for m in messages):
                slow.append(proof)
            elif not any(m.severity == "error" or m.kind == "hasSorry" for m in messages):
                return proof
        return ""

    def attempts(self, name: str, lemmas: Sequence[str]) -> list[str]:
        """Proofs of a lemma by its own scheme, and automation for the cases."""
        tree = self.tree(name)
        spoken = [*tree, *(self._steps[c] for c in self.cited(name))]
        few, every = (
            ", ".join([*self.definitions(steps, deep), *lemmas]) for steps, deep in ((tree, False), (spoken, True))
        )
        few, every = (f" [{names}]" if names else "" for names in (few, every))
        closers = [f"grind{few}", f"simp_all{few}", f"grind{every}", f"(simp_all{few} <;> grind{every})"]
        types = dict.fromkeys(self.theory.taken_apart(v.sort) for step in tree for v in step.sequent.vars)
        if apart := [f"cases {type_}" for type_ in types if type_]:
            closers.insert(1, f"grind [{', '.join([*self.definitions(tree, False), *lemmas, *apart])}]")
        own = ", ".join(n for n in [*self.definitions(tree, False), *lemmas] if not n.startswith(LIBRARY))
        if f" [{own}]" not in (few, every) and own:
            closers.insert(1, f"grind [{own}]")  # lemmas may be about library functions as they stand
        if self.theory.natural or self.theory.unary:
            closers.insert(2, f"(simp_all{few} <;> omega)")
        begun = starts(self.theory, self.problem, tree)
        if isinstance(tree[0].by, ByScheme) and isinstance(tree[0].by.scheme, Conjuncts):
            begun = [f"constructor <;> first | exact {n} .. | ◯" for n in lemmas[:1]] + begun
        return list(dict.fromkeys(start.replace("◯", closer) for closer in closers for start in begun))


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
