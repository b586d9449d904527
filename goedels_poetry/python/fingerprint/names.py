"""The names of strategies and of their tags, what else people call them, and the fingerprint that they make."""

from __future__ import annotations

from dataclasses import dataclass

RECURSION = "recursion"
MEMOISATION = "memoisation"
DYNAMIC_PROGRAMMING = "dynamic programming"
DIVIDE_AND_CONQUER = "divide and conquer"
GREEDY = "greedy"
ITERATION = "iteration"
CLOSED_FORM = "closed form"
LIBRARY_CALL = "library call"

SYNONYMS = {
    RECURSION: "recursive recursively recurse recursions",
    MEMOISATION: "memoised memoized memoization memoise memoize memo memos cached caching cache top-down",
    DYNAMIC_PROGRAMMING: "dp dynamic-program tabulation tabulated table bottom-up-dp",
    DIVIDE_AND_CONQUER: "divide-conquer d&c dnc dac divide-&-conquer",
    GREEDY: "greedily greedy-algorithm greedy-choice",
    ITERATION: "iterative iteratively loop loops looping iterate while-loop for-loop",
    CLOSED_FORM: "formula closed-formula arithmetic direct-formula closed-forms explicit-formula",
    LIBRARY_CALL: "library builtin built-in builtins library-calls library-function stdlib standard-library",
    "backtracking": "backtrack backtracks",
    "bisection": "binary-search bisect binary-searching",
    "brute force": "bruteforce exhaustive exhaustive-search",
    "mutual": "mutual-recursion mutually-recursive mutual-recursive indirect-recursion",
    "tail": "tail-recursion tail-recursive tail-call",
    "functional": "comprehension comprehensions list-comprehension",
    "generator": "generators yield",
    "stack": "explicit-stack queue",
    "sorting": "sort sorted sorts",
    "hashing": "hash hash-table dictionary",
    "heap": "priority-queue heapq",
    "bit manipulation": "bits bitwise bit-twiddling",
    "nested loops": "nested-loop",
    "squaring": "repeated-squaring",
}
"""Other spellings of each strategy, then of each tag."""
STRATEGIES = tuple(SYNONYMS)[:8]
TAGS = tuple(SYNONYMS)[8:]
DISTINGUISHING = TAGS[:3]
"""The tags that tell two approaches under one strategy apart: they stand in the text of a fingerprint."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The approach of one function.

    Attributes:
        strategy: one of ``STRATEGIES``.
        tags: other strategies that take part (a memoised recursion has ``recursion``), and how it is done (``tail``).
    """

    strategy: str
    tags: frozenset[str]

    @property
    def text(self) -> str:
        """The name that two candidates of the same approach share: ``recursion``, ``recursion (backtracking)``."""
        shown = [tag for tag in DISTINGUISHING if tag in self.tags]
        return f"{self.strategy} ({', '.join(shown)})" if shown else self.strategy


def plain(text: str) -> str:
    """A name as it is compared: lower case, words parted by one hyphen."""
    return "-".join(text.lower().replace("_", " ").replace("-", " ").split())


def spellings() -> dict[str, str]:
    """Every spelling, as `plain` makes it, to its name."""
    table = {plain(name): name for name in SYNONYMS}
    for name, others in SYNONYMS.items():
        table |= {plain(other): name for other in others.split()}
    return table
