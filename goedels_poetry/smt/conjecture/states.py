"""What is seen of a container that a loop builds, at its end: ``count v (loop out xs) = count v out + count v xs``.

A loop that appends to ``out`` is followed by goals about ``len out``, ``all out``, ``at key out``. Each is guessed of
the loop's result and tested: what was seen before, joined with what another function sees of the rest. These are the
laws of a fold with an accumulator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product

from goedels_poetry.kernel.problem import Definition
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Sort,
    Term,
    and_,
    app,
    eq,
    implies,
    integer,
    is_app,
    or_,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.matching import replace_subterm
from goedels_poetry.smt.rewriting.statements import lemma

MAX_OBSERVERS = 8
MAX_GUESSES = 3
"""Guesses about one observer that are not refuted, and tried."""
TESTS = 30


@dataclass(frozen=True)
class _Observer:
    """A term of numbers or truth with a place for a container."""

    term: Term
    hole: Term

    def of(self, container: Term) -> Term:
        """The term about this container."""
        return replace_subterm(self.term, self.hole, container)

    @property
    def others(self) -> list[Term]:
        """The variables besides the container."""
        return sorted(self.term.free - {self.hole}, key=lambda v: v.name)


@dataclass(frozen=True)
class _Built:
    """A loop and one part of its state, a container to which it adds."""

    loop: Term
    state: Term
    counted: tuple[tuple[Term, Term], ...]
    """``i <= n`` and ``n - i`` for each number that counts up to another one."""


def state_laws(context: ProverContext, sequent: Sequent) -> Iterator[list[Sequent]]:
    """Guesses of what is seen of what a loop makes of a container and a rest: of each list, one is wanted."""
    for part in _built_by_loops(context, sequent):
        whole = part.loop
        if whole.sort is not part.state.sort:
            continue
        rests = [p for p in whole.args if p is not part.state and context.signature.datatype(p.sort)]
        for observer in _observers(context, sequent, part.state):
            before, after = observer.of(part.state), observer.of(whole)
            rest = [f for r in rests for f in _functions_of(context, sequent, observer, r, part.loop.name)]
            counted = [(c, left) for c, left in part.counted if before.sort is INT]
            yield _likely(context, (lemma(eq(after, app("+", (before, n), INT)), (c,)) for c, n in counted))
            yield _likely(
                context, (lemma(app("<=", (after, app("+", (before, n), INT)), BOOL), (c,)) for c, n in counted)
            )
            yield _likely(context, map(lemma, _sums(before, after, rest)))


def measures(context: ProverContext, sequent: Sequent, container: Term) -> Iterator[Term]:
    """Numbers that functions of the goal give of a container alone, such as its length."""
    for definition in reached(context, sequent):
        if definition.recursive and definition.sort is INT and [p.sort for p in definition.params] == [container.sort]:
            yield app(definition.name, (container,), INT)


def reached(context: ProverContext, sequent: Sequent) -> Iterator[Definition]:
    """The definitions that a goal leads to."""
    for name in context.shape.reachable_functions(sequent.formula):
        definition = context.signature.definition(name)
        if definition is not None:
            yield definition


def _sums(before: Term, after: Term, rest: list[Term]) -> Iterator[Term]:
    """How what is seen at the end may go together with what was seen before, and of the rest."""
    yield eq(after, before)
    if before.sort is INT:
        added = [app("+", (before, r), INT) for r in rest]
        yield from (eq(after, total) for total in added)
        yield from (app("<=", (after, total), BOOL) for total in added)
        yield app(">=", (after, before), BOOL)
        yield from (app(">=", (after, total), BOOL) for total in added)
        return
    for r in rest:
        yield eq(after, or_([before, r]))
        yield eq(after, and_([before, r]))
    yield implies(before, after)
    for r in rest:
        yield implies(and_([before, r]), after)
        yield implies(r, after)


def _built_by_loops(context: ProverContext, sequent: Sequent) -> list[_Built]:
    """The loops of a goal that build containers."""
    found: list[_Built] = []
    if is_app(sequent.concl, "and"):
        return found  # its parts are goals of their own
    for definition in reached(context, sequent):
        name = definition.name
        if not definition.recursive:
            continue
        own = [var(f"own{i}", p.sort) for i, p in enumerate(definition.params)]  # like no variable of the goal
        body = substitute(definition.body, dict(zip(definition.params, own, strict=True)))
        calls = [t for t in subterms(body) if t.kind is Kind.APP and t.name == name]
        for i, state in enumerate(own):
            if context.signature.datatype(state.sort) is None:
                continue
            if any(_adds(context, t, state) for call in calls for t in subterms(call.args[i])):
                whole = app(name, own, definition.sort)
                found.append(_Built(whole, state, tuple(_counted(body, own))))
    return found


def _likely(context: ProverContext, guesses: Iterable[Sequent]) -> list[Sequent]:
    """The first guesses that values do not refute."""
    return list(islice((g for g in guesses if context.refutes(g, TESTS) is None), MAX_GUESSES))


def _counted(body: Term, own: list[Term]) -> Iterator[tuple[Term, Term]]:
    """What is left to count where a loop goes on while a number is below another one."""
    test = body.args[0] if is_app(body, "ite") else body
    for part in test.args if is_app(test, "and") else (test,):
        if is_app(part, "<") and part.args[0] in own:
            yield app("<=", part.args, BOOL), app("-", part.args[::-1], INT)


def _adds(context: ProverContext, term: Term, state: Term) -> bool:
    """Whether a term is the state with something added, by a constructor or as ``append out [e]``."""
    if term.kind is not Kind.APP or state not in term.args:
        return False
    definition = context.signature.definition(term.name)
    appended = definition is not None and definition.recursive and term.sort is state.sort and len(term.args) > 1
    return appended or context.signature.constructor(term.name) is not None


def _observers(context: ProverContext, sequent: Sequent, state: Term) -> list[_Observer]:
    """Numbers and truths about a container: those that the goal speaks of, and functions that it leads to."""
    found: dict[Term, _Observer] = {}
    for part in (sequent.concl, *sequent.hyps):
        for term in subterms(part):
            if term.sort not in (INT, BOOL) or term.kind is not Kind.APP:
                continue
            inner = [
                t for t in subterms(term) if t is not term and t.sort is state.sort and t.kind is Kind.APP and t.args
            ]
            smallest = not any(t.sort in (INT, BOOL) and set(inner) & set(subterms(t)) for t in term.args)
            if inner and smallest and _is_function(context, term) and len(inner) == 1:
                opened = replace_subterm(term, inner[0], state)
                if not any(t.kind is Kind.LIT for t in subterms(opened)):
                    found.setdefault(opened, _Observer(opened, state))
    for definition in reached(context, sequent):
        if not definition.recursive or definition.sort not in (INT, BOOL):
            continue
        at = [i for i, p in enumerate(definition.params) if p.sort is state.sort]
        if len(at) == 1 and len(definition.params) <= 2:
            args = [state if i in at else var(f"p{len(found)}", p.sort) for i, p in enumerate(definition.params)]
            term = app(definition.name, args, definition.sort)
            found.setdefault(term, _Observer(term, state))
    for definition in reached(context, sequent):
        if [p.sort for p in definition.params] == [state.sort]:
            for field in _numbers_in(context, app(definition.name, (state,), definition.sort)):
                found.setdefault(field, _Observer(field, state))
    return list(found.values())[:MAX_OBSERVERS]


def _numbers_in(context: ProverContext, term: Term) -> list[Term]:
    """The numbers in a value of a datatype with one constructor, such as a pair."""
    datatype = context.signature.datatype(term.sort)
    fields = datatype.constructors[0].fields if datatype is not None and len(datatype.constructors) == 1 else ()
    return [app(selector, (term,), INT) for selector, sort in fields if sort is INT]


def _is_function(context: ProverContext, term: Term) -> bool:
    definition = context.signature.definition(term.name)
    return definition is not None and definition.recursive


def _functions_of(
    context: ProverContext, sequent: Sequent, observer: _Observer, rest: Term, loop: str
) -> Iterator[Term]:
    """Terms of the observer's sort about the rest and the observer's other variables."""
    sort = observer.term.sort
    if rest.sort is observer.hole.sort:
        yield observer.of(rest)
    for definition in reached(context, sequent):
        if definition.sort not in (sort, INT) or definition.name == loop or len(definition.params) > 2:
            continue
        pools = [[rest] if p.sort is rest.sort else _of_sort(observer.others, p.sort) for p in definition.params]
        for args in islice(product(*pools), 4):
            if rest in args:
                term = app(definition.name, args, definition.sort)
                yield term if term.sort is sort else app(">", (term, integer(0)), BOOL)


def _of_sort(terms: Iterable[Term], sort: Sort) -> list[Term]:
    return [t for t in terms if t.sort is sort]
