"""Leaves by the facts that z3 has used (`grounding`), with what these suppose of the shapes of values (`shapes`).

Lean has no search left then but for equalities, arithmetic and cases. Where that is too much the leaf is split, on a
value or a condition, z3 is asked anew in each case, and so on. Every case is tried by itself, with its own heartbeats.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.bridge.vocabulary import NotTranslatable
from goedels_poetry.kernel.derivation import Instance, Query, Step
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import shapes_of
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, app, not_, substitute, subterms
from goedels_poetry.languages.bridge.grounding import Ground, grounded
from goedels_poetry.languages.bridge.leaves import instances_of
from goedels_poetry.languages.bridge.shapes import shapes
from goedels_poetry.languages.bridge.writing import HYPOTHESIS, Writing, indented, listed, own_name
from goedels_poetry.solvers.limits import SolverUnavailable
from goedels_poetry.solvers.process import SolverProcess

MOST_DEPTH, MOST_CASES = 4, 14
"""Splits one inside the other, and cases of one leaf."""
Try = Callable[[Sequent, str], Awaitable[bool]]
"""Whether Lean accepts tactics as a proof of a sequent."""


@dataclass
class Casework:
    """The search for the proof of one leaf. ``cites``: the steps that it has used so far."""

    writing: Writing
    context: Context
    step: Step
    query: Query
    z3: SolverProcess
    busy: asyncio.Lock
    """Whose holder may ask z3."""
    accepted: Try
    cites: dict[str, None] = field(default_factory=dict)
    cases: int = 0

    async def proof(self) -> str | None:
        """Tactics that Lean accepts as a proof of the leaf; None where there are none to be had in this way."""
        try:
            return await self._proof(self.step.sequent, 0)
        except (KernelError, NotTranslatable, RecursionError, SolverUnavailable):
            return None  # without a z3 the other alternatives are tried

    async def _proof(self, sequent: Sequent, depth: int) -> str | None:
        if self.cases > MOST_CASES:
            return None
        async with self.busy:
            ground = await asyncio.to_thread(grounded, self.context, sequent, self.query, self.writing.proved, self.z3)
        if ground is None:
            return None
        for text in _closed(self.writing, self.step, sequent, ground):
            if await self.accepted(sequent, text):
                self.cites.update(dict.fromkeys(i.name for i in ground.instances if i.of == "step"))
                return text
        subject = shapes(self.writing, sequent, ground).subject(sequent)
        if subject is not None:
            return await self._split(_by_constructors(self.writing, sequent, subject), depth)
        condition = _condition(sequent, ground)
        if condition is None:
            return None
        return await self._split(_by_condition(self.writing, sequent, condition), depth)

    async def _split(self, split: Split, depth: int) -> str | None:
        self.cases += len(split.cases)
        if depth >= MOST_DEPTH:
            return None
        first = await self._proof(split.cases[-1], depth + 1)  # the last constructor is the one that recurs, mostly
        if first is None:
            return None
        others = await asyncio.gather(*[self._proof(case, depth + 1) for case in split.cases[:-1]])
        proofs = [text for text in (*others, first) if text is not None]
        return split.text(proofs) if len(proofs) == len(split.cases) else None


# ------------------------------------------------------------------------------------------------- splits


@dataclass(frozen=True, slots=True)
class Split:
    """A leaf in cases: what Lean is told, and before each case."""

    opening: str
    arms: tuple[str, ...]
    cases: tuple[Sequent, ...]

    def text(self, proofs: Sequence[str]) -> str:
        """The tactics, given those of the cases."""
        parts = [f"{arm}\n{indented(proof)}" for arm, proof in zip(self.arms, proofs, strict=True)]
        return "\n".join([self.opening, *parts])


def _by_constructors(writing: Writing, sequent: Sequent, subject: Term) -> Split:
    """By the ways to build a value: a variable is replaced, of another term there is one hypothesis more."""
    signature, theory = writing.problem.signature, writing.theory
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    known = f"{HYPOTHESIS}{len(sequent.hyps) + 1}"
    base = subject if subject.kind is Kind.VAR else names.fresh("part", subject.sort)
    arms, cases = [], []
    for built, fresh, _ in shapes_of(base, subject.sort, 1, signature, names):
        at = {subject: built}
        hyps = sequent.hyps
        if subject.kind is Kind.VAR:
            hyps = tuple(substitute(h, at) for h in hyps)
        else:
            hyps = (*hyps, app("=", (subject, built), BOOL))
        variables = (*(v for v in sequent.vars if v is not subject), *fresh)
        cases.append(Sequent(variables, hyps, substitute(sequent.concl, at)))
        arms.append(f"| {' '.join([own_name(theory.name(built.name)), *map(theory.value, fresh)])} =>")
    named = "" if subject.kind is Kind.VAR else f"{known} : "
    return Split(f"cases {named}{theory.value(subject)} with", tuple(arms), tuple(cases))


def _by_condition(writing: Writing, sequent: Sequent, condition: Term) -> Split:
    known = f"{HYPOTHESIS}{len(sequent.hyps) + 1}"
    cases = [replace(sequent, hyps=(*sequent.hyps, c)) for c in (condition, not_(condition))]
    return Split(f"by_cases {known} : {writing.theory.prop(condition)}", ("·", "·"), tuple(cases))


def _condition(sequent: Sequent, ground: Ground) -> Term | None:
    """A condition that is not decided, the innermost first."""
    decided = {h.args[0] if h.name == "not" else h for h in sequent.hyps}
    terms = [sequent.concl, *ground.facts, *(h for h in sequent.hyps if h.kind is not Kind.FORALL)]
    found = dict.fromkeys(t.args[0] for term in terms for t in subterms(term) if t.name == "ite")
    plain = [c for c in found if c.free <= frozenset(sequent.vars) and c not in decided]
    plain = [c for c in plain if not any(t.name == "ite" for t in subterms(c))]
    return min(plain, key=lambda c: c.size, default=None)


# ------------------------------------------------------------------------------------------------ the end


def _closed(writing: Writing, step: Step, sequent: Sequent, ground: Ground) -> Iterator[str]:
    """Tactic blocks for a case in which nothing has to be instantiated any more."""
    shown = shapes(writing, sequent, ground)
    facts = shown.text + instances_of(writing, shown.instances)
    numbered = list(enumerate(sequent.hyps))
    unused = [f"{HYPOTHESIS}{i + 1}" for i, h in numbered if i not in ground.hyps]
    premises = writing.suppositions(step.id)

    def clear(names: Sequence[str]) -> str:
        return f"clear {' '.join(names)}\n" if names else ""

    few = f"{facts}{clear([*unused, *premises])}"
    spoken = [
        sequent.concl,
        *(h for i, h in numbered if i in ground.hyps),
        *_sources(writing, sequent, shown.instances),
    ]
    plain = listed(writing.plain(spoken))  # z3 knows what a selector or a tester is, Lean has to be told
    yield f"{few}grind (splits := 20) +splitImp{plain}"
    if any(t.sort is INT for term in spoken for t in subterms(term)):
        yield f"{few}simp_all{plain}\nomega"


def _sources(writing: Writing, sequent: Sequent, instances: Sequence[Instance]) -> Iterator[Term]:
    """What the instances are of, but for definitions, and at which terms."""
    premises = {p.name: p.formula for p in writing.problem.premises}
    for instance in instances:
        yield from instance.args
        if instance.of == "step":
            yield from (*writing.proved[instance.name].hyps, writing.proved[instance.name].concl)
        elif instance.of == "hyp":
            yield sequent.hyps[int(instance.name)]
        elif instance.of == "premise":
            yield premises[instance.name]
