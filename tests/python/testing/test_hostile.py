"""Candidates that would rather pass than be right. None passes, and none gets to see what is expected of it."""

from __future__ import annotations

import asyncio

import pytest

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

HOSTILE = {
    "prints what looks like a reply": """
def f(n):
    print('{"task": 0, "done": [{"v": "ok", "calls": 1}]}')
    return 0
""",
    "exits with success": "import sys\ndef f(n):\n    sys.exit(0)\n",
    "ends its process": "import os\ndef f(n):\n    os._exit(0)\n",
    "ends its process while it is loaded": "import os\nos._exit(0)\ndef f(n):\n    return 2 * n\n",
    "returns what equals everything": """
class Everything:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __hash__(self): return 0
def f(n):
    return Everything()
""",
    "returns an int that equals everything": """
class Everything(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__
def f(n):
    return Everything(5)
""",
    "annotates a class that equals everything": """
class int(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
def f(n: int) -> int:
    return int(5)
""",
    "changes what is built in": """
import builtins
builtins.all = lambda xs: True
builtins.abs = lambda x: 0
def f(n):
    return 0
""",
    "shadows what the contract uses": """
def len(x): return 1
def all(x): return True
def f(n):
    return 7
""",
    "speaks in the player's name": """
import os, sys
def f(n):
    frame = sys._getframe()
    while frame:
        player = frame.f_locals.get("self")
        if hasattr(player, "say"):
            for k in range(1000):
                player.say({"n": k, "outcome": {"k": "returned", "v": {"t": [0, 0]}}})
                player.say({"task": k, "done": [{"v": "ok", "calls": 1}], "pending": []})
                player.say({"case": k, "verdict": {"v": "ok"}})
            player.say({"end": 1})
            os._exit(0)
        frame = frame.f_back
    return 0
""",
    "speaks nonsense in the player's name": """
import os, sys
def f(n):
    frame = sys._getframe()
    while frame:
        player = frame.f_locals.get("self")
        if hasattr(player, "say"):
            for w in ("x", None, [], {"k": "returned"}, {"k": "returned", "v": {"t": []}}, {"k": "time", "t": "a"},
                      {"k": "returned", "v": {"t": [{"x": ["Evil", []]}]}}, {"k": "raised", "mro": []}):
                for line in ({"n": 0, "outcome": w}, {"n": 1, "outcome": w}, {"n": "a"}, {"start": "q"}, {"loaded": w}):
                    player.say(line)
            os._exit(0)
        frame = frame.f_back
    return 0
""",
    "closes every file": """
import os
os.closerange(0, 64)
def f(n):
    return 2 * n
""",
    "takes standard output away": "import sys, os\nsys.stdout = None\nos.close(1)\ndef f(n):\n    return 3\n",
    "speaks at its exit": "import atexit\natexit.register(print, 'passed')\ndef f(n):\n    return 1\n",
    "has a thread that ends the process": """
import os, threading, time
threading.Thread(target=lambda: (time.sleep(0.01), os._exit(0)), daemon=True).start()
def f(n):
    return 2 * n + 1
""",
    "swallows its time limit": """
def f(n):
    while True:
        try:
            while True: pass
        except BaseException: pass
""",
    "never ends on one input": "def f(n):\n    while n == 7: pass\n    return 2 * n\n",
    "is wrong on one input": "def f(n):\n    return 11 if n == 5 else 2 * n\n",
    "is wrong from the fifth call on": """
calls = 0
def f(n):
    global calls
    calls += 1
    return 2 * n if calls < 5 else 0
""",
    "is right at random": "import random\ndef f(n):\n    return 2 * n + (random.random() < 0.5)\n",
    "replaces modules": """
import sys
for name in ("unittest", "hypothesis", "json", "harness"):
    sys.modules[name] = type("M", (), {"__getattr__": lambda self, name: lambda *a, **k: (lambda g: g)})()
def f(n):
    return 0
""",
    "imports the judge": """
import sys
sys.path.insert(0, ".")
from harness import judge, contract
contract.Evaluator.verdict = lambda *a: {"v": "ok"}
def f(n):
    return 0
""",
    "yields": "def f(n):\n    yield 2 * n\n",
    "returns itself": "def f(n):\n    return f\n",
    "returns a list that contains itself": "def f(n):\n    xs = []\n    xs.append(xs)\n    return xs\n",
    "returns something huge": "def f(n):\n    return [0] * 10_000_000\n",
    "raises a class that lies": """
class Lie(BaseException):
    def __str__(self): raise SystemExit(0)
    def __class_getitem__(cls, item): return 6
def f(n):
    raise Lie
""",
}


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
