"""Cases without variables, ``2^4 < 4!``: the calls that their evaluation makes are the instances that a proof needs.

Solvers that unfold by need give up on them where numbers are unary or calls are many.
"""

from __future__ import annotations

from goedels_poetry.kernel.derivation import Instance
from goedels_poetry.kernel.refutation.evaluator import Evaluator, Trace
from goedels_poetry.kernel.refutation.operations import Undecided
from goedels_poetry.kernel.refutation.values import to_term
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.smt.context.prover import ProverContext

MAX_CALLS = 1_000


def computed(context: ProverContext, sequent: Sequent) -> tuple[Instance, ...]:
    """The defining equations at the values where they are used; nothing when the sequent has to be reasoned about."""
    if sequent.concl.free:
        return ()
    trace = Trace()
    try:
        if Evaluator(context.signature, fuel=MAX_CALLS, trace=trace).value(sequent.concl, {}) is not True:
            return ()
    except Undecided:
        return ()
    found = []
    for equation, binding in trace.equations:
        terms = [to_term(context.signature, variable.sort, value) for variable, value in binding]
        if any(term is None for term in terms):
            return ()
        found.append(Instance("def", equation.args[0].name, tuple(term for term in terms if term is not None)))
    return tuple(found)
