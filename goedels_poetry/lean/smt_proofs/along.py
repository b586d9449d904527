"""Inductions along functions: what holds at a point when it holds at the calls that are made there holds everywhere.

A step states that principle for its own function and proves it by the one that Lean has made for the function, else by
an induction on the sizes of the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.recursion import Case, cases_along, moved_variables, points_below
from goedels_poetry.kernel.sequent import Names, Sequent
from goedels_poetry.kernel.terms import Kind, Term, app
from goedels_poetry.lean.smt_proofs.inductions import Split
from goedels_poetry.lean.smt_proofs.writing import Writing, indented

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
    return [v for term in case.here.values() for v in _leaves(term)]


def _leaves(pattern: Term) -> tuple[Term, ...]:
    return (pattern,) if pattern.kind is Kind.VAR else tuple(v for a in pattern.args for v in _leaves(a))


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


def _by_function(writing: Writing, found: Course) -> str:
    theory = writing.theory
    definition = writing.problem.signature.definition(found.function)
    assert definition is not None
    tries = " | ".join(f"(apply _c{i} <;> {CLOSE})" for i, _ in enumerate(found.cases))
    call = theory.value(app(found.function, found.at, definition.sort))
    return f"fun_induction {call} <;> first | {tries} | grind"


def recursion(writing: Writing, sequent: Sequent, scheme: RecursionInduction, closed: Sequence[str]) -> Iterator[str]:
    """A step by an induction along a function."""
    definition = writing.problem.signature.definition(scheme.function)
    if definition is None:
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
    yield from _at_once(writing, split, found, "\n".join([f"refine _along {rest}", *arms]))


def _at_once(writing: Writing, split: Split, found: Course, use: str) -> Iterator[str]:
    """The same with a principle that is for this step only."""
    theory = writing.theory
    types = " → ".join([*[theory.sort(v.sort) for v in found.on], "Prop"])
    principle = [f"have _along : ∀ (_P : {types}),"]
    principle += [f"    ({_asked(writing, found, case)}) →" for case in found.cases]
    principle.append(f"    ∀ {theory.binders(found.on)}, _P {split.names()} := by")
    assumed = " ".join(f"_c{i}" for i, _ in enumerate(found.cases))
    forget = indented(split.forget.rstrip() or "skip")
    ways = []
    if found.function in theory.definitions:
        ways.append([f"intro _P {assumed} {split.names()}", _by_function(writing, found)])
    for lines in ways:
        yield "\n".join([*principle, forget, *[f"  {line}" for line in lines], use])
    total = " + ".join(f"sizeOf {theory.value(v)}" for v in found.on if writing.is_datatype(v.sort)) or "0"
    by_size = [
        forget,
        f"  intro _P {assumed}",
        f"  have _key : ∀ (_m : Nat) {theory.binders(found.on)}, {total} = _m → _P {split.names()} := by",
        "    intro _m",
        "    induction _m using Nat.strongRecOn with",
        "    | ind _m _ih =>",
        f"      intro {split.names()} _hm",
        *[f"      {line}" for line in _matched_by_size(writing, found)],
        f"  exact fun {split.names()} => _key _ {split.names()} rfl",
    ]
    yield "\n".join([*principle, *by_size, use])


def _matched_by_size(writing: Writing, found: Course) -> list[str]:
    theory = writing.theory
    lines = [f"match {', '.join([*map(theory.value, found.on), '_hm'])} with"]
    for number, case in enumerate(found.cases):
        patterns = ", ".join([*(theory.value(case.here[v]) for v in found.on), "_hm"])
        hyps = []
        for point in case.below:
            there = [point.there[v] for v in found.on]
            values = " ".join(map(theory.value, there))
            hyps.append(f"(by intros; exact _ih _ {writing.smaller(there)} {values} rfl)")
        variables = [theory.value(v) for v in bound_by(case)]
        lines.append(f"| {patterns} => exact {' '.join([f'_c{number}', *variables, *hyps])}")
    return lines
