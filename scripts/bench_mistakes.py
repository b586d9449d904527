"""What each mistake of a model costs: requests about the theorem until it is proved, and what the model was told.

    python scripts/bench_mistakes.py [WORDS]

The models are those of tests/support/mistakes.py, behind a real HTTP server on this machine; nobody else is asked.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from mistakes import MISTAKES, Beginner, Mistake
from model_server import Server

from goedels_poetry import GoedelsPoetryFramework, Settings


async def measured(mistake: Mistake) -> str:
    """A line of the table."""
    model = Beginner(mistake)
    with Server(model) as server:
        asked = {"default": {"model": "scripted", "base_url": server.url}}
        settings = Settings(models=asked, symbolic_queries=0 if mistake.role else 12, budgets={"wall_seconds": 120})
        async with GoedelsPoetryFramework(settings) as framework:
            result = await framework.arun(mistake.theorem, name=mistake.file)
    told = next((line for prompt in model.prompts[1:] for line in prompt.splitlines() if mistake.told in line), "")
    return f"| {mistake.name} | {len(model.prompts)} | {result.verdict.value} | {told if mistake.told else ''} |"


async def main() -> None:
    """All of them, or those whose names hold the first argument."""
    print("| mistake | requests | verdict | told |\n|---|---|---|---|")
    for mistake in MISTAKES if len(sys.argv) < 2 else [m for m in MISTAKES if sys.argv[1] in m.name]:
        print(await measured(mistake), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["GOEDELS_POETRY__HOME"] = home
        asyncio.run(main())
