"""The loop: a strategy that failed twice is not tried a third time, and only what passes every check is tested."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from model_server import EMPTY, Answer, server_error
from scripted_code import Scripted, fenced, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

FACTORIAL = CodeTask(
    "The factorial of n, also for large n.",
    "def factorial(n: int) -> int",
    name="factorial",
    examples=(("factorial(0)", "1"), ("factorial(5)", "120")),
    tests=("assert factorial(3000) // factorial(2999) == 3000",),
    seconds=4,
    model_first=True,
    prosecuted=False,
)
RECURSIVE = "def factorial(n: int) -> int:\n    if n <= 1:\n        return 1\n    return n * factorial(n - 1)"
ALSO_RECURSIVE = "def factorial(n: int) -> int:\n    return 1 if n == 0 else factorial(n - 1) * n"
STILL_RECURSIVE = (
    "def factorial(n: int) -> int:\n    def go(k, found):\n        return found if k < 2 else go(k - 1, found * k)\n"
    "    return go(n, 1)"
)
ITERATIVE = (
    "def factorial(n: int) -> int:\n    found = 1\n    for k in range(2, n + 1):\n        found *= k\n    return found"
)
WRONG_LOOP = ITERATIVE.replace("n + 1", "n")
DOUBLE = CodeTask(
    "The double of x.",
    "def double(x: int) -> int",
    examples=(("double(2)", "4"),),
    model_first=True,
    prosecuted=False,
)


async def test_a_function_that_passes_every_check_is_tested(home: Path) -> None:
    script = Scripted(ITERATIVE)
    done = await write(FACTORIAL, script, home)
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.source.strip() == ITERATIVE
    assert done.outcomes == ["passed"]
    assert done.state.status == "verified"
    assert "not a proof" in done.result.reason
    prompt = script.prompt(0)
    for told in ("also for large n", "def factorial(n: int) -> int", "factorial(5) == 120", "factorial(3000)", "4 s"):
        assert told in prompt


async def test_two_failures_ban_a_strategy_and_what_is_banned_is_never_run(home: Path) -> None:
    script = Scripted(RECURSIVE, ALSO_RECURSIVE, STILL_RECURSIVE, ITERATIVE)
    done = await write(FACTORIAL, script, home)
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.outcomes == ["failed", "failed", "banned", "passed"]
    assert [entry["total"] for entry in done.attempts][2] == 0  # not one check was run on it
    assert "RecursionError" in str(done.attempts[0]["reason"])
    assert done.state.forbidden_strategies == ("recursion",)
    assert done.state.fail_count == 3
    assert [trace.status for trace in done.state.history] == ["failed", "failed", "failed", "success"]
    assert done.state.history[0].code_generated.strip() == RECURSIVE
    assert (done.stats["approach_failures"], done.stats["forbidden_approaches"]) == (2, 1)
    assert done.stats["conversation_entries"] >= 8
    assert done.state.input_query == FACTORIAL.task
    # In the same conversation the model is told what failed, in a fresh one what is banned, and why.
    assert "RecursionError" in script.prompt(1)
    assert [m["role"] for m in script.asked[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert [m["role"] for m in script.asked[2]["messages"]] == ["system", "user"]
    assert "DO NOT USE these strategies" in script.prompt(2)
    assert "recursion and not memoisation: failed 2 times, last because" in script.prompt(2)
    assert "The best of them so far:" in script.prompt(2) and ALSO_RECURSIVE in script.prompt(2)
    assert "DO NOT USE" not in script.prompt(0)


async def test_a_ban_holds_for_its_task_alone(home: Path) -> None:
    script = Scripted(RECURSIVE)
    task = replace(FACTORIAL, tests=("assert factorial(6) == 720",))
    await write(replace(FACTORIAL, max_attempts=2), Scripted(RECURSIVE, ALSO_RECURSIVE), home)
    done = await write(task, script, home)
    assert done.outcomes == ["passed"]
    assert "DO NOT USE" not in script.prompt(0)


async def test_what_the_task_bans_is_never_run_and_another_combination_passes(home: Path) -> None:
    script = Scripted(RECURSIVE, f"from functools import cache\n\n@cache\n{RECURSIVE}")
    done = await write(replace(FACTORIAL, tests=(), bans=("recursion and not memoisation",)), script, home)
    assert done.outcomes == ["banned", "passed"]
    assert "recursion and not memoisation" in script.prompt(0)
    assert done.stats["approach_failures"] == 0


async def test_the_same_program_is_not_run_twice(home: Path) -> None:
    relaid = WRONG_LOOP.replace("found = 1", "found = 1  # the empty product")
    done = await write(FACTORIAL, Scripted(WRONG_LOOP, relaid, ITERATIVE), home)
    assert done.outcomes == ["failed", "repeated", "passed"]
    assert done.attempts[1]["total"] == 0
    assert done.stats["approach_failures"] == 1


HOSTILE = {
    "no code": Answer("I am sorry, I cannot help with that."),
    "prose": Answer("def is a keyword. " * 400),
    "infinite loop": fenced("def double(x: int) -> int:\n    while True:\n        pass"),
    "exit": fenced("import os\nos._exit(0)\n\ndef double(x: int) -> int:\n    return 2 * x"),
    "exit inside": fenced("import os\n\ndef double(x: int) -> int:\n    os._exit(0)"),
    "says passed": fenced(
        "import sys\nsys.stdout.write('passed\\n{\"passed\": true}\\n')\n\ndef double(x):\n    return x"
    ),
    "syntax error": fenced("def double(x: int) -> int:\n    return 2 *"),
    "other function": fenced("def triple(x, y, z):\n    return 3"),
    "1 MB": Answer("```python\n" + "# x\n" * 250_000 + "```"),
    "equal to all": fenced(
        "class Any(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n\n"
        "def double(x: int) -> int:\n    return Any(0)"
    ),
    "cut off": Answer("```python\ndef double(x: int) -> int:\n    return (2 *", finish="length"),
    "empty": EMPTY,
    "server error": server_error(),
    "no JSON": Answer(body='{"choices": [{"message": {"content": "half a'),
}


@pytest.mark.sample(7)
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=list(HOSTILE))
async def test_a_hostile_reply_costs_one_attempt_and_never_passes(reply: Answer, home: Path) -> None:
    script = Scripted(reply)
    done = await write(replace(DOUBLE, seconds=0.5, max_attempts=1), script, home)
    assert done.result.verdict is Verdict.UNKNOWN
    assert len(done.attempts) == len(script.asked) == 1
    assert done.outcomes[0] in ("failed", "reply", "no reply")
    assert done.attempts[0]["reason"]


async def test_when_all_attempts_are_used_up_the_best_one_is_shown_with_what_failed(home: Path) -> None:
    nearly = "def factorial(n: int) -> int:\n    return [1, 1, 2, 6, 24, 120][n]"
    task = replace(FACTORIAL, max_attempts=4)
    done = await write(task, Scripted(WRONG_LOOP, nearly, Answer("no idea"), RECURSIVE), home)
    assert done.result.verdict is Verdict.UNKNOWN
    assert len(done.attempts) == 4
    assert "all attempts are used up; the best candidate passes 2 of 3 checks" in done.result.reason
    assert done.source.strip() in (nearly, RECURSIVE)
    assert done.state.status == "rejected"


async def test_a_context_stands_before_the_function_and_belongs_to_what_is_written(home: Path) -> None:
    task = replace(DOUBLE, context="def half(x):\n    return x // 2\n")
    script = Scripted("def double(x: int) -> int:\n    return half(4 * x)")
    done = await write(task, script, home)
    assert done.result.verdict is Verdict.TESTED, done.result.reason
    assert done.source.startswith("def half(x):")
    assert "def half(x):" in script.prompt(0)
