"""What model calls cost in time when a hundred goals need one each and every reply takes 0.1 s.

    python scripts/bench_models.py [--goals 100] [--delay 0.1] [--only requests,cases,files] [--orders symbolic,model]

Shapes: ``requests``: `Models.ask` alone; ``cases``: one theorem whose sketch has that many subgoals;
``files``: that many theorem files in one `prove --jobs`. The goals are out of the solvers' reach and follow from one
instance of a premise, which the model names. Baselines in the same process and minute: the same requests one after
another, and all at once through bare httpx and through the bare openai client.

The scripted server of the tests runs in a process of its own and notes when requests arrive and are answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from goedels_poetry.models import Ledger, Request, models_from
from goedels_poetry.settings import ModelSettings, ModelsSettings, Settings

TESTS = Path(__file__).parents[1] / "tests" / "models"
SERVE = """
import json, re, sys
sys.path.insert(0, sys.argv[1])
from server import Answer, Server

def script(asked):
    text = str(asked["messages"][-1]["content"])
    goal = re.search(r"show: \\(Q \\(?c?(\\d+)\\)?\\)", text)
    said = {"lemmas": [], "cases": "d", "leave_open": True}
    if goal:
        said = {"instances": [{"of": "premise", "name": f"rule{goal[1]}", "at": ["10", goal[1]]}]}
    return Answer(json.dumps(said), delay=float(sys.argv[2]))

with Server(script) as server:
    print(server.url, flush=True)
    for line in sys.stdin:
        print(json.dumps(server.spans), flush=True)
        server.spans.clear()
"""
PREMISES = """\
(assert (! (forall ((x Int) (y Int)) (=> (P (+ (* x x x) (* 7 y y y) (* x y)) {goal}) (Q {goal}))) :named rule{n}))
(assert (! (P (+ 1000 (* 7 {n} {n} {n}) (* 10 {n})) {goal}) :named fact{n}))
"""


def one_theorem(goals: int) -> str:
    """A theorem with a case for each goal."""
    names = [f"c{n}" for n in range(1, goals + 1)]
    cases = " ".join(f"({name})" for name in names)
    head = f"(declare-datatypes ((D 0)) (({cases})))\n(declare-fun P (Int D) Bool)\n(declare-fun Q (D) Bool)\n"
    premises = (PREMISES.format(n=n, goal=name) for n, name in enumerate(names, 1))
    return head + "".join(premises) + "(prove (forall ((d D)) (Q d)))\n"


def small_theorem(n: int) -> str:
    """A theorem with one goal."""
    return (
        f"(declare-fun P (Int Int) Bool)\n(declare-fun Q (Int) Bool)\n{PREMISES.format(n=n, goal=n)}(prove (Q {n}))\n"
    )


class Server:
    """The scripted server in a process of its own."""

    def __init__(self, delay: float) -> None:
        serving = [sys.executable, "-c", SERVE, str(TESTS), str(delay)]
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
    waiting: float | None = None
    """In which the run waited for models and did nothing else."""
    wall: float | None = None
    """Of the whole command."""
    cpu: float | None = None
    """Processor time of the command's own process, its workers not counted."""
    verdicts: str = ""


def times(what: str, spans: list[tuple[float, float]], **more: Any) -> Times:
    """What the server's notes say."""
    spans = sorted(spans)
    in_flight, end = 0.0, 0.0
    for arrived, answered in spans:
        in_flight += max(0.0, answered - max(arrived, end))
        end = max(end, answered)
    return Times(what, len(spans), end - spans[0][0] if spans else 0.0, in_flight, **more)


# -- baselines and requests alone ------------------------------------------------------------------------------------


async def bare(url: str, requests: int) -> dict[str, Callable[[], Awaitable[object]]]:
    """The same requests without us."""
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

    return {
        "baseline: one after another (httpx)": serially,
        "baseline: gather, bare httpx": lambda: asyncio.gather(*map(post, range(requests))),
        "baseline: gather, bare openai": lambda: asyncio.gather(
            *(peer.chat.completions.create(**body(n)) for n in range(requests))
        ),
    }


async def measure_bare(server: Server, requests: int) -> list[Times]:
    found = []
    for name, run in (await bare(server.url, requests)).items():
        await run()
        found.append(times(name, server.spans()))
    return found


async def ask_all(url: str, home: Path, requests: int) -> int:
    """Every request through `Models.ask`; returns the number of calls."""
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
    return int(ledger.spent.get("model_calls", 0))


def measure_requests(server: Server, requests: int) -> list[Times]:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(ask_all(server.url, Path(folder), requests))
        found = times("Models.ask alone", server.spans())
        assert asyncio.run(ask_all(server.url, Path(folder), requests)) == 0, "the second run makes no calls"
    return [found]


# -- whole runs --------------------------------------------------------------------------------------------------


def prove(server: Server, what: str, theorems: list[str], goals: int, flags: list[str]) -> Times:
    """One `prove` of the command line over these theorems."""
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
            own = 0.0
            while process.poll() is None:  # its children's time is added to its own when they end, so look before
                own = max(own, _cpu(process.pid))
                time.sleep(0.05)
        wall = time.monotonic() - began
        results = [json.loads(line) for line in out.read_text().splitlines()]
    counts: dict[str, int] = {}
    for result in results:
        counts[result["verdict"]] = counts.get(result["verdict"], 0) + 1
    waiting = results[0]["metrics"]["models"].get("waiting_seconds", 0.0) if len(results) == 1 else None
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return times(what, server.spans(), waiting=waiting, wall=wall, cpu=own, verdicts=verdicts)


def _cpu(pid: int) -> float:
    """Processor seconds of a process without its children; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(rows: list[Times]) -> None:
    print("| | calls | window s | in flight s | waiting s | command s | its own CPU s | verdicts |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        numbers = (row.window, row.in_flight, row.waiting, row.wall, row.cpu)
        cells = ["" if number is None else f"{number:.2f}" for number in numbers]
        print(f"| {row.what} | {row.calls} | {' | '.join(cells)} | {row.verdicts} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goals", type=int, default=100)
    parser.add_argument("--delay", type=float, default=0.1)
    parser.add_argument("--only", default="requests,cases,files")
    parser.add_argument("--orders", default="symbolic,model", help="of the whole runs: who has the first turn")
    options = parser.parse_args()
    goals, shapes, rows = options.goals, options.only.split(","), []
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with Server(options.delay) as server:
        if "requests" in shapes:
            rows += asyncio.run(measure_bare(server, goals)) + measure_requests(server, goals)
        for order in options.orders.split(","):
            flags = ["--model-first"] if order == "model" else []
            if "cases" in shapes:
                what = f"one theorem, {goals} subgoals; {order} first"
                rows.append(prove(server, what, [one_theorem(goals)], goals, flags))
            if "files" in shapes:
                theorems = [small_theorem(n) for n in range(1, goals + 1)]
                rows.append(prove(server, f"{goals} theorems; {order} first", theorems, goals, flags))
    show(rows)


if __name__ == "__main__":
    main()
