"""Functions without a model: searched among terms of a typed grammar, smallest first, until the time is over."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from goedels_poetry.python.synthesis.specification import SAMPLES, Specification, specification
from goedels_poetry.python.synthesis.terms import (
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
)

_MAX_ELEMENTS, _MAX_ROWS, _MAX_SAMPLES, _MAX_SOURCES = 300, 160, 48, 8
_MAX_SIZE, _MAX_COMPREHENSION, _MAX_LOOP, _SMALL = 9, 6, 8, 5
"""Sizes of expressions and of bodies, and of bodies and conditions that are combined."""
_FILTERS, _MAPS = 60, 30
"""How many of these are combined."""
_STARTS: dict[Type, tuple[Value, ...]] = {INT: (0, 1), FLOAT: (0.0, 1.0), STR: ("",), BOOL: (True, False)}
"""Values with which an accumulator begins."""
_TURN, _FIRST_TURN = 0.01, 0.04
_PARTS, _TESTS, _ALIKE, _SHOWN = 400, 600, 3, 12
_DOUBLED = re.compile(r"\b(sum|all|any)\(\(((?:[^()]|\([^()]*\))* for (?:[^()]|\([^()]*\))*)\)\)")
"""A comprehension with the parentheses that `ast.unparse` gives it besides those of the call."""
Row = dict[str, Value]
Rows = list[list[Row] | None]
"""At each point the names with their values in each round of a loop; None where there are too many."""


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
    """Texts of functions that agree with the examples and with the part of the contract that is understood here.

    Args:
        signature: ``def f(n: int, xs: list[int]) -> int``; types that are missing are taken from the examples.
        examples: calls with results, both as text: ``("f(3, [1])", "6")``. Arguments and results are literals.
        seconds: when to stop. The iterator also ends when its terms are exhausted.
        contracts: conditions on ``result`` and the parameters. Clauses outside of the grammar are left to the caller.
        requires: conditions on the parameters; inputs at which the contract must hold are taken from their domain.
        words: the task in words; numbers and quoted texts in it become constants of the grammar.
        given_up: asked every few milliseconds; when it says so, nothing more is searched. From any thread.

    Several candidates may come, small ones first: the caller tests them on checks that the search has not seen. Types
    other than int, bool, str, float, lists and tuples of them give none. Nothing of a candidate is executed.

    Raises:
        InvalidInput: the signature is no head of a function, or an example is no call.
    """
    task = specification(signature, examples, contracts, requires, words)
    if task is None or seconds <= 0 or not task.asked:
        return
    deadline = time.monotonic() + seconds
    known: set[str] = set()
    for text in _in_turns(_searches(task, deadline), deadline, given_up):
        if text not in known:
            known.add(text)
            yield _function(task, text)


def _function(task: Specification, body: str) -> str:
    """The function with a body, without the parentheses that are not needed."""
    text = _DOUBLED.sub(r"\1(\2)", ast.unparse(ast.parse(body)))
    return f"{task.head}\n{textwrap.indent(text, '    ')}\n"


def _searches(task: Specification, deadline: float) -> list[Iterator[str | None]]:
    kinds = {task.gives, *task.kinds, INT, BOOL}
    while parts := {part for kind in kinds for part in _parts(task, kind)} - kinds:
        kinds |= parts
    through = list(itertools.islice(_sources(task), _MAX_SOURCES))
    main = _Expressions(task, kinds, deadline)
    found: list[Iterator[str | None]] = [main.search()]
    found += [main.take(_comprehensions(task, source, kinds, deadline)) for source in through]
    found += [_loops(task, source, 1, deadline) for source in through if len(source.binders) == 1]
    return found + [_loops(task, source, 2, deadline) for source in through if source.through.startswith("range")]


def _parts(task: Specification, kind: Type) -> set[Type]:
    """The types that terms of a type are made of."""
    lists = {list_of(INT)} if kind.name == "list" and kind in task.kinds and task.gives == INT else set()
    return {*kind.parts, *lists} | ({list_of(STR)} if kind == STR else set())


def _in_turns(searches: Sequence[Iterator[str | None]], deadline: float, given_up: Callable[[], bool]) -> Iterator[str]:
    """Every search a few milliseconds, the first some more, one after the other."""
    searches, first = list(searches), searches[0]
    while searches and time.monotonic() < deadline:
        for search in tuple(searches):
            until = min(time.monotonic() + (_FIRST_TURN if search is first else _TURN), deadline)
            while time.monotonic() < until:
                try:
                    text = next(search)
                except StopIteration:
                    searches.remove(search)
                    break
                if text is not None:
                    yield text
            if given_up():
                return


# One expression


class _Expressions:
    """The search for one expression: terms by size, those of comprehensions among them, and conditionals of them."""

    def __init__(self, task: Specification, kinds: set[Type], deadline: float) -> None:
        self._task, self._size = task, 0
        self._whole = False  # something without conditions fits: then conditions add nothing
        count, columns = len(task.points), zip(*task.points, strict=True)
        leaves = [
            Term(kind, 1, column, name) for name, kind, column in zip(task.names, task.kinds, columns, strict=True)
        ]
        simple = [(0, INT), (1, INT), ("", STR), (" ", STR), (True, BOOL), (False, BOOL)]
        leaves += [constant(value, kind, count) for value, kind in simple if kind != BOOL or task.gives == BOOL]
        more = [*((value, INT) for value in (2, -1, 3, 10)), (0.5, FLOAT), (2.0, FLOAT), *task.constants]
        leaves += [constant(value, kind, count, 2) for value, kind in more]
        leaves += [constant((), task.gives, count)] if task.gives.name == "list" else []
        self._bank = Bank([leaf for leaf in leaves if leaf.kind in kinds], operators(kinds), deadline)
        self._parts: dict[int, Term] = {}  # by where they are right
        self._tests: dict[int, list[Term]] = {}  # by where they are true

    def search(self) -> Iterator[str | None]:
        for self._size in range(1, _MAX_SIZE + 1):
            for term in self._bank.grow(self._size):
                yield self._judged(term) if term is not None else None
            for depth in (1, 2, 3)[: self._size - 1] if self._size > 2 else ():
                yield from self._conditionals(depth)

    def take(self, terms: Iterator[Term | None]) -> Iterator[str | None]:
        """Terms made elsewhere: judged at once, and there for larger terms from the next size on."""
        for term in terms:
            if term is None:
                yield None
                continue
            yield self._judged(term)
            term.size = max(term.size, self._size + 1)
            self._bank.put(term)

    def _judged(self, term: Term) -> str | None:
        """The text of a term that is right everywhere; of others it is kept where they are right, or true."""
        values = term.values[: self._task.asked]
        if term.kind == BOOL and all(type(value) is bool for value in values) and len(self._tests) < _TESTS:
            alike = self._tests.setdefault(sum(1 << at for at, value in enumerate(values) if value), [])
            if len(alike) < _ALIKE:  # they differ elsewhere: which of them was meant, others can tell
                alike.append(term)
        mask = self._task.mask(values) if term.kind == self._task.gives else 0
        if mask and len(self._parts) < _PARTS:
            self._parts.setdefault(mask, term)
        if not mask or mask != self._task.all:
            return None
        self._whole = True
        return f"return {term.text}"

    def _conditionals(self, depth: int) -> Iterator[str]:
        """Conditional expressions that are right everywhere, smallest first."""
        found = sorted(self._choices(self._task.all, depth, {})) if not self._whole else []
        most = 2 * min(self._task.asked, 10)
        yield from [f"return {text}" for size, text in found if size < most][:_SHOWN]

    def _best(self, points: int, depth: int, best: dict[tuple[int, int], _Choice | None]) -> _Choice | None:
        """The smallest of what is right at some points; None for a single one: a branch made for it says little."""
        key = (points, depth)
        if key not in best and points.bit_count() > 1:
            fitting = [(term.size, term.text) for mask, term in self._parts.items() if mask & points == points]
            others = self._choices(points, depth, best) if depth and not fitting else []
            best[key] = min([*fitting, *others], default=None)
        return best.get(key)

    def _choices(self, points: int, depth: int, best: dict[tuple[int, int], _Choice | None]) -> list[_Choice]:
        """Size and text of conditionals that are right at some points."""
        found: list[_Choice] = []
        for truth, tests in itertools.islice(self._tests.items(), _TESTS if depth < 3 else _TESTS // 4):
            yes = self._best(points & truth, 0, best)
            no = self._best(points & ~truth, depth - 1, best) if yes is not None else None
            if yes is not None and no is not None:
                found += [(1 + t.size + yes[0] + no[0], f"({yes[1]} if {t.text} else {no[1]})") for t in tests]
        return found


_Choice = tuple[int, str]


# Comprehensions and loops


@dataclass(frozen=True, slots=True)
class _Source:
    """Python after ``in``, the names bound in each round with their types, and what they are at each point."""

    through: str
    binders: tuple[tuple[str, Type], ...]
    rows: Rows

    @property
    def head(self) -> str:
        """``for i, x in enumerate(xs)``."""
        return f"for {', '.join(name for name, _ in self.binders)} in {self.through}"


def _sources(task: Specification) -> Iterator[_Source]:
    """Everything that a loop can run through, the likeliest first."""
    x, y, i, c, d, w = (_fresh(name, task.names) for name in ("x", "y", "i", "c", "d", "w"))
    rows = list(enumerate(zip(task.names, task.kinds, strict=True)))
    lists = [(at, name, kind.parts[0]) for at, (name, kind) in rows if kind.name == "list"]
    texts = [(at, name) for at, (name, kind) in rows if kind == STR]
    made = partial(_source, task)
    yield from (made(name, {x: kind}, lambda point, at=at: _single(point[at])) for at, name, kind in lists)
    yield from (made(name, {c: STR}, lambda point, at=at: _single(point[at])) for at, name in texts)
    for at, (name, kind) in rows:
        for low, more, text in ((1, 1, f"1, {name} + 1"), (0, 0, name), (2, 0, f"2, {name}")) if kind == INT else ():
            view = partial(
                lambda at, low, more, point: _single(range(low, _bounded(point[at] + more, low))), at, low, more
            )
            yield made(f"range({text})", {i: INT}, view)
        if kind == INT:
            yield made(f"map(int, str({name}))", {d: INT}, lambda point, at=at: _single(map(int, str(point[at]))))
            yield made(
                f"map(int, bin({name})[2:])", {d: INT}, lambda point, at=at: _single(map(int, bin(point[at])[2:]))
            )
    for (one, first, kind), (two, second, other) in itertools.combinations(lists, 2):
        pair = partial(lambda one, two, point: zip(point[one], point[two], strict=False), one, two)
        yield made(f"zip({first}, {second})", {x: kind, y: other}, pair)
    for at, name, kind in lists:
        yield made(f"enumerate({name})", {i: INT, x: kind}, lambda point, at=at: enumerate(point[at]))
        near = partial(lambda at, point: itertools.pairwise(point[at]), at)
        yield made(f"zip({name}, {name}[1:])", {x: kind, y: kind}, near)
    yield from (
        made(f"{name}.split()", {w: STR}, lambda point, at=at: _single(point[at].split())) for at, name in texts
    )


def _fresh(wanted: str, taken: Sequence[str]) -> str:
    """The name, or one like it that is free."""
    while wanted in taken:
        wanted += "_"
    return wanted


def _single(values: Value) -> Iterator[tuple[Value]]:
    return ((value,) for value in values)


def _bounded(high: int, low: int) -> int:
    return min(high, low + _MAX_ELEMENTS + 1)


def _source(
    task: Specification, through: str, binders: dict[str, Type], view: Callable[..., Iterator[Value]]
) -> _Source:
    rows: Rows = []
    for point in task.points:
        given = dict(zip(task.names, point, strict=True))
        try:
            elements = list(itertools.islice(view(point), _MAX_ELEMENTS + 1))
        except ValueError:  # a negative number has no digits
            elements = [()] * (_MAX_ELEMENTS + 1)
        is_short = len(elements) <= _MAX_ELEMENTS
        rows.append([given | dict(zip(binders, each, strict=True)) for each in elements] if is_short else None)
    return _Source(through, tuple(binders.items()), rows)


def _bodies(
    task: Specification, source: _Source, rows: list[Row], extra: dict[str, Type], kinds: set[Type], most: int,
    deadline: float,
) -> Iterator[Term | None]:  # fmt: skip
    """Terms over the rows by size, one for each behaviour; None from time to time. ``extra``: accumulators."""
    named = extra | dict(source.binders) | dict(zip(task.names, task.kinds, strict=True))
    leaves = [Term(kind, 1, tuple(row[name] for row in rows), name) for name, kind in named.items()]
    constants = [*((value, INT) for value in (0, 1, 2)), *task.constants]
    leaves += [constant(value, kind, len(rows)) for value, kind in constants if kind in kinds]
    bank = Bank(leaves, operators(kinds, with_choice=len(extra) == 1), deadline)
    return itertools.chain.from_iterable(bank.grow(size) for size in range(1, most + 1))


def _comprehensions(task: Specification, source: _Source, kinds: set[Type], deadline: float) -> Iterator[Term | None]:
    """Terms over one source, small ones first: ``[BODY for x in xs if TEST]`` and what built-ins make of it."""
    rows = [row for some in source.rows for row in some or ()]
    if not rows or len(rows) > _MAX_ROWS:
        return
    ends = list(itertools.accumulate((len(some or ()) for some in source.rows), initial=0))
    segments = [None if some is None else slice(*ends[at : at + 2]) for at, some in enumerate(source.rows)]
    inner = kinds | {kind for _, kind in source.binders}
    maps, tests = [constant(1, INT, len(rows))], list[Term]()
    for body in _bodies(task, source, rows, {}, inner, _MAX_COMPREHENSION, deadline):
        yield None
        if body is None or not any(body.mentions(name) for name, _ in source.binders):
            continue
        yield from _folded(source, body, None, segments, kinds)
        pairs: list[tuple[Term, Term]] = []
        if body.size <= _SMALL and body.kind == BOOL and len(tests) < _FILTERS and not all(body.values):
            tests.append(body)
            pairs = [(one, body) for one in maps]
        elif body.size <= _SMALL and (body.kind == INT or (list_of(body.kind) in kinds and len(maps) < _MAPS)):
            maps.append(body)
            pairs = [(body, one) for one in tests]
        for made, test in pairs:
            yield from _folded(source, made, test, segments, kinds)


def _folded(
    source: _Source, body: Term, test: Term | None, segments: Sequence[slice | None], kinds: set[Type]
) -> Iterator[Term]:
    """A list, a sum, ``all`` and ``any`` of one body."""
    text = f"{body.text} {source.head}" + (f" if {test.text}" if test is not None else "")
    size = body.size + 2 + (test.size if test is not None else 0)
    folds: list[tuple[Type, str, Callable[..., Value]]] = []
    if list_of(body.kind) in kinds and body.written != "1":
        folds.append((list_of(body.kind), f"[{text}]", tuple))
    if body.kind in (INT, FLOAT):
        folds.append((body.kind, f"sum({text})", sum))
    if body.kind == BOOL and test is None:
        folds += [(BOOL, f"all({text})", all), (BOOL, f"any({text})", any)]
    for kind, written, fold in folds:
        yield Term(kind, size, tuple(_value(body, test, segment, fold) for segment in segments), written)


def _value(body: Term, test: Term | None, segment: slice | None, fold: Callable[..., Value]) -> Value:
    if segment is None:
        return FAULT
    truths = test.values[segment] if test is not None else [True] * len(body.values[segment])
    values = [value for value, truth in zip(body.values[segment], truths, strict=True) if truth]
    faulty = any(value is FAULT for value in (*values, *truths))
    return FAULT if faulty else fold(values)


def _loops(task: Specification, source: _Source, count: int, deadline: float) -> Iterator[str | None]:
    """Functions with ``acc = START``, ``for x in SOURCE: acc = BODY``; with two ``a, b = b, BODY``."""
    asked = source.rows[: task.asked]
    if (count > 1 and task.gives != INT) or None in asked:
        return
    taken = (*task.names, *(name for name, _ in source.binders))
    names = [_fresh(name, taken) for name in (("result",) if count == 1 else ("a", "b"))]
    rows = _samples(task, source, names)
    order = sorted(((at, some or []) for at, some in enumerate(asked)), key=lambda pair: len(pair[1]))
    kinds = {task.gives, *task.kinds, INT} | ({BOOL, *(kind for _, kind in source.binders)} if count == 1 else set())
    starts = list(itertools.product(_starts(task, count), repeat=count))
    accumulators = dict.fromkeys(names, task.gives)
    for body in _bodies(task, source, rows, accumulators, kinds, _MAX_LOOP, deadline) if rows else ():
        yield None
        if body is not None and body.kind == task.gives and all(map(body.mentions, names)):
            for start in starts:
                if all(_holds(task, names, start, body, at, some) for at, some in order):
                    bound, begins = ", ".join(names), ", ".join(text for _, text in start)
                    step = f"{bound} = {', '.join([*names[1:], body.text])}"
                    yield f"{bound} = {begins}\n{source.head}:\n    {step}\nreturn {names[0]}"


def _starts(task: Specification, count: int) -> list[tuple[Value, str]]:
    """What an accumulator begins with: a value, or a parameter's name."""
    values = (0, 1, 2) if count > 1 else ((),) if task.gives.name == "list" else _STARTS.get(task.gives, ())
    own = [name for name, kind in zip(task.names, task.kinds, strict=True) if kind == task.gives and count == 1]
    return [(value, literal(value, task.gives)) for value in values] + [(FAULT, name) for name in own]


def _samples(task: Specification, source: _Source, names: Sequence[str]) -> list[Row]:
    """Rows of values of accumulators, elements and parameters that tell bodies apart."""
    values = [*SAMPLES.get(task.gives.name, ()), *task.wanted] or [()]
    if task.gives.name == "list":
        values = [(), *values]
    found = (
        row | {name: values[(at + place + (2 + place) * shift) % len(values)] for shift, name in enumerate(names)}
        for at, some in enumerate(source.rows)
        for place, row in enumerate((some or [])[:3])
    )
    return list(itertools.islice(found, _MAX_SAMPLES))


def _holds(
    task: Specification, names: list[str], start: tuple[tuple[Value, str], ...], body: Term, at: int, rows: list[Row]
) -> bool:
    """Whether the loop gives what is asked for at one point."""
    given = dict(zip(task.names, task.points[at], strict=True))
    state = [given[text] if value is FAULT else value for value, text in start]
    for row in rows:
        state = [*state[1:], body.run(row | dict(zip(names, state, strict=True)))]
        if state[-1] is FAULT:
            return False
    return task.accepts(at, state[0])
