"""Conditions found for results that are right at some points each: ``a if c else b``, decided by what is covered."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from goedels_poetry.languages.python.synthesis.specification import Specification
from goedels_poetry.languages.python.synthesis.terms import Term
from goedels_poetry.languages.python.synthesis.types import BOOL

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
            single = ((term.size, _branch(term)) for mask, term in self._parts.items() if mask & points == points)
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
                text = f"{yes[1]} if {_branch(test)} else {no[1]}"
                found.append((1 + test.size + yes[0] + no[0], text, yes[2] + no[2]))
        return found


def _branch(term: Term) -> str:
    return f"({term.text})" if term.precedence < 2 else term.text
