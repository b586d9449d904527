"""What a loop is does not depend on how it is written: all its forms are one theorem."""

from __future__ import annotations

import re

import pytest

from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate

LOOP = """
from goedels_poetry.contracts import ensures, requires

@requires(lambda xs: len(xs) > 0)
@ensures(lambda xs, result: all(x <= result for x in xs))
def top(xs: list[int]) -> int:
    best = xs[0]
    i = 0
    while TEST:
        if xs[i] > best:
            best = xs[i]
        STEP
    return best
"""
TESTS = ["i < len(xs)", "len(xs) > i", "i != len(xs)", "len(xs) != i", "i <= len(xs) - 1", "i + 1 <= len(xs)"]
TESTS += ["not i >= len(xs)", "not (len(xs) <= i)", "not i == len(xs)"]
STEPS = ["i += 1", "i = i + 1", "i = 1 + i"]


def theorem_of(test: str, step: str) -> str:
    text = translate(read_program(LOOP.replace("TEST", test).replace("STEP", step)), "top").text
    return re.sub(r"(?m)^;.*\n", "", text)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("test", TESTS)
def test_a_loop_over_indices_is_a_loop_over_elements_in_all_its_forms(test: str, step: str) -> None:
    text = theorem_of(test, step)
    assert text == theorem_of("i < len(xs)", "i += 1")
    assert "nth" not in text.split("(prove")[0].split("loop")[1].splitlines()[0]


@pytest.mark.parametrize(
    ("test", "step"),
    [
        ("i <= len(xs)", "i += 1"),
        ("i < len(xs)", "i += 2"),
        ("i < len(xs)", "i = i - 1"),
        ("i < len(xs) - 1", "i += 1"),
    ],
)
def test_another_loop_is_another_theorem(test: str, step: str) -> None:
    assert theorem_of(test, step) != theorem_of("i < len(xs)", "i += 1")


HELPER = """
from goedels_poetry.contracts import ensures, requires

@requires(lambda n: CONDITION)
@ensures(lambda n, result: result >= 0)
def bits(n: int) -> int:
    if BASE:
        return 0
    return n % 2 + bits(n // 2)
"""


def test_a_condition_that_may_fail_says_nothing_about_where_a_recursion_ends() -> None:
    source = HELPER.replace("CONDITION", "10 // n > 0").replace("BASE", "n == 0")
    assert "(ite (= n 0) 0" in translate(read_program(source), "bits").text.partition("define-fun-rec bits")[2]
    source = HELPER.replace("CONDITION", "n >= 0").replace("BASE", "n == 0")
    assert "(ite (>= n 0) (ite (= n 0) 0" in translate(read_program(source), "bits").text
