"""Fixtures of the models' tests: prompts of their own, models that ask the scripted server, and are closed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asking import MakeModels
from model_server import Server

from goedels_poetry.models.client import Models, models_from
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings, Settings


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "test-goal.md").write_text("Be brief.\n<!-- user -->\nProve {{ statement }} with \\frac{a}{b}.\n")
    return folder


@pytest.fixture
async def models(prompts: Path) -> AsyncIterator[MakeModels]:
    """``models(server, retries=0, ..., record=...)``: all roles ask the server."""
    made: list[Models] = []

    def make(server: Server | None = None, **given: Any) -> Models:
        files = {name: given.pop(name) for name in ("record", "replay", "cache") if name in given}
        own = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20} if server else {}
        chosen = ModelsSettings(default=ModelSettings(**(own | given)), **files)
        built = models_from(Settings(models=chosen, prompts_dir=prompts))
        assert built is not None
        made.append(built)
        return built

    yield make
    for each in made:
        await each.aclose()
