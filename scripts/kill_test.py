"""kill -9 a run at random moments, resume it until it ends, and compare with an undisturbed run.

    python scripts/kill_test.py [--kills 100] [--seed 1]                      # 500 generated goals, toy language
    python scripts/kill_test.py --theorem FILE [--language NAME] [--kills 20]   # any theorem, e.g. one in SMT-LIB
    GOEDELS_POETRY_MAX_CONCURRENCY=64 python scripts/kill_test.py            # with jobs that wait in line for a place

After every kill the log on disk must be a continuation of the log before it (no proved node lost). At the end
the tree, with the attempts of every node, must equal the undisturbed run's, and the counted attempts and backtracks
must equal the recorded ones (none counted twice). How often goals were given up on the way is not compared: of two
failures below a goal the one that comes first decides whether the other is seen at all, kills or none. Exit code 0
when all of it holds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOY = HERE.parent / "tests" / "support"


def default_theorem(nodes: int) -> str:
    """A toy theorem whose proof tree has at least that many nodes (85 a part)."""
    sys.path.insert(0, str(TOY))
    from toy_language import theorem

    parts = [f"g:3:p{i}" for i in range(-(-nodes // 85))] + ["g:2:q"]
    goal = {"proof": None, "exhausted": True, "sketches": [{"strategy": "parts", "children": parts}]}
    return theorem("T", goals={"T": goal}, latency=0.004)


def child(home: str, name: str, language: str) -> None:
    """One process that proves (or goes on proving) the theorem of ``HOME/theorem``; killed from outside."""
    from goedels_poetry import Event, GoedelsPoetryFramework, Settings

    given: Any = None
    if language == "toy":
        sys.path.insert(0, str(TOY))
        from toy_language import ToyLanguage

        given = ToyLanguage(log_file=Path(home) / "calls.log")
    source = (Path(home) / "theorem").read_text("utf-8")
    begun: list[bool] = []

    def tell(event: Event) -> None:
        if not begun and event.agent != "framework":
            begun.append(True)
            print("begun", flush=True)

    with GoedelsPoetryFramework(Settings(home=Path(home)), language=given) as framework:
        result = framework.run(source, name=name, language=language if given is None else None, on_event=tell)
    print(json.dumps({"verdict": result.verdict, "reason": result.reason, "run_id": result.run_id}), flush=True)


class Trial:
    """One theorem in one data directory, in as many processes as it takes."""

    def __init__(self, home: Path, source: str, name: str, language: str) -> None:
        home.mkdir(parents=True)
        (home / "theorem").write_text(source, "utf-8")
        self.home, self.name, self.language = home, name, language
        self.kills = 0
        self.seen: list[tuple[int, str, str]] = []

    def start(self) -> subprocess.Popen[str]:
        command = [sys.executable, str(HERE / "kill_test.py"), "--child", str(self.home), "--name", self.name]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), *sys.path[1:2]])}
        command += ["--language", self.language]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def run_until_killed(self, rng: random.Random, longest: float) -> dict[str, Any] | None:
        """Kill at a random moment after (now and then before) the first step; the result when it was faster."""
        process = self.start()
        assert process.stdout is not None
        first = ""
        if rng.random() < 0.1:
            time.sleep(rng.uniform(0, 1.0))
        else:
            first = process.stdout.readline()  # "begun", or the result when there was nothing left to do
            time.sleep(rng.uniform(0, longest))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            self.kills += 1
            return None
        return self.finish(process, first)

    def finish(self, process: subprocess.Popen[str] | None = None, first: str = "") -> dict[str, Any]:
        process = process or self.start()
        out, err = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"a run failed:\n{err}")
        return dict(json.loads((first + out).splitlines()[-1]))

    def log(self) -> list[tuple[int, str, str]]:
        from goedels_poetry.errors import StoreError
        from goedels_poetry.store.proof_store import ProofStore

        for path in self.home.glob("runs/*/proof.db"):
            try:
                with ProofStore(path, read_only=True) as store:
                    return [tuple(row) for row in store._rows("SELECT seq, key, outcome FROM event ORDER BY seq")]
            except StoreError:
                return []  # killed before the tables were there
        return []

    def check_nothing_was_lost(self) -> None:
        log = self.log()
        if log[: len(self.seen)] != self.seen:
            raise SystemExit(f"commits were lost: {len(self.seen)} before, {len(log)} now")
        self.seen = log

    def account(self, run_id: str) -> dict[str, Any]:
        """What must be the same in every run of the theorem."""
        from goedels_poetry.store.proof_store import ProofStore

        with ProofStore(self.home / "runs" / run_id / "proof.db", read_only=True) as store:
            spent = store.spent()
            nodes = store.nodes()
            keys = [key for (key,) in store._rows("SELECT key FROM event")]
            steps = [key for key in keys if not key.startswith(("init", "resume:", "stop:"))]
            recorded = store.history_counts()["attempt"] + sum(
                event.outcome == "proved" and event.agent == "verifier" for event in store.events()
            )
            if len(set(keys)) != len(keys):
                raise SystemExit("a step was committed twice")
            if spent["steps"] != len(steps):
                raise SystemExit(f"{len(steps)} steps, {spent['steps']} counted")
            if spent.get("attempts", 0) != recorded:
                raise SystemExit(f"{recorded} attempts, {spent['attempts']} counted")
            given_up = store.history_counts().get("backtrack", 0)
            if spent.get("backtracks", 0) != given_up:
                raise SystemExit(f"{given_up} backtracks, {spent['backtracks']} counted")
            return {
                "digest": store.digest()[:16],
                "nodes": len(nodes),
                "attempts": sum(node.attempts for node in nodes),
            }

    def repeated_calls(self) -> int:
        """Calls that were made again because a kill had lost their answers."""
        path = self.home / "calls.log"
        calls = Counter(path.read_text().splitlines()) if path.exists() else Counter()
        return sum(count - 1 for count in calls.values())


def kill_test(
    base: Path, source: str, name: str, language: str, kills: int, seed: int, longest: float, say: Any = print
) -> int:
    """Run trials until ``kills`` processes were killed; returns how many runs that took. Raises SystemExit."""
    reference = Trial(base / "reference", source, name, language)
    start = time.perf_counter()
    answer = reference.finish()
    want = reference.account(answer["run_id"])
    say(f"undisturbed: {answer['verdict']} in {time.perf_counter() - start:.1f} s, {want}")
    rng, done, runs = random.Random(seed), 0, 0
    while done < kills:
        trial = Trial(base / f"trial{runs}", source, name, language)
        result = None
        while result is None and done + trial.kills < kills:
            result = trial.run_until_killed(rng, longest)
            trial.check_nothing_was_lost()
        result = result or trial.finish()
        trial.check_nothing_was_lost()
        done, runs = done + trial.kills, runs + 1
        got = trial.account(result["run_id"])
        say(f"run {runs}: {trial.kills} kills, {trial.repeated_calls()} calls repeated, {result['verdict']}, {got}")
        if (result["verdict"], got) != (answer["verdict"], want):
            raise SystemExit("the result differs from the undisturbed run's")
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=500, help="size of the generated toy theorem")
    parser.add_argument("--theorem", type=Path, help="a theorem instead of the generated one")
    parser.add_argument("--language", help="its language (default: by the file's suffix; toy without a file)")
    parser.add_argument("--longest", type=float, default=0.5, help="most seconds between the start and the kill")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--name", default="theorem", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child, arguments.name, arguments.language)
        return
    from goedels_poetry import languages

    if arguments.theorem:
        source, name = arguments.theorem.read_text("utf-8"), arguments.theorem.name
        language = arguments.language or languages.for_file(name)
    else:
        source, name, language = default_theorem(arguments.nodes), "generated.toy", "toy"
    with tempfile.TemporaryDirectory() as folder:
        runs = kill_test(Path(folder), source, name, language, arguments.kills, arguments.seed, arguments.longest)
    print(f"OK: {arguments.kills} kills over {runs} runs, every tree equal to the undisturbed one")


if __name__ == "__main__":
    main()
