"""The lemmas of a proof of the engine's as theorems of Lean, each proved by itself from those that it cites."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
)
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.schemas import Conjuncts
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.sizes import Sizes
from goedels_poetry.kernel.terms import Kind, app, subterms
from goedels_poetry.lean.goals.theory import FileTheory
from goedels_poetry.lean.runtime.protocol import LeanRuntime
from goedels_poetry.lean.smt_proofs.replay import Found, Replay
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, Writing, defined, indented, name_of, spoken
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.lean.tactics.attempts import Clock, tried
from goedels_poetry.lean.text.task import Fact, Task

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
