"""Induction along the recursion of a function: which calls of the goal give a hypothesis where it is needed.

Structural induction has its hypothesis at the fields of a constructor. A function that calls itself on something else
(``filter p xs`` for ``xs``, two arguments in turn, two elements at a time) wants it there.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.languages.smt.engine.plan import Plan, leaf
from goedels_poetry.languages.smt.engine.workbench import Workbench
from goedels_poetry.languages.smt.schemas import RecursionInduction, SchemeError, instances
from goedels_poetry.languages.smt.sequent import Sequent
from goedels_poetry.languages.smt.terms import Kind, Term, subterms

MAX_CALLS = 4
"""Different inductions of one goal."""


def recursion_schemes(bench: Workbench, sequent: Sequent) -> list[RecursionInduction]:
    """Inductions along the calls of the goal, the likeliest first: those that the most calls agree on."""
    votes: dict[tuple[str, tuple[Term, ...]], int] = {}
    for part in (sequent.concl, *sequent.hyps):
        if part.binders:
            continue
        for call in subterms(part):
            found = bench.recursions.get(call.name) if call.kind is Kind.APP else None
            if found is None or found.structural or not call.free <= frozenset(sequent.vars):
                continue
            if all(call.args[i].kind is Kind.VAR for i in found.changed):
                votes[call.name, call.args] = 1 + sum(
                    other.kind is Kind.VAR and other in t.args
                    for t in subterms(part)
                    for other in (call.args[i] for i in found.changed)
                )
    schemes: list[RecursionInduction] = []
    for function, at in sorted(votes, key=lambda c: -votes[c])[:MAX_CALLS]:
        used = frozenset().union(*[t.free for t in at])
        outer = frozenset().union(*[h.free for h in sequent.hyps if h.kind is Kind.FORALL])
        general = tuple(v.name for v in sequent.vars if v not in used and v not in outer)
        schemes.append(RecursionInduction(function, at, general))
        if general:
            schemes.append(RecursionInduction(function, at, ()))
    return schemes


def recursion_plans(
    bench: Workbench, sequent: Sequent, rlimit: int | None = None, *, keep: bool = False
) -> Iterator[Plan]:
    """Plans by induction along a function all of whose cases the solver closes; with ``keep`` also others."""
    for scheme in recursion_schemes(bench, sequent):
        try:
            cases = instances(sequent, scheme, bench.signature)
        except SchemeError:
            continue
        children: list[Plan] = []
        for case in cases:
            query = bench.direct(case, rlimit)
            if query is None and not keep:
                break
            children.append(leaf(case, query) if query is not None else Plan(case))
        if len(children) == len(cases):
            shown = " ".join(map(repr, scheme.at))
            detail = f"{scheme.function} {shown} / {' '.join(scheme.general)}"
            yield Plan(sequent, scheme, tuple(children), "recursion-induction", detail)
