#!/usr/bin/env python3
"""One process that proves theorem after theorem for a long time: does anything grow beyond what it holds?

    python scripts/endurance.py [--minutes 30] [--at-once 4] [--seed 1] [--home FOLDER] [--kill] [--every 10]

Real solvers and the checker, a scripted model server in a process of its own, the lemma bank and the caches in use. No
theorem comes twice: goals that are closed at once, inductions, goals that need a model's reply, false ones, premises
that contradict each other, texts that are none, searches that run out of time. Each verdict is compared with what is
true. Runs are deleted but for the last hundred, so that what the data directory holds is bounded.

Sampled: memory of this process and of its children, file handles, threads, tasks of the loop, children, defunct ones
(that nobody has reaped), bytes of a run's folder for each commit, bytes of the shared databases. ``--kill`` kills a
child every few seconds. After the first third a line is laid through each figure: it grows when the line rises by more
than a tenth of the figure and by more than a margin over the rest of the time. Exit code 1 when something grows, a
verdict is wrong, a child is defunct in two samples, or a process is left at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
KEPT_RUNS = 100
PAGE = os.sysconf("SC_PAGE_SIZE")
MARGINS = {"own MB": 8, "children MB": 150, "handles": 8, "threads": 4, "tasks": 20, "children": 8, "kB a commit": 1}
"""What a figure may rise by over the rest of the run without being said to grow."""
SERVE = """
import json, re, sys, time
sys.path.insert(0, sys.argv[1])
from model_server import Answer, Server

def script(asked):
    text = str(asked["messages"][-1]["content"])
    goal = re.search(r"show: \\(Q (\\d+)\\)", text)
    if not goal:
        return Answer("no idea")
    instance = {"of": "premise", "name": "rule", "at": ["10", "1", goal[1]]}
    return Answer(json.dumps({"instances": [instance]}), delay=0.05)

with Server(script) as server:
    print(server.url, flush=True)
    while sys.stdin.readline():  # now and then, so that the server itself keeps nothing
        for kept in (server.requests, server.headers):
            kept.clear()
"""
LISTS = """\
(declare-datatypes ((L{n} 0)) (((nil{n}) (cons{n} (head{n} Int) (tail{n} L{n})))))
(define-fun-rec app{n} ((x L{n}) (y L{n})) L{n} (match x ((nil{n} y) ((cons{n} h t) (cons{n} h (app{n} t y))))))
(prove (forall ((x L{n})) (= (app{n} x nil{n}) {goal})))
"""
POLYNOMIAL = """\
(declare-fun P (Int Int) Bool)
(declare-fun Q (Int) Bool)
(assert (! (forall ((x Int) (y Int) (d Int)) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) d) (Q d))) :named rule))
(assert (! (forall ((d Int)) (P 1017 d)) :named fact))
(prove (Q {n}))
"""
HARD = "(declare-const a Int)(declare-const b Int)(prove (not (= (+ (* a a a) (* b b b) {n}) (* 114 a b a))))"


def theorem(n: int, dice: random.Random) -> tuple[str, str, tuple[str, ...]]:
    """A kind, a text that no other n has, and the verdicts that are right."""
    between = f"(declare-const c Int)(assert (> c {n}))(assert (< c {n}))(prove false)"
    kinds = {
        "at once": (60, f"(declare-const p Bool)(prove (or p (not p) (= {n} 0)))", ("proved",)),
        "induction": (6, LISTS.format(n=n, goal="x"), ("proved",)),
        "a model's": (8, POLYNOMIAL.format(n=n), ("proved",)),
        "false": (10, LISTS.format(n=n, goal=f"nil{n}"), ("refuted",)),
        "contradiction": (6, between, ("inconsistent",)),
        "no theorem": (8, f"(declare-const c Int)(prove (> c x{n}))", ("invalid",)),
        "hard": (1, HARD.format(n=n), ("unknown", "out_of_budget", "refuted")),
    }
    kind = dice.choices(list(kinds), [weight for weight, _, _ in kinds.values()])[0]
    return kind, kinds[kind][1], kinds[kind][2]


# -- what is sampled -----------------------------------------------------------------------------------------------
def descendants() -> dict[int, str]:
    """Processes that this one has started, with their states."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = (int(words[1]), words[0])
    found = [os.getpid()]
    for pid in found:
        found += [child for child, (parent, _) in parents.items() if parent == pid]
    return {pid: parents[pid][1] for pid in found[1:] if pid in parents}


def resident(pid: int | str) -> float:
    """Memory of a process in MB; 0 when it has just ended."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6
    return 0.0


@dataclass
class Watch:
    """Samples, and what came of the theorems."""

    server: int
    """Process of the model server, which is not ours to judge."""
    began: float = field(default_factory=time.monotonic)
    rows: list[dict[str, float]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    steps: int = 0
    commit_bytes: deque[float] = field(default_factory=lambda: deque(maxlen=500))
    defunct: set[int] = field(default_factory=set)
    never_reaped: set[int] = field(default_factory=set)

    def sample(self, home: Path) -> dict[str, float]:
        """Now."""
        there = {pid: state for pid, state in descendants().items() if pid != self.server}
        defunct = {pid for pid, state in there.items() if state == "Z"}
        self.never_reaped |= defunct & self.defunct
        self.defunct = defunct
        row = {
            "s": time.monotonic() - self.began,
            "theorems": sum(self.counts.values()),
            "steps": self.steps,
            "own MB": resident("self"),
            "children MB": sum(map(resident, there)),
            "handles": len(os.listdir("/proc/self/fd")),
            "threads": len(os.listdir("/proc/self/task")),
            "tasks": len(asyncio.all_tasks()),
            "children": len(there),
            "defunct": len(defunct),
            "kB a commit": statistics.mean(self.commit_bytes) / 1e3 if self.commit_bytes else 0.0,
            "databases MB": sum(file.stat().st_size for file in home.glob("*.db*")) / 1e6,
            "folders": sum(1 for _ in (home / "runs").glob("*")),
        }
        self.rows.append(row)
        return row

    def growing(self) -> Iterator[str]:
        """What grows, with by how much over the last two thirds."""
        rows = self.rows[len(self.rows) // 3 :]
        for name, margin in MARGINS.items() if len(rows) > 5 else ():
            values = [row[name] for row in rows]
            slope = statistics.linear_regression([row["s"] for row in rows], values).slope
            rise = slope * (rows[-1]["s"] - rows[0]["s"])
            if rise > margin and rise > statistics.mean(values) / 10:
                yield f"{name} grows by {rise:.1f} in {rows[-1]['s'] - rows[0]['s']:.0f} s"


# -- the work ------------------------------------------------------------------------------------------------------
async def work(framework: GoedelsPoetryFramework, watch: Watch, options: argparse.Namespace, home: Path) -> None:
    """Theorems, so many at once, until the time is over; then the last ones are finished."""
    until, numbers, finished = watch.began + 60 * options.minutes, iter(range(1, 1 << 40)), deque[Path]()

    async def one_after_another() -> None:
        while time.monotonic() < until:
            n = next(numbers)
            kind, text, right = theorem(n, random.Random(f"{options.seed} {n}"))
            result = await framework.arun(text, name=f"{n}.smt2")
            watch.counts[kind] += 1
            steps = int(result.metrics.get("steps", 0))
            watch.steps += steps
            if str(result.verdict) not in right:
                is_machine = options.kill and str(result.verdict) == "out_of_budget"
                watch.wrong += [] if is_machine else [f"{kind} {n}: {result.verdict} ({result.reason[:200]})"]
            if result.run_dir is not None:
                held = sum(file.stat().st_size for file in result.run_dir.rglob("*") if file.is_file())
                watch.commit_bytes.append(held / max(1, steps))
                finished.append(result.run_dir)
            while len(finished) > KEPT_RUNS:
                shutil.rmtree(finished.popleft(), ignore_errors=True)

    async def look() -> None:
        while True:
            await asyncio.sleep(options.every)
            row = watch.sample(home)
            print("  ".join(f"{name} {value:.{1 if value % 1 else 0}f}" for name, value in row.items()), flush=True)

    async def kill() -> None:
        dice = random.Random(options.seed)
        while options.kill:
            await asyncio.sleep(3)
            if victims := sorted(set(descendants()) - {watch.server}):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(dice.choice(victims), signal.SIGKILL)

    beside = [asyncio.create_task(look()), asyncio.create_task(kill())]
    await asyncio.gather(*(one_after_another() for _ in range(options.at_once)))
    for task in beside:
        task.cancel()


async def endure(options: argparse.Namespace, home: Path, url: str, server: int) -> Watch:
    """A framework for the whole time."""
    watch = Watch(server)
    settings = Settings(
        home=home,
        budgets=Budgets(wall_seconds=options.timeout),
        symbolic_queries=20,
        models=ModelsSettings(default=ModelSettings(model="m", base_url=url)),
    )
    async with GoedelsPoetryFramework(settings, checkpoint_all=False) as framework:
        await work(framework, watch, options, home)
    watch.sample(home)
    return watch


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between samples")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds for each theorem")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    serving = [sys.executable, "-c", SERVE, str(SUPPORT)]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        watch = asyncio.run(endure(options, options.home or Path(folder), url, server.pid))
        server.kill()
    until = time.monotonic() + 10
    while (left := descendants()) and time.monotonic() < until:
        time.sleep(0.1)
    seconds = time.monotonic() - watch.began
    print(f"{sum(watch.counts.values())} theorems, {watch.steps} steps in {seconds:.0f} s: {json.dumps(watch.counts)}")
    faults = [*watch.growing(), *watch.wrong]
    faults += [f"never reaped: {len(watch.never_reaped)} children"] * bool(watch.never_reaped)
    faults += [f"processes left: {left}"] * bool(left)
    print("\n".join(faults[:20]) or "nothing grows, no verdict is wrong, no process is left")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
