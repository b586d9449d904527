"""One Lean for many checks, where a process that has seen nothing is not what a test is about."""

import asyncio
from typing import Any

import pytest

from goedels_poetry.checker import limited
from goedels_poetry.checker.built_in import LeanChecker
from goedels_poetry.checker.lean import verify
from goedels_poetry.cli import doctor
from goedels_poetry.lean import language
from goedels_poetry.lean.runtime import opening as built_in_runtime  # the checker's import is inside its function
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import ReplayRequest, ReplayResult
from goedels_poetry.lean.smt_proofs import export


class Kept:
    """The session's Lean, which a checker that wants a fresh one may close as often as it likes."""

    def __init__(self, lean: LeanPool) -> None:
        self._lean = lean

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lean, name)

    async def replay(self, request: ReplayRequest) -> ReplayResult:
        """As `LeanRuntime.replay`; a Lean that runs already need not be made to start.

        Who wants a Lean to start asks it for nothing, and who then has no more use for it does not wait for the answer,
        which would cost this Lean its process.
        """
        return await self._lean.replay(request) if request.data else ReplayResult("done")

    async def aclose(self) -> None:
        """Other tests want it still."""


def for_checkers(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, what a run has proved is checked in this Lean instead of three that are started for it."""
    monkeypatch.setattr(LeanChecker, "_open", lambda checker: Kept(lean))


def for_all(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, whoever of our process opens the Lean that the settings ask for gets this one."""
    for module in (built_in_runtime, doctor, export, language, verify):
        monkeypatch.setattr(module, "open_lean", lambda *_, **__: Kept(lean))
    monkeypatch.setattr(limited, "_in_a_process", check_here)


async def check_here(pool: object, payload: dict[str, Any], *_: object) -> dict[str, Any]:
    """Checks beside the event loop, and not in a process of its own with a Lean that is started for it."""
    return await asyncio.to_thread(limited.check, payload)
