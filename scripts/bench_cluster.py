"""What a second node of a Ray cluster is worth, and what it costs to lose one: both on this machine, with their bars.

    python scripts/bench_cluster.py [--problems 24] [--theorem FILE] [--repeat 1]

Each node has one processor of this machine to itself, workers and raylet alike. The benchmark is so many copies of one
theorem whose proof is the work of solvers; every node has proved one before the clock starts. One node is the baseline,
measured in the same call. Then one of two nodes is killed when half of the results are there. Needs the extra `ray` and
two processors. Exit code 0 when both bars are met.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

FASTER = 1.7
"""Times that two nodes must be faster than one."""


def problems(text: str, number: int, mark: str) -> list[object]:
    """The same theorem, each time with another text, so that none is another's answer."""
    from goedels_poetry.evaluation.answerers import Theorem

    return [Theorem(f"{mark}{n}", f"; {mark} {n}\n{text}", "theorem.smt2", dataset=mark) for n in range(number)]


async def work(nodes, text: str, number: int, folder: Path, room: int) -> tuple[float, list[str], int]:
    """Seconds, keys in the log and results: of so many problems, after every node has had one."""
    from goedels_poetry.cluster.runs import ClusterRuns
    from goedels_poetry.cluster.seats import Seats
    from goedels_poetry.evaluation.answerers import ProofAnswerer, setup_of
    from goedels_poetry.evaluation.pipeline import EvaluationPipeline
    from goedels_poetry.settings.declared import Budgets, Settings

    settings = Settings(home=folder / "home", budgets=Budgets(wall_seconds=600))
    lines = partial(print, "  note:", flush=True)
    async with Seats(nodes.ray, on_note=lines) as seats:
        assert await seats.room() == room, "the nodes of the trial before are still there"

        async def run(mark: str, many: int) -> float:
            theorems = problems(text, many, mark)
            async with ProofAnswerer(settings, theorems, setup_of(settings, mark=mark)) as answerer:
                answerer.elsewhere = partial(ClusterRuns, seats)
                pipeline = EvaluationPipeline(answerer, folder / mark, num_workers=room, proofs=True)
                began = time.monotonic()
                await pipeline.aevaluate([theorem.question for theorem in theorems])
                return time.monotonic() - began

        await run("warm", room)
        seconds = await run("timed", number)
    log = [json.loads(line) for line in (folder / "timed" / "answers.jsonl").read_text().splitlines()]
    proved = sum(answer.get("result", {}).get("verdict") == "proved" for answer in log)
    return seconds, [answer["key"] for answer in log], proved


def killer(nodes, node, folder: Path, after: int) -> threading.Thread:
    """Kills the node when so many results are in the log."""

    def watch() -> None:
        log = folder / "timed" / "answers.jsonl"
        while not (log.exists() and log.read_text().count("\n") >= after):
            time.sleep(0.02)
        nodes.kill(node)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def main() -> int:
    """Measure and say it."""
    from ray_nodes import Nodes

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=24)
    parser.add_argument("--theorem", type=Path, default=ROOT / "theorems" / "smt" / "fast_power.smt2")
    parser.add_argument("--repeat", type=int, default=1, help="the best of so many counts, for each number of nodes")
    given = parser.parse_args()
    text = given.theorem.read_text("utf-8")
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        print("two processors are needed")
        return 2
    nodes = Nodes()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            first = nodes.add(processor=processors[0])
            alone, keys, proved = min(
                asyncio.run(work(nodes, text, given.problems, folder / f"one{n}", 1)) for n in range(given.repeat)
            )
            print(f"one node:  {given.problems} problems, {proved} proved, {alone:.1f} s", flush=True)
            nodes.add(processor=processors[1])
            both, keys, proved = min(
                asyncio.run(work(nodes, text, given.problems, folder / f"two{n}", 2)) for n in range(given.repeat)
            )
            print(f"two nodes: {given.problems} problems, {proved} proved, {both:.1f} s", flush=True)
            place = folder / "killed"
            thread = killer(nodes, first, place, given.problems // 2)
            seconds, keys, proved = asyncio.run(work(nodes, text, given.problems, place, 2))
            thread.join()
    finally:
        nodes.close()
    times = Counter(keys)
    twice = sum(number > 1 for number in times.values())
    print(f"one of two killed after {given.problems // 2} results: {proved} proved in {seconds:.1f} s")
    exact = len(times) == given.problems and not twice
    print(f"faster with a second node: {alone / both:.2f} times (bar: {FASTER})")
    print(f"problems without a result: {given.problems - len(times)}, with two: {twice} (bar: none)")
    return 0 if alone / both >= FASTER and exact else 1


if __name__ == "__main__":
    sys.exit(main())
