"""A goal about one of several functions that call each other, together with what its proof needs of the others.

Where the step of an induction meets another function of the group, what it lacks is a law of that one; and as a rule
neither law can be proved before the other. They are proved in one induction, as Boyer and Moore do ("A Computational
Logic Handbook", 1988) with one function that stands for the group; here the laws stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import Term, and_, substitute, symbols
from goedels_poetry.smt.conjecture.failed_steps import from_failed_step
from goedels_poetry.smt.context.prover import ProverContext

MOST_LAWS = 4
"""Of one goal, itself included."""

MOST_GUESSES = 3
"""Laws of one function that are tried."""


def together(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """The goal and laws of the other functions as one conjunction, with more and more of them."""
    if sequent.hyps:
        return
    mates = _mates(context, symbols(sequent.concl))
    for guess in _laws(context, sequent, mates)[:MOST_GUESSES] if mates else ():
        laws, spoken = [sequent, guess], symbols(sequent.concl) | symbols(guess.concl)
        while True:
            yield _conjunction(context, laws)
            if len(laws) == MOST_LAWS or not mates - spoken:
                break
            further = _laws(context, laws[-1], mates - spoken)
            if not further:
                break
            laws.append(further[0])
            spoken |= symbols(further[0].concl)


def _mates(context: ProverContext, names: set[str]) -> frozenset[str]:
    """Functions that are defined together with these, but not among them."""
    groups = {d.group for name in names if (d := context.signature.definition(name)) is not None and d.recursive}
    return frozenset(d.name for d in context.signature.definitions if d.group in groups and d.name not in names)


def _laws(context: ProverContext, law: Sequent, mates: frozenset[str]) -> list[Sequent]:
    """What the step of a law lacks, of functions that are among the mates; not what is false."""
    found = [c for c in from_failed_step(context, law) if not c.hyps and symbols(c.concl) & mates]
    return [c for c in found[: 2 * MOST_GUESSES] if context.refutes(c) is None]


def _conjunction(context: ProverContext, laws: list[Sequent]) -> Sequent:
    """All of them about the same variables, as far as their sorts agree."""
    variables = list(laws[0].vars)
    names = Names(*variables, laws[0].concl, reserved=context.reserved)
    parts = [laws[0].concl]
    for law in laws[1:]:
        free = list(variables)
        renamed: dict[Term, Term] = {}
        for own in law.vars:
            same = next((v for v in free if v.sort is own.sort), None)
            if same is None:
                same = names.fresh(own.name, own.sort)
                variables.append(same)
            else:
                free.remove(same)
            renamed[own] = same
        parts.append(substitute(law.concl, renamed))
    return make_sequent(tuple(dict.fromkeys(variables)), (), and_(parts))
