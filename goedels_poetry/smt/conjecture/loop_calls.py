"""The loops of a goal: calls of recursive functions that carry a state and begin at a given one."""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    Kind,
    Term,
    is_app,
    substitute,
    subterms,
)
from goedels_poetry.smt.conjecture.indices import every_index
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import replace_subterm

MAX_EXPANDED = 40
"""Calls of functions that do not recur."""


def without_plain_functions(context: ProverContext, sequent: Sequent) -> Sequent:
    """The goal with functions that do not recur replaced by what they are: a loop is often behind one."""

    def expanded(term: Term) -> Term:
        term = simplify(term, context.signature)
        for _ in range(MAX_EXPANDED):
            call = next((t for t in subterms(term) if _is_plain(context, t) or context.unfolder.runs(t)), None)
            if call is None:
                break
            definition = context.signature.definition(call.name)
            assert definition is not None
            body = substitute(definition.body, dict(zip(definition.params, call.args, strict=True)))
            term = simplify(replace_subterm(term, call, body), context.signature)
        return term

    return make_sequent(sequent.vars, [expanded(h) for h in sequent.hyps], expanded(sequent.concl))


def _is_plain(context: ProverContext, term: Term) -> bool:
    definition = context.signature.definition(term.name) if term.kind is Kind.APP else None
    return definition is not None and not definition.recursive and not any(t.binders for t in subterms(definition.body))


def loop_calls(context: ProverContext, sequent: Sequent) -> Iterator[Term]:
    """Calls with a state of which a part is no variable of its own, one for each first state.

    Those that begin at a constant come first; of functions that do something with what their recursion gives no others.
    """
    found: dict[tuple[Term, ...], Term] = {}
    for part in (sequent.concl, *sequent.hyps):
        said = part.args[0] if is_app(part, "not") else part
        for call in subterms(part):
            if call is said and part is not sequent.concl and every_index(context, call.name, call is part) is not None:
                continue  # it is asked for what it says of single indices
            places = [call.args[i] for i in starts(context, call)]
            begins = places and (any(not s.free for s in places) or _is_tail_recursive(context, call.name))
            if begins and call.free <= frozenset(sequent.vars):
                found.setdefault(call.args, call)
    yield from sorted(found.values(), key=lambda c: all(c.args[i].free for i in starts(context, c)))


def starts(context: ProverContext, call: Term) -> list[int]:
    """Positions of the state whose value is given by something else than a variable that stands nowhere besides."""
    recursion = context.recursions.get(call.name) if call.kind is Kind.APP else None
    if recursion is None:
        return []
    changed = recursion.changed | _carried(context, call.name)

    def alone(i: int) -> bool:
        argument = call.args[i]
        return argument.kind is Kind.VAR and not any(argument in a.free for j, a in enumerate(call.args) if j != i)

    return sorted(i for i in changed if not alone(i))


def _is_tail_recursive(context: ProverContext, function: str) -> bool:
    """Whether what a recursive call gives is the result."""
    definition = context.signature.definition(function)
    stack = [] if definition is None else [definition.body]
    while stack:
        term = stack.pop()
        if is_app(term, "ite"):
            stack += term.args[1:]
            inner: tuple[Term, ...] = term.args[:1]
        else:
            inner = term.args
        if any(t.kind is Kind.APP and t.name == function for part in inner for t in subterms(part)):
            return False
    return definition is not None


def _carried(context: ProverContext, function: str) -> frozenset[int]:
    """Positions that some recursive call changes."""
    definition = context.signature.definition(function)
    assert definition is not None
    calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == function]
    return frozenset(i for i, p in enumerate(definition.params) for c in calls if c.args[i] is not p)
