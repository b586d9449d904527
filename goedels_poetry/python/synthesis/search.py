"""Functions without a model: searched among terms of a typed grammar, smallest first, until the time is over."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from goedels_poetry.python.synthesis.enumerating import Bank, operators
from goedels_poetry.python.synthesis.loops import comprehensions, loops, sources
from goedels_poetry.python.synthesis.specification import Specification, specification
from goedels_poetry.python.synthesis.terms import BOOL, FLOAT, INT, STR, Term, Type, constant, list_of, variable

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
