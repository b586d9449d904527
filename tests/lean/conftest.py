"""The process's one Lean, for checkers and for tests that are no coroutines."""

import asyncio
from dataclasses import dataclass
from typing import Any

import kept_lean
import pytest
from kept_lean import Kept

from goedels_poetry.checker.lean.gate import Leans
from goedels_poetry.checker.lean.verify import FreshLean, second_kernel
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult


@pytest.fixture(scope="session")
def kept(lean: LeanPool) -> FreshLean:
    """For checkers, where a process that has seen nothing is not what the test is about."""
    return lambda: Kept(lean)  # type: ignore[return-value]


@pytest.fixture
def checked_by_kept(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs have proved or refuted is checked by the session's Lean, where the check is not what they are about."""
    kept_lean.for_checkers(lean, monkeypatch)


@pytest.fixture(scope="session")
def leans(lean: LeanPool) -> Leans:
    """For the gate: one Lean in both parts, where it is not about processes, and the real second kernel."""
    return Leans(lean, lean, second_kernel)


@dataclass(frozen=True)
class SyncLean:
    """The same Lean for tests that are no coroutines."""

    pool: LeanPool

    def check(self, code: str, prefix: str = "", **asked: Any) -> CheckResult:
        return asyncio.run(self.pool.check(CheckRequest(code=code, prefix=prefix, **asked)))


@pytest.fixture
def lean_sync(lean: LeanPool) -> SyncLean:
    return SyncLean(lean)
