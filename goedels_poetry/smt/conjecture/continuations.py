"""What is left to do as a variable: ``run (join (compile e) q) s = run q (push (value e) s)`` for any rest ``q``.

A function that works along what another one has produced, and passes on what it has so far, meets in the middle of it
what stands behind: ``run (compile e) none`` is about the whole alone, and no induction on ``e`` follows. So a rest is
put behind what is produced, the first state is made any state, and what comes of the part becomes the state with which
the rest goes on. Where the function just adds to what it has so far, this is the law of folds over what is put together
(``fold f s (join p q) = fold f (fold f s p) q``); the form here also holds of functions that may give up on the way.

Continuations as a means of generalisation: Wand, "Continuation-based program transformation strategies", 1980.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import (
    Kind,
    Sort,
    Term,
    app,
    eq,
    is_app,
    rebuild,
    subterms,
    var,
)
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.first import induction
from goedels_poetry.smt.rewriting.plan import Plan, key_of
from goedels_poetry.smt.rewriting.statements import lemma, replace_subterm

MAX_STATEMENTS = 3
TESTS = 40


@dataclass(frozen=True)
class ContinuationStatement:
    """A goal with any rest and any state; ``start`` gives back the goal that it is about."""

    general: Sequent
    start: dict[Term, Term]

    def proof(self, context: ProverContext, rlimit: int | None = None) -> Plan | None:
        """The general statement, by induction."""
        return induction(context, self.general, rlimit=rlimit)

    def queries(self, context: ProverContext, sequent: Sequent) -> Iterator[Query]:
        """The goal from the general statement, with nothing left to do."""
        key = key_of(self.general)
        first = Instance("step", key, tuple(self.start.get(v, v) for v in self.general.vars))
        yield Query((key, *context.lemmas), (first,))


def continuation_statements(context: ProverContext, sequent: Sequent) -> Iterator[ContinuationStatement]:
    """The goal with a rest behind what is produced, for each operation that can put it there."""
    concl = sequent.concl
    if not is_app(concl, "=") or len(concl.args) != 2 or sequent.hyps:
        return
    left = MAX_STATEMENTS
    for call, other in (concl.args, concl.args[::-1]):
        for produced, state in _places(context, call):
            for name, empty in _operations(context, sequent, call.args[produced].sort):
                statement = _statement(context, sequent, call, other, produced, state, name, empty)
                if left and context.refutes(statement.general, TESTS) is None:
                    left -= 1
                    yield statement


def continuation_laws(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Of a goal with a rest: how things are put together does not matter, and nothing adds nothing."""
    concl = sequent.concl
    if not (is_app(concl, "=") and concl.args[0].kind is concl.args[1].kind is Kind.APP):
        return
    if concl.args[0].name != concl.args[1].name or context.signature.definition(concl.args[0].name) is None:
        return  # sums may have any number of summands
    for whole, rest in zip(concl.args[0].args, concl.args[1].args, strict=True):
        if rest.kind is Kind.VAR and len(whole.args) == 2 and whole.args[1] is rest:
            x, y, z = (var(f"x{i}", rest.sort) for i in range(3))

            def of(a: Term, b: Term, name: str = whole.name, sort: Sort = rest.sort) -> Term:
                return app(name, (a, b), sort)

            yield lemma(eq(of(of(x, y), z), of(x, of(y, z))))
            for empty in _empties(context, rest.sort):
                yield lemma(eq(of(x, empty), x))


def _places(context: ProverContext, call: Term) -> Iterator[tuple[int, int]]:
    """Positions of what another function has produced, and of a state that begins at a constant."""
    definition = context.signature.definition(call.name) if call.kind is Kind.APP else None
    if definition is None or not definition.recursive:
        return
    calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == call.name]
    for produced, part in enumerate(call.args):
        maker = context.signature.definition(part.name) if part.kind is Kind.APP and part.free else None
        if maker is None or not maker.recursive or not context.shape.recurses_on(call.name, produced):
            continue
        for state, first in enumerate(call.args):
            carried = any(c.args[state] is not definition.params[state] for c in calls)
            if state != produced and not first.free and first.sort is call.sort and carried:
                yield produced, state


def _operations(context: ProverContext, sequent: Sequent, sort: Sort) -> Iterator[tuple[str, Term]]:
    """Functions at hand that put two of a sort together, each with what is empty."""
    for name in context.shape.reachable_functions(sequent.formula):
        typed = context.signature.type_of(name)
        if typed is not None and tuple(typed[0]) == (sort, sort) and typed[1] is sort:
            yield from ((name, empty) for empty in _empties(context, sort))


def _empties(context: ProverContext, sort: Sort) -> list[Term]:
    datatype = context.signature.datatype(sort)
    return [app(c.name, (), sort) for c in datatype.constructors if not c.fields] if datatype else []


def _statement(
    context: ProverContext,
    sequent: Sequent,
    call: Term,
    other: Term,
    produced: int,
    state: int,
    name: str,
    empty: Term,
) -> ContinuationStatement:
    names = Names(*sequent.vars, sequent.concl, reserved=context.reserved)
    sort = call.args[produced].sort
    rest, before = names.fresh("q", sort), names.fresh("s", call.sort)
    start = call.args[state]
    with_rest = {produced: app(name, (call.args[produced], rest), sort), state: before}
    after = {produced: rest, state: replace_subterm(other, start, before)}
    left, right = (rebuild(call, tuple(at.get(i, a) for i, a in enumerate(call.args))) for at in (with_rest, after))
    general = make_sequent((*sequent.vars, rest, before), (), eq(left, right))
    return ContinuationStatement(general, {rest: empty, before: start})
