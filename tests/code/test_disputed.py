"""What the words of a task are held against is in the verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer
from scripted_code import Scripted, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

HALVES = CodeTask(
    "Half of a number of coins, rounded up. Answers within a second for numbers of any size.",
    "def half(n: int) -> int",
    examples=(("half(4)", "2"), ("half(0)", "0")),
    model_first=True,
)
DOWN = "def half(n: int) -> int:\n    return n // 2"
WORDS = "rounded up"


def held(*tests: dict[str, Any]) -> Answer:
    """A prosecutor's reply."""
    return Answer(f"```json\n{json.dumps({'tests': list(tests)})}\n```")


UP = "def half(n: int) -> int:\n    return -(-n // 2)"
WRONG = "def half(n: int) -> int:\n    return n"
ROUNDED = held({"call": "half(5)", "expected": "3", "words": WORDS})


@pytest.mark.parametrize(
    "second", [DOWN, WRONG, Answer("The task leaves that open.")], ids=["unchanged", "does not pass", "no function"]
)
async def test_what_stays_disputed_is_in_the_verdict(second: str | Answer, home: Path) -> None:
    """The author is asked once; a function that does not pass replaces none that does."""
    script = Scripted(DOWN, second, hostile=(ROUNDED,))
    done = await write(HALVES, script, home)
    assert (done.result.verdict, done.source.strip()) == (Verdict.TESTED, DOWN), done.result.reason
    (dispute,) = done.result.disputed
    told = (dispute["call"], dispute["input"], dispute["expected"], dispute["words"])
    assert told == ("half(5)", {"n": "5"}, "3", WORDS)
    assert done.result.verdict_text == "tested, disputed"
    assert len(script.asked) == 2
    assert "half(5)" in script.prompt(1) and f'the task says "{WORDS}"' in script.prompt(1)


async def test_a_function_that_its_author_mends_is_disputed_no_more(home: Path) -> None:
    done = await write(HALVES, Scripted(DOWN, UP, hostile=(ROUNDED,)), home)
    assert (done.result.verdict, done.source.strip(), done.result.disputed) == (Verdict.TESTED, UP, ())


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
