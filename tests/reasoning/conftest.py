"""Fixtures: a home of its own for each test, and a language whose processes serve a whole file."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from scripted_questions import KeptLanguage


@pytest.fixture
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home of its own, so that no server of a test finds replies that another one gave at the same port."""
    monkeypatch.setenv("GOEDELS_POETRY__HOME", str(tmp_path / "home"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def language() -> AsyncIterator[KeptLanguage]:
    """One for all tests of a file."""
    kept = KeptLanguage()
    yield kept
    await kept.finish()
