"""The loops of a goal: calls of recursive functions that carry a state and begin at a given one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    FALSE,
    INT,
    STRING,
    TRUE,
    Kind,
    Term,
    and_,
    app,
    eq,
    integer,
    is_app,
    not_,
    or_,
    subterms,
)
from goedels_poetry.smt.conjecture.indices import every_index
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

MAX_LOOPS = 3
"""First states in one goal that are looked at."""
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
            body = context.signature.unfolded(call)
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
    changed = recursion.changed | carried(context, call.name)

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


def carried(context: ProverContext, function: str) -> frozenset[int]:
    """Positions that some recursive call of a function to itself changes; none where there is no such call."""
    definition = context.signature.definition(function)
    if definition is None:
        return frozenset()
    calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == function]
    return frozenset(i for i, p in enumerate(definition.params) for c in calls if c.args[i] is not p)


def accumulations(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """That a loop adds to what it begins with: ``count a x = a + count 0 x``, ``sift y x = join y (sift none x)``.

    Args:
        sequent: without plain functions, see `without_plain_functions`.
    """
    functions = context.shape.reachable_functions(sequent.formula)
    for call in islice(loop_calls(context, sequent), MAX_LOOPS):
        definition = context.signature.definition(call.name)
        assert definition is not None
        for i in starts(context, call):
            first, start = call.args[i], definition.params[i]
            if first.free or start.sort is not definition.sort:
                continue
            from_first = app(call.name, (*definition.params[:i], first, *definition.params[i + 1 :]), definition.sort)
            whole = app(call.name, definition.params, definition.sort)
            where = context.domain(call.name) or ()
            if first is integer(0):
                yield lemma(eq(whole, app("+", (start, from_first), INT)), where)
            for name in ("str.++", *functions):
                typed = ((STRING, STRING), STRING) if name == "str.++" else context.signature.type_of(name)
                if typed is not None and tuple(typed[0]) == (start.sort, start.sort) and typed[1] is start.sort:
                    yield lemma(eq(whole, app(name, (start, from_first), start.sort)), where)
                    yield lemma(eq(whole, app(name, (from_first, start), start.sort)), where)


def ends(term: Term, loop: str, path: tuple[Term, ...] = ()) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """The branches of a term that do not call ``loop``, each with its conditions; also those of connectives."""
    calls = [a for a in term.args if any(t.kind is Kind.APP and t.name == loop for t in subterms(a))]
    if not calls and term.name != loop and not is_app(term, "ite"):
        yield path, term
    elif is_app(term, "ite"):
        yield from ends(term.args[1], loop, (*path, term.args[0]))
        yield from ends(term.args[2], loop, (*path, not_(term.args[0])))
    elif is_app(term, "=>"):
        yield from ends(or_([*map(not_, term.args[:-1]), term.args[-1]]), loop, path)
    elif is_app(term, "not"):
        yield from ((there, not_(end)) for there, end in ends(term.args[0], loop, path))
    elif (is_app(term, "or") or is_app(term, "and")) and len(calls) < len(term.args):
        plain = [a for a in term.args if a not in calls]
        over = or_(plain) if term.name == "or" else not_(and_(plain))
        yield (*path, over), TRUE if term.name == "or" else FALSE
        yield from ends(or_(calls) if term.name == "or" else and_(calls), loop, (*path, not_(over)))


def moving(context: ProverContext, call: Term) -> list[int]:
    """Positions of all of the state."""
    recursion = context.recursions[call.name]
    return sorted({*starts(context, call), *recursion.changed})


def outside(term: Term, call: Term) -> frozenset[Term]:
    """The variables of a term outside of calls with the same arguments."""
    if term.kind is Kind.APP and term.args == call.args:
        return frozenset()
    return frozenset[Term]().union(*(outside(part, call) for part in term.args)) if term.args else term.free
