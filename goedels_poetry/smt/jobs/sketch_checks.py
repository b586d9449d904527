"""Whether a sketch holds before it is stored: its rule gives the goal, and none of its open children is false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.certificate import query_from_json, scheme_from_json
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.text import parse_sequent
from goedels_poetry.smt.refutation.counterexample import show_assignment
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.smt.termination.search import structural_sizes

Json = dict[str, Any]


def rule_fault(
    context: ProverContext, sequent: Sequent, proposal: Json, children: list[Sequent], scope: list[Sequent]
) -> str:
    """Why the children do not give the parent, or nothing."""
    if "scheme" in proposal:
        try:
            scheme = scheme_from_json(proposal["scheme"], context.signature, sequent.vars)
            wanted = instances(sequent, scheme, context.signature, structural_sizes(context.signature))
        except SchemeError as error:
            return str(error)
        if [s.key for s in wanted] != [c.key for c in children]:
            return "the children are not the instances of the scheme"
        return ""
    query = query_from_json(proposal["query"], context.signature, sequent.vars)
    facts = {key_of(s): s for s in (*scope, *children)}
    if query.cites and set(query.cites) <= {c for c, s in facts.items() if s.key is sequent.key}:
        return ""
    verdict = context.confirms(sequent, query, facts)
    return "" if verdict.status == "unsat" else f"the lemmas do not give the goal ({verdict.status})"


def refuted_child(context: ProverContext, proposal: Json, what: str = "subgoal") -> tuple[Json, str] | None:
    """The first open child that is false, with its counterexample, and the reason in words; None when there is none.

    ``what``: what the words call a child.
    """
    return next(refuted_children(context, proposal, what), None)


def refuted_children(context: ProverContext, proposal: Json, what: str = "subgoal") -> Iterator[tuple[Json, str]]:
    """All open children that are false, as of `refuted_child`."""
    for position, entry in enumerate(proposal["children"]):
        if "candidate" in entry or "sketch" in entry:
            continue
        child = parse_sequent(entry["statement"], context.signature)
        counterexample = context.refutes(child, 150)
        if counterexample is not None:
            shown = show_assignment(context.signature, counterexample)
            value = {"refuted_child": position, "counterexample": shown}
            where = f" for {shown['text']}" if counterexample else ""
            called = entry.get("name") or position + 1
            text = show(child.formula)
            yield value, f"{what} {called} is false{where}: {text}"
