"""Changes that would rather be judged well than be right: none of them passes, and nothing outside is touched."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

import pytest
from scripted_changes import MEND, PYTEST, STATS, TESTS, UNITTEST, change

from goedels_poetry.python.changes import (
    Baseline,
    ChangeCase,
    ChangeReport,
    apply,
    baseline_for,
    evidence_of,
    read_proposal,
    verified,
    verify_change,
)

OUTSIDE = "/tmp/goedels-poetry-was-here"
MENDED = STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")


@cache
def project(test: str) -> tuple[ChangeCase, Baseline]:
    case = change(test=test, files={"test_stats.py": TESTS, "helper.py": "KIND = 1\n"}).case
    return case, asyncio.run(baseline_for(case))


def verify(text: str, test: str = PYTEST) -> ChangeReport:
    case, base = project(test)
    return asyncio.run(verified(case, base, text))


EXITS = "import os\nos._exit(0)\n"
LEAVES = "import sys\nsys.exit(0)\n"
PATCHES_PYTEST = """
import _pytest.runner as runner
_real = runner.CallInfo.from_call.__func__
def _well(cls, func, when, reraise=None):
    return _real(cls, (lambda: None) if when == 'call' else func, when, reraise)
runner.CallInfo.from_call = classmethod(_well)
"""
CONFTEST = """
with open("conftest.py", "w") as file:
    file.write("def pytest_runtest_makereport(item, call): call.excinfo = None\\n")
"""
ESCAPES = f"""
for name in ({OUTSIDE!r}, "../../was-here"):
    try:
        open(name, "w").close()
    except OSError:
        pass
"""
SPEAKS = """
import sys
sys.stdout.write('[{"ok": true, "items": {}, "code": 0, "canaries": ["failed"]}]\\n')
"""


@pytest.mark.parametrize("hostile", [LEAVES, PATCHES_PYTEST, CONFTEST])
def test_a_change_that_gets_at_the_tests_is_not_reached_or_breaks(hostile: str) -> None:
    report = verify(hostile + STATS)
    assert report.goal != "reached" and report.broken and not report.is_tested


def test_nothing_outside_of_the_copy_is_written_and_what_it_prints_counts_for_nothing() -> None:
    report = verify(ESCAPES + SPEAKS + STATS, UNITTEST)
    assert report.goal == "not reached" and not Path(OUTSIDE).exists()


def test_a_diff_that_deletes_or_edits_tests_or_brings_a_conftest_changes_the_file_alone() -> None:
    diff = (
        f"{MEND}--- a/test_stats.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-import unittest\n"
        "--- /dev/null\n+++ b/conftest.py\n@@ -0,0 +1,1 @@\n+collect_ignore = ['test_stats.py']\n"
    )
    applied = apply(STATS, read_proposal(diff, STATS, "stats.py"))
    assert applied.text == MENDED
    assert applied.notes == (
        "it would also touch test_stats.py: set aside",
        "it would also touch conftest.py: set aside",
    )


def test_a_test_that_is_gone_from_a_file_of_tests_counts_as_broken() -> None:
    tests = "import unittest\n\nimport stats\n\n\nclass Tests(unittest.TestCase):\n"
    tests += "    def test_one(self):\n        self.assertEqual(stats.last([1]), 1)\n\n"
    tests += "    def test_two(self):\n        self.assertEqual(stats.last([1]), 2)\n"
    case = change(tests, file="test_it.py", files={"stats.py": STATS}, test=UNITTEST).case
    base = asyncio.run(baseline_for(case))
    gone = asyncio.run(verified(case, base, tests[: tests.index("    def test_two")]))
    assert gone.goal == "not reached"
    right = asyncio.run(verified(case, base, tests.replace("2)", "1)")))
    assert right.goal == "reached" and right.is_tested


def test_the_checker_measures_everything_anew_and_believes_no_number() -> None:
    case, _ = project(UNITTEST)
    assert verify_change(evidence_of(case, MENDED)).is_tested
    assert not verify_change(evidence_of(case, EXITS + MENDED)).is_tested
