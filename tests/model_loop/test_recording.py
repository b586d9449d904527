"""The recording that ships: made against the scripted server of these tests, not by a real model.

After a change of prompts it is made anew with ``python tests/model_loop/test_recording.py``.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from model_server import Server
from scripted_models import FIBONACCI, HERE, good_model

from goedels_poetry import GoedelsPoetryFramework, Settings, Verdict
from goedels_poetry.store.results import RunResult

RECORDING = HERE / "recordings" / "fibonacci.jsonl"


async def prove(home: Path, **models: object) -> RunResult:
    settings = Settings(home=home, models=models, symbolic_queries=12, budgets={"wall_seconds": 60})
    async with GoedelsPoetryFramework(settings) as framework:
        return await framework.arun(FIBONACCI, name="fibonacci.smt2")


async def test_the_recording_proves_without_any_network(tmp_path: Path) -> None:
    result = await prove(tmp_path, replay=RECORDING)
    assert (result.verdict, result.trust_level) == (Verdict.PROVED, "L3")
    assert "scripted" in RECORDING.read_text().partition("\n")[0], "it says what it is"


def record() -> None:
    """Make the recording anew."""
    RECORDING.parent.mkdir(exist_ok=True)
    RECORDING.unlink(missing_ok=True)
    with Server(good_model, port=8765) as server, tempfile.TemporaryDirectory() as home:
        model = {"model": "scripted", "base_url": server.url}
        note = "scripted replies of tests/model_loop/scripted_models.py, not a real model"
        result = asyncio.run(prove(Path(home), default=model, record=RECORDING, record_note=note))
        print(result.verdict, server.calls, "calls")


if __name__ == "__main__":
    record()
