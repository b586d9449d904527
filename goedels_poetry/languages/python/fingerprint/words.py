"""The names of strategies and of their tags, and what else people call them."""

from __future__ import annotations

RECURSION = "recursion"
MEMOISATION = "memoisation"
DYNAMIC_PROGRAMMING = "dynamic programming"
DIVIDE_AND_CONQUER = "divide and conquer"
GREEDY = "greedy"
ITERATION = "iteration"
CLOSED_FORM = "closed form"
LIBRARY_CALL = "library call"

STRATEGIES = (
    RECURSION,
    MEMOISATION,
    DYNAMIC_PROGRAMMING,
    DIVIDE_AND_CONQUER,
    GREEDY,
    ITERATION,
    CLOSED_FORM,
    LIBRARY_CALL,
)

# What tells two approaches under one strategy apart: these stand in the text of a fingerprint.
DISTINGUISHING = ("backtracking", "bisection", "brute force")
TAGS = (
    *DISTINGUISHING,
    "mutual",  # recursion through another function
    "tail",  # every recursive call is what is returned
    "functional",  # comprehensions, map, filter, reduce
    "generator",
    "rolling",  # a recurrence kept in a few variables: a, b = b, a + b
    "squaring",  # a power by squaring
    "bottom-up",  # merging runs that double
    "stack",  # a loop over an explicit stack or queue
    "sorting",  # sorts before it begins
    "hashing",  # sets or dictionaries of what was seen
    "heap",
    "two pointers",
    "bit manipulation",
    "formatting",
    "conditional",
    "nested loops",
)

_SAME = {
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
    "two pointers": "two-pointer",
    "bit manipulation": "bits bitwise bit-twiddling",
    "formatting": "string-formatting",
    "nested loops": "nested-loop",
    "rolling": "rolling-variables",
    "squaring": "repeated-squaring",
}


def plain(text: str) -> str:
    """A name as it is compared: lower case, words parted by one hyphen."""
    return "-".join(text.lower().replace("_", " ").replace("-", " ").split())


def synonyms() -> dict[str, str]:
    """Every spelling, as `plain` makes it, to the name that it stands for."""
    table = {plain(name): name for name in (*STRATEGIES, *TAGS)}
    for name, others in _SAME.items():
        table |= {plain(other): name for other in others.split()}
    return table
