"""Inductions as Lean tactics. In each, ``_key`` states what the kernel's induction hypothesis states, of every value.

A structural induction of depth 1 is Lean's own; the others are strong inductions on a natural number, or follow the
recursion of a function with the principle that Lean made for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
    leaves,
    shapes_of,
    variable_of,
)
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.recursion import Case, cases_along, moved_variables, points_below
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, and_, app, forall, implies, substitute
from goedels_poetry.kernel.terms import integer as literal
from goedels_poetry.lean.smt_proofs.writing import HYPOTHESIS, Writing, indented, own_name, together

# -- Inductions along functions ------------------------------------------------------------------------------------

CLOSE = "first | assumption | (intros; first | assumption | (simp_all; done) | grind)"


@dataclass(frozen=True, slots=True)
class Course:
    """The recursion of a function at some arguments: what moves, and its cases."""

    function: str
    at: tuple[Term, ...]
    on: tuple[Term, ...]
    cases: tuple[Case, ...]


def course(writing: Writing, definition: Definition, at: tuple[Term, ...], *beside: Term) -> Course:
    """The recursion of a function at arguments. ``beside``: terms whose variables are not taken for new ones.

    Raises:
        TooLarge: a body with more paths than we are ready to follow.
    """
    signature = writing.problem.signature
    points = points_below(definition, signature)
    moved = moved_variables(at, points, definition)
    names = Names(*at, *beside, reserved=signature.names)
    cases = cases_along(definition, at, moved, points, signature, names)
    return Course(definition.name, at, tuple(moved), tuple(cases))


def bound_by(case: Case) -> list[Term]:
    """What the patterns of a case bind, in order."""
    return [v for term in case.here.values() for v in leaves(term)]


def _asked(writing: Writing, found: Course, case: Case) -> str:
    """What is asked at one case: `_P` there when it holds below."""
    theory = writing.theory
    variables = bound_by(case)
    parts = []
    for point in case.below:
        bound = f"∀ {theory.binders(point.bound)}, " if point.bound else ""
        path = "" if point.path.kind is Kind.LIT else f"{theory.prop(point.path)} → "
        parts.append(f"({bound}{path}_P {' '.join(theory.value(point.there[v]) for v in found.on)})")
    here = f"_P {' '.join(theory.value(case.here[v]) for v in found.on)}"
    binders = f"∀ {theory.binders(variables)}, " if variables else ""
    return binders + " → ".join([*parts, here])


def recursion(writing: Writing, sequent: Sequent, scheme: RecursionInduction, closed: Sequence[str]) -> Iterator[str]:
    """A step by an induction along a function."""
    definition = writing.problem.signature.definition(scheme.function)
    if definition is None or scheme.function not in writing.theory.definitions:
        return
    found = course(writing, definition, scheme.at, *sequent.vars, *sequent.hyps, sequent.concl)
    split = Split(writing, sequent, found.on, scheme.general)
    theory = writing.theory
    arms = []
    for case, text in zip(found.cases, closed, strict=True):
        taken = [theory.value(v) for v in bound_by(case)] + [f"_i{i}" for i, _ in enumerate(case.below)]
        arms.append(f"· {('intro ' + ' '.join(taken)) if taken else 'skip'}\n{indented(split.intros + text)}")
    motive = f"(fun {split.names()} => {theory.prop(split.formula)})"
    rest = f"{motive} {' '.join('?_' for _ in found.cases)} {split.names()} {split.use}".rstrip()
    yield "\n".join([*_principle(writing, split, found, definition), f"refine _along {rest}", *arms])


def _principle(writing: Writing, split: Split, found: Course, definition: Definition) -> list[str]:
    """The principle of the induction, for this step only, by the function's own."""
    theory = writing.theory
    types = " → ".join([*[theory.sort(v.sort) for v in found.on], "Prop"])
    tries = " | ".join(f"(apply _c{i} <;> {CLOSE})" for i, _ in enumerate(found.cases))
    call = theory.value(app(found.function, found.at, definition.sort))
    assumed = " ".join(f"_c{i}" for i, _ in enumerate(found.cases))
    return [
        f"have _along : ∀ (_P : {types}),",
        *(f"    ({_asked(writing, found, case)}) →" for case in found.cases),
        f"    ∀ {theory.binders(found.on)}, _P {split.names()} := by",
        indented(split.forget.rstrip() or "skip"),
        f"  intro _P {assumed} {split.names()}",
        f"  fun_induction {call} <;> first | {tries} | grind",
    ]


# -- Inductions as Lean tactics ------------------------------------------------------------------------------------


class Split:
    """What an induction on some variables leaves outside, and what it states of each value: see `inductions._split`."""

    def __init__(self, writing: Writing, sequent: Sequent, on: Iterable[Term], general: Iterable[str]) -> None:
        self.writing, self.sequent, self.on = writing, sequent, tuple(on)
        self.general = tuple(variable_of(sequent, name) for name in general)
        moving = frozenset((*self.on, *self.general))
        numbered = [(f"{HYPOTHESIS}{i}", h) for i, h in enumerate(sequent.hyps, 1)]
        self.inside = [(n, h) for n, h in numbered if not h.free.isdisjoint(moving)]
        self.body = implies(and_([h for _, h in self.inside]), sequent.concl)
        self.formula = forall(self.general, self.body)
        """Of the variables ``on``, the others fixed."""
        self.bound = [v for v in self.general if v in self.body.free]

    def at(self, mapping: dict[Term, Term]) -> Term:
        """The formula at other values."""
        return forall(self.general, substitute(self.body, mapping))

    @property
    def intros(self) -> str:
        """Tactics that bring the formula's variables and hypotheses into the context."""
        names = [self.writing.theory.value(v) for v in self.bound]
        if self.inside:
            names.append(together([f"_g{i}" for i, _ in enumerate(self.inside)]))
        return f"rintro {' '.join(names)}\n" if names else ""

    @property
    def use(self) -> str:
        """What the key has to be applied to after its variables, in the context of the theorem."""
        names = [self.writing.theory.value(v) for v in self.bound]
        if self.inside:
            names.append(together([n for n, _ in self.inside]))
        return " ".join(names)

    @property
    def forget(self) -> str:
        """The theorem's own copies of what the key is about are in the way of automation."""
        names = [n for n, _ in self.inside]
        names += [self.writing.theory.value(v) for v in (*self.on, *self.general)]
        return f"clear {' '.join(names)}\n" if names else ""

    def names(self) -> str:
        """The variables inducted on."""
        return " ".join(self.writing.theory.value(v) for v in self.on)


def strong(split: Split, measure: str, body: str, last: str) -> str:
    """Strong induction on ``measure`` (Lean text, a natural number); ``body`` proves the formula from `_ih`."""
    theory = split.writing.theory
    binders = theory.binders(split.on)
    return "\n".join(
        [
            f"have _key : ∀ (_m : Nat) {binders}, {measure} = _m → {theory.prop(split.formula)} := by",
            indented(split.forget.rstrip() or "skip"),
            "  intro _m",
            "  induction _m using Nat.strongRecOn with",
            "  | ind _m _ih =>",
            f"    intro {split.names()} _hm",
            indented(body, 4),
            last,
        ]
    )


def below(split: Split, number: int, point: Sequence[Term], stated: Term, before: str = "") -> str:
    """The hypothesis at a point, from `_ih`."""
    theory = split.writing.theory
    values = " ".join(theory.value(t) for t in point)
    intro = f"{before}; " if before else ""
    return (
        f"have _i{number} : {theory.prop(stated)} := by {intro}exact _ih _ {split.writing.smaller(point)} {values} rfl"
    )


# --------------------------------------------------------------------------------------------- structural


def structural(writing: Writing, sequent: Sequent, scheme: StructuralInduction, closed: Sequence[str]) -> Iterator[str]:
    """Lean's own induction where it has one, else by size."""
    on = variable_of(sequent, scheme.on)
    split = Split(writing, sequent, (on,), scheme.general)
    theory, name = writing.theory, writing.theory.value(on)
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=writing.problem.signature.names)
    shapes = shapes_of(on, on.sort, scheme.depth, writing.problem.signature, names)
    last = f"exact _key {name} {split.use}"
    if scheme.depth == 1:
        arms = []
        for (term, fresh, smaller), text in zip(shapes, closed, strict=True):
            hyps = [f"_ih{i}" for i, _ in enumerate(smaller)]
            pattern = " ".join([own_name(theory.name(term.name)), *map(theory.value, fresh), *hyps])
            arms.append(f"  | {pattern} =>\n{indented(split.intros + text, 4)}")
        key = f"have _key : ∀ {theory.binders((on,))}, {theory.prop(split.formula)} := by"
        forget = indented(split.forget)
        yield "\n".join(
            [
                key,
                *([forget.rstrip()] if forget.strip() else []),
                f"  intro {name}",
                f"  induction {name} with",
                *arms,
                last,
            ]
        )
        return
    arms = []
    for (term, _, smaller), text in zip(shapes, closed, strict=True):
        hyps = [below(split, i, (sub,), split.at({on: sub})) for i, sub in enumerate(smaller)]
        arms.append(f"| {theory.value(term)}, _hm =>\n{indented(chr(10).join([*hyps, split.intros + text]))}")
    size = writing.size(on)
    yield strong(split, size, "\n".join([f"match {name}, _hm with", *arms]), f"exact _key _ {name} rfl {split.use}")


def by_constructors(writing: Writing, sequent: Sequent, on: Term, closed: Sequence[str]) -> str:
    """A case for each constructor of a variable."""
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=writing.problem.signature.names)
    shapes = shapes_of(on, on.sort, 1, writing.problem.signature, names)
    theory, arms = writing.theory, []
    for (term, fresh, _), text in zip(shapes, closed, strict=True):
        pattern = " ".join([own_name(theory.name(term.name)), *map(theory.value, fresh)])
        arms.append(f"| {pattern} =>\n{indented(text)}")
    return "\n".join([f"cases {theory.value(on)} with", *arms])


# ------------------------------------------------------------------------------------------------ numbers


def integer(writing: Writing, sequent: Sequent, scheme: IntInduction, closed: Sequence[str]) -> str:
    """Upward or downward from a base, with several cases there."""
    on = variable_of(sequent, scheme.on)
    split = Split(writing, sequent, (on,), scheme.general)
    theory = writing.theory
    name, base = theory.value(on), theory.value(scheme.base)
    sign = 1 if scheme.upward else -1
    distance = f"({name} - {base}).toNat" if scheme.upward else f"({base} - {name}).toNat"
    step = "+" if scheme.upward else "-"
    parts = [f"{name} {'<' if scheme.upward else '>'} {base}"]
    parts += [f"{name} = {base} {step} {i}" for i in range(scheme.width)]
    parts.append(f"{name} {'≥' if scheme.upward else '≤'} {base} {step} {scheme.width}")
    arms = [f"· {indented(split.intros + closed[0]).lstrip()}"]
    for text in closed[1:-1]:
        arms.append(f"· simp only [Int.add_zero, Int.sub_zero] at _c\n  subst _c\n{indented(split.intros + text)}")
    hyps = []
    for back in range(1, scheme.width + 1):
        point = _shifted(on, -sign * back)
        smaller = "(by subst _hm; omega)"
        stated = theory.prop(split.at({on: point}))
        hyps.append(f"have _i{back} : {stated} := _ih _ {smaller} {theory.value(point)} rfl")
    arms.append("· " + indented("\n".join([*hyps, split.intros + closed[-1]])).lstrip())
    body = "\n".join([f"rcases (by omega : {' ∨ '.join(parts)}) with {' | '.join(['_c'] * len(parts))}", *arms])
    return strong(split, distance, body, f"exact _key _ {name} rfl {split.use}")


def _shifted(term: Term, offset: int) -> Term:
    return app("+", (term, literal(offset)), INT) if offset > 0 else app("-", (term, literal(-offset)), INT)


def measured(writing: Writing, sequent: Sequent, scheme: MeasureInduction, closed: str) -> str:
    """On an Int term that is bounded below by 0."""
    split = Split(writing, sequent, sequent.vars, ())
    theory = writing.theory
    measure = f"({theory.value(scheme.measure)}).toNat"
    hyps = []
    for number, point in enumerate(scheme.at):
        hyps.append(_measured_below(split, scheme, number, dict(zip(sequent.vars, point, strict=True)), ()))
    if not scheme.at:
        names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=writing.problem.signature.names)
        copies = {v: names.fresh(v.name, v.sort) for v in sequent.vars}
        hyps.append(_measured_below(split, scheme, 0, copies, tuple(copies.values())))
    body = "\n".join([*hyps, split.intros + closed])
    return strong(split, measure, body, f"exact _key _ {split.names()} rfl {split.use}")


def _measured_below(
    split: Split, scheme: MeasureInduction, number: int, there: dict[Term, Term], bound: tuple[Term, ...]
) -> str:
    theory, sequent, inner = split.writing.theory, split.sequent, substitute(scheme.measure, there)
    guards = [app("<=", (literal(0), inner), BOOL), app("<", (inner, scheme.measure), BOOL)]
    hyps = [substitute(h, there) for h in sequent.hyps]
    stated = forall(bound, implies(and_([*guards, *hyps]), substitute(sequent.concl, there)))
    names = " ".join([*map(theory.value, bound), "_w"])
    rest = (
        f" {together(['_w.2.2' if i == 0 and len(hyps) == 1 else '(by grind)' for i, _ in enumerate(hyps)])}"
        if hyps
        else ""
    )
    values = " ".join(theory.value(there[v]) for v in sequent.vars)
    use = f"exact _ih _ (by subst _hm; omega) {values} rfl{rest}"
    return f"have _i{number} : {theory.prop(stated)} := by\n  intro {names}\n  {use}"


# ------------------------------------------------------------------------------------------------- by size


def sized(writing: Writing, sequent: Sequent, scheme: SizeInduction, closed: str) -> Iterator[str]:
    """On the sizes of some variables together."""
    on = tuple(variable_of(sequent, name) for name in scheme.on)
    split = Split(writing, sequent, on, scheme.general)
    hyps = []
    for number, (condition, *point) in enumerate(scheme.at):
        there = split.at(dict(zip(on, point, strict=True)))
        stated = implies(condition, there)
        before = "" if stated is there else "intro _w"
        hyps.append(below(split, number, point, stated, before))
    total = " + ".join(writing.size(v) for v in on)
    body = "\n".join([*hyps, split.intros + closed])
    yield strong(split, total, body, f"exact _key _ {split.names()} rfl {split.use}")
