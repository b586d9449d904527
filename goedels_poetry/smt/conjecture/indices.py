"""Loops that walk along a list by an index: what one more element in front, or one step of the index, comes to.

``find 0 xs t`` looks at ``nth xs i`` while ``i < len xs``, and no induction on the list follows: the list stays as it
is and the index grows. Two kinds of laws lead back to one, both guessed in a fixed form and tested on values:

* a *shift*: with one element more in front and the index one larger everything is as before, but for results that are
  indices themselves, ``find i (cons h xs) t = 1 + find (i - 1) xs t``. With it a loop from 0 on recurs on the list.
* a *step*: what a function says of the elements before an index, or from it on, when the index moves by one,
  ``all (take xs i) = all (take xs (i - 1)) and p (nth xs (i - 1))``. With it an invariant about ``take xs i`` is kept.

The first is the reindexing by which loop transformations are justified (Allen and Kennedy, "Optimizing Compilers for
Modern Architectures", 2001).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product

from goedels_poetry.kernel.problem import Constructor, Datatype, Definition
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
    integer,
    ite,
    or_,
    rebuild,
    subterms,
    tester,
    var,
)
from goedels_poetry.smt.conjecture.states import measures, reached
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.rewriting.statements import lemma

MAX_LOOPS = 4
MAX_CHOICES = 6
"""Ways to choose which numbers and which lists of a loop move together."""
MAX_RESULTS = 9
"""Ways in which a result may move along."""
MAX_OBSERVERS = 4
MAX_WAYS = 2
"""Functions that measure a list, and functions that read it at an index."""
TESTS = 40


def shift_laws(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What loops of a goal come to with one element more in front and the index one larger."""
    loops = ((d, places) for d in reached(context, sequent) if d.recursive and (places := _places(context, d)))
    for definition, places in islice(loops, MAX_LOOPS):
        yield from _shifts_of(context, definition, *places)


def step_laws(context: ProverContext, sequent: Sequent) -> Iterator[Sequent]:
    """What functions of a goal say of a part that ends or begins at an index, when it moves by one."""
    seen: set[tuple[str, int, str]] = set()
    for part in (sequent.concl, *sequent.hyps):
        for observed in subterms(part):
            observer = context.signature.definition(observed.name) if observed.kind is Kind.APP else None
            if observer is None or not observer.recursive or observer.sort not in (BOOL, INT):
                continue
            for at, argument in enumerate(observed.args):
                cut = context.signature.definition(argument.name) if argument.kind is Kind.APP else None
                if cut is None or not _cuts(context, cut) or (observer.name, at, cut.name) in seen:
                    continue
                seen.add((observer.name, at, cut.name))
                if len(seen) <= MAX_OBSERVERS:
                    yield from _steps_of(context, sequent, observer, at, cut)


# ---------------------------------------------------------------------------------------------------------- shifts


def _places(context: ProverContext, loop: Definition) -> tuple[list[int], list[int], list[int]] | None:
    """Positions of the lists that stay as they are, of the numbers that move, and of those that stay."""
    calls = [t for t in subterms(loop.body) if t.kind is Kind.APP and t.name == loop.name]
    fixed = [all(c.args[i] is p for c in calls) for i, p in enumerate(loop.params)]
    lists = [i for i, p in enumerate(loop.params) if fixed[i] and _cons(context, p.sort) is not None]
    counters = [i for i, p in enumerate(loop.params) if not fixed[i] and p.sort is INT]
    bounds = [i for i, p in enumerate(loop.params) if fixed[i] and p.sort is INT]
    return (lists, counters, bounds) if lists and counters else None


def _cons(context: ProverContext, sort: Sort) -> Constructor | None:
    """The constructor of a sort of lists that puts one element in front."""
    datatype = context.signature.datatype(sort)
    longer = [c for c in datatype.constructors if any(s is sort for _, s in c.fields)] if datatype else []
    if len(longer) != 1 or len(longer[0].fields) != 2 or sum(s is sort for _, s in longer[0].fields) != 1:
        return None
    return longer[0]


def _shifts_of(
    context: ProverContext, loop: Definition, lists: list[int], counters: list[int], bounds: list[int]
) -> Iterator[Sequent]:
    """The first law of one loop that values do not refute; where its parameters are, see `_places`."""
    numbers = dict.fromkeys(tuple(n) for n in ([counters[0]], counters, [*counters, *bounds], *([c] for c in counters)))
    containers = dict.fromkeys(tuple(c) for c in (lists, *([one] for one in lists)))
    for moved, longer in islice(product(numbers, containers), MAX_CHOICES):
        hyps = tuple(app(">=", (loop.params[i], integer(1)), BOOL) for i in moved)
        longer_lists = {i: _longer(context, loop.params[i]) for i in longer}
        after = app(loop.name, [longer_lists.get(i, p) for i, p in enumerate(loop.params)], loop.sort)
        minus = [app("-", (p, integer(1)), INT) if i in moved else p for i, p in enumerate(loop.params)]
        before = app(loop.name, minus, loop.sort)
        laws = (lemma(eq(after, r), hyps) for r in _moved(context, before, list(longer_lists.values())))
        if law := next(_likely(context, laws), None):
            yield law
            return


def _longer(context: ProverContext, rest: Term) -> Term:
    cons = _cons(context, rest.sort)
    assert cons is not None
    fields = [rest if sort is rest.sort else var(f"{rest.name}!first", sort) for _, sort in cons.fields]
    return app(cons.name, fields, rest.sort)


def _moved(context: ProverContext, result: Term, longer: list[Term]) -> list[Term]:
    """A result as it is; where it is an index, one more, but for a negative one; of a record or an option each field.

    Of a list also with the new element in front: ``longer`` are the lists that have it.
    """
    if result.sort is INT:
        more = app("+", (result, integer(1)), INT)
        return [result, more, ite(app("<", (result, integer(0)), BOOL), result, more)]
    datatype = context.signature.datatype(result.sort)
    if datatype is None:
        return [result]
    if any(sort is result.sort for c in datatype.constructors for _, sort in c.fields):
        return [
            result,
            *(
                rebuild(xs, tuple(result if a.sort is xs.sort else a for a in xs.args))
                for xs in longer
                if xs.sort is result.sort
            ),
        ]
    ways = []
    for c in datatype.constructors:
        fields = [_moved(context, app(selector, (result,), sort), longer) for selector, sort in c.fields]
        ways.append([app(c.name, parts, result.sort) for parts in product(*fields)])
    return [result, *(_by_constructor(datatype, result, way) for way in islice(product(*ways), 1, MAX_RESULTS))]


def _by_constructor(datatype: Datatype, result: Term, ways: tuple[Term, ...]) -> Term:
    *firsts, last = zip(datatype.constructors, ways, strict=True)
    moved = last[1]
    for constructor, way in reversed(firsts):
        moved = ite(tester(constructor.name, result), way, moved)
    return moved


# ----------------------------------------------------------------------------------------------------------- steps


def _cuts(context: ProverContext, cut: Definition) -> bool:
    """Whether a function makes a list of a list and a number, such as the part before or from an index."""
    sorts = [p.sort for p in cut.params]
    return (
        cut.recursive and sorted(s is INT for s in sorts) == [False, True] and any(s is cut.sort for s in sorts)
    ) and _cons(context, cut.sort) is not None


def _steps_of(
    context: ProverContext, sequent: Sequent, observer: Definition, at: int, cut: Definition
) -> Iterator[Sequent]:
    """The first law for each way to read an element that values do not refute."""
    cons = _cons(context, cut.sort)
    assert cons is not None
    datatype = context.signature.datatype(cut.sort)
    empty = next((app(c.name, (), cut.sort) for c in datatype.constructors if not c.fields), None) if datatype else None
    xs, i = var("cut!list", cut.sort), var("cut!index", INT)
    (element,) = [s for _, s in cons.fields if s is not cut.sort]
    if empty is None:
        return

    def cut_at(index: Term) -> Term:
        return app(cut.name, [index if p.sort is INT else xs for p in cut.params], cut.sort)

    def seen(part: Term) -> Term:
        return app(observer.name, [part if k == at else p for k, p in enumerate(observer.params)], observer.sort)

    previous = app("-", (i, integer(1)), INT)
    shorter, here = seen(cut_at(previous)), seen(cut_at(i))
    lengths = islice(measures(context, sequent, xs), MAX_WAYS)
    for length, reader in product(lengths, _readers(context, sequent, cut.sort, element)):
        read = app(reader.name, [previous if p.sort is INT else xs for p in reader.params], element)
        fields = [empty if s is cut.sort else read for _, s in cons.fields]
        one = seen(app(cons.name, fields, cut.sort))
        inside = (app(">=", (i, integer(1)), BOOL), app("<=", (i, length), BOOL))
        joined = [(here, j) for j in _joins(shorter, one)] + [(shorter, j) for j in _joins(one, here)]
        yield from _likely(context, (lemma(eq(whole, parts), inside) for whole, parts in joined))


def _joins(before: Term, added: Term) -> Iterator[Term]:
    if before.sort is BOOL:
        yield from (and_([before, added]), or_([before, added]))
        return
    yield app("+", (before, added), INT)
    yield ite(app("<=", (before, added), BOOL), added, before)
    yield ite(app("<=", (before, added), BOOL), before, added)


def _readers(context: ProverContext, sequent: Sequent, sort: Sort, element: Sort) -> list[Definition]:
    """Functions that give the element of a list at an index."""
    found = [
        d
        for d in reached(context, sequent)
        if d.recursive and d.sort is element and len(d.params) == 2 and {p.sort for p in d.params} == {sort, INT}
    ]
    return found[:MAX_WAYS]


def _likely(context: ProverContext, guesses: Iterable[Sequent]) -> Iterator[Sequent]:
    """The first guess that values do not refute."""
    return islice((g for g in guesses if context.refutes(g, TESTS) is None), 1)
