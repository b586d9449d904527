"""Folds: what the elements of a container come to, defined alike for lists, trees, heaps, lists of lists.

``occurrences!D`` is how often a value holds an element. Where a problem compares the elements by a total order, proofs
may speak of more: ``low!D`` and ``high!D`` (an element is a lower, an upper bound of all that a value holds),
``sorted!D`` (every element is a lower bound of what its constructor holds besides, as in a sorted list or a heap) and
``search!D`` (elements stand between those of what is before and of what is behind, as in a search tree). ``apart!D``
gives an element of which two sorted lists hold different numbers, if they are different. Where results say by a truth
value whether something was put in order, there are ``below!D`` (how many elements are below one) and ``inversions!D``
(how many pairs stand in the wrong order, in the order of the fields), which falls then.

Orders: what a problem compares elements by.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.problem import Constructor, Datatype, Definition, Problem, Signature, components
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.refutation.operations import Undecided, Value
from goedels_poetry.kernel.refutation.values import small_values
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
    not_,
    subterms,
    tester,
    var,
)

SAMPLES = 5


@dataclass(frozen=True)
class Order:
    """A total order on ``sort`` in terms of a symbol of the problem, which may be turned round or the negated one.

    Elements that are only told apart have the order ``=``, which is not total.
    """

    sort: Sort
    name: str
    turned: bool = False
    negated: bool = False

    @property
    def total(self) -> bool:
        """Whether any two elements can be compared."""
        return self.name != "="

    def holds(self, a: Term, b: Term) -> Term:
        """``a`` is at most ``b``."""
        atom = app(self.name, (b, a) if self.turned else (a, b), BOOL)
        return not_(atom) if self.negated else atom


def orders(problem: Problem) -> list[Order]:
    """Total orders among what the problem defines and compares numbers by, those closest to its own words first.

    Then sorts of which the problem says whether, or how often, a container holds an element.
    """
    signature = problem.signature
    evaluator = Evaluator(signature, problem.premises, fuel=2_000)
    known: list[Order] = []
    for definition in signature.definitions:
        sorts = [p.sort for p in definition.params]
        if definition.sort is not BOOL or len(sorts) != 2 or sorts[0] is not sorts[1] or sorts[0] is BOOL:
            continue
        values = small_values(signature, sorts[0], SAMPLES)
        try:
            table = {(a, b): evaluator.call(definition.name, (a, b)) for a, b in itertools.product(values, repeat=2)}
        except Undecided:
            continue
        for turned, negated in ((False, False), (True, True), (True, False), (False, True)):
            below = {pair for pair in table if table[pair[::-1] if turned else pair] != negated}
            if _is_total_order(below, values):
                known.append(Order(sorts[0], definition.name, turned, negated))
                break
    texts = [d.body for d in signature.definitions] + [p.formula for p in problem.premises]
    if any(_compares(t) for text in texts for t in subterms(text)):
        known.append(Order(INT, "<="))
    return [*sorted(known, key=lambda order: (order.negated, order.turned)), *_told_apart(signature)]


def _told_apart(signature: Signature) -> list[Order]:
    """Sorts of which the problem says whether, or how often, a container holds an element."""
    compared: dict[Sort, None] = {}
    for definition in signature.definitions:
        sorts = [p.sort for p in definition.params]
        if (
            len(sorts) == 2
            and sorts[0] is not sorts[1]
            and (definition.sort in (BOOL, INT) or definition.sort in sorts)
        ):
            compared.update({s: None for s in sorts if any(s is f for f in _fields(signature, sorts))})
    return [Order(sort, "=") for sort in compared]


def _fields(signature: Signature, sorts: Iterable[Sort]) -> list[Sort]:
    datatypes = [d for s in sorts if (d := signature.datatype(s)) is not None]
    return [f for d in datatypes for c in d.constructors for _, f in c.fields if f is not d.sort]


def _compares(term: Term) -> bool:
    return (
        term.kind is Kind.APP
        and term.name in ("<=", "<", ">", ">=")
        and all(a.sort is INT and a.kind is not Kind.LIT for a in term.args)
    )


def _is_total_order(below: set[tuple[Value, Value]], values: list[Value]) -> bool:
    pairs = list(itertools.product(values, repeat=2))
    return (
        len(values) > 2
        and all(((a, b) in below) != ((b, a) in below) or a == b for a, b in pairs)
        and all((a, a) in below for a in values)
        and all((a, c) in below for a, b in pairs if (a, b) in below for c in values if (b, c) in below)
    )


KINDS = tuple(f"{kind}!" for kind in ("occurrences", "low", "high", "sorted", "search", "apart", "below", "inversions"))
OCCURRENCES, LOW, HIGH, SORTED, SEARCH, APART, BELOW, INVERSIONS = KINDS
MAX_CONTAINERS = 4


@dataclass(frozen=True)
class Containers:
    """The datatypes that hold elements of the order's sort, those that a datatype is built of before itself."""

    order: Order
    datatypes: tuple[Datatype, ...]

    def holds(self, sort: Sort) -> bool:
        """Whether values of ``sort`` are elements or hold some."""
        return sort is self.order.sort or self.contains(sort)

    def contains(self, sort: Sort) -> bool:
        """Whether ``sort`` is a container."""
        return any(d.sort is sort for d in self.datatypes)

    def parts(self, holder: Term) -> list[Term] | None:
        """The fields that hold something, of a value of a datatype with one constructor; None for other values."""
        datatype = next((d for d in self.datatypes if d.sort is holder.sort), None)
        if datatype is None or not _is_record(datatype):
            return None
        return [app(name, (holder,), sort) for name, sort in datatype.constructors[0].fields if self.holds(sort)]

    # ------------------------------------------------------------------------------------- statements

    def occurrences(self, element: Term, holder: Term) -> Term:
        """How often ``holder``, a container or an element, holds ``element``."""
        if holder.sort is self.order.sort:
            return ite(eq(element, holder), integer(1), integer(0))
        parts = self.parts(holder)
        if parts is not None:
            return sum_of(self.occurrences(element, p) for p in parts)
        return app(OCCURRENCES + holder.sort.name, (element, holder), INT)

    def low(self, element: Term, holder: Term) -> Term:
        """``element`` is at most all that ``holder`` holds."""
        if holder.sort is self.order.sort:
            return self.order.holds(element, holder)
        parts = self.parts(holder)
        if parts is not None:
            return and_([self.low(element, p) for p in parts])
        return app(LOW + holder.sort.name, (element, holder), BOOL)

    def high(self, element: Term, holder: Term) -> Term:
        """``element`` is at least all that ``holder`` holds."""
        if holder.sort is self.order.sort:
            return self.order.holds(holder, element)
        parts = self.parts(holder)
        if parts is not None:
            return and_([self.high(element, p) for p in parts])
        return app(HIGH + holder.sort.name, (element, holder), BOOL)

    def ordered(self, kind: str, holder: Term) -> Term:
        """``holder``, a container, is in order: ``SORTED`` or ``SEARCH``."""
        parts = self.parts(holder)
        if parts is not None:
            return and_([self.ordered(kind, p) for p in parts if self.contains(p.sort)])
        return app(kind + holder.sort.name, (holder,), BOOL)

    def below(self, element: Term, holder: Term) -> Term:
        """How many of the elements that ``holder`` holds are not at least ``element``."""
        if holder.sort is self.order.sort:
            return ite(self.order.holds(element, holder), integer(0), integer(1))
        parts = self.parts(holder)
        if parts is not None:
            return sum_of(self.below(element, p) for p in parts)
        return app(BELOW + holder.sort.name, (element, holder), INT)

    def inversions(self, holder: Term) -> Term:
        """How many pairs of elements that ``holder``, a container, holds stand in the wrong order."""
        parts = self.parts(holder)
        if parts is not None:
            return sum_of(self.inversions(p) for p in parts if self.contains(p.sort))
        return app(INVERSIONS + holder.sort.name, (holder,), INT)


def containers_of(problem: Problem) -> Containers | None:
    """The order that the problem works with and what holds elements of its sort; None when there is no such thing."""
    for order in orders(problem):
        held = _holding(problem.signature, order.sort)
        if held and len(held) <= MAX_CONTAINERS:
            return Containers(order, tuple(held))
    return None


def folds(problem: Problem, group: int) -> tuple[Definition, ...]:
    """The definitions of the folds of a problem, in groups from ``group`` on."""
    containers = containers_of(problem)
    if containers is None:
        return ()
    definitions: list[Definition] = []
    builders: list[Build] = [_occurrences]
    if containers.order.total:
        builders += [_low, _high, _sorted, _search, _apart]
        if any(_flagged(d) for d in containers.datatypes):
            builders += [_below, _inversions]
    for datatype in containers.datatypes:
        for build in builders if not _is_record(datatype) else ():
            definition = build(datatype, containers, group + len(definitions))
            if definition is not None:
                definitions.append(definition)
    return tuple(definitions)


# -------------------------------------------------------------------------------------------- definitions

Build = Callable[[Datatype, Containers, int], Definition | None]


def _over(
    datatype: Datatype,
    kind: str,
    result: Sort,
    group: int,
    extra: tuple[Term, ...],
    case: Callable[[Constructor], Term],
) -> Definition:
    subject = _subject(datatype)
    *others, last = datatype.constructors
    body = case(last)
    for constructor in reversed(others):
        body = ite(tester(constructor.name, subject), case(constructor), body)
    name = kind + datatype.sort.name
    recursive = any(t.kind is Kind.APP and t.name == name for t in subterms(body))
    return Definition(name, (*extra, subject), result, body, group, recursive)


def _subject(datatype: Datatype) -> Term:
    return var("holder", datatype.sort)


def _parts(datatype: Datatype, constructor: Constructor, containers: Containers) -> list[Term]:
    """The fields that hold something."""
    subject = _subject(datatype)
    return [app(selector, (subject,), sort) for selector, sort in constructor.fields if containers.holds(sort)]


def _occurrences(datatype: Datatype, containers: Containers, group: int) -> Definition:
    element = var("element", containers.order.sort)

    def case(constructor: Constructor) -> Term:
        summands = [containers.occurrences(element, p) for p in _parts(datatype, constructor, containers)]
        return sum_of(summands)

    return _over(datatype, OCCURRENCES, INT, group, (element,), case)


def _low(datatype: Datatype, containers: Containers, group: int) -> Definition:
    element = var("element", containers.order.sort)

    def case(constructor: Constructor) -> Term:
        return and_([containers.low(element, p) for p in _parts(datatype, constructor, containers)])

    return _over(datatype, LOW, BOOL, group, (element,), case)


def _high(datatype: Datatype, containers: Containers, group: int) -> Definition:
    element = var("element", containers.order.sort)

    def case(constructor: Constructor) -> Term:
        return and_([containers.high(element, p) for p in _parts(datatype, constructor, containers)])

    return _over(datatype, HIGH, BOOL, group, (element,), case)


def _below(datatype: Datatype, containers: Containers, group: int) -> Definition:
    element = var("element", containers.order.sort)

    def case(constructor: Constructor) -> Term:
        return sum_of(containers.below(element, p) for p in _parts(datatype, constructor, containers))

    return _over(datatype, BELOW, INT, group, (element,), case)


def _inversions(datatype: Datatype, containers: Containers, group: int) -> Definition:
    def case(constructor: Constructor) -> Term:
        parts = _parts(datatype, constructor, containers)
        wrong = [
            containers.below(e, p)
            for i, e in enumerate(parts)
            if e.sort is containers.order.sort
            for p in parts[i + 1 :]
        ]
        return sum_of([*wrong, *[containers.inversions(p) for p in parts if containers.contains(p.sort)]])

    return _over(datatype, INVERSIONS, INT, group, (), case)


def _is_record(datatype: Datatype) -> bool:
    """Whether there is one constructor, and not of the datatype itself: folds over it are those over its fields."""
    return len(datatype.constructors) == 1 and all(s is not datatype.sort for _, s in datatype.constructors[0].fields)


def _flagged(datatype: Datatype) -> bool:
    """Whether its values say something by a truth value beside what they hold."""
    return _is_record(datatype) and any(s is BOOL for _, s in datatype.constructors[0].fields)


def _sorted(datatype: Datatype, containers: Containers, group: int) -> Definition:
    def case(constructor: Constructor) -> Term:
        parts = _parts(datatype, constructor, containers)
        inner = [p for p in parts if containers.contains(p.sort)]
        facts = [containers.low(e, p) for e in parts if e.sort is containers.order.sort for p in inner]
        return and_([*facts, *[containers.ordered(SORTED, p) for p in inner]])

    return _over(datatype, SORTED, BOOL, group, (), case)


def _search(datatype: Datatype, containers: Containers, group: int) -> Definition | None:
    if not _between(datatype, containers):
        return None

    def case(constructor: Constructor) -> Term:
        parts = _parts(datatype, constructor, containers)
        facts = []
        for i, e in enumerate(parts):
            if e.sort is containers.order.sort:
                facts += [containers.high(e, p) for p in parts[:i]] + [containers.low(e, p) for p in parts[i + 1 :]]
        inner = [p for p in parts if p.sort is datatype.sort]
        return and_([*facts, *[app(SEARCH + p.sort.name, (p,), BOOL) for p in inner]])

    return _over(datatype, SEARCH, BOOL, group, (), case)


def _between(datatype: Datatype, containers: Containers) -> bool:
    """Whether a constructor has an element between two values of the datatype."""
    for constructor in datatype.constructors:
        sorts = [s for _, s in constructor.fields]
        places = [i for i, s in enumerate(sorts) if s is containers.order.sort]
        if any(datatype.sort in sorts[:i] and datatype.sort in sorts[i + 1 :] for i in places):
            return True
    return False


def list_shape(datatype: Datatype, element: Sort) -> tuple[str, str, str, str] | None:
    """Names of the empty list, the constructor of longer ones, and its selectors for element and rest."""
    if len(datatype.constructors) != 2:
        return None
    empty, longer = sorted(datatype.constructors, key=lambda c: len(c.fields))
    if empty.fields or sorted(map(repr, (s for _, s in longer.fields))) != sorted(map(repr, (element, datatype.sort))):
        return None
    selectors = {s: name for name, s in longer.fields}
    return empty.name, longer.name, selectors[element], selectors[datatype.sort]


def _apart(datatype: Datatype, containers: Containers, group: int) -> Definition | None:
    element = containers.order.sort
    shape = list_shape(datatype, element)
    if shape is None:
        return None
    empty, _, first, rest = shape
    k, m = var("one", datatype.sort), var("other", datatype.sort)
    a, b = app(first, (k,), element), app(first, (m,), element)
    name = APART + datatype.sort.name
    further = app(name, (app(rest, (k,), k.sort), app(rest, (m,), m.sort)), element)
    unlike = ite(containers.order.holds(a, b), a, b)
    body = ite(tester(empty, k), b, ite(tester(empty, m), a, ite(eq(a, b), further, unlike)))
    return Definition(name, (k, m), element, body, group, True)


def sum_of(summands: Iterable[Term]) -> Term:
    """The sum of Int terms."""
    terms = tuple(summands)
    return integer(0) if not terms else terms[0] if len(terms) == 1 else app("+", terms, INT)


# -------------------------------------------------------------------------------------------- containers


def _holding(signature: Signature, element: Sort) -> list[Datatype]:
    """Datatypes that hold elements and are no parts of them; none of those that are defined along with others."""
    by_sort = {d.sort: d for d in signature.datatypes}

    def inside(sort: Sort) -> list[Sort]:
        return [s for c in by_sort[sort].constructors for _, s in c.fields if s in by_sort] if sort in by_sort else []

    parts: set[Sort] = {element}
    pending = [element]
    while pending:
        new = [s for s in inside(pending.pop()) if s not in parts]
        parts.update(new)
        pending += new
    holders: list[Datatype] = []
    for group in components(by_sort, inside):
        (sort, *others) = group
        fields = [s for c in by_sort[sort].constructors for _, s in c.fields]
        if others or sort in parts:
            continue
        if any(s is element or any(d.sort is s for d in holders) for s in fields):
            holders.append(by_sort[sort])
    return holders
