"""What numbers inside of results are at least: the length of a run is 1 or more, a count is not negative.

A step of an induction often rests on such a bound, and says nothing of it: ``repeat x (n + 1)`` begins with ``x`` only
where ``n`` is not below 0. Candidates are guesses, which values test first.
"""

from __future__ import annotations

from collections.abc import Iterator

from goedels_poetry.kernel.equations import simplify
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Kind, Term, app, eq, integer, not_, or_, substitute, subterms, tester
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.replace import replace_subterm
from goedels_poetry.smt.rewriting.statements import lemma

MAX_BOUNDS = 6
TESTS = 40


def field_bounds(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Bounds of numbers in the results of recursive functions of the goal."""
    left = MAX_BOUNDS
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is None or not definition.recursive or definition.sort in (INT, BOOL):
            continue
        call = app(name, definition.params, definition.sort)
        for given, number in _numbers(context, call, 2):
            for least in (1, 0):
                bound = app(">=", (number, integer(least)), BOOL)
                candidate = lemma(or_([*map(not_, given), bound]))
                if left and context.refutes(candidate, TESTS) is None:
                    left -= 1
                    yield candidate
                    break


def hidden_steps(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What functions that count down do one step on, where the goal calls them only through others.

    Their defining equations are no axioms, since a solver would unfold them for ever; where the goal itself calls
    them they are unfolded by hand.
    """
    mentioned = {t.name for part in (sequent.concl, *sequent.hyps) for t in subterms(part) if t.kind is Kind.APP}
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is None or name in mentioned or name not in context.shape.unfolded:
            continue
        calls = [t for t in subterms(definition.body) if t.kind is Kind.APP and t.name == name]
        for i, parameter in enumerate(definition.params):
            down = app("-", (parameter, integer(1)), INT)
            if parameter.sort is INT and calls and all(c.args[i] is down for c in calls):
                for next_one in (integer(0), integer(1), app("+", (parameter, integer(1)), INT)):
                    at = {parameter: next_one}
                    left = app(name, [at.get(p, p) for p in definition.params], definition.sort)
                    body = substitute(definition.body, at)
                    if next_one is not integer(0):
                        body = replace_subterm(body, app("-", (next_one, integer(1)), INT), _before(next_one))
                    yield lemma(eq(left, simplify(body, context.signature)))


def _before(number: Term) -> Term:
    return number.args[0] if number.args else integer(0)


def _numbers(context: ProverContext, term: Term, depth: int) -> Iterator[tuple[list[Term], Term]]:
    """Numbers among the fields of a value, each with the forms that it must have for them."""
    datatype = context.signature.datatype(term.sort)
    for constructor in datatype.constructors if datatype and depth else ():
        has_form = [tester(constructor.name, term)] if datatype and len(datatype.constructors) > 1 else []
        for selector, sort in constructor.fields:
            part = app(selector, (term,), sort)
            if sort is INT:
                yield has_form, part
            elif sort is not term.sort:
                yield from (([*has_form, *more], number) for more, number in _numbers(context, part, depth - 1))
