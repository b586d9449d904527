"""Candidates that would rather pass than be right. None passes, and none gets to see what is expected of it."""

import asyncio
from pathlib import Path

import pytest
from named_texts import named

from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.python.testing.checks import Checks

CHECKS = Checks(
    "f",
    "def f(n: int) -> int",
    requires=("n >= 0",),
    ensures=("result == 2 * n", "len([result]) == 1 and all([n >= 0])"),
    examples=(("f(3)", "6"),),
    assertions=("assert f(2) == 4",),
    seconds=0.5,
)

HOSTILE = named(Path(__file__).with_name("hostile.txt"))


def judged(source, checks=CHECKS):
    return asyncio.run(test_candidate(source, checks, effort="quick"))


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", HOSTILE)
def test_no_hostile_candidate_passes(name):
    report = judged(HOSTILE[name])
    assert not report.passed
    assert report.reason
    assert report.fault in {"check", "raised", "resources", "signature"}


def test_the_same_checks_pass_for_what_is_right():
    assert judged("def f(n):\n    print('passed')\n    return 2 * n\n").passed


def test_expected_values_are_not_in_the_candidates_process():
    source = """
import gc, sys

def f(n):
    seen, frame = [], sys._getframe().f_back
    while frame:
        seen += [frame.f_locals, frame.f_globals]
        frame = frame.f_back
    text = repr(seen) + repr([o for o in gc.get_objects() if isinstance(o, (list, tuple, dict)) and len(o) < 50])
    wanted = "98765" + str(4321)
    return int(wanted) if wanted in text else 0
"""
    checks = Checks(
        "f",
        ensures=("result == 987654300 + 21",),
        examples=(("f(1)", "987654321"),),
        assertions=("assert f(2) == 987654321", "for i in range(9):\n    assert f(i) == 987654321"),
    )
    report = judged(source, checks)
    assert not report.passed
    assert [r.kind for r in report.results if r.passed and r.kind in ("example", "assertion", "ensures")] == []


def test_a_docstring_that_deceives_its_judge_deceives_nobody_else():
    source = '''
def f(n):
    """
    >>> import sys, os
    >>> frame = sys._getframe()
    >>> while frame:
    ...     judge = frame.f_locals.get("self")
    ...     if hasattr(judge, "say"):
    ...         for k in range(9):
    ...             judge.say({"task": k, "done": [{"v": "ok", "calls": 1}] * 9, "pending": []})
    ...             judge.say({"case": k, "verdict": {"v": "ok"}})
    ...         os._exit(0)
    ...     frame = frame.f_back
    """
    return 0
'''
    report = judged(source, Checks("f", ensures=("result == 2 * n",), examples=(("f(3)", "6"),), doctests=True))
    assert not report.passed
    assert {r.kind for r in report.results if not r.passed} >= {"ensures", "example"}


def test_a_candidate_whose_definitions_fail_is_a_failed_candidate():
    report = judged("n = undefined\nhelp_me = n\ndef f(n):\n    return 2 * n\n", Checks("f", ensures=("help_me",)))
    assert not report.passed
    assert "undefined" in report.reason
