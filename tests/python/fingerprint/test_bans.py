"""Strategies of functions: bans, what does not change them, and functions labelled by hand."""

import ast
import functools
from pathlib import Path

import pytest
from named_texts import tables

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.fingerprint.ban import STRATEGIES, parse_ban
from goedels_poetry.python.fingerprint.classify import fingerprint

TABLES = tables(__file__)

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


@pytest.mark.parametrize("disguise", TABLES["test_a_recursion_stays_one_whatever_is_put_around_it"])
def test_a_recursion_stays_one_whatever_is_put_around_it(disguise):
    assert fingerprint(disguise, "f").text == "recursion"


@pytest.mark.parametrize(("text", "strategy"), TABLES["test_what_does_not_take_part_in_the_result_does_not_count"])
def test_what_does_not_take_part_in_the_result_does_not_count(text, strategy):
    assert fingerprint(text, "f").strategy == strategy


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("def f(:\n", "f", "not Python"),
        ("def fact(n): return 1\n", "fct", "there is no function 'fct'"),
        ("", "f", "there is no function"),
        ("def f():\n    return " + "(" * 5000 + ")" * 5000, "f", ""),
        ("def f(): return " + "+".join(["1"] * 30000), "f", ""),
        ("\0", "f", "not Python"),
        ("x = 1\n" * 20_000, "f", "characters"),
        ("".join(f"def g{k}(n):\n    return g{k + 1}(n)\n" for k in range(999)), "g0", "entangled"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text, name, words):
    with pytest.raises(InvalidInput) as caught:
        fingerprint(text, name)
    assert words in str(caught.value)


def test_reading_runs_nothing(tmp_path):
    mark = tmp_path / "mark"
    text = f"open({str(mark)!r}, 'w').close()\ndef f(n=open({str(mark)!r}, 'w')):\n    return n\n"
    assert fingerprint(text, "f").strategy == "closed form"
    assert not mark.exists()


FILE = Path(__file__).with_name("labelled.txt")


@functools.cache
def told_of(text: str, name: str):
    return fingerprint(text, name)


@functools.cache
def labelled() -> list[tuple[str, str, str]]:
    """Label, function and text of each."""
    found = []
    for part in FILE.read_text().split("### ")[1:]:
        head, _, text = part.partition("\n")
        label, _, name = head.partition("|")
        names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        names += [node.targets[0].id for node in ast.parse(text).body if not names and isinstance(node, ast.Assign)]
        found.append((label.strip(), name.strip() or names[0], text))
    return found


def test_there_are_enough_of_every_strategy():
    labels = [label for label, _, _ in labelled()]
    assert len(labels) >= 90
    assert {label: labels.count(label) >= 8 for label in STRATEGIES} == dict.fromkeys(STRATEGIES, True)


def test_at_least_95_of_100_are_told_right():
    wrong = [
        f"{name}: {told.strategy} {sorted(told.tags)}, not {label}"
        for label, name, text in labelled()
        if (told := told_of(text, name)).strategy != label
    ]
    assert len(wrong) <= 0.05 * len(labelled()), "\n".join(wrong)
