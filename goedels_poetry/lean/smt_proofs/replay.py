"""Tries the proofs of steps in Lean until each step has one.

All statements stand before the trials, left open, in a text that Lean elaborates once. So steps are tried in any order
and several at once, and each alternative is a request of its own with its own heartbeats: a time-out ends nothing else.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product
from typing import TypeAlias

from goedels_poetry.kernel.derivation import ByScheme, Instance, Query, Step
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
    variable_of,
)
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    Intro,
    SkolemHypothesis,
    Witness,
    instances,
)
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, FALSE, INT, Kind, Term, app, is_app, subterms
from goedels_poetry.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.lean.smt_proofs import inductions
from goedels_poetry.lean.smt_proofs.inductions import recursion
from goedels_poetry.lean.smt_proofs.writing import (
    HYPOTHESIS,
    Writing,
    hypotheses,
    in_section,
    indented,
    listed,
    name_of,
)
from goedels_poetry.lean.statement.vocabulary import NotTranslatable

# -- What solvers have decided: a portfolio, and smaller pieces where none of it is enough -------------------------

MOST_SPLITS, MOST_SPECIAL = 4, 4


def proofs(writing: Writing, sequent: Sequent, query: Query, given: Container[str] = ()) -> Iterator[str]:
    """Tactic blocks that may prove a sequent from the steps its query cites, the cheap and likely ones first.

    ``given``: names of the hypotheses that are there besides the sequent's own.
    """
    terms = [*sequent.hyps, sequent.concl]
    cited = [writing.proved[c] for c in query.cites]
    spoken = [*terms, *(t for s in cited for t in (*s.hyps, s.concl))]
    instances = instances_of(writing, query.instances)
    if instances:
        for instance in query.instances:
            spoken += instance.args
    spoken += [formula for name, formula in writing.premises() if sequent.concl is FALSE or name in given]
    defs = writing.definitions(*spoken)
    arithmetic = any(t.sort is INT for term in spoken for t in subterms(term))
    direct = writing.grind(query.cites, defs)
    simp = _simp(writing, query.cites, defs)
    tried = f"{writing.have(query.cites)}try simp_all{listed(defs)}"
    if instances and not query.equations:
        yield instances + "grind"
        yield instances + writing.grind(query.cites, defs)
        if arithmetic:
            yield instances + "simp_all\nomega"
    yield direct
    splits = writing.splits(sequent)
    if splits:
        yield writing.grind(query.cites, [*defs, *splits])
    special = _special(writing, sequent)
    if special:
        yield special + direct
        for text in _by_cases(writing, sequent, [direct]):
            yield special + text  # before the variables are taken apart
    if not defs and not query.cites:
        yield "simp_all"
    if instances and query.equations:
        yield instances + direct
    yield simp
    if any(writing.is_datatype(v.sort) for v in sequent.vars) and sequent.hyps:  # no value is a part of itself
        taken = "".join(
            f"try simp only [ne_eq, Classical.not_not] at {name}\ntry cases {name}\n" for name in hypotheses(sequent)
        )
        yield f"{taken}all_goals {_line(direct)}"
    yield from _by_cases(writing, sequent, [direct, simp])
    yield writing.grind(query.cites, defs, " (splits := 20) (ematch := 12) (gen := 16)")
    yield f"{tried}\nall_goals grind{listed(defs)}"
    if arithmetic:
        yield f"{tried}\nall_goals omega"
    if instances and query.equations:
        yield instances + simp


def _special(writing: Writing, sequent: Sequent) -> str:
    """What hypotheses of all values say of the variables: of no term that `grind` would meet by itself."""
    lines = list[str]()
    for number, hyp in enumerate(sequent.hyps, 1):
        if hyp.kind is not Kind.FORALL or len(hyp.binders) > 2:
            continue
        values = [[v for v in sequent.vars if v.sort is b.sort] for b in hyp.binders]
        for chosen in islice(product(*values), MOST_SPECIAL):
            args = " ".join(map(writing.theory.value, chosen))
            lines.append(f"have _f{number}_{len(lines)} := {HYPOTHESIS}{number} {args}\n")
    return "".join(lines)


def _simp(writing: Writing, cites: Sequence[str], defs: Sequence[str]) -> str:
    return f"{writing.have(cites)}simp_all{listed(defs)}"


def _by_cases(writing: Writing, sequent: Sequent, then: Sequence[str]) -> Iterator[str]:
    """A variable of a datatype by its constructors."""
    for variable in [v for v in sequent.vars if writing.is_datatype(v.sort)][:MOST_SPLITS]:
        for text in then:
            yield f"cases {writing.theory.value(variable)} <;> ({'; '.join(text.split(chr(10)))})"


def instances_of(writing: Writing, instances: Sequence[Instance]) -> str:
    """The facts that the solver was given at certain terms, as hypotheses."""
    lines = []
    for number, instance in enumerate(dict.fromkeys(instances)):
        try:
            text = _instance(writing, instance)
        except NotTranslatable:  # a user's file has no words for selectors
            continue
        if text:
            lines.append(f"have _e{number}{text}\n")
    return "".join(lines)


def _instance(writing: Writing, instance: Instance) -> str:
    theory = writing.theory
    args = " ".join(theory.value(a) for a in instance.args)
    if instance.of == "step":
        return f" := {writing.step(instance.name)} {args}".rstrip()
    if instance.of == "hyp":
        return f" := {HYPOTHESIS}{int(instance.name) + 1} {args}".rstrip()
    if instance.of == "premise":
        names = {p.name: name for p, (name, _) in zip(writing.problem.premises, writing.premises(), strict=True)}
        return f" := {names[instance.name]} {args}".rstrip()
    definition = writing.problem.signature.definition(instance.name)
    if definition is None:
        return ""
    body = definition.at(instance.args)
    call = app(definition.name, instance.args, definition.sort)
    stated = ""
    for side in (simplify(body, writing.problem.signature), body):  # the first may have no selectors
        try:
            if writing.is_spoken(side):
                stated = stated or theory.prop(app("=", (call, side), BOOL))
        except NotTranslatable:
            continue
    name = theory.definitions.get(instance.name, "")
    if not stated:
        return ""
    if not name:  # described by hypotheses, not defined
        laws = [law for law, _ in theory.equations.get(instance.name, ())]
        ways = (
            [f"exact {law}" for law in laws]
            + [f"(apply {law})" for law in laws]
            + [f"(rw [{law}]; done)" for law in laws]
        )
        return f" : {stated} := by first | {' | '.join([*ways, 'grind'])}"
    others = ", ".join(n for n in writing.definitions(definition.body) if n != name)
    known = f"{name}, {others}" if others else name
    ways = ["rfl", f"(rw [{name}.eq_def]; done)", f"(rw [{name}]; rfl)", f"(simp [{known}]; done)", f"grind [{known}]"]
    return f" : {stated} := by first | {' | '.join(ways)}"


# -- Whole lemmas at once ------------------------------------------------------------------------------------------


def shortcuts(writing: Writing, step: Step, steps: Mapping[str, Step]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Tactic blocks with the steps that they cite, for an induction whose cases all are queries."""
    if not isinstance(step.by, ByScheme) or not isinstance(step.by.scheme, (StructuralInduction, RecursionInduction)):
        return
    cases = [steps[c] for c in step.by.cites]
    queries = [case.by for case in cases if isinstance(case.by, Query)]
    if len(queries) != len(cases) or any(not q.equations for q in queries):
        return
    cites = tuple(dict.fromkeys(c for q in queries for c in q.cites))
    sequents = [step.sequent, *(case.sequent for case in cases), *(steps[c].sequent for c in cites)]
    defs = writing.definitions(*(t for s in sequents for t in (*s.hyps, s.concl)))
    scheme, theory = step.by.scheme, writing.theory
    general = [theory.value(v) for v in step.sequent.vars if v.name in scheme.general]
    generalizing = f" generalizing {' '.join(general)}" if general else ""
    grind = "; ".join(writing.grind(cites, defs).split("\n"))
    if isinstance(scheme, StructuralInduction):
        if scheme.depth > 1:
            return
        on = variable_of(step.sequent, scheme.on)
        yield f"induction {theory.value(on)}{generalizing} <;> ({grind})", cites
        return
    definition = writing.problem.signature.definition(scheme.function)
    if definition is not None:
        call = theory.value(app(definition.name, scheme.at, definition.sort))
        yield f"fun_induction {call}{generalizing} <;> ({grind})", cites


# -- Each scheme of a derivation as Lean tactics -------------------------------------------------------------------


Closing: TypeAlias = Callable[[str, Sequent], str]
"""The tactics that finish a case by the step that proves it."""


def scheme_proofs(writing: Writing, sequent: Sequent, by: ByScheme) -> Iterator[str]:
    """Tactic blocks that prove a sequent from the steps it cites, the likeliest first; none is certain."""
    cases = instances(sequent, by.scheme, writing.problem.signature, writing.sizes)
    opened = sequent.concl.kind is Kind.FORALL or is_app(sequent.concl, "=>")
    ways: list[Closing] = [
        *([] if opened else [lambda step, case: f"exact {writing.cited(step, case)}"]),
        lambda step, case: _applied(writing, [step]),
        lambda step, case: f"intros\n{writing.grind([step])}",
    ]
    for way in ways:
        yield from _written(writing, sequent, by, cases, way)
    yield writing.grind(by.cites)
    yield f"{writing.have(by.cites)}simp_all"


def _applied(writing: Writing, steps: Sequence[str]) -> str:
    any_of = " | ".join(f"apply {writing.step(s)}" for s in steps)
    return f"intros\n(first | {any_of}) <;> first | assumption | (intros; solve_by_elim) | (simp_all; done) | grind"


def _written(writing: Writing, sequent: Sequent, by: ByScheme, cases: Sequence[Sequent], way: Closing) -> Iterator[str]:
    """The step by one way to close the cases."""
    scheme, cites = by.scheme, by.cites
    closed = [way(step, case) for step, case in zip(cites, cases, strict=True)]
    theory = writing.theory
    match scheme:
        case StructuralInduction():
            yield from inductions.structural(writing, sequent, scheme, closed)
        case IntInduction():
            yield inductions.integer(writing, sequent, scheme, closed)
        case MeasureInduction():
            yield inductions.measured(writing, sequent, scheme, closed[0])
        case RecursionInduction():
            yield from recursion(writing, sequent, scheme, closed)
        case SizeInduction():
            yield from inductions.sized(writing, sequent, scheme, closed[0])
        case CaseSplit(on):
            yes, no = (indented(c) for c in closed)
            yield f"by_cases _c : {theory.prop(on)}\n· {yes.lstrip()}\n· {no.lstrip()}"
        case ConstructorSplit(on):
            yield inductions.by_constructors(writing, sequent, variable_of(sequent, on), closed)
        case Conjuncts():
            if is_app(sequent.concl, "=") and sequent.concl.args[0].sort is BOOL:
                both = f"constructor\n· intro _p\n  {_line(closed[0])}\n· intro _p\n  {_line(closed[1])}"
                yield both
                yield f"rw [Bool.eq_iff_iff]\n{both}"
            else:
                yield f"exact ⟨{', '.join(f'(by {_line(c)})' for c in closed)}⟩"
        case Contradiction():
            yield f"apply Classical.byContradiction\nintro _n\n{closed[0]}"
        case Witness(at):
            yield f"refine ⟨{', '.join(theory.value(t) for t in at)}, ?_⟩\n{closed[0]}"
        case Intro():
            yield f"{_introduced(writing, sequent, cases[0])}\n{closed[0]}"
        case SkolemHypothesis():
            yield _skolemised(writing, sequent, cases[0], closed[0])


def _line(text: str) -> str:
    """Tactics on one line."""
    return "(" + "; ".join(text.split("\n")) + ")" if "\n" in text else text


def _introduced(writing: Writing, sequent: Sequent, case: Sequent) -> str:
    """`intro` with the names that the case gives to what is new; hypotheses that are conjunctions are taken apart."""
    new = iter([v for v in case.vars if v not in sequent.vars])
    names: list[str] = []
    concl, number = sequent.concl, 0
    while True:
        if concl.kind is Kind.FORALL:
            names += [writing.theory.value(next(new, bound)) for bound in concl.binders]
            concl = concl.body
        elif is_app(concl, "=>"):
            for premise in concl.args[:-1]:
                number += 1
                names.append(_pattern(premise, f"_n{number}"))
            concl = concl.args[-1]
        elif is_app(concl, "not"):
            names.append(_pattern(concl.args[0], "_n0"))
            break
        else:
            break
    return f"rintro {' '.join(names)}" if names else "skip"


def _pattern(premise: Term, name: str) -> str:
    if not is_app(premise, "and"):
        return name
    return f"⟨{', '.join(f'{name}_{i}' for i, _ in enumerate(premise.args))}⟩"


def _skolemised(writing: Writing, sequent: Sequent, case: Sequent, closed: str) -> str:
    new = iter([v for v in case.vars if v not in sequent.vars])
    lines = []
    for name, hyp in zip(hypotheses(sequent), sequent.hyps, strict=True):
        if hyp.kind is Kind.EXISTS:
            names = [writing.theory.value(next(new, bound)) for bound in hyp.binders]
            lines.append(f"obtain ⟨{', '.join([*names, _pattern(hyp.body, f'{name}_')])}⟩ := {name}")
    return "\n".join([*lines, closed])


# -- Tries the proofs of steps in Lean until each step has one -----------------------------------------------------


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
    requests: int = 0
    longest: float = REQUEST_SECONDS
    """Seconds of one request."""

    def __post_init__(self) -> None:
        self.by_id: Mapping[str, Step] = {step.id: step for step in self.steps}
        self.used = self._used()
        self.prefix = self._prefix()

    def _prefix(self) -> str:
        theory = self.writing.theory
        stated = []
        for step in self.steps:
            with suppress(NotTranslatable):  # what a file has no words for: its lemma is proved without it
                if step.id in self.used:
                    text = f"{self.writing.theorem(name_of(step.id), step.sequent)} := sorry\n"
                    stated.append(in_section(self.writing.before(step.id), text))
        return "\n".join([theory.header, "section", self.writing.context, "", *stated])

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
        waiting = self._waiting()
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
                        if self.passes(self.by_id[name]):
                            continue
                        return False
                    self.found[name] = result
                    known = {*self.found, *tasks.values(), *waiting}
                    waiting += [c for c in dict.fromkeys(result.cites) if c not in known]
                self.progress(len(self.found), len(self.found) + len(tasks) + len(waiting))
            return True
        finally:
            for waiter in tasks:
                waiter.cancel()

    def _waiting(self) -> list[str]:
        """Steps that what has a proof rests on, and that have none; the last one at first."""
        cited = [c for found in self.found.values() for c in found.cites]
        return [name for name in dict.fromkeys([self.steps[-1].id, *cited]) if name not in self.found]

    def passes(self, step: Step) -> bool:
        """Whether the rest goes on without a proof of a step."""
        return False

    async def _prove(self, step: Step) -> Found | None:
        try:
            return await self._searched(step)
        except (KernelError, LookupError, ValueError) as fault:  # what cannot be written is no proof
            self.failed = self.failed or StepFailed(step.id, "", (), f"not translatable to Lean: {fault}")
            return None

    async def _searched(self, step: Step) -> Found | None:
        tried: list[str] = []
        slow: list[tuple[str, tuple[str, ...], int]] = []
        last = "no alternative"
        for text, cites, heartbeats in chain(self.alternatives(step), _later(slow)):
            if time.monotonic() > self.deadline:
                last = "the time is over"
                break
            reason = await self._try(step, text, heartbeats, cites)
            if reason is None:
                return Found(text, cites)
            tried.append(text)
            last = reason
            if heartbeats == HEARTBEATS[0] and _LIMIT.search(reason):
                slow.append((text, cites, HEARTBEATS[1]))
        if self.failed is None:
            self.failed = StepFailed(step.id, self.writing.theorem(name_of(step.id), step.sequent), tuple(tried), last)
        return None

    def alternatives(self, step: Step) -> Iterator[tuple[str, tuple[str, ...], int]]:
        """Tactics, the steps that they cite and how long they may take: whole lemmas, the step's own way, leaves with
        more lemmas."""
        for text, cites in shortcuts(self.writing, step, self.by_id):
            yield text, cites, SHORTCUT_HEARTBEATS
        if isinstance(step.by, ByScheme):
            found = scheme_proofs(self.writing, step.sequent, step.by)
        else:
            found = proofs(self.writing, step.sequent, step.by, self.writing.needs[step.id])
        for text in dict.fromkeys(found):
            yield text, step.by.cites, HEARTBEATS[0]
        for text, cites in self._with_more(step):
            yield text, cites, HEARTBEATS[0]

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
        found = proofs(self.writing, step.sequent, query, needed)
        return [(text, cites) for text in islice(found, MOST_WITH_MORE)]

    def _speaks_of(self, step: str) -> frozenset[str]:
        sequent = self.by_id[step].sequent
        return frozenset(self.writing.definitions(*sequent.hyps, sequent.concl))

    async def _try(self, step: Step, text: str, heartbeats: int, cites: Sequence[str]) -> str | None:
        before = [*self.writing.before(step.id), *self.writing.patterns(cites)]
        return await self._ask(_limited(before, heartbeats, self.writing.theorem(TRIAL, step.sequent), text))

    async def _ask(self, code: str) -> str | None:
        """Why Lean refuses the code after the prefix; None when it does not."""
        self.requests += 1
        seconds = max(1.0, min(self.longest, self.deadline - time.monotonic()))
        result = await self.lean.check(CheckRequest(code=code, prefix=self.prefix, seconds=seconds))
        if result.status != "done":
            return f"{result.status}: {result.error}"
        return result.errors[0].text if result.errors else None


def _later(
    slow: Sequence[tuple[str, tuple[str, ...], int]],
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """What has been too slow by the time that it is asked for."""
    yield from slow[:MOST_SLOW]


def _limited(before: Sequence[str], heartbeats: int, statement: str, text: str) -> str:
    """A theorem within limits, after commands."""
    return "\n".join([*before, f"set_option maxHeartbeats {heartbeats} in\n{statement} := by", indented(text), ""])
