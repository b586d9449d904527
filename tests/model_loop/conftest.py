"""Fixtures: frameworks whose models live behind a real HTTP server with scripted replies.

All of them run in one event loop and share their solver processes: starting those takes longer than most runs here.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from kept_languages import KeptSmt
from model_server import Server
from scripted_models import WithModel

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.smt.language import SmtLanguage


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def kept_language() -> AsyncIterator[KeptSmt]:
    language = KeptSmt()
    yield language
    await language.finish()


@pytest_asyncio.fixture(loop_scope="session")
async def with_model(kept_language: KeptSmt) -> AsyncIterator[WithModel]:
    """``with_model(server, **settings)``: a framework whose roles all ask the server; None: no models."""
    made: list[GoedelsPoetryFramework] = []

    def make(server: Server | None, *, cache: bool = True, **settings: Any) -> GoedelsPoetryFramework:
        if server is not None:
            model = {"model": "scripted", "base_url": server.url, "retries": 0, "timeout_seconds": 20.0}
            settings["models"] = {"default": model, "cache": cache}
        settings = {"symbolic_queries": 12, "budgets": {"wall_seconds": 60}} | settings
        made.append(GoedelsPoetryFramework(Settings(**settings), language=kept_language))
        return made[-1]

    yield make
    for framework in made:
        await framework.aclose()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def smt() -> AsyncIterator[SmtLanguage]:
    """The language with one worker, for all tests of a file."""
    language = SmtLanguage(1)
    yield language
    await language.aclose()
