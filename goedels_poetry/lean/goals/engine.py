"""A goal of Lean to the engine, and its proof back to Lean, each lemma proved by itself from those that it cites."""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from goedels_poetry.lean.goals.theory import FileTheory, spoken_of
from goedels_poetry.lean.goals.translating import Translator
from goedels_poetry.lean.runtime.protocol import LeanRuntime
from goedels_poetry.lean.smt_proofs.replay import HEARTBEATS, Replay
from goedels_poetry.lean.smt_proofs.writing import STEP, Writing, defined, indented, listed, name_of, spoken
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.lean.tactics.portfolio import Clock, Proposal, accepted
from goedels_poetry.lean.text.task import Task
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.solvers.worker_pool import JobCrashed, JobMemory, JobTimeout, WorkerPool

# -- How the proof of a lemma begins in Lean, by the scheme that the engine has proved it with ---------------------

MOST_CALLS, MOST_MOVED = 3, 2


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
        case IntInduction(width=width) if width > 1 and theory.natural:
            return [_several_back(names[scheme.on], width, generalizing), *calls]
        case StructuralInduction() | IntInduction():
            start = f"induction {names[scheme.on]}{generalizing} <;> "
            apart = [f"{start}(try cases {n}) <;> ◯" for n in nested if n != names[scheme.on]]
            moved = [g for g in general if g not in nested][:MOST_MOVED]
            every = [start + "".join(f"(try cases {g}) <;> " for g in moved) + "◯"] if moved else []
            return [*apart, f"{start}◯", *calls, *every]
        case RecursionInduction():
            definition = problem.signature.definition(scheme.function)
            if definition is not None:
                call = theory.value(app(definition.name, scheme.at, definition.sort))
                return [f"fun_induction {call}{generalizing} <;> ◯"]
        case MeasureInduction() | SizeInduction():
            return [*calls, "◯"]
    return ["◯", *(f"induction {n} <;> ◯" for n in nested)]


def _several_back(name: str, width: int, generalizing: str) -> str:
    """Induction on a natural number with hypotheses for the last numbers before it."""
    apart = f"rcases {name} with {'_ | ' * width}{name}"
    given = [f"(try have i{k} := h ({name} + {k}) (by omega))" for k in range(width)]
    start = f"induction {name} using Nat.strongRecOn{generalizing} <;> rename_i {name} h <;> {apart}"
    return " <;> ".join([start, *given, "(try clear h) <;> ◯"])


def _calls(theory: FileTheory, problem: Problem, sequent: Sequent) -> list[str]:
    """Along the recursion of the functions that are called on variables."""
    found: dict[str, None] = {}
    for term in (t for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if t.kind is Kind.APP):
        definition = problem.signature.definition(term.name)
        recursive = definition is not None and definition.recursive and term.name in theory.definitions
        if recursive and term.args and all(a.kind is Kind.VAR for a in term.args):
            found[f"fun_induction {theory.value(term)} <;> ◯"] = None
    return list(found)[:MOST_CALLS]


# -- The steps of a proof of the engine's as theorems of a user's file ---------------------------------------------

INDUCTIONS = (StructuralInduction, IntInduction, RecursionInduction, SizeInduction, MeasureInduction)


class Plain(Writing):
    """Proofs with no commands between the theorems: in a proof of the user's theorem there are theorems only."""

    def _is_told(self, step: str) -> bool:
        """`grind` is given what it may use in its own brackets."""
        return False


class Lemmas(Replay):
    """The lemmas of one derivation: each by its own scheme and automation first, then case by case."""

    def __init__(self, lean: LeanRuntime, theory: FileTheory, problem: Problem, derivation: Derivation) -> None:
        self.file, self.derivation = theory, derivation
        self.leave_open = False
        """Lemmas that have no proof are stated with `sorry`; what a case needs is not looked for then."""
        self.vain: set[str] = set()
        """Lemmas whose own scheme and automation are no proof."""
        steps = tuple(replace(s, sequent=self._unguarded(s.sequent)) for s in derivation.steps)
        writing = Plain(problem, theory, Sizes(problem.signature), {s.id: s.sequent for s in steps})
        super().__init__(replace(writing, needs=self._needs(writing, steps)), steps, lean, 0.0)

    def _unguarded(self, sequent: Sequent) -> Sequent:
        """Without the hypotheses that Lean's types say: that a natural number is not below 0."""
        return replace(sequent, hyps=tuple(h for h in sequent.hyps if not self.file.guards(h)))

    def _needs(self, writing: Writing, steps: Sequence[Step]) -> dict[str, frozenset[str]]:
        """The functions that the goal is about of which each step, or one that it rests on, speaks."""
        found: dict[str, frozenset[str]] = {}
        for step in steps:
            try:
                text = writing.theorem("_", step.sequent)
            except NotTranslatable:  # the search for its proof says so
                text = " ".join(self.file.arguments)
            own = frozenset(a for a in self.file.arguments if spoken(a, text))
            found[step.id] = own.union(*(found[cite] for cite in step.by.cites))
        return found

    async def prove(self, clock: Clock, *, leave_open: bool) -> bool:
        """Whether the last step has a proof by others that have one, or that are left open."""
        self.deadline, self.leave_open = time.monotonic() + clock.left, leave_open
        return await self.run()

    def passes(self, step: Step) -> bool:
        """See `Replay.passes`: an open lemma becomes a goal."""
        return self.leave_open and step is not self.steps[-1]

    def cited(self, step: Step) -> list[str]:
        """The lemmas that a lemma's own tree cites, without what Lean knows of itself; where the goal is taken apart by
        its form, its parts."""
        if isinstance(step.by, ByScheme) and not isinstance(step.by.scheme, INDUCTIONS):
            return list(dict.fromkeys(step.by.cites))
        cites = [cite for each in self.tree(step) if isinstance(each.by, Query) for cite in each.by.cites]
        return [cite for cite in dict.fromkeys(cites) if not self._is_known(cite)]

    def _is_known(self, name: str) -> bool:
        sequent = self.by_id[name].sequent
        return all(map(self.file.is_linear, (*sequent.hyps, sequent.concl)))

    def tree(self, step: Step) -> list[Step]:
        """The step and the cases below it, by schemes alone."""
        below = step.by.cites if isinstance(step.by, ByScheme) else ()
        return [step, *(each for case in below for each in self.tree(self.by_id[case]))]

    def alternatives(self, step: Step) -> Iterator[tuple[str, tuple[str, ...], int]]:
        """See `Replay.alternatives`."""
        cited = self.cited(step)
        for text in self.attempts(step, [name_of(c) for c in cited]) if step.id not in self.vain else ():
            yield text, tuple(c for c in cited if spoken(name_of(c), text)), HEARTBEATS[0]
        self.vain.add(step.id)
        if not self.file.natural and not self.leave_open:
            yield from super().alternatives(step)

    def attempts(self, step: Step, lemmas: Sequence[str]) -> list[str]:
        """Proofs of a lemma by its own scheme, and automation for the cases."""
        tree = self.tree(step)
        about = [*tree, *(self.by_id[c] for c in self.cited(step))]
        own = self._definitions(tree, False)
        few, every = (listed([*names, *lemmas]) for names in (own, self._definitions(about, True)))
        closers = [f"grind{few}", f"simp_all{few}", f"grind{every}", f"(simp_all{few} <;> grind{every})"]
        types = dict.fromkeys(self.file.taken_apart(v.sort) for each in tree for v in each.sequent.vars)
        if apart := [f"cases {type_}" for type_ in types if type_]:
            closers.insert(1, f"grind{listed([*own, *lemmas, *apart])}")
            closers.insert(4, f"grind{listed([*self._definitions(about, True), *lemmas, *apart])}")
        if self.file.natural or (self.file.unary and self.file.arithmetic):
            closers.insert(2, f"(simp_all{few} <;> omega)")
        begun = starts(self.file, self.writing.problem, tree)
        if isinstance(step.by, ByScheme) and isinstance(step.by.scheme, Conjuncts):
            begun = [f"constructor <;> first | exact {n} .. | ◯" for n in lemmas[:1]] + begun
        return list(dict.fromkeys(start.replace("◯", closer) for closer in closers for start in begun))

    def _definitions(self, steps: Sequence[Step], deep: bool) -> list[str]:
        """Names of the functions that the steps speak of; see `defined`."""
        terms = [part for s in steps for part in (*s.sequent.hyps, s.sequent.concl)]
        return defined(self.writing.problem.signature, terms, self.file.definitions, deep=deep)

    def needed(self) -> list[str]:
        """The last step and those that its proof rests on, in order."""
        waiting, found = [self.steps[-1].id], set[str]()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.found[name].cites if name in self.found else ()
        return [step.id for step in self.steps if step.id in found]

    def text(self, name: str) -> str:
        """A step as a declaration, open where it has no proof."""
        proof = indented(self.found[name].text) if name in self.found else "  sorry"
        stated = self.writing.theorem("", self.by_id[name].sequent).removeprefix("theorem ").strip()
        outer = spoken_of(stated, self.file.outer, self.writing.needs[name])
        return f"theorem {' '.join([name_of(name), *outer, stated])} := by\n{proof}"


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
    proofs: list[tuple[Read, Derivation]] = field(default_factory=list)
    """That Lean has not refused, those first that bring no functions along."""
    lemmas: dict[str, Lemmas] = field(default_factory=dict)
    """Of the proofs that the engine has found, by the scripts that they are about."""
    settled: set[int] = field(default_factory=set)
    """Ways that the engine was asked about, by their numbers."""

    @property
    def plain(self) -> bool:
        """Whether there is a proof that brings no functions along: others are longer in Lean."""
        return bool(self.proofs) and not self.proofs[0][1].auxiliary


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
        for number, way in enumerate(await self.ways(lean, task, clock)):
            if number in known.settled or clock.over or known.plain:
                continue
            last = known.ways is not None and number + 1 == len(known.ways) and not known.proofs
            answer = await self._ask("search", way, clock if last else clock.part(clock.left / 2))
            known.settled.add(number)
            known.reason = str(answer.get("reason", ""))
            if answer.get("status") == "proved":
                try:
                    known.proofs.append((way, derivation_from_json(answer["proof"], way.problem.signature)))
                    known.proofs.sort(key=lambda found: bool(found[1].auxiliary))
                except KernelError as fault:
                    known.reason = str(fault)
        return bool(known.proofs)

    async def prove(
        self, lean: LeanRuntime, task: Task, clock: Clock, *, leave_open: bool = False, once: bool = False
    ) -> Proposal | None:
        """A proof by lemmas that the engine has found and Lean accepts.

        With ``leave_open`` lemmas for which Lean has found no proof stay open. With ``once`` the engine is not asked
        again where Lean does not accept what it has found.
        """
        known, refused = self.known(lean, task), list[tuple[Read, Derivation]]()
        try:
            while not clock.over and await self.search(lean, task, clock):
                # Perhaps the goal read in another way has a better proof; then this one gets the time that is left.
                unread = known.ways is not None and len(known.settled) < len(known.ways)
                elsewhere = not once and (unread or len(known.proofs) > 1)
                part = clock.part(clock.left / 2) if elsewhere else clock
                try:
                    found = await _translated(lean, task, known, part, leave_open=leave_open)
                except (NotTranslatable, Unreadable, KernelError) as fault:
                    found, known.reason = None, str(fault)
                if found is not None or not elsewhere:
                    return found
                refused.append(known.proofs.pop(0))
            return None
        finally:
            known.proofs[:0] = refused

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
    way, derivation = known.proofs[0]
    if leave_open and derivation.auxiliary:
        return None  # a lemma that is left open has to stand by itself
    lemmas = known.lemmas.get(way.reading.text)
    if lemmas is None or lemmas.derivation is not derivation:
        problem = with_auxiliaries(way.problem, derivation.auxiliary)
        lemmas = Lemmas(lean, way.theory(task, derivation.auxiliary), problem, derivation)
        known.lemmas[way.reading.text] = lemmas
    if not await lemmas.prove(clock, leave_open=leave_open):
        return None
    stem = re.sub(r"\W+", "_", task.name.split(".")[-1].strip("«»"))
    while f"{stem}_lemma_" in f"{task.prefix}{task.stubs}{task.head}":
        stem += "'"
    *written, last = lemmas.needed()
    names = {name_of(n): f"{stem}_lemma_{i}" for i, n in enumerate([*written, last], 1)}

    def renamed(text: str) -> str:
        return re.sub(rf"{STEP}s\d+", lambda m: names.get(m[0], m[0]), text)

    before = lemmas.file.helpers + "\n\n".join(map(lemmas.text, written))
    # Its variables may have the names of the theorem's: then it need not be stated twice.
    proofs = [] if leave_open else [(f"by\n{indented(lemmas.found[last].text)}", before)]
    for ending in ENDINGS:
        proofs.append((f"by\n  intros\n  {ending.format(name_of(last))}", f"{before}\n\n{lemmas.text(last)}"))
    for proof, helpers in proofs:
        proposal = Proposal(renamed(proof), renamed(helpers), strategy=STRATEGY, fingerprint=FINGERPRINT)
        if leave_open or await accepted(lean, task, proposal, clock):
            return proposal
    return None
