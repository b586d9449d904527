"""Names that exist, and which of them somebody may have meant: from the same namespace or with the same beginning."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import takewhile

_BEGINNING = 5
"""Letters that two last parts must at least begin with to count as alike for their beginning alone."""
MOST = 3


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
        candidates = {other for key in _keys(name) for other in self._index.get(key, ())} - {name}
        ranked = sorted(((_likeness(name, other), other) for other in candidates), reverse=True)
        return tuple(other for likeness, other in ranked[:MOST] if likeness >= self._alike)

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        index: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            for key in _keys(name):
                index[key].append(name)
        return index


def _keys(name: str) -> tuple[str, str]:
    """What a name shares with those that are compared with it: the first letters of its parts, those of its last."""
    last = name.rpartition(".")[2].lower()
    initials = ".".join(part[:1] for part in name.lower().split("."))
    return initials, f".{last[:4]}"


def _likeness(name: str, other: str) -> float:
    """0 to 1; the same last part under another namespace counts as near, and so does an abbreviation."""
    (space, _, last), (other_space, _, other_last) = name.rpartition("."), other.rpartition(".")
    pairs = zip(last.lower(), other_last.lower(), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    begins = same / len(other_last) if space == other_space and same >= _BEGINNING else 0.0
    whole, end = (
        difflib.SequenceMatcher(None, a.lower(), b.lower(), autojunk=False)
        for a, b in ((name, other), (last, other_last))
    )
    if max(whole.real_quick_ratio(), end.real_quick_ratio()) < 0.5:
        return begins
    return max(whole.ratio(), 0.9 * end.ratio(), begins)
