"""Fixtures: one Lean and one set of solver processes for all tests of a process; models behind a real HTTP server."""

import asyncio
from collections.abc import Iterator

import kept_lean
import pytest
from kept_languages import KeptSmt

from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool


@pytest.fixture(scope="session")
def lean(lean: LeanPool) -> LeanLanguage:
    return LeanLanguage(lean)


@pytest.fixture
def checked_by_kept(lean: LeanLanguage, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved or refuted is checked in the same Lean; that a check starts its own is tested elsewhere."""
    assert lean._pool is not None
    kept_lean.for_checkers(lean._pool, monkeypatch)


@pytest.fixture(scope="session")
def smt() -> Iterator[KeptSmt]:
    language = KeptSmt(1)
    yield language
    asyncio.run(language.finish())
