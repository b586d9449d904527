"""Proof schemes: what must be proved so that a sequent follows without asking a solver.

Trusted code. For each scheme `instances` computes the sequents that together imply the parent; the checker
recomputes them and accepts nothing else. The arguments for soundness stand in the docstrings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import (
    IntInduction,
    MeasureInduction,
    RecursionInduction,
    SizeInduction,
    StructuralInduction,
    along_recursion,
    by_measure,
    by_size,
    in_scope,
    integer_cases,
    shapes_of,
    structural,
    substituted,
    variable_of,
    with_hyps,
)
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.sizes import Sizes
from goedels_poetry.kernel.terms import FALSE, Kind, Term, implies, is_app, not_, substitute


@dataclass(frozen=True)
class CaseSplit:
    """Either ``on`` holds or it does not."""

    on: Term


@dataclass(frozen=True)
class ConstructorSplit:
    """Variable ``on`` of a datatype sort was built by one of the constructors."""

    on: str


@dataclass(frozen=True)
class Conjuncts:
    """Each conjunct of the conclusion, on its own (an equality of Booleans counts as two implications)."""


@dataclass(frozen=True)
class Contradiction:
    """Assume the negated conclusion and derive ``false``."""


@dataclass(frozen=True)
class Witness:
    """The existential conclusion holds for the terms ``at``, one for each of its bound variables."""

    at: tuple[Term, ...]


@dataclass(frozen=True)
class Intro:
    """Strip what is in front of the conclusion: universal quantifiers, implications, a negation."""


@dataclass(frozen=True)
class SkolemHypothesis:
    """Replace existential hypotheses by fresh variables for which they hold."""


Scheme: TypeAlias = (
    StructuralInduction
    | IntInduction
    | MeasureInduction
    | RecursionInduction
    | SizeInduction
    | CaseSplit
    | ConstructorSplit
    | Conjuncts
    | Contradiction
    | Witness
    | Intro
    | SkolemHypothesis
)


def instances(
    sequent: Sequent, scheme: Scheme, signature: Signature, sizes: Sizes | None = None
) -> tuple[Sequent, ...]:
    """The sequents from which ``sequent`` follows by ``scheme``; quantifiers and implications in front of their
    conclusions are opened.

    That a function terminates is not asked here: see `RecursionInduction`. ``sizes`` is what is known of the sizes of
    results, for `SizeInduction`; nothing by default.

    Raises:
        SchemeError: the scheme does not apply (unknown variable, wrong sort, nothing to split, ...).
    """
    return tuple(_opened(case, signature) for case in _cases(sequent, scheme, signature, sizes or Sizes(signature)))


def _opened(sequent: Sequent, signature: Signature) -> Sequent:
    """The same formula with the universal quantifiers and implications of the conclusion in the sequent itself."""
    if sequent.concl.kind is not Kind.FORALL and not is_app(sequent.concl, "=>"):
        return sequent
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    return _stripped(sequent, names, negation=False)


def _cases(sequent: Sequent, scheme: Scheme, signature: Signature, sizes: Sizes) -> tuple[Sequent, ...]:
    names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=signature.names)
    match scheme:
        case StructuralInduction():
            return structural(sequent, scheme, signature, names)
        case IntInduction():
            return integer_cases(sequent, scheme)
        case MeasureInduction():
            return by_measure(sequent, scheme, names)
        case RecursionInduction():
            return along_recursion(sequent, scheme, signature, names)
        case SizeInduction():
            return (by_size(sequent, scheme, sizes),)
        case CaseSplit(on):
            in_scope(sequent, on)
            if on.sort.name != "Bool":
                raise SchemeError("a case split needs a formula")
            return (with_hyps(sequent, on), with_hyps(sequent, not_(on)))
        case ConstructorSplit(on):
            variable = variable_of(sequent, on)
            return tuple(
                substituted(sequent, variable, term, fresh)
                for term, fresh, _ in shapes_of(variable, variable.sort, 1, signature, names)
            )
        case Conjuncts():
            return tuple(make_sequent(sequent.vars, sequent.hyps, part) for part in _conjuncts(sequent.concl))
        case Contradiction():
            if sequent.concl is FALSE:
                raise SchemeError("the conclusion is false already")
            return (make_sequent(sequent.vars, (*sequent.hyps, not_(sequent.concl)), FALSE),)
        case Witness(at):
            return (_witness(sequent, at),)
        case Intro():
            return (_intro(sequent, names),)
        case SkolemHypothesis():
            return (_skolem_hypothesis(sequent, names),)
    raise SchemeError(f"unknown scheme {scheme!r}")


# ---------------------------------------------------------------------------------------- propositional


def _conjuncts(concl: Term) -> tuple[Term, ...]:
    if is_app(concl, "and"):
        return concl.args
    if is_app(concl, "=") and len(concl.args) == 2 and concl.args[0].sort.name == "Bool":
        left, right = concl.args
        return (implies(left, right), implies(right, left))
    raise SchemeError("the conclusion is not a conjunction")


def _witness(sequent: Sequent, at: tuple[Term, ...]) -> Sequent:
    concl = sequent.concl
    if concl.kind is not Kind.EXISTS:
        raise SchemeError("the conclusion is not existential")
    if tuple(t.sort for t in at) != tuple(v.sort for v in concl.binders):
        raise SchemeError("a witness gives one term of the right sort for each bound variable")
    in_scope(sequent, *at)
    return make_sequent(sequent.vars, sequent.hyps, substitute(concl.body, dict(zip(concl.binders, at, strict=True))))


def _intro(sequent: Sequent, names: Names) -> Sequent:
    result = _stripped(sequent, names, negation=True)
    if result == sequent:
        raise SchemeError("nothing to introduce")
    return result


def _stripped(sequent: Sequent, names: Names, *, negation: bool) -> Sequent:
    variables, hyps, concl = list(sequent.vars), list(sequent.hyps), sequent.concl
    while True:
        if concl.kind is Kind.FORALL:
            renaming = {bound: names.fresh(bound.name, bound.sort) for bound in concl.binders}
            variables.extend(renaming.values())
            concl = substitute(concl.body, renaming)
        elif is_app(concl, "=>"):
            hyps.extend(concl.args[:-1])
            concl = concl.args[-1]
        elif negation and is_app(concl, "not"):
            hyps.append(concl.args[0])
            concl = FALSE
        else:
            return make_sequent(variables, hyps, concl)


def _skolem_hypothesis(sequent: Sequent, names: Names) -> Sequent:
    variables, hyps, changed = list(sequent.vars), [], False
    for hyp in sequent.hyps:
        if hyp.kind is Kind.EXISTS:
            renaming = {bound: names.fresh(bound.name, bound.sort) for bound in hyp.binders}
            variables.extend(renaming.values())
            hyps.append(substitute(hyp.body, renaming))
            changed = True
        else:
            hyps.append(hyp)
    if not changed:
        raise SchemeError("no hypothesis is existential")
    return make_sequent(variables, hyps, sequent.concl)
