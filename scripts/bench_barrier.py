"""Whether goals wait for each other: a theorem of many goals whose replies take as long as a heavy-tailed dice says.

    python scripts/bench_barrier.py [--goals 400] [--concurrency 50] [--mean 1.0] [--tail 1.5] [--seed 1] [--even]

Replies are slept, so that the machine is measured and nothing else: supervisor, graph, checkpoints, store. A third of
the goals needs a second reply (a correction), a tenth of them stands below a goal that is decomposed first. The bound
that no schedule beats is the larger of two: the theorem's own sketch, before which nothing can begin, and all other
replies over the concurrency; and the longest chain of replies that need each other. ``--even``: every reply takes the
mean, each goal needs one, and none is below another. Bars: 1.2 times the bound with heavy tails, 1.3 times with
``--even``.

The processor column is this process's own time between the first reply's beginning and the last one's end: where it is
as long as the bound, the machine is busy and does not wait. The garbage collector is set as the command sets it. How
fast the processor is decides about the bar with ``--even``: what a bare loop of Python takes is measured, too.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from toy_language import ToyLanguage, theorem

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.cli.main import MORE_COLLECTIONS
from goedels_poetry.languages import Goal

HOPELESS: dict[str, Any] = {"proof": None, "exhausted": True}
REPLIES = frozenset({"prove", "correct", "sketch"})
"""What a model is asked for; verifying is the machine's own."""


class Reply(NamedTuple):
    """One reply that was waited for."""

    goal: str
    begun: float
    ended: float
    took: float
    """Seconds that it was to take; what is more than that is the machine's."""


class Waiting(ToyLanguage):
    """Goals as in ``behaviour``; every reply takes as long as the dice say for its goal and attempt."""

    def __init__(self, behaviour: dict[str, dict[str, Any]], mean: float, tail: float, seed: int) -> None:
        super().__init__()
        self._behaviour, self._mean, self._tail, self._seed = behaviour, mean, tail, seed
        self.replies: list[Reply] = []
        self.processor: list[float] = []

    def _look(self, goal: Goal) -> tuple[str, dict[str, Any], dict[str, Any]]:
        statement = goal.statement or "T"
        return statement, {}, self._behaviour.get(statement, {})

    async def canonical(self, theorem: Any, statement: str) -> str:
        return f"theory:{statement or 'T'}"

    def seconds(self, what: str, statement: str, attempt: int) -> float:
        """Of one reply: a Pareto distribution with this mean, which has no variance below an index of 2."""
        if not self._tail:
            return self._mean
        dice = random.Random(f"{self._seed} {what} {statement} {attempt}")
        return self._mean * (self._tail - 1) / self._tail * dice.paretovariate(self._tail)

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        direct = what == "prove" and self._behaviour.get(statement, {}).get("exhausted")  # no model is asked for these
        if what not in REPLIES or direct:
            return
        begun, took = time.monotonic(), self.seconds(what, statement, attempt)
        self.processor.append(time.process_time())
        await asyncio.sleep(took)
        self.processor.append(time.process_time())
        self.replies.append(Reply(statement, begun, time.monotonic(), took))


def behaviour(goals: int, *, corrected: bool) -> dict[str, dict[str, Any]]:
    """Root, goals, a tenth of them below others; ``corrected``: every third is right after a correction only."""
    names = [f"goal {n}" for n in range(goals * 9 // 10 if corrected else goals)]
    parts = [f"part {n}" for n in range(max(1, goals // 100) if corrected else 0)]
    below = {part: [f"{part}.{n}" for n in range(10)] for part in parts}
    found: dict[str, dict[str, Any]] = {
        "T": {**HOPELESS, "sketches": [{"strategy": "s", "children": [*parts, *names]}]},
        **{p: {**HOPELESS, "sketches": [{"strategy": "s", "children": below[p]}]} for p in parts},
    }
    leaves = [*names, *(leaf for part in parts for leaf in below[part])]
    return found | {leaf: {"proof": 5, "correctable": True} for leaf in leaves[::3] if corrected}


def chain(replies: list[Reply]) -> float:
    """Seconds of the longest chain: the root's sketch, that of the part above, and the replies of the goal itself."""
    of_goal: dict[str, float] = {}
    for reply in replies:
        of_goal[reply.goal] = of_goal.get(reply.goal, 0.0) + reply.took
    above = {goal: of_goal.get(goal.partition(".")[0], 0.0) if "." in goal else 0.0 for goal in of_goal}
    return max(of_goal[goal] + above[goal] + (of_goal["T"] if goal != "T" else 0.0) for goal in of_goal)


def at_once(replies: list[Reply]) -> int:
    """How many replies were waited for at the same time, at most."""
    ends = sorted([(r.begun, 1) for r in replies] + [(r.ended, -1) for r in replies])
    return max(accumulate(change for _, change in ends))


async def measured(goals: int, concurrency: int, language: Waiting) -> dict[str, float]:
    """One run; seconds."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), max_concurrency=concurrency, budgets=Budgets(wall_seconds=500))
        async with GoedelsPoetryFramework(settings, language=language) as framework:
            result = await framework.arun(theorem(), name="t")
    assert str(result.verdict) == "proved", result.reason
    replies = language.replies
    if (most := at_once(replies)) > concurrency:
        raise SystemExit(f"{most} replies were waited for at once, which are more than {concurrency}: not comparable")
    makespan = max(r.ended for r in replies) - min(r.begun for r in replies)
    work, longest = sum(r.took for r in replies), chain(replies)
    first = min(replies, key=lambda reply: reply.begun).took
    shared = first + (work - first) / concurrency
    return {
        "replies": len(replies),
        "makespan": makespan,
        "sketch + rest / concurrency": shared,
        "longest chain": longest,
        "× bound": makespan / max(shared, longest),
        "processor": language.processor[-1] - language.processor[0],
    }


def pace() -> float:
    """Milliseconds that a million steps of a bare loop take here, the median of five."""
    took = []
    for _ in range(5):
        began, total = time.process_time(), 0
        for number in range(1_000_000):
            total += number * number
        took.append(1000 * (time.process_time() - began))
    return statistics.median(took)


def main() -> int:
    """Print a line for each seed; 1 when the mean of the ratios is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", type=int, default=400)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--mean", type=float, default=1.0, help="seconds of a reply")
    parser.add_argument("--tail", type=float, default=1.5, help="index of the Pareto distribution")
    parser.add_argument("--even", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    print(f"{load}; a million steps of a bare loop take {pace():.0f} ms; seconds")
    ratios, tail = [], 0.0 if options.even else options.tail
    gc.set_threshold(*MORE_COLLECTIONS)
    for seed in range(options.seed, options.seed + options.runs):
        gc.collect()  # each run stands for a program of its own
        gc.freeze()
        language = Waiting(behaviour(options.goals, corrected=not options.even), options.mean, tail, seed)
        row = asyncio.run(measured(options.goals, options.concurrency, language))
        ratios.append(row["× bound"])
        print("  ".join(f"{name} {value:.2f}" for name, value in row.items()), flush=True)
    bar, mean = 1.3 if options.even else 1.2, sum(ratios) / len(ratios)
    print(f"mean {mean:.2f} times the bound (bar {bar}): {'met' if mean <= bar else 'NOT MET'}")
    return int(mean > bar)


if __name__ == "__main__":
    sys.exit(main())
