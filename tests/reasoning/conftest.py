"""Fixtures: a home of its own for each test, and a language whose processes serve a whole file."""

from collections.abc import AsyncIterator

import pytest_asyncio
from kept_languages import KeptLogic


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def language() -> AsyncIterator[KeptLogic]:
    """One for all tests of a file."""
    kept = KeptLogic()
    yield kept
    await kept.finish()
