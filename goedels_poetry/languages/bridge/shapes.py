"""What ground facts suppose of the shapes of values, as facts of their own.

z3 looks into values as it goes along: its instances speak of ``(tail x)`` where x was a list with a head, or of
``f nil`` where ``f x`` stands in the goal. Lean is told of fresh h and t with ``x = nil ∨ x = cons h t``, and the
instances speak of these: what is selected of a value that was built otherwise may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.derivation import Instance
from goedels_poetry.kernel.equations import simplify
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
    rebuild,
    substitute,
    subterms,
)
from goedels_poetry.languages.bridge.grounding import Ground
from goedels_poetry.languages.bridge.writing import Writing, own_name

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
