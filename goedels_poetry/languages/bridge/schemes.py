"""Each scheme of a derivation as Lean tactics: how the cited steps give the step.

What is written is `instances` of the kernel, said again: an induction is a `_key` in exactly the form of the induction
hypothesis, so that cited steps apply to what Lean offers without any search. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from goedels_poetry.kernel.derivation import ByScheme
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
from goedels_poetry.kernel.terms import BOOL, Kind, Term, is_app
from goedels_poetry.languages.bridge import inductions
from goedels_poetry.languages.bridge.along import recursion
from goedels_poetry.languages.bridge.writing import Writing, hypotheses, indented

Closing: TypeAlias = Callable[[str, Sequent], str]
"""The tactics that finish a case by the step that proves it."""


def proofs(writing: Writing, sequent: Sequent, by: ByScheme) -> Iterator[str]:
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
            pair = ", ".join(f"(by {_line(c)})" for c in closed)
            left = sequent.concl.args[0]
            if is_app(sequent.concl, "=") and left.sort is BOOL:
                implications = [f"(fun _p => {_by_unification(writing, s)})" for s in cites]
                both = f"constructor\n· intro _p\n  {_line(closed[0])}\n· intro _p\n  {_line(closed[1])}"
                yield both
                yield f"refine Bool.eq_iff_iff.2 ⟨{', '.join(implications)}⟩"
                yield f"rw [Bool.eq_iff_iff]\n{both}"
            else:
                yield f"exact ⟨{pair}⟩"
        case Contradiction():
            yield f"apply Classical.byContradiction\nintro _n\n{closed[0]}"
        case Witness(at):
            yield f"refine ⟨{', '.join(theory.value(t) for t in at)}, ?_⟩\n{closed[0]}"
        case Intro():
            yield f"{_introduced(writing, sequent, cases[0])}\n{closed[0]}"
        case SkolemHypothesis():
            yield _skolemised(writing, sequent, cases[0], closed[0])


def _by_unification(writing: Writing, step: str) -> str:
    """A step applied to its variables by unification."""
    known = writing.proved[step]
    return (
        f"by apply {writing.step(step)} <;> first | assumption | grind"
        if known.hyps or known.vars
        else writing.step(step)
    )


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
