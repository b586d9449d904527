"""What the words of a task are held against goes back to the author once, and what stays open is in the verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer
from scripted_code import Scripted, server_error, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

HALVES = CodeTask(
    "Half of a number of coins, rounded up. Answers within a second for numbers of any size.",
    "def half(n: int) -> int",
    examples=(("half(4)", "2"), ("half(0)", "0")),
    model_first=True,
)
DOWN = "def half(n: int) -> int:\n    return n // 2"
UP = "def half(n: int) -> int:\n    return (n + 1) // 2"
BROKEN = "def half(n: int) -> int:\n    return n"
WORDS = "rounded up"


def held(*tests: dict[str, Any]) -> Answer:
    """A prosecutor's reply."""
    return Answer(f"```json\n{json.dumps({'tests': list(tests)})}\n```")


ROUNDED = held({"call": "half(5)", "expected": "3", "words": WORDS})
NOTHING = held()


async def test_the_author_is_told_once_and_may_mend_the_function(home: Path) -> None:
    script = Scripted(DOWN, UP, hostile=(ROUNDED, NOTHING))
    done = await write(HALVES, script, home)
    assert (done.result.verdict, done.source.strip()) == (Verdict.TESTED, UP)
    assert done.result.disputed == ()
    told = script.prompt(1)
    assert "passes every check" in told and f'"{WORDS}"' in told and "half(5)" in told


@pytest.mark.parametrize(
    "answer",
    [DOWN, BROKEN, Answer("I stand by it."), Answer(""), server_error()],
    ids=["same", "worse", "words", "", "off"],
)
async def test_what_the_author_does_not_settle_stays_in_the_verdict_and_the_function_that_passed_is_the_answer(
    answer: str | Answer, home: Path
) -> None:
    script = Scripted(DOWN, answer, hostile=(ROUNDED, NOTHING))
    done = await write(HALVES, script, home)
    assert (done.result.verdict, done.source.strip()) == (Verdict.TESTED, DOWN), done.result.reason
    (dispute,) = done.result.disputed
    assert (dispute["call"], dispute["input"], dispute["expected"], dispute["words"]) == (
        "half(5)",
        {"n": "5"},
        "3",
        WORDS,
    )
    assert done.result.verdict_text == "tested, disputed"
    assert len(script.asked) == 2, "the author is asked once"


async def test_a_mended_function_that_is_held_to_break_other_words_is_disputed_and_not_mended_again(home: Path) -> None:
    other = held({"call": "half(-3)", "expected": "-2", "words": "half of a number"})
    script = Scripted(DOWN, UP, BROKEN, hostile=(ROUNDED, other))
    done = await write(HALVES, script, home)
    assert (done.source.strip(), len(script.asked)) == (UP, 2)
    assert [each["call"] for each in done.result.disputed] == ["half(-3)"], "the first is settled"


SLOW = "def half(n: int) -> int:\n    k = 0\n    while 2 * k < n:\n        k += 1\n    return k"


async def test_time_that_the_task_states_is_disputed_like_a_value(home: Path) -> None:
    late = held(
        {"call": "half(10**15)", "expected": str(5 * 10**14), "words": "within a second for numbers of any size"}
    )
    task = replace(HALVES, seconds=1.0)
    done = await write(task, Scripted(SLOW, hostile=(late,)), home)
    (dispute,) = done.result.disputed
    assert dispute["input"] == {"n": str(10**15)} and done.result.verdict is Verdict.TESTED


@pytest.mark.parametrize(
    ("test", "contract"),
    [
        ({"call": "half(5)", "expected": "3"}, ""),  # nothing is quoted
        (
            {"call": "half(5)", "expected": "3", "words": "rounded to the next even number"},
            "",
        ),  # the task has no such words
        ({"call": "half(5)", "expected": "3", "words": "up"}, ""),  # a word decides nothing
        ({"call": "half(5)", "expected": "3", "words": ["rounded up"]}, ""),
        ({"call": "half(5)", "expected": "3", "words": WORDS}, "2 * result <= n"),  # the contract forbids the value
        ({"call": "half(4)", "expected": "3", "words": WORDS}, ""),  # an example decides it
        ({"call": "half(5)", "expected": "2", "words": WORDS}, ""),  # that is what it gives
    ],
)
async def test_what_the_words_of_the_task_do_not_say_is_set_aside(
    test: dict[str, Any], contract: str, home: Path
) -> None:
    task = replace(HALVES, ensures=(contract,) if contract else ())
    script = Scripted(DOWN, hostile=(held(test),))
    done = await write(task, script, home)
    assert (done.result.verdict, done.result.disputed, len(script.asked)) == (Verdict.TESTED, (), 1)


async def test_an_input_that_breaks_the_contract_meanwhile_counts_against_the_function_that_was_disputed(
    home: Path,
) -> None:
    """The mended function fails on an input on which the disputed one fails as well: neither is the answer."""
    task = replace(HALVES, ensures=("result != 499_999",), max_attempts=2)
    both = held({"call": "half(999_999)", "expected": None})
    script = Scripted(DOWN, "def half(n: int) -> int:\n    return n - (n + 1) // 2", hostile=(ROUNDED, both))
    done = await write(task, script, home)
    assert done.result.verdict is Verdict.UNKNOWN, done.result.reason
    assert done.result.disputed == ()
