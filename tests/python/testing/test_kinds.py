"""Inputs keep the types that they are to have, and what tests hand over arrives as it is."""

from __future__ import annotations

import asyncio

from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.python.testing.checks import Checks

WORDS = "def letters(words: list[str]) -> int:\n    return sum(len(word) for word in words)\n"
MONTH = """from datetime import date, timedelta


def last(day: date) -> date:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
"""


def test_a_list_of_texts_is_a_list_of_texts_also_where_a_condition_is_hard_to_meet() -> None:
    checks = Checks(
        "letters",
        requires=("len(words) > 1 and len(words) == len(set(words))",),
        ensures=("result == len(''.join(words))",),
    )
    report = asyncio.run(test_candidate(WORDS, checks, effort="quick"))
    assert report.passed and report.inputs_tried > 10, report.reason


def test_dates_are_handed_over_and_come_back() -> None:
    test = "from datetime import date\nassert last(date(2024, 2, 3)) == date(2024, 2, 29)"
    report = asyncio.run(test_candidate(MONTH, Checks("last", assertions=(test,)), effort="quick"))
    assert report.passed, report.reason
    wrong = MONTH.replace("days=1)", "days=2)")
    assert not asyncio.run(test_candidate(wrong, Checks("last", assertions=(test,)), effort="quick")).passed


def test_what_cannot_be_handed_over_is_named() -> None:
    test = "import threading\nassert f(threading.Lock()) == 1"
    report = asyncio.run(test_candidate("def f(x):\n    return 1\n", Checks("f", assertions=(test,)), effort="quick"))
    assert not report.passed and "cannot be passed to the function" in report.reason
