"""What model calls cost in time when a hundred goals need one each and every reply takes 0.1 s.

    python scripts/bench_models.py [--goals 100] [--delay 0.1] [--only requests,cases,files] [--orders symbolic,model]
        [--concurrency 200] [--tail 1.5]

Shapes: ``requests``: `Models.ask` alone; ``cases``: one theorem whose sketch has that many subgoals;
``files``: that many theorem files in one `prove --jobs`. The goals are out of the solvers' reach and follow from one
instance of a premise, which the model names. Baselines in the same process and minute: the same requests one after
another, and all at once through bare httpx and through the bare openai client.

The scripted server of the tests runs in a process of its own and notes when requests arrive and are answered.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry.models.accounting import Ledger
from goedels_poetry.models.client import models_from
from goedels_poetry.models.requests import Request
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings, Settings

TESTS = Path(__file__).parents[1] / "tests" / "support"
SERVE = """
import json, random, re, sys
sys.path.insert(0, sys.argv[1])
from model_server import Answer, Server

def script(asked):
    text = str(asked["messages"][-1]["content"])
    goal = re.search(r"show: \\(Q \\(?c?(\\d+)\\)?\\)", text)
    said = {"lemmas": [], "cases": "d", "leave_open": True}
    if goal:
        here = f"c{goal[1]}" if f"c{goal[1]}" in goal[0] else goal[1]
        said = {"instances": [{"of": "premise", "name": "rule", "at": ["10", "1", here]}]}
    mean, tail = float(sys.argv[2]), float(sys.argv[3])
    chance = random.Random(str(goal and goal[0]))  # a goal's reply takes as long whenever it is asked for
    delay = mean * (tail - 1) / tail * chance.paretovariate(tail) if tail else mean
    return Answer(json.dumps(said), delay=delay)

with Server(script) as server:
    print(server.url, flush=True)
    for line in sys.stdin:
        print(json.dumps(server.spans), flush=True)
        server.spans.clear()
"""
PREMISES = """\
(declare-fun P (Int {sort}) Bool)
(declare-fun Q ({sort}) Bool)
(assert (! (forall ((x Int) (y Int) (d {sort})) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) d) (Q d))) :named rule))
(assert (! (forall ((d {sort})) (P 1017 d)) :named fact))
"""
"""What follows only when somebody sees that 1017 is the value of the polynomial at 10 and 1."""


def one_theorem(goals: int) -> str:
    """A theorem with a case for each goal."""
    cases = " ".join(f"(c{n})" for n in range(1, goals + 1))
    return f"(declare-datatypes ((D 0)) (({cases})))\n{PREMISES.format(sort='D')}(prove (forall ((d D)) (Q d)))\n"


def small_theorem(n: int) -> str:
    """A theorem with one goal."""
    return f"{PREMISES.format(sort='Int')}(prove (Q {n}))\n"


Span = tuple[float, float]
"""Begin and end, seconds of the monotonic clock."""


class Server:
    """The scripted server in a process of its own."""

    def __init__(self, delay: float, tail: float = 0.0) -> None:
        serving = [sys.executable, "-c", SERVE, str(TESTS), str(delay), str(tail)]
        self._process = subprocess.Popen(serving, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self._line().strip()

    def spans(self) -> list[tuple[float, float]]:
        """Arrival and answer of every request since the last call."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return [(arrived, answered) for arrived, answered in json.loads(self._line())]

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()


class Times(NamedTuple):
    """Seconds of one measurement; None: not known for this shape."""

    what: str
    calls: int
    window: float
    """From the first request's arrival to the last answer."""
    in_flight: float
    """In which at least one request was being answered."""
    seconds: float | None = None
    """The same as the run itself counts it, from building a request to having read its reply."""
    waiting: float | None = None
    """In which the run waited for models and did nothing else, by its own account."""
    idle: float | None = None
    """In which a request was being answered while no process of the command used a processor."""
    wall: float | None = None
    """Of the whole command."""
    cpu: float | None = None
    """Processor time of the command's own process, its workers not counted."""
    verdicts: str = ""
    of_bound: float | None = None
    """The window over what no schedule beats: all replies over the concurrency, or the longest chain of them."""


def times(what: str, spans: list[Span], **more: Any) -> Times:
    """What the server's notes say."""
    merged = union(spans)
    window = merged[-1][1] - merged[0][0] if merged else 0.0
    return Times(what, len(spans), window, sum(end - begin for begin, end in merged), **more)


def union(spans: list[Span]) -> list[Span]:
    """The same moments, as spans that do not meet."""
    merged: list[Span] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def common(some: list[Span], others: list[Span]) -> float:
    """Seconds that are in both."""
    return sum(max(0.0, min(b, d) - max(a, c)) for a, b in union(some) for c, d in union(others))


# -- baselines and requests alone ------------------------------------------------------------------------------------


async def bare(url: str, requests: int) -> tuple[dict[str, Callable[[], Awaitable[object]]], Any]:
    """The same requests without us, and how to close the clients."""
    import httpx
    import openai

    limits = httpx.Limits(max_connections=requests)
    client = httpx.AsyncClient(limits=limits, timeout=60)
    peer = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    def body(n: int) -> Any:
        return {"model": "m", "messages": [{"role": "user", "content": f"Prove {n}."}]}

    async def post(n: int) -> object:
        return (await client.post(f"{url}/chat/completions", json=body(n))).json()

    async def serially() -> None:
        for n in range(requests):
            await post(n)

    async def close() -> None:
        await client.aclose()
        await peer.close()

    runs: dict[str, Callable[[], Awaitable[object]]] = {
        "baseline: one after another (httpx)": serially,
        "baseline: gather, bare httpx": lambda: asyncio.gather(*map(post, range(requests))),
        "baseline: gather, bare openai": lambda: asyncio.gather(
            *(peer.chat.completions.create(**body(n)) for n in range(requests))
        ),
    }
    return runs, close


async def measure_bare(server: Server, requests: int) -> list[Times]:
    found = []
    runs, close = await bare(server.url, requests)
    for name, run in runs.items():
        began = time.monotonic()
        await run()
        found.append(times(name, server.spans(), seconds=time.monotonic() - began))
    await close()
    return found


async def ask_all(url: str, home: Path, requests: int) -> tuple[int, float]:
    """Every request through `Models.ask`; returns the number of calls and the model time by our own account."""
    (home / "bench.md").write_text("Prove {{ statement }}.")
    models = models_from(
        Settings(home=home, prompts_dir=home, models=ModelsSettings(default=ModelSettings(model="m", base_url=url)))
    )
    assert models is not None
    ledger = Ledger()
    asked = (models.ask(Request("prover", "bench", {"statement": str(n)}), ledger) for n in range(requests))
    replies = await asyncio.gather(*asked)
    assert all(reply.ok for (reply,) in replies)
    await models.aclose()
    return int(ledger.spent.get("model_calls", 0)), ledger.spent.get("model_seconds", 0.0)


def measure_requests(server: Server, requests: int) -> list[Times]:
    with tempfile.TemporaryDirectory() as folder:
        _, seconds = asyncio.run(ask_all(server.url, Path(folder), requests))
        found = times("Models.ask alone", server.spans(), seconds=seconds)
        assert asyncio.run(ask_all(server.url, Path(folder), requests))[0] == 0, "the second run makes no calls"
    return [found]


# -- whole runs --------------------------------------------------------------------------------------------------


def prove(server: Server, what: str, theorems: list[str], goals: int, flags: list[str]) -> Times:
    """One `prove` of the command line over these theorems; ``goals``: requests under way at once."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        files = [home / f"t{n}.smt2" for n in range(len(theorems))]
        for file, text in zip(files, theorems, strict=True):
            file.write_text(text)
        command = [sys.executable, "-m", "goedels_poetry", "prove", *map(str, files), "--json", "--no-bank"]
        command += ["--model", "m", "--base-url", server.url, "--max-concurrency", str(goals), "--timeout", "600"]
        command += ["--jobs", str(min(goals, len(files))), *flags]
        began = time.monotonic()
        out = home / "out.jsonl"
        environment = {**os.environ, "GOEDELS_POETRY__HOME": str(home / "home")}
        with out.open("w") as sink:
            process = subprocess.Popen(command, stdout=sink, stderr=subprocess.DEVNULL, env=environment)
            own, all_of_it, moment = 0.0, 0.0, began
            idle: list[Span] = []
            while process.poll() is None:
                time.sleep(STEP)
                used = _processor_seconds(process.pid)
                own, before, all_of_it = max(own, used.get(process.pid, 0.0)), all_of_it, sum(used.values())
                now = time.monotonic()
                if 0 <= all_of_it - before <= 0.01 and used:  # the clock's step; less than before: a process has ended
                    idle.append((moment, now))
                moment = now
        wall = time.monotonic() - began
        results = [json.loads(line) for line in out.read_text().splitlines()]
    counts: dict[str, int] = {}
    for result in results:
        counts[result["verdict"]] = counts.get(result["verdict"], 0) + 1
    spans = server.spans()
    own_account: dict[str, float] = {}
    if len(results) == 1:
        models = results[0]["metrics"]["models"]
        own_account = {"seconds": models.get("seconds", 0.0), "waiting": models.get("waiting_seconds", 0.0)}
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    took = [end - begin for begin, end in spans]
    chain = took[0] + max(took[1:], default=0.0) if len(theorems) == 1 and took else max(took, default=0.0)
    bound = max(sum(took) / goals, chain)
    found = times(what, spans, idle=common(idle, spans), wall=wall, cpu=own, verdicts=verdicts, **own_account)
    return found._replace(of_bound=found.window / bound if bound else None)


STEP = 0.03


def _processor_seconds(root: int) -> dict[int, float]:
    """Processor seconds of a process and its descendants, by process; empty where there is no /proc."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            pid = int(folder.name)
            parents[pid] = int(fields[1])
            used[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def belongs(pid: int) -> bool:
        while pid != root and pid in parents:
            pid = parents[pid]
        return pid == root

    return {pid: seconds for pid, seconds in used.items() if belongs(pid)}


def show(row: Times) -> None:
    numbers = (row.window, row.in_flight, row.seconds, row.waiting, row.idle, row.wall, row.cpu, row.of_bound)
    cells = ["" if number is None else f"{number:.2f}" for number in numbers]
    print(f"| {row.what} | {row.calls} | {' | '.join(cells)} | {row.verdicts} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", type=int, default=100)
    parser.add_argument("--delay", type=float, default=0.1)
    parser.add_argument("--only", default="requests,cases,files")
    parser.add_argument("--orders", default="symbolic,model", help="of the whole runs: who has the first turn")
    parser.add_argument("--concurrency", type=int, help="requests under way at once (default: one for each goal)")
    parser.add_argument("--tail", type=float, default=0.0, help="index of a Pareto distribution of delays, e.g. 1.5")
    options = parser.parse_args()
    at_once = options.concurrency or options.goals
    goals, shapes = options.goals, options.only.split(",")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    head = ("calls", "window s", "in flight s", "by our account s", "waiting s", "idle s", "command s", "CPU s")
    print(f"| | {' | '.join(head)} | × bound | verdicts |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with Server(options.delay, options.tail) as server:
        if "requests" in shapes:
            for row in asyncio.run(measure_bare(server, goals)) + measure_requests(server, goals):
                show(row)
        for order in options.orders.split(","):
            flags = ["--model-first"] if order == "model" else []
            if "cases" in shapes:
                what = f"one theorem, {goals} subgoals; {order} first"
                show(prove(server, what, [one_theorem(goals)], at_once, flags))
            if "files" in shapes:
                theorems = [small_theorem(n) for n in range(1, goals + 1)]
                show(prove(server, f"{goals} theorems; {order} first", theorems, at_once, flags))


if __name__ == "__main__":
    main()
