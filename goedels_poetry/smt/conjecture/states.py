"""What is seen of a container that a loop builds: after one more element, and at the end.

A loop that appends to ``out`` is followed by goals about ``len out``, ``all out``, ``at key out``. No induction gets
through before it is known what each of these is of ``append out [y]`` or ``store key value out``, and then what it is
of the loop's result: ``count v (loop out xs) = count v out + count v xs``. Both are guessed in that form and tested:
what was seen before, joined with something about what is added, or with what another function sees of the rest.

The first are the laws of a function by the constructors that programs use in the place of ``cons``, as in Johansson,
"Automated Theory Exploration for Interactive Theorem Proving" (2017); the second, that of a fold with an accumulator.
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
    ite,
    not_,
    or_,
    rebuild,
    substitute,
    subterms,
    var,
)
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.replace import replace_subterm
from goedels_poetry.smt.rewriting.statements import lemma

MAX_BUILDERS = 3
"""Ways to add something to a container, of one loop."""
MAX_OBSERVERS = 8
MAX_GUESSES = 3
"""Guesses about one observer that are not refuted, and tried."""
MAX_ADVANCES = 3
"""Numbers in the state of one loop of which it is asked how far they get."""
MAX_CONDITIONS = 24
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
    """A loop and one part of its state, a container to which it adds by ``builders``, or by a constructor."""

    loop: Term
    state: Term
    builders: tuple[Term, ...]
    counted: tuple[tuple[Term, Term], ...]
    """``i <= n`` and ``n - i`` for each number that counts up to another one."""


def builder_laws(context: ProverContext, sequent: Sequent) -> Iterator[list[Sequent]]:
    """Guesses of what is seen of a container after something is added to it: of each list, one is wanted."""
    seen: set[tuple[Term, Term]] = set()
    for part in _built_by_loops(context, sequent):
        observers = _observers(context, sequent, part.state)
        yield from (_likely(context, [g]) for g in _absences(observers))
        yield from (_likely(context, _weakenings(context, o)) for o in observers if o.term.sort is BOOL)
        for builder in part.builders:
            for observer in observers:
                if (observer.term, builder) not in seen and not is_app(observer.term, builder.name):
                    seen.add((observer.term, builder))
                    guesses = _joined(context, observer, part.state, builder, observers)
                    yield _likely(context, (lemma(eq(observer.of(builder), g)) for g in guesses))


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


def advance_laws(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """Guesses of how far a loop's counters get, and that a container grows by as much as they do.

    The second are of as many variables as the loop has a state of.
    """
    for part in _built_by_loops(context, sequent):
        advances = _advances(context, sequent, part)
        for guesses in _bounds(context, part, advances):
            yield from guesses
        if not advances or part.loop.sort is not part.state.sort:
            continue
        gains = [app("-", pair, INT) for pair in advances]
        steps = [*gains, *([app("+", gains, INT)] if len(gains) > 1 else [])]
        for measured in measures(context, sequent, part.state):
            after = substitute(measured, {part.state: part.loop})
            yield from _likely(context, (lemma(eq(after, app("+", (measured, n), INT))) for n in steps))


def _advances(context: ProverContext, sequent: Sequent, part: _Built) -> list[tuple[Term, Term]]:
    """What numbers of the loop's state are at its end, by functions that run through the same states, and are now."""
    definition = context.signature.definition(part.loop.name)
    assert definition is not None
    own = {(p.name, p.sort): v for p, v in zip(definition.params, part.loop.args, strict=True)}
    found = []
    for other in reached(context, sequent):
        kept = [own.get((p.name, p.sort)) for p in other.params]
        ends = [t for t in _leaves(other.body) if t in other.params]
        if other.recursive and other.sort is INT and other is not definition and len(ends) == 1 and None not in kept:
            now = kept[other.params.index(ends[0])]
            at = [v for v in kept if v is not None]
            if now is not None:
                found.append((app(other.name, at, INT), now))
    return found[:MAX_ADVANCES]


def _leaves(body: Term) -> Iterator[Term]:
    if is_app(body, "ite"):
        for branch in body.args[1:]:
            yield from _leaves(branch)
    else:
        yield body


def _bounds(context: ProverContext, part: _Built, advances: list[tuple[Term, Term]]) -> Iterator[list[Sequent]]:
    """That what counts up does so, and not past what it counts up to."""
    for end, now in advances:
        yield _likely(context, [lemma(app(">=", (end, now), BOOL))])
        for below, _ in part.counted:
            if now is below.args[0]:
                yield _likely(context, [lemma(app("<=", (end, below.args[1]), BOOL), (below,))])


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


def _absences(observers: list[_Observer]) -> Iterator[Sequent]:
    """That a number is 0 where something is not there: ``not (has k d) => at k d = 0``."""
    for there, number in product(observers, observers):
        kinds = [[v.sort for v in o.others] for o in (there, number)]
        if there.term.sort is BOOL and number.term.sort is INT and kinds[0] == kinds[1]:
            term = substitute(number.term, dict(zip(number.others, there.others, strict=True)))
            yield lemma(eq(term, integer(0)), (not_(there.term),))


def _weakenings(context: ProverContext, observer: _Observer) -> Iterator[Sequent]:
    """That what holds with a container holds with one more element in it."""
    definition = context.signature.definition(observer.term.name)
    for i, given in enumerate(observer.term.args if definition is not None else ()):
        datatype = context.signature.datatype(given.sort)
        if given.kind is not Kind.VAR or datatype is None or context.shape.recurses_on(observer.term.name, i):
            continue
        for constructor in datatype.constructors:
            fields = [given if s is given.sort else var(f"c{k}", s) for k, (_, s) in enumerate(constructor.fields)]
            if given in fields:
                longer = app(constructor.name, fields, given.sort)
                whole = rebuild(
                    observer.term, tuple([longer if k == i else a for k, a in enumerate(observer.term.args)])
                )
                yield lemma(whole, (observer.term,))


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
            builders = dict.fromkeys(
                pattern
                for call in calls
                for t in subterms(call.args[i])
                if (pattern := _pattern(context, t, state)) is not None
            )
            grows = any(
                state in t.args and context.signature.constructor(t.name) is not None
                for call in calls
                for t in subterms(call.args[i])
                if t.kind is Kind.APP
            )
            if builders or grows:
                whole = app(name, own, definition.sort)
                found.append(_Built(whole, state, tuple(builders)[:MAX_BUILDERS], tuple(_counted(body, own))))
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


def _pattern(context: ProverContext, term: Term, state: Term) -> Term | None:
    """``append out [e]`` with a variable for ``e``; None for anything else than adding to the state itself."""
    if term.kind is not Kind.APP or term.sort is not state.sort or state not in term.args or len(term.args) < 2:
        return None
    definition = context.signature.definition(term.name)
    if definition is None or not definition.recursive or sum(a is state for a in term.args) != 1:
        return None
    count = 0

    def general(t: Term) -> Term:
        nonlocal count
        if t.kind is Kind.APP and context.signature.constructor(t.name) is not None:
            return rebuild(t, tuple([general(a) for a in t.args])) if t.args else t
        count += 1
        return var(f"y{count}", t.sort)

    return rebuild(term, tuple([a if a is state else general(a) for a in term.args]))


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


def _joined(
    context: ProverContext, observer: _Observer, state: Term, builder: Term, observers: list[_Observer]
) -> Iterator[Term]:
    """What may be seen after something is added, likely ones first."""
    added = sorted(builder.free - {state}, key=lambda v: v.name)
    known = [*added, *observer.others]
    before = observer.of(state)
    tests = list(islice(_conditions(context, state, added, known, observers), MAX_CONDITIONS))
    if observer.term.sort is BOOL:
        yield before
        for c in tests:
            yield from (and_([before, c]), or_([before, c]))
            yield from (and_([before, not_(c)]), or_([before, not_(c)]))
        empty = _empty(context, state)
        if empty is not None:
            yield from (and_([before, or_([empty, d])]) for c in tests for d in (c, not_(c)))
        yield from tests
        return
    numbers = _of_sort(known, INT)
    one = app("+", (before, integer(1)), INT)
    sums = [app("+", (before, y), INT) for y in numbers]
    parts = [before, one, *numbers, *sums]
    yield from parts
    yield app("-", (before, integer(1)), INT)
    for other in _of_sort(_seen(context, state, known, observers), INT):
        yield from (app("-", (total, other), INT) for total in sums)
    for c in tests:
        yield from (ite(c, a, b) for a in parts for b in (before, one, *sums) if a is not b)


def _conditions(
    context: ProverContext, state: Term, added: list[Term], known: list[Term], observers: list[_Observer]
) -> Iterator[Term]:
    """Truths about what is added: compared with other values, and with what is there already."""
    seen = list(_seen(context, state, known, observers))
    for y in added:
        for other in (*known, *_of_sort(seen, y.sort)):
            if other is not y and other.sort is y.sort and not (other in added and other.name < y.name):
                yield eq(other, y)
    yield from _of_sort(seen, BOOL)
    for name in dict.fromkeys(t.name for o in observers for t in subterms(o.term) if t.kind is Kind.APP):
        for reached in (
            sorted(context.shape.rests_on(app(name, (), BOOL))) if context.signature.definition(name) else ()
        ):
            definition = context.signature.definition(reached)
            if definition is None or definition.sort is not BOOL or len(definition.params) != 2:
                continue
            pools = [_of_sort(known, p.sort) for p in definition.params]
            yield from (app(reached, args, BOOL) for args in islice(product(*pools), 4) if set(args) & set(added))
    for y in added:
        if y.sort is INT:
            others = [o for o in _of_sort((*known, *seen), INT) if o is not y]
            yield from (app("<=", pair, BOOL) for o in others for pair in ((o, y), (y, o)))


def _seen(context: ProverContext, state: Term, known: list[Term], observers: list[_Observer]) -> Iterator[Term]:
    """What observers see of the container, at known values."""
    for observer in observers:
        pools = [_of_sort(known, v.sort) for v in observer.others]
        for args in islice(product(*pools), 3):
            term = observer.of(state)
            for old, new in zip(observer.others, args, strict=True):
                term = replace_subterm(term, old, new)
            yield term


def _empty(context: ProverContext, state: Term) -> Term | None:
    """That the container has nothing in it."""
    datatype = context.signature.datatype(state.sort)
    none = [c for c in datatype.constructors if not c.fields] if datatype is not None else []
    return eq(state, app(none[0].name, (), state.sort)) if len(none) == 1 else None
