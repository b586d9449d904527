"""How long a hundred requests take whose replies take 0.1 s each, and that the second run makes no calls.

    python scripts/bench_models.py [--requests 100] [--delay 0.1]

The scripted server of the tests runs in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from goedels_poetry.models import Ledger, Request, models_from
from goedels_poetry.settings import ModelSettings, ModelsSettings, Settings

TESTS = Path(__file__).parents[1] / "tests" / "models"
SERVE = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from server import Answer, Server
with Server(lambda _: Answer("by reflexivity", delay=float(sys.argv[2]))) as server:
    print(server.url, flush=True)
    threading.Event().wait()
"""


async def measure(url: str, home: Path, requests: int) -> tuple[float, int]:
    """Model time in seconds (at least one request under way) and calls, of one run."""
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
    return ledger.spent.get("model_seconds", 0.0), int(ledger.spent.get("model_calls", 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--delay", type=float, default=0.1)
    options = parser.parse_args()
    serving = [sys.executable, "-c", SERVE, str(TESTS), str(options.delay)]
    server = subprocess.Popen(serving, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        for turn in range(3):
            with tempfile.TemporaryDirectory() as folder:
                seconds, calls = asyncio.run(measure(url, Path(folder), options.requests))
                again, none = asyncio.run(measure(url, Path(folder), options.requests))
            print(f"run {turn + 1}: {calls} calls in {seconds:.3f} s; the same again: {none} calls in {again:.3f} s")
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
