"""Lateral thinking on three tasks: what failed twice is not tried a third time, and another approach passes.

    python scripts/lateral_thinking.py [--prompts] [factorial | fibonacci | coins ...]

The model is the scripted server of the tests, over real HTTP: its functions are the ones below, in their order. What it
is told depends on what came of them, so the tree that is printed (attempts with the fingerprints of their strategies,
evidence, bans) is the machine's own. ``--prompts`` prints what was asked, too. Exit code 0 when every task ends with a
tested function and no strategy was tried more than twice.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from scripted_code import Scripted, Written, write

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.tasks.code import CodeTask

FACTORIAL = CodeTask(
    name="factorial",
    task="Calculate the factorial of a number. Large numbers must not exhaust the stack.",
    signature="def factorial(n: int) -> int",
    examples=(("factorial(0)", "1"), ("factorial(5)", "120")),
    tests=("assert factorial(5000) // factorial(4999) == 5000",),
    seconds=5,
    model_first=True,
)
FACTORIALS = (
    """\
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)
""",
    """\
def factorial(n):
    if n == 0:
        return 1
    return n * factorial(n - 1)
""",
    """\
import sys
sys.setrecursionlimit(3000)

def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)
""",
    """\
def factorial(n):
    result = 1
    for i in range(1, n + 1):
        result *= i
    return result
""",
)

FIBONACCI = CodeTask(
    name="fibonacci",
    task="The n-th Fibonacci number: 0, 1, 1, 2, 3, 5 and so on.",
    signature="def fibonacci(n: int) -> int",
    examples=(
        ("fibonacci(0)", "0"),
        ("fibonacci(1)", "1"),
        ("fibonacci(7)", "13"),
        ("fibonacci(70)", "190392490709135"),
    ),
    seconds=0.5,
    model_first=True,
)
FIBONACCIS = (
    """\
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
""",
    """\
def fibonacci(n):
    if n == 0:
        return 0
    if n <= 2:
        return 1
    return fibonacci(n - 2) + fibonacci(n - 1)
""",
    """\
def fibonacci(n):
    def f(k):
        if k < 2:
            return k
        return f(k - 1) + f(k - 2)
    return f(n)
""",
    """\
from functools import lru_cache

@lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
""",
)

COINS = CodeTask(
    name="coins",
    task="The least number of coins of the given values that add up to amount; None when none do.",
    signature="def coins(values: list[int], amount: int) -> int | None",
    examples=(
        ("coins([1, 5, 10], 27)", "5"),
        ("coins([1, 3, 4], 6)", "2"),
        ("coins([5, 7], 23)", "None"),
        ("coins([], 0)", "0"),
    ),
    seconds=2,
    model_first=True,
)
COINS_TRIED = (
    """\
def coins(values, amount):
    count = 0
    for value in sorted(values, reverse=True):
        count += amount // value
        amount %= value
    return count if amount == 0 else None
""",
    """\
def coins(values, amount):
    used = 0
    for coin in sorted(values, reverse=True):
        while amount >= coin:
            amount -= coin
            used += 1
    return None if amount else used
""",
    """\
def coins(values, amount):
    number = 0
    for value in reversed(sorted(values)):
        taken, amount = divmod(amount, value)
        number += taken
    return number if not amount else None
""",
    """\
def coins(values, amount):
    none = amount + 1
    least = [0] + [none] * amount
    for value in values:
        for total in range(value, amount + 1):
            least[total] = min(least[total], least[total - value] + 1)
    return least[amount] if least[amount] < none else None
""",
)


class Scenario(NamedTuple):
    """A task and the functions of the model, the last of which is right."""

    task: CodeTask
    functions: tuple[str, ...]


SCENARIOS = {
    "factorial": Scenario(FACTORIAL, FACTORIALS),
    "fibonacci": Scenario(FIBONACCI, FIBONACCIS),
    "coins": Scenario(COINS, COINS_TRIED),
}


def shown(task: CodeTask, done: Written) -> list[str]:
    """The strategy tree of a run, line by line."""
    lines = [f"{task.name}: {task.task}"]
    banned = set(done.state.forbidden_strategies)
    strategies = list(dict.fromkeys(str(entry["fingerprint"] or "no strategy") for entry in done.attempts))
    for strategy in strategies:
        last = strategy == strategies[-1]
        lines.append(f"{'└' if last else '├'}── {strategy}{'  BANNED' if strategy in banned else ''}")
        inside = [entry for entry in done.attempts if str(entry["fingerprint"] or "no strategy") == strategy]
        for entry in inside:
            branch = f"{' ' if last else '│'}   {'└' if entry is inside[-1] else '├'}── "
            checks = f", {entry['passed']} of {entry['total']} checks" if entry["total"] else ""
            lines.append(f"{branch}attempt {entry['attempt']}: {entry['outcome']}{checks}; {entry['reason']}")
    lines.append(
        f"    forbidden_strategies {list(done.state.forbidden_strategies)}, fail_count {done.state.fail_count}"
    )
    lines.append(f"    get_graph_stats {done.stats}")
    lines.append(f"    {done.result.verdict}: {done.result.reason}")
    return lines


def holds(done: Written) -> bool:
    """Whether the run ends with a tested function and no strategy was run more than twice without success."""
    failed = Counter(str(entry["fingerprint"]) for entry in done.attempts if entry["outcome"] == "failed")
    return done.result.verdict is Verdict.TESTED and max(failed.values(), default=0) <= 2


async def main(names: list[str], *, prompts: bool) -> int:
    fine = True
    for name in names or list(SCENARIOS):
        task, functions = SCENARIOS[name]
        script = Scripted(*functions)
        with tempfile.TemporaryDirectory() as home:
            done = await write(task, script, Path(home))
        print("\n".join(shown(task, done)) + "\n")
        for number in range(len(script.asked) if prompts else 0):
            print(f"--- prompt {number + 1}\n{script.prompt(number)}\n")
        fine = fine and holds(done)
    return 0 if fine else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *SCENARIOS])
    parser.add_argument("--prompts", action="store_true", help="what the model was asked, too")
    options = parser.parse_args()
    sys.exit(asyncio.run(main(options.names, prompts=options.prompts)))
