"""Leaves by the facts that z3 has used (`grounding`), with what these suppose of the shapes of values (`shapes`).

Lean has no search left then but for equalities, arithmetic and cases. Where that is too much the leaf is split, on a
value or a condition, z3 is asked anew in each case, and so on. Every case is tried by itself, with its own heartbeats.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.derivation import Instance, Query, Step
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.inductions import shapes_of
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    Kind,
    Sort,
    Term,
    app,
    eq,
    integer,
    not_,
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.lean.smt_proofs.grounding import Ground, grounded
from goedels_poetry.lean.smt_proofs.leaves import instances_of
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, Writing, indented, listed, own_name
from goedels_poetry.lean.statement.vocabulary import NotTranslatable
from goedels_poetry.solvers.limits import SolverUnavailable
from goedels_poetry.solvers.process import SolverProcess

# -- What ground facts suppose of the shapes of values, as facts of their own --------------------------------------


MOST = 8
"""Values that are looked into."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """``text``: tactics that bring what is supposed into the context. ``instances``: the facts, without selectors."""

    text: str
    instances: tuple[Instance, ...]
    subjects: tuple[Term, ...]
    """The values that are looked into."""

    def subject(self, sequent: Sequent) -> Term | None:
        """One of them that the sequent can be split on, a variable where there is one."""
        variables = frozenset(sequent.vars)
        usable = [t for t in self.subjects if t.free <= variables]
        return min(usable, key=lambda t: (t.kind is not Kind.VAR, t.size), default=None)


def shapes(writing: Writing, sequent: Sequent, ground: Ground) -> Shapes:
    """What is supposed of values in ground facts that entail a sequent."""
    signature = writing.problem.signature
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    opened: dict[Term, list[Term]] = {}
    """Of each value the ways to build it, of fresh variables."""

    def look_into(value: Term) -> list[Term]:
        if value not in opened:
            datatype = signature.datatype(value.sort)
            assert datatype is not None
            ways = []
            for constructor in datatype.constructors:
                fields = [names.fresh(f"part_{s}", sort) for s, sort in constructor.fields]
                ways.append(app(constructor.name, fields, value.sort))
            opened[value] = ways
        return opened[value]

    def without(term: Term) -> Term:
        if not term.args or term.binders:
            return term
        args = tuple([without(a) for a in term.args])
        found = signature.selector(term.name)
        if found is None or signature.constructor(args[0].name) is not None:
            return simplify(rebuild(term, args), signature)
        datatype, constructor, position = found
        return look_into(args[0])[datatype.constructors.index(constructor)].args[position]

    instances = [Instance(i.of, i.name, tuple([without(a) for a in i.args])) for i in ground.instances]
    for values in _compared(writing, sequent, instances, ground):
        for value in values if opened.keys().isdisjoint(values) else ():
            if signature.datatype(value.sort) is not None and len(opened) < MOST:
                look_into(value)
    instances = [e for i in instances for e in _taken_apart(writing, i, look_into)]
    lines = [_supposed(writing, value, ways, i) for i, (value, ways) in enumerate(opened.items())]
    return Shapes("".join(lines), tuple(dict.fromkeys(instances)), tuple(opened))


def _taken_apart(writing: Writing, instance: Instance, look_into: Callable[[Term], list[Term]]) -> list[Instance]:
    """A fact about a definition as facts about the ways to build the values that its body looks into."""
    signature = writing.problem.signature
    definition = signature.definition(instance.name) if instance.of == "def" else None
    waiting, done = [instance], list[Instance]()
    while definition is not None and waiting and len(done) < MOST:
        top = waiting.pop(0)
        body = simplify(substitute(definition.body, dict(zip(definition.params, top.args, strict=True))), signature)
        inside = {t for a in top.args for t in subterms(a)}
        tested = (t.args[0] for t in subterms(body) if t.name == "is" or signature.selector(t.name) is not None)
        value = next((t for t in tested if t in inside and not _selects(writing, t)), None)
        if value is None:
            done.append(top)
            continue
        for way in look_into(value):
            at = tuple([substitute(a, {value: way}) for a in top.args])
            waiting.append(Instance("def", instance.name, at))
    return [*done, *waiting]


def _compared(
    writing: Writing, sequent: Sequent, instances: Sequence[Instance], ground: Ground
) -> Iterator[list[Term]]:
    """For each fact about a function with a constructor in a place, of which nobody speaks otherwise: what stands in
    that place where the function is spoken of."""
    shown = [sequent.concl, *(h for h in sequent.hyps if h.kind is not Kind.FORALL)]
    shown += [a for i in instances for a in i.args]
    spoken = [_calls(fact) for fact in ground.facts]
    here = _calls(*shown)
    for number, instance in enumerate(instances):
        calls = [*here, *(c for i, found in enumerate(spoken) if i != number for c in found)]
        same = [c for c in dict.fromkeys(calls) if c.name == instance.name] if instance.of == "def" else []
        if any(call.args == instance.args for call in same):
            continue
        values = dict.fromkeys(
            there
            for call in same
            for there, built in zip(call.args, instance.args, strict=True)
            if _is_built(writing, built) and not _is_built(writing, there) and not _selects(writing, there)
        )
        yield list(values)


def _calls(*terms: Term) -> dict[Term, None]:
    return dict.fromkeys(t for term in terms for t in subterms(term) if t.kind is Kind.APP and t.args)


def _is_built(writing: Writing, term: Term) -> bool:
    return term.kind is Kind.APP and writing.problem.signature.constructor(term.name) is not None


def _selects(writing: Writing, term: Term) -> bool:
    return any(writing.problem.signature.selector(t.name) is not None for t in subterms(term) if t.kind is Kind.APP)


def _supposed(writing: Writing, value: Term, ways: Sequence[Term], number: int) -> str:
    """That a value is built in one of the ways, as tactics."""
    theory = writing.theory
    fresh = [v for way in ways for v in way.args]
    stated = " ∨ ".join(theory.prop(eq(value, way)) for way in ways)
    name, subject = f"_d{number}", theory.value(value)
    if fresh:
        stated = f"∃ {theory.binders(fresh)}, {stated}"
        name = f"⟨{', '.join([*map(theory.value, fresh), name])}⟩"
    arms = []
    for place, way in enumerate(ways):
        own = {v: f"_a{i}" for i, v in enumerate(way.args)}
        given = [own.get(v) or _some(writing, v.sort) for v in fresh]
        last = "rfl" if place == len(ways) - 1 else "(Or.inl rfl)"
        proof = "(Or.inr " * place + last + ")" * place
        pattern = " ".join([own_name(theory.name(way.name)), *own.values()])
        arms.append(f"  | {pattern} => exact {'⟨' + ', '.join([*given, proof]) + '⟩' if fresh else proof}\n")
    return f"obtain {name} : {stated} := by\n  cases {subject} with\n{''.join(arms)}"


def _some(writing: Writing, sort: Sort) -> str:
    """Lean text of any value of a sort."""
    return _least(writing, sort, frozenset()) or "Classical.ofNonempty"


def _least(writing: Writing, sort: Sort, above: frozenset[Sort]) -> str:
    theory = writing.theory
    if sort is INT or sort is BOOL:
        return theory.value(integer(0) if sort is INT else FALSE)
    datatype = writing.problem.signature.datatype(sort)
    if datatype is None or sort in above:
        return ""
    for constructor in sorted(datatype.constructors, key=lambda c: len(c.fields)):
        args = [_least(writing, s, above | {sort}) or _open(writing, s) for _, s in constructor.fields]
        if all(args):
            return f"({' '.join([theory.name(constructor.name), *args])})"
    return ""


def _open(writing: Writing, sort: Sort) -> str:
    return "" if writing.problem.signature.datatype(sort) is not None else "Classical.ofNonempty"


# -- Leaves by the facts that z3 has used (`grounding`), with what these suppose of the shapes of values (`sha------


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
