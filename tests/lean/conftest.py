"""One embedded Lean for all tests of a process: starting it costs a second and 0.6 GB."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from goedels_poetry.languages.lean.runtime import CheckRequest, CheckResult, LeanPool
from goedels_poetry.languages.lean.runtime.embedded import embedded_pool, install


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fetch Lean, once for all times, before the clock of any test runs."""
    if any("lean" in getattr(item, "fixturenames", ()) for item in session.items):
        install()


@pytest.fixture(scope="session")
def lean() -> Iterator[LeanPool]:
    """A Lean that answers one request at a time, from any event loop. Tests must leave it alive."""
    pool = embedded_pool(1)
    yield pool
    asyncio.run(pool.aclose())


@dataclass(frozen=True)
class SyncLean:
    """The same Lean for tests that are no coroutines."""

    pool: LeanPool

    def check(self, code: str, prefix: str = "", **asked: Any) -> CheckResult:
        return asyncio.run(self.pool.check(CheckRequest(code=code, prefix=prefix, **asked)))

    def evaluate(
        self, terms: list[str], arguments: list[list[str]] | None = None, prefix: str = "", seconds: float = 30.0
    ) -> list[list[str | None]]:
        return asyncio.run(self.pool.evaluate(prefix, terms, [[]] if arguments is None else arguments, seconds))


@pytest.fixture
def lean_sync(lean: LeanPool) -> SyncLean:
    return SyncLean(lean)
