"""One Lean for many checks, where a process that has seen nothing is not what a test is about."""

from __future__ import annotations

import pytest

from goedels_poetry.checker.built_in import LeanChecker
from goedels_poetry.languages.lean.runtime import LeanPool


class Kept:
    """The session's Lean, which a checker that wants a fresh one may close as often as it likes."""

    def __init__(self, lean: LeanPool) -> None:
        self._lean = lean
        self.version = lean.version
        self.check = lean.check
        self.replay = lean.replay

    async def aclose(self) -> None:
        """Other tests want it still."""


def for_checkers(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the test ends, what a run has proved is checked in this Lean instead of three that are started for it."""
    monkeypatch.setattr(LeanChecker, "_open", lambda checker: Kept(lean))


__all__ = ["Kept", "for_checkers"]
