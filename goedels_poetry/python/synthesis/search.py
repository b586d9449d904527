"""Functions without a model: searched among terms of a typed grammar, smallest first, until the time is over."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from goedels_poetry.python.synthesis.enumerating import (
    ATOM,
    BOOL,
    FAULT,
    FLOAT,
    INT,
    STR,
    Bank,
    Term,
    Type,
    Value,
    constant,
    list_of,
    literal,
    operators,
    variable,
)
from goedels_poetry.python.synthesis.specification import Specification, specification

# Comprehensions and loops

_MAX_ELEMENTS, _MAX_ROWS, _MAX_SAMPLES = 300, 160, 48
_MAX_COMPREHENSION, _MAX_LOOP = 6, 8
"""Sizes of bodies."""
_SMALL, _FILTERS, _MAPS = 5, 60, 30
"""Size of the bodies and conditions that are combined, and how many of each."""
_START: dict[Type, tuple[Value, ...]] = {INT: (0, 1), FLOAT: (0.0, 1.0), STR: ("",), BOOL: (True, False)}
_BEFORE: dict[Type, tuple[Value, ...]] = {
    INT: (0, 1, 5, -3, 8, 13),
    FLOAT: (0.0, 1.5, -2.0),
    STR: ("", "a", "xy", "Ab"),
    BOOL: (True, False),
}
"""Values with which an accumulator begins, and some that it may have on the way."""
Point = tuple[Value, ...]
Row = dict[str, Value]
Elements = tuple[Point, ...]
Made = Callable[[Point], Elements]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to run through.

    Attributes:
        binders: the names bound in each round, with their types.
        through: Python after ``in``; "" for the digits of a number, which take a while loop.
        elements: at each point the tuples of values bound, or None where there are too many.
        digits_of: the number and the base, for digits.
    """

    binders: tuple[tuple[str, Type], ...]
    through: str
    elements: tuple[Elements | None, ...]
    digits_of: tuple[str, int] = ("", 0)

    @property
    def bound(self) -> str:
        """``x``, ``i, x``."""
        return ", ".join(name for name, _ in self.binders)

    def loop(self, body: str) -> list[str]:
        """The lines of a loop with one statement, not indented."""
        if self.through:
            name = self.bound if any(one in body for one, _ in self.binders) else "_"
            return [f"for {name} in {self.through}:", f"    {body}"]
        number, base = self.digits_of
        taken = f"    {self.bound} = {number} % {base}"
        return [f"while {number} > 0:", taken, f"    {body}", f"    {number} //= {base}"]


def fresh(wanted: str, taken: tuple[str, ...]) -> str:
    """The name, or one like it that is free."""
    while wanted in taken:
        wanted += "_"
    return wanted


def sources(task: Specification) -> list[Source]:
    """Everything that a loop can run through, the likeliest first."""
    x, y, i, c, d, w = (fresh(name, task.names) for name in ("x", "y", "i", "c", "d", "w"))
    rows = [(at, task.names[at], kind) for at, kind in enumerate(task.kinds)]
    lists = [(at, name, kind.parts[0]) for at, name, kind in rows if kind.name == "list"]
    texts = [(at, name) for at, name, kind in rows if kind == STR]
    found: list[Source] = []

    def add(binders: tuple[tuple[str, Type], ...], through: str, made: Made, digits: tuple[str, int] = ("", 0)) -> None:
        of_points = [made(point) for point in task.points]
        kept = tuple(elements if len(elements) <= _MAX_ELEMENTS else None for elements in of_points)
        if any(kept):
            found.append(Source(binders, through, kept, digits))

    for at, name, kind in lists:
        add(((x, kind),), name, _of(at, _single))
    for at, name in texts:
        add(((c, STR),), name, _of(at, _single))
    for at, name, kind in rows:
        if kind == INT:
            for low, more, text in ((1, 1, f"1, {name} + 1"), (0, 0, name), (2, 0, f"2, {name}")):
                add(((i, INT),), f"range({text})", _of(at, partial(_range, low, more)))
            for base in (10, 2):
                add(((d, INT),), "", _of(at, partial(_digits, base)), (name, base))
    for (one, first, kind), (two, second, other) in itertools.combinations(lists, 2):
        add(((x, kind), (y, other)), f"zip({first}, {second})", _paired(one, two))
    for at, name, kind in lists:
        add(((i, INT), (x, kind)), f"enumerate({name})", _of(at, lambda xs: tuple(enumerate(xs))))
        near = _of(at, lambda xs: tuple(itertools.pairwise(xs)))
        add(((x, kind), (y, kind)), f"zip({name}, {name}[1:])", near)
    for at, name in texts:
        add(((w, STR),), f"{name}.split()", _of(at, lambda text: _single(text.split())))
    return found


def _of(at: int, view: Callable[[Value], Elements]) -> Made:
    return lambda point: view(point[at])


def _paired(one: int, two: int) -> Made:
    return lambda point: tuple(zip(point[one], point[two], strict=False))


def _single(values: Value) -> Elements:
    return tuple((value,) for value in values)


def _range(low: int, more: int, high: int) -> Elements:
    return _single(range(low, min(high + more, low + _MAX_ELEMENTS + 1)))


def _digits(base: int, number: int) -> Elements:
    found = []
    while number > 0:
        found.append(number % base)
        number //= base
    return _single(found)


# -- bodies ---------------------------------------------------------------------------------------------------------


def _bodies(
    task: Specification, source: Source, rows: list[Row], extra: list[tuple[str, Type]], kinds: set[Type], most: int,
    deadline: float, *, choices: bool,
) -> Iterator[Term | None]:  # fmt: skip
    """Terms over the rows by size, one for each behaviour; None from time to time."""
    names = [*extra, *source.binders, *zip(task.names, task.kinds, strict=True)]
    count = len(rows)
    leaves = [variable(n, kind, tuple(row[n] for row in rows)) for n, kind in names if n != source.digits_of[0]]
    leaves += [constant(value, INT, count) for value in (0, 1, 2, *([10] if source.digits_of[1] == 10 else []))]
    leaves += [constant(value, kind, count) for value, kind in task.constants if kind in kinds]
    bank = Bank(leaves, operators(kinds, with_choice=choices), deadline)
    for size in range(1, most + 1):
        yield from bank.grow(size)


def _row(task: Specification, source: Source, point: Point, element: Point) -> Row:
    return {
        **dict(zip(task.names, point, strict=True)),
        **{name: value for (name, _), value in zip(source.binders, element, strict=True)},
    }


def comprehensions(task: Specification, source: Source, kinds: set[Type], deadline: float) -> Iterator[Term | None]:
    """Terms over one source, small ones first: ``[BODY for x in xs if TEST]`` and what built-ins make of it."""
    pairs = [
        (at, element) for at, elements in enumerate(source.elements) if elements is not None for element in elements
    ]
    if not source.through or not pairs or len(pairs) > _MAX_ROWS:
        return
    rows = [_row(task, source, task.points[at], element) for at, element in pairs]
    segments = [
        None if elements is None else [n for n, (at, _) in enumerate(pairs) if at == point]
        for point, elements in enumerate(source.elements)
    ]
    inner = kinds | {kind for _, kind in source.binders} | {BOOL, INT}
    maps: list[Term] = [constant(1, INT, len(rows))]
    tests: list[Term] = []
    for body in _bodies(task, source, rows, [], inner, _MAX_COMPREHENSION, deadline, choices=False):
        if body is None:
            yield None
            continue
        if not any(body.mentions(name) for name, _ in source.binders):
            continue
        yield from _folded(source, body, None, segments, kinds)
        if body.size > _SMALL:
            continue
        partners: list[tuple[Term, Term]] = []
        if body.kind == BOOL and len(tests) < _FILTERS and not all(body.values):
            tests.append(body)
            partners = [(one, body) for one in maps]
        elif body.kind == INT or (list_of(body.kind) in kinds and len(maps) < _MAPS):
            maps.append(body)
            partners = [(body, one) for one in tests]
        for made, test in partners:
            yield from _folded(source, made, test, segments, kinds)
        yield None


def _folded(
    source: Source, body: Term, test: Term | None, segments: list[list[int] | None], kinds: set[Type]
) -> Iterator[Term]:
    """A list, a sum, ``all`` and ``any`` of one body."""
    trivial = test is None and len(source.binders) == 1 and body.text == source.bound
    head = f"for {source.bound} in {source.through}" + (f" if {test.closed}" if test is not None else "")
    size = body.size + 2 + (test.size if test is not None else 0)
    written = source.through if trivial else f"{body.closed} {head}"
    made: list[tuple[Type, str, Callable[..., Value]]] = []
    if list_of(body.kind) in kinds and body.text != "1" and (not trivial or "(" in source.through):
        made.append((list_of(body.kind), f"[{body.closed} {head}]", tuple))
    if body.kind in (INT, FLOAT) and (not trivial or "(" in source.through):
        made.append((body.kind, f"sum({written})", sum))
    if body.kind == BOOL and test is None:
        made += [(BOOL, f"all({written})", all), (BOOL, f"any({written})", any)]
    for kind, text, fold in made:
        values = tuple(_value(body, test, rows, fold) for rows in segments)
        yield Term(kind, size, values, written=text, precedence=ATOM)


def _value(body: Term, test: Term | None, rows: list[int] | None, fold: Callable[..., Value]) -> Value:
    if rows is None or (test is not None and any(test.values[row] is FAULT for row in rows)):
        return FAULT
    values = [body.values[row] for row in rows if test is None or test.values[row]]
    try:
        return FAULT if any(value is FAULT for value in values) else fold(values)
    except (ValueError, ArithmeticError):
        return FAULT


# -- loops ----------------------------------------------------------------------------------------------------------


def loops(task: Specification, source: Source, count: int, deadline: float) -> Iterator[str | None]:
    """Functions with ``acc = START``, ``for x in SOURCE: acc = BODY``; with two ``a, b = b, BODY``."""
    taken = (*task.names, *(name for name, _ in source.binders))
    if count > 1 and task.gives != INT:
        return
    names = [fresh(name, taken) for name in (("result",) if count == 1 else ("a", "b"))]
    accumulators = [(name, task.gives) for name in names]
    rows = _samples(task, source, accumulators)
    points = [(at, source.elements[at]) for at in range(task.asked)]
    if not rows or any(elements is None for _, elements in points):
        return
    order = sorted(((at, elements or ()) for at, elements in points), key=lambda pair: len(pair[1]))
    kinds = {task.gives, *task.kinds, INT}
    kinds |= {BOOL, *(kind for _, kind in source.binders)} if count == 1 else set()
    starts = list(itertools.product(_starts(task, count), repeat=count))
    for body in _bodies(task, source, rows, accumulators, kinds, _MAX_LOOP, deadline, choices=count == 1):
        if body is None:
            yield None
        elif body.kind == task.gives and all(map(body.mentions, names)):
            for start in starts:
                if all(_holds(task, source, names, start, body, at, elements) for at, elements in order):
                    yield _written(task, source, names, start, body)


def _starts(task: Specification, count: int) -> list[tuple[Value, str]]:
    """What an accumulator begins with: a value, or a parameter's name."""
    values: tuple[Value, ...] = (
        (0, 1, 2) if count > 1 else _START.get(task.gives, ((),) if task.gives.name == "list" else ())
    )
    own = [] if count > 1 else [name for name, kind in zip(task.names, task.kinds, strict=True) if kind == task.gives]
    return [(value, literal(value, task.gives)) for value in values] + [(FAULT, name) for name in own]


def _samples(task: Specification, source: Source, accumulators: list[tuple[str, Type]]) -> list[Row]:
    """Rows of values of accumulators, elements and parameters that tell bodies apart."""
    rows: list[Row] = []
    for at, (point, elements) in enumerate(zip(task.points, source.elements, strict=True)):
        for place, element in enumerate((elements or ())[:3]):
            row = _row(task, source, point, element)
            for shift, (name, kind) in enumerate(accumulators):
                values = [*(_BEFORE.get(kind) or [value for value in task.wanted if value is not None] or [()])]
                if kind.name == "list":
                    values = [(), element[-1:] if kind.parts[0] == source.binders[-1][1] else (), *values]
                row[name] = values[(at + place + 2 * shift + place * shift) % len(values)]
            rows.append(row)
    return rows[:_MAX_SAMPLES]


def _holds(
    task: Specification, source: Source, names: list[str], start: tuple[tuple[Value, str], ...], body: Term, at: int,
    elements: Elements,
) -> bool:  # fmt: skip
    """Whether the loop gives what is asked for at one point."""
    given = dict(zip(task.names, task.points[at], strict=True))
    state = [given[text] if value is FAULT else value for value, text in start]
    for element in elements:
        row = _row(task, source, task.points[at], element) | dict(zip(names, state, strict=True))
        state = [*state[1:], body.run(row)]
        if state[-1] is FAULT:
            return False
    return task.accepts(at, state[0])


def _written(
    task: Specification, source: Source, names: list[str], start: tuple[tuple[Value, str], ...], body: Term
) -> str:
    bound = ", ".join(names)
    step = f"{bound} = {', '.join([*names[1:], body.text])}"
    lines = [f"{bound} = {', '.join(text for _, text in start)}", *source.loop(step), f"return {names[0]}"]
    return "\n".join([task.head, *(f"    {line}" for line in lines)]) + "\n"


_PARTS, _TESTS, _ENOUGH, _ALIKE = 400, 600, 10, 3
Choice = tuple[int, str, int]


class Conditions:
    """Terms by where they are right, conditions by where they are true; the smallest of each."""

    def __init__(self, task: Specification) -> None:
        self._task = task
        self._parts: dict[int, Term] = {}
        self._tests: dict[int, list[Term]] = {}
        self._kept = 0
        self._told: set[str] = set()

    def see(self, term: Term) -> None:
        """Keep a term for what it is right at, or true at."""
        if term.kind == self._task.gives:
            mask = self._task.mask(term.values)
            if mask and len(self._parts) < _PARTS:
                self._parts.setdefault(mask, term)
        if term.kind == BOOL:
            values = term.values[: self._task.asked]
            if all(type(value) is bool for value in values) and self._kept < _TESTS:
                alike = self._tests.setdefault(sum(1 << at for at, value in enumerate(values) if value), [])
                if len(alike) < _ALIKE:  # they differ elsewhere: which of them was meant, others can tell
                    alike.append(term)
                    self._kept += 1

    def together(self, depth: int) -> Iterator[tuple[str, bool]]:
        """Expressions of up to ``depth`` conditions that are right everywhere, smallest first, each once.

        With each stands whether it is strong: every branch serves two points at least, and all of it is small beside
        the number of points. What was made for single examples says little.
        """
        best: dict[tuple[int, int], Choice | None] = {}
        found = sorted(self._choices(self._task.all, depth, best), key=lambda one: (bool(one[2]), one[:2]))
        strong = [one for one in found if not one[2] and one[0] < 2 * min(self._task.asked, _ENOUGH)]
        weak = [one for one in found if one not in strong]
        for choices in (strong, weak):
            for one in choices[:12]:
                if one[1] not in self._told:
                    self._told.add(one[1])
                    yield one[1], choices is strong

    def _best(self, points: int, depth: int, best: dict[tuple[int, int], Choice | None]) -> Choice | None:
        """The smallest of what is right at some points."""
        key = (points, depth)
        if key not in best:
            single = ((term.size, term.closed) for mask, term in self._parts.items() if mask & points == points)
            one = min(single, default=None)
            best[key] = (*one, int(points.bit_count() == 1)) if one else None
            if one is None and depth and points.bit_count() > 1:
                best[key] = min(self._choices(points, depth, best), default=None)
        return best[key]

    def _choices(self, points: int, depth: int, best: dict[tuple[int, int], Choice | None]) -> list[Choice]:
        """Size, text and number of branches with one point, of conditionals that are right at some points."""
        found: list[Choice] = []
        for truth, tests in itertools.islice(self._tests.items(), _TESTS if depth < 3 else _TESTS // 4):
            there, elsewhere = points & truth, points & ~truth
            if not there or not elsewhere:
                continue
            yes = self._best(there, 0, best)
            no = self._best(elsewhere, depth - 1, best) if yes is not None else None
            if yes is None or no is None:
                continue
            for test in tests:
                text = f"{yes[1]} if {test.closed} else {no[1]}"
                found.append((1 + test.size + yes[0] + no[0], text, yes[2] + no[2]))
        return found


_MAX_SIZE = 9
_TURN, _FIRST_SHARE = 0.01, 4
_MAX_SOURCES = 8
_CHOICE_FROM = 3
_STRONG_ONLY = 0.4
"""The part of the time before conditionals made for single examples come."""


@dataclass(frozen=True, slots=True)
class Weak:
    """A candidate that fits because it has a branch for a single example."""

    text: str


Found = str | Weak | None


def synthesise(
    signature: str,
    examples: Sequence[tuple[str, str]],
    *,
    seconds: float,
    contracts: Sequence[str] = (),
    requires: Sequence[str] = (),
    words: str = "",
    given_up: Callable[[], bool] = lambda: False,
) -> Iterator[str]:
    """Texts of functions that agree with the examples and with what of the contract our interpreter knows.

    Args:
        signature: ``def f(n: int, xs: list[int]) -> int``; types that are missing are taken from the examples.
        examples: calls with results, both as text: ``("f(3, [1])", "6")``. Arguments and results are literals.
        seconds: when to stop. The iterator also ends when its terms are exhausted.
        contracts: conditions on ``result`` and the parameters. Clauses outside of the grammar are left to the caller.
        requires: conditions on the parameters; inputs at which the contract must hold are taken from their domain.
        words: the task as people put it; numbers and quoted texts in it become constants of the grammar.
        given_up: asked every few milliseconds; when it says so, nothing more is searched. From any thread.

    Several candidates may come, small ones first: whoever asks tests them on checks that the search has not seen. Types
    other than int, bool, str, float, lists and tuples of them give none. Nothing is executed: terms are data of ours.

    Raises:
        InvalidInput: the signature is no head of a function, or an example is no call.
    """
    task = specification(signature, examples, contracts, requires, words)
    if task is None or seconds <= 0 or not task.asked:
        return
    deadline = time.monotonic() + seconds
    begun = time.monotonic()
    weak: list[str] = []
    told: set[str] = set()
    for found in _in_turns(_searches(task, deadline), deadline, given_up):
        if isinstance(found, Weak):
            weak.append(found.text)
        texts = [found] if isinstance(found, str) else []
        if time.monotonic() - begun > seconds * _STRONG_ONLY:
            texts, weak = [*texts, *weak], []
        yield from (text for text in dict.fromkeys(texts) if text not in told)
        told |= set(texts)
    yield from (text for text in dict.fromkeys(weak) if text not in told)


def _searches(task: Specification, deadline: float) -> list[Iterator[Found]]:
    kinds = _kinds(task)
    through = sources(task)[:_MAX_SOURCES]
    main = _Expressions(task, kinds, deadline)
    found: list[Iterator[Found]] = [main.search()]
    found += [main.take(comprehensions(task, source, kinds, deadline)) for source in through]
    single = [source for source in through if len(source.binders) == 1 and ".split" not in source.through]
    ranges = [source for source in through if source.through.startswith("range(") and "(2" not in source.through]
    found += [loops(task, source, 1, deadline) for source in single]
    return found + [loops(task, source, 2, deadline) for source in ranges]


def _in_turns(searches: Sequence[Iterator[Found]], deadline: float, given_up: Callable[[], bool]) -> Iterator[Found]:
    """Every search a few milliseconds, the first some more, one after the other; None at the end of each turn."""
    searches, first = list(searches), searches[0]
    while searches and time.monotonic() < deadline:
        for search in tuple(searches):
            if given_up():
                return
            turn = _TURN * _FIRST_SHARE if search is first else _TURN
            until = min(time.monotonic() + turn, deadline)
            while time.monotonic() < until:
                try:
                    text = next(search)
                except StopIteration:
                    searches.remove(search)
                    break
                if text is not None:
                    yield text
            yield None


class _Expressions:
    """The search for one expression: terms by size, those of comprehensions among them, and conditionals of them."""

    def __init__(self, task: Specification, kinds: set[Type], deadline: float) -> None:
        self._task, self._size = task, 0
        self._whole = False  # whether something without conditions fits: then conditions add nothing
        count = len(task.points)
        leaves = [
            variable(name, kind, tuple(point[at] for point in task.points))
            for at, (name, kind) in enumerate(zip(task.names, task.kinds, strict=True))
        ]
        leaves += [constant(value, INT, count) for value in (0, 1)]
        leaves += [constant(value, INT, count, 2) for value in (2, -1, 3, 10)]
        if FLOAT in kinds:
            leaves += [constant(value, FLOAT, count, 2) for value in (0.5, 2.0)]
        if STR in kinds:
            leaves += [constant(value, STR, count) for value in ("", " ")]
        if task.gives == BOOL:
            leaves += [constant(value, BOOL, count) for value in (True, False)]
        if task.gives.name == "list":
            leaves.append(constant((), task.gives, count))
        leaves += [constant(value, kind, count, 2) for value, kind in task.constants if kind in kinds]
        self._bank = Bank(leaves, operators(kinds), deadline)
        self._conditions = Conditions(task)

    def search(self) -> Iterator[Found]:
        for size in range(1, _MAX_SIZE + 1):
            self._size = size
            for term in self._bank.grow(size):
                yield self._judged(term) if term is not None else None
            if size >= _CHOICE_FROM:
                for depth in (1, 2) if size == _CHOICE_FROM else (1, 2, 3):
                    for text, strong in self._conditions.together(depth):
                        whole = _returning(self._task, text)
                        yield whole if strong and not self._whole else Weak(whole)

    def take(self, terms: Iterator[Term | None]) -> Iterator[Found]:
        """Terms made elsewhere: judged at once, and there for larger terms from the next size on."""
        for term in terms:
            if term is None:
                yield None
                continue
            yield self._judged(term)
            term.size = max(term.size, self._size + 1)
            self._bank.put([term])

    def _judged(self, term: Term) -> str | None:
        self._conditions.see(term)
        if term.kind == self._task.gives and self._task.mask(term.values) == self._task.all:
            self._whole = True
            return _returning(self._task, term.text)
        return None


def _kinds(task: Specification) -> set[Type]:
    """The types that terms may have on the way."""
    found = {task.gives, *task.kinds, INT, BOOL}
    while True:
        parts = {part for kind in found for part in kind.parts}
        if STR in found:
            parts.add(list_of(STR))
        if any(kind.name == "list" for kind in task.kinds) and task.gives == INT:
            parts.add(list_of(INT))
        if parts <= found:
            return found
        found |= parts


def _returning(task: Specification, text: str) -> str:
    return f"{task.head}\n    return {text}\n"
