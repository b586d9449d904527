"""Bans as people write them, and what they hold for."""

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.fingerprint.ban import parse_ban
from goedels_poetry.python.fingerprint.classify import fingerprint

NAIVE = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
MEMOISED = "from functools import cache\n@cache\n" + NAIVE
LOOP = "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n"
SORT = """
def sort(xs):
    if len(xs) < 2:
        return xs
    mid = len(xs) // 2
    return merge(sort(xs[:mid]), sort(xs[mid:]))

def merge(a, b):
    out = []
    while a and b:
        out.append(a.pop(0) if a[0] <= b[0] else b.pop(0))
    return out + a + b
"""


def test_a_combined_ban_holds_for_the_naive_recursion_and_not_for_the_memoised_one():
    ban = parse_ban("recursion and not memoisation")
    assert ban.matches(fingerprint(NAIVE, "fib"))
    assert not ban.matches(fingerprint(MEMOISED, "fib"))
    assert not ban.matches(fingerprint(LOOP, "fib"))


def test_recursion_alone_forbids_every_recursion():
    ban = parse_ban("recursion")
    assert [
        ban.matches(fingerprint(text, name)) for text, name in ((NAIVE, "fib"), (MEMOISED, "fib"), (SORT, "sort"))
    ] == [
        True,
        True,
        True,
    ]


def test_the_ban_on_a_fingerprint_holds_for_its_approach_and_no_other():
    ban = parse_ban(f"only {fingerprint(NAIVE, 'fib').text}")
    assert ban.text == "only recursion"
    assert ban.matches(fingerprint("def f(k):\n  return 1 if k == 0 else k * f(k - 1)", "f"))
    assert not ban.matches(fingerprint(MEMOISED, "fib"))
    assert not ban.matches(fingerprint(SORT, "sort"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("recursive and unmemoised", "recursion and not memoisation"),
        ("Recursion without memoization", "recursion and not memoisation"),
        ("recursive *and* unmemoised", "recursion and not memoisation"),
        ("(dp or greedy) and not divide-and-conquer", "(dynamic programming or greedy) and not divide and conquer"),
        ("divide and conquer and greedy", "divide and conquer and greedy"),
        ("memoisation/dynamic programming", "memoisation or dynamic programming"),
        ("iterative, brute_force", "iteration and brute force"),
        ("non-recursive", "not recursion"),
        ("not not loops", "iteration"),
        ("built-in", "library call"),
        ("mutual recursion", "mutual"),
        ("binary search", "bisection"),
        ("recursion but not tail recursion", "recursion and not tail"),
    ],
)
def test_synonyms_and_other_spellings_are_understood(text, meant):
    assert parse_ban(text).text == meant
    assert parse_ban(meant).text == meant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("recurson", "did you mean `recursion`"),
        ("greedy and memoizaton", "memoizaton"),
        ("foo", "strategies are recursion"),
        *[(text, "makes no condition") for text in ("", "recursion and", "and recursion", "(recursion", "recursion)")],
        *[(text, "makes no condition") for text in ("recursion greedy", "only", "(" * 500 + "dp" + ")" * 500)],
        ("only sorting", "precedes a strategy"),
        ("dp or " * 1000, "at most"),
    ],
)
def test_a_ban_that_makes_no_sense_is_refused_with_the_word_and_the_nearest_known_ones(text, words):
    with pytest.raises(InvalidInput) as caught:
        parse_ban(text)
    assert words in str(caught.value)
