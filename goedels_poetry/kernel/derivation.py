"""Proofs as data: a list of closed sequents, each with the rule that gives it from earlier ones.

A step is justified in one of two ways. ``Query``: the signature, the premises and the cited earlier steps entail
the sequent, and a solver says so. ``Scheme``: the cited steps are exactly the instances that `schemas.instances`
computes for the scheme. Nothing else exists, so this is all that the checker has to understand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType

from goedels_poetry.kernel.problem import Definition, Measures
from goedels_poetry.kernel.schemas import Scheme
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.termination import NO_EVIDENCE, TerminationEvidence
from goedels_poetry.kernel.terms import Term


@dataclass(frozen=True)
class Instance:
    """A ground fact given to the solver besides the context; true by its form, so never a matter of trust.

    ``of`` is ``def`` (the defining equation of function ``name`` at ``args``), ``step`` (the cited step ``name``
    with its variables replaced by ``args``), ``premise`` (likewise) or ``hyp`` (hypothesis number ``name`` of the
    sequent, its outer universal variables replaced by ``args``). Arguments speak of the sequent's variables.
    """

    of: str
    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True)
class Query:
    """Context and cited steps entail the sequent.

    ``equations``: whether the defining equations are asserted as quantified axioms (with the left side as the
    pattern); without them only ``instances`` speak of the definitions, which keeps arithmetic queries ground.
    ``quantified``: whether quantified hypotheses, premises and cited steps are asserted as they are (otherwise only
    by their instances). Leaving facts out can only make a query harder, never wrong.
    """

    cites: tuple[str, ...] = ()
    instances: tuple[Instance, ...] = ()
    equations: bool = True
    quantified: bool = True


@dataclass(frozen=True)
class ByScheme:
    """The sequent follows from its cited instances by a scheme (induction, case split, witness, ...)."""

    scheme: Scheme
    cites: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """One proven sequent; ``by`` cites earlier steps only."""

    id: str
    sequent: Sequent
    by: Query | ByScheme


@dataclass(frozen=True)
class Derivation:
    """Steps in order; the last one is the goal of the problem.

    ``auxiliary`` are definitions that the steps may speak of besides the problem's own, see `extension`; ``measures``
    are those under which functions that are not seen to terminate may be unfolded, see `guards`. ``termination`` is the
    evidence that the others come to an end.
    """

    steps: tuple[Step, ...]
    auxiliary: tuple[Definition, ...] = ()
    measures: Measures = field(default_factory=lambda: MappingProxyType({}))
    termination: TerminationEvidence = NO_EVIDENCE
