"""cvc5 as the first one asked, for the kinds of goals that it closes and z3 does not.

Measured on the failed queries of our arithmetic goals (z3 with 60,000 to 400,000 steps): of 27 with an existential
conclusion that are true, cvc5 closed 24, each within 4,000 steps and 0.02 s; of 19 sums of bit-vectors 12 (all, as
sums of integers); of 80 about products of integers none, but remainders of products it finds where z3 does not. Of
strings it closes in 0.1 s what z3 does not in 10 s (a key split again at its first separator). So it is asked first,
and with few steps, for these kinds, and not at all for others; a race would only cost twice.

Its own induction is that of Reynolds and Kuncak, "Induction for SMT Solvers", 2015.
"""

from __future__ import annotations

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, is_app, not_, subterms
from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Limits

RLIMIT = 10_000
"""Resource units of cvc5 for one attempt: up to about 0.1 s."""

SURE = 100_000
"""The same for a query that was closed before."""

BELIEF = 1_000_000
"""The same for one attempt with its own induction: about two seconds."""

SECONDS = 3.0
BELIEF_SECONDS = 6.0
_INDUCTION = {"quant-ind": "true", "conjecture-gen": "true", "full-saturate-quant": "true"}


SORTS = frozenset({"BitVec", "String"})
"""Sorts about which it proves more than z3."""


def suits(sequent: Sequent, *, sorts: bool, products: bool) -> bool:
    """Whether a goal is of a kind for which cvc5 is better: existential, about `SORTS` or remainders of products.

    ``sorts``, ``products``: whether there can be any.
    """
    if sequent.concl.kind is Kind.EXISTS:
        return True
    if products and any(t.kind is Kind.APP and t.name in ("mod", "div") for t in subterms(sequent.concl)):
        return True
    return sorts and any(t.sort.name in SORTS for part in (sequent.concl, *sequent.hyps) for t in subterms(part))


def multiplies(term: Term) -> bool:
    """Whether a term multiplies integers of which two are not numbers."""
    return any(is_app(t, "*") and sum(a.kind is not Kind.LIT for a in t.args) > 1 for t in subterms(term))


class SecondSolver:
    """One cvc5 process, started when it is first needed."""

    def __init__(self) -> None:
        self._process = Cvc5Process()

    def ask(self, script: str, rlimit: int = RLIMIT) -> Answer:
        """Its answer; ``unknown`` also when it does not read the script."""
        options = {"solve-bv-as-int": "sum"} if "BitVec" in script else {}
        answer = self._process.ask(script, Limits(rlimit=rlimit, seconds=SECONDS), options=options)
        return Answer("unknown", answer.reason, seconds=answer.seconds) if answer.status == "error" else answer

    def believes(self, context: Context, sequent: Sequent, seconds: float = BELIEF_SECONDS) -> bool:
        """Whether cvc5 proves a goal with its own induction and its own conjectures within so many ``seconds``.

        That is no proof for us, since nobody sees its steps; it says that the goal is worth more effort.
        """
        # closed, since of a goal about constants there is nothing to induct on
        denied = f"(assert {context.encoding.text(not_(sequent.formula))})"
        lines = (*with_definitions(context), *named_premises(context), denied)
        limits = Limits(rlimit=BELIEF, seconds=max(0.0, min(seconds, BELIEF_SECONDS)))
        return self._process.ask("\n".join(lines), limits, options=_INDUCTION).status == "unsat"

    def close(self) -> None:
        """Stop the process."""
        self._process.close()
