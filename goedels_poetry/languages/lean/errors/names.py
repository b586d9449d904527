"""Names that exist, and which of them somebody may have meant: by shared groups of letters, ranked by likeness."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import takewhile

CANDIDATES = 40
"""Names that are compared letter by letter."""
_AROUND = 10
"""Names before and after a wrong one in the alphabet that are compared, too."""
_BEGINNING = 5
"""Letters that two last parts must at least begin with to count as alike for their beginning alone."""
_COMMON = 0.02
"""A group of letters in more than this part of the names (and in more than 200) says little and is not looked up."""


class Names:
    """An index of names, made when it is first asked.

    Args:
        names: those that exist.
        alike: the least likeness of a suggestion, 0 to 1.
    """

    def __init__(self, names: Iterable[str] = (), alike: float = 0.8) -> None:
        self.names = tuple(dict.fromkeys(names))
        self._alike = alike
        self.near = lru_cache(maxsize=1024)(self._near)
        """The likeliest names for a wrong one, at most three; never the name itself."""

    def _near(self, name: str) -> tuple[str, ...]:
        if not self.names:
            return ()
        shared: Counter[int] = Counter()
        most = max(200, int(_COMMON * len(self.names)))
        for letters in _groups(name):
            places = self._index.get(letters, ())
            if len(places) <= most:
                shared.update(places)
        found = dict.fromkeys(self.names[place] for place, _ in shared.most_common(CANDIDATES))
        here = bisect_left(self._sorted, (name.lower(), ""))
        found.update(dict.fromkeys(other for _, other in self._sorted[max(here - _AROUND, 0) : here + _AROUND]))
        ranked = sorted(((_likeness(name, other), other) for other in found if other != name), reverse=True)
        return tuple(other for likeness, other in ranked[:3] if likeness >= self._alike)

    @cached_property
    def _sorted(self) -> list[tuple[str, str]]:
        return sorted((name.lower(), name) for name in self.names)

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = defaultdict(list)
        for place, name in enumerate(self.names):
            for letters in _groups(name):
                index[letters].append(place)
        return index


def _groups(name: str) -> set[str]:
    """All runs of three letters, the ends marked."""
    marked = f"^{name.lower()[:200]}$"
    return {marked[place : place + 3] for place in range(len(marked) - 2)}


def _likeness(name: str, other: str) -> float:
    """0 to 1; the same last part under another namespace counts as near, and so does an abbreviation."""
    (space, _, last), (other_space, _, other_last) = name.rpartition("."), other.rpartition(".")
    whole = difflib.SequenceMatcher(None, name.lower(), other.lower(), autojunk=False).ratio()
    end = difflib.SequenceMatcher(None, last.lower(), other_last.lower(), autojunk=False).ratio()
    same = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(last.lower(), other_last.lower(), strict=False)))
    begins = same / len(other_last) if space == other_space and same >= _BEGINNING else 0.0
    return max(whole, 0.9 * end, begins)
