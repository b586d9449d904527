"""Loops over numbers that begin at a constant: what they make of any start, and the goal by induction along them.

``power b n 1`` squares ``b`` and halves ``n``; nothing of it recurs with the start 1. Three things help, guessed in a
fixed form and tested on values:

* the start moves outside, ``power b n (r * s) = r * power b n s``: said of two unknown starts, since an induction
  along the loop gives its hypothesis for one; then of the constant, ``power b n r = r * power b n 1``;
* what a specification makes of the loop's next state, ``pow (b * b) n = pow b (2 * n)`` where ``n`` is halved;
* with these the goal, about the constant, has its hypothesis where the loop goes on: an induction along the loop with
  any start in the place of the constant, of which the goal says nothing.

The first is how accumulators are removed (Giesl, "Context-Moving Transformations for Function Verification", 1999).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from goedels_poetry.kernel.derivation import Instance, Query
from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.inductions import RecursionInduction
from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Names, Sequent, make_sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, app, eq, integer, is_app, rebuild, substitute, subterms
from goedels_poetry.smt.context.limits import DIRECT
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.recursion import along_function
from goedels_poetry.smt.rewriting.plan import Plan, key_of, leaf
from goedels_poetry.smt.rewriting.statements import lemma, ordered_variables

MAX_CALLS = 3
MAX_SCALINGS = 4
TESTS = 40
UNITS = {"+": 0, "*": 1}
"""How a start may be put together with another one, each with what it leaves as it is."""


@dataclass(frozen=True)
class StartLaw:
    """A start that moves outside of a loop, and the same for the constant that the loop of the goal begins at."""

    law: Sequent
    at_first: Sequent
    values: tuple[Term, ...]
    """What the variables of the law are there."""

    def proof(self, context: ProverContext, at_first: Sequent) -> Plan | None:
        """Of the second from the first, which is a lemma."""
        key = key_of(self.law)
        query = Query((key,), (Instance("step", key, self.values),))
        return leaf(at_first, query) if context.holds(at_first, query, DIRECT) else None


def start_laws(context: ProverContext, sequent: Sequent) -> Iterator[StartLaw]:
    """For each loop of a goal and each number that it begins at a constant: the first law that values do not refute."""
    for call in _calls(context, sequent):
        definition = context.signature.definition(call.name)
        assert definition is not None
        for i, first in enumerate(call.args):
            if call.sort is INT and isinstance(first.value, int) and first.sort is INT and _moves(definition, i):
                ways = [by for by, unit in UNITS.items() if by == "+" or first.value == unit]
                laws = (_moved_outside(context, definition, i, first, by) for by in ways)
                yield from islice((law for law in laws if context.refutes(law.law, TESTS) is None), 1)


def scalings(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """``f (b * b) n = f b (2 * n)`` where a loop of the goal goes on with ``b * b`` and ``n div 2``."""
    found: dict[Sequent, None] = {}
    for loop in _calls(context, sequent):
        for step in _steps(context, loop):
            for other in _recursive_calls(context, sequent):
                if other.name != loop.name:
                    found.update(dict.fromkeys(_scalings_of(other, loop, step)))
    yield from (s for s in islice(found, MAX_SCALINGS) if context.refutes(s, TESTS) is None)


def plans_along(context: ProverContext, sequent: Sequent, rlimit: int | None) -> Iterator[Plan]:
    """The goal by induction along a loop that it calls at a constant: the hypothesis is where the loop goes on."""
    for call in _calls(context, sequent):
        definition = context.signature.definition(call.name)
        assert definition is not None
        names = Names(*sequent.vars, *sequent.hyps, sequent.concl, reserved=context.reserved)
        starts = {
            i: names.fresh(definition.params[i].name, a.sort)
            for i, a in enumerate(call.args)
            if not a.free and _moves(definition, i)
        }
        at = tuple(starts.get(i, a) for i, a in enumerate(call.args))
        moved = [a for i, a in enumerate(at) if _moves(definition, i)]
        if any(a.kind is not Kind.VAR for a in moved) or len(set(moved)) < len(moved):
            continue
        mentioned = [app("=", (v, v), BOOL) for v in starts.values()]  # a goal has the variables that it speaks of
        general = make_sequent((*sequent.vars, *starts.values()), (*sequent.hyps, *mentioned), sequent.concl)
        plan = along_function(context, general, RecursionInduction(call.name, at), rlimit)
        if plan is not None:
            key = key_of(general)
            at_first = {v: call.args[i] for i, v in starts.items()}
            query = Query((key,), (Instance("step", key, tuple(at_first.get(v, v) for v in general.vars)),))
            if context.holds(sequent, query, DIRECT, extra={key: general}):
                yield Plan(sequent, query, (plan,), "loop-accumulator", plan.detail)


def _calls(context: ProverContext, sequent: Sequent) -> Iterator[Term]:
    """Calls of loops over numbers alone of which one begins at a constant, one for each loop."""
    seen: dict[str, Term] = {}
    for call in _recursive_calls(context, sequent):
        definition = context.signature.definition(call.name)
        assert definition is not None
        numbers = all(a.sort is INT for a in call.args)
        if numbers and any(not a.free and _moves(definition, i) for i, a in enumerate(call.args)):
            seen.setdefault(call.name, call)
    yield from islice(seen.values(), MAX_CALLS)


def _recursive_calls(context: ProverContext, sequent: Sequent) -> Iterator[Term]:
    for part in (sequent.concl, *sequent.hyps):
        for call in subterms(part):
            if call.kind is Kind.APP and call.name in context.recursions and call.free <= frozenset(sequent.vars):
                yield call


def _moves(definition: Definition, position: int) -> bool:
    """Whether some recursive call gives something else for a parameter."""
    calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == definition.name]
    return any(c.args[position] is not definition.params[position] for c in calls)


def _moved_outside(context: ProverContext, loop: Definition, at: int, first: Term, by: str) -> StartLaw:
    names = Names(*loop.params, loop.body, reserved=context.reserved)
    params = [names.fresh(p.name, p.sort) for p in loop.params]
    outside, inside = names.fresh("outside", INT), names.fresh("inside", INT)

    def begun(start: Term) -> Term:
        return app(loop.name, [start if i == at else p for i, p in enumerate(params)], INT)

    law = eq(begun(app(by, (outside, inside), INT)), app(by, (outside, begun(inside)), INT))
    start, unit = params[at], integer(UNITS[by])
    rest = start if first is unit or by == "*" else app("-", (start, first), INT)
    at_first = eq(begun(start), app(by, (rest, begun(first)), INT))
    stated = lemma(law)
    values = {outside: rest, inside: first}
    in_order = tuple(values.get(v, v) for v in ordered_variables(law))
    return StartLaw(stated, make_sequent(params, (), at_first), in_order)


def _steps(context: ProverContext, loop: Term) -> Iterator[dict[Term, Term]]:
    """What variables of a call become where the loop goes on."""
    definition = context.signature.definition(loop.name)
    assert definition is not None
    at = dict(zip(definition.params, loop.args, strict=True))
    for call in subterms(simplify(definition.body, context.signature)):
        if call.kind is Kind.APP and call.name == loop.name:
            after = [substitute(a, at) for a in call.args]
            yield {v: a for v, a in zip(loop.args, after, strict=True) if v.kind is Kind.VAR and a is not v}


def _scalings_of(other: Term, loop: Term, step: dict[Term, Term]) -> Iterator[Sequent]:
    for n, after in step.items():
        by = after.args[1] if is_app(after, "div") and after.args[0] is n else None
        if by is None or not isinstance(by.value, int) or by.value < 2 or n not in other.args:
            continue
        grown = {v: a for v, a in step.items() if v is not n and v in other.args and a.free <= {v}}
        if grown and all(a.kind is Kind.VAR for a in other.args):
            at_next = rebuild(other, tuple(grown.get(a, a) for a in other.args))
            larger = rebuild(other, tuple(app("*", (by, n), INT) if a is n else a for a in other.args))
            yield lemma(eq(at_next, larger), (app(">=", (n, integer(0)), BOOL),))
