"""Small repairs without a model and without a proposal: tried on the tests, then verified like any change."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_changes import STATS, TESTS, change, work

from goedels_poetry.python.changes.repairs import MOST, mutants

BANK = '''"""Accounts."""


def total(prices):
    result = 0
    for place in range(len(prices) - 1):
        result += prices[place]
    return result


def fits(weight, limit):
    return weight < limit


def root(x):
    return math.sqrt(x)


def share(whole, parts):
    return parts / whole
'''
CASES = {
    "total": ("total([1, 2, 3]), 6", "range(len(prices))", "range(len(prices) - 1)"),
    "fits": ("fits(2, 2), True", "weight <= limit", "weight < limit"),
    "root": ("root(9), 3", "import math", ""),
}


@pytest.mark.parametrize("name", CASES)
async def test_a_slip_of_the_pen_is_mended(name: str, tmp_path: Path) -> None:
    expected, has, has_not = CASES[name]
    test = "import unittest\n\nimport bank\n\n\nclass Tests(unittest.TestCase):\n    def test_it(self):\n"
    test += f"        self.assertEqual(bank.{expected})\n"
    done = await work(change(BANK, file="bank.py", files={"test_bank.py": test}), tmp_path)
    assert done.moves[-1] == "keep by table" and done.claims_tested
    assert has in done.text and (not has_not or has_not not in done.text)


async def test_a_guard_is_found_and_breaks_nothing(tmp_path: Path) -> None:
    done = await work(change(), tmp_path)
    assert done.text == STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")
    assert done.moves == ["keep by table"]


async def test_where_no_small_repair_helps_the_run_ends_and_says_so(tmp_path: Path) -> None:
    hard = TESTS.replace("mean([]), 0", "mean(['a', 'b']), 'a'")
    done = await work(change(files={"test_stats.py": hard}), tmp_path)
    assert done.text == STATS and done.moves == ["stop by table"]
    assert "a change has to come from somebody" in done.result.reason


def test_mutants_are_programs_each_another_one_and_not_too_many() -> None:
    found = list(mutants(STATS + BANK, (), (), "NameError: name 'math' is not defined"))
    assert found[0].words == "import math"
    texts = [mutant.text for mutant in found]
    assert len(set(texts)) == len(texts) <= MOST
    for text in texts:
        compile(text, "mutant", "exec")
