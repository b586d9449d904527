"""A search over all sources: what is kept, and what happens when something fails."""

import asyncio
import json
from pathlib import Path

import pytest
from searched import LIBRARY, Searched

from goedels_poetry.protocol.base import Citable, Goal
from goedels_poetry.search.retrieval import PremiseSearch
from goedels_poetry.settings.declared import RetrievalSettings

GOAL = Goal(json.dumps({"root": "reverse append"}), {}, "0", "")


class OnShelf(Searched):
    library_name = "toy 1"


class Slow(Searched):
    async def library(self, goal: Goal) -> list[Citable] | None:
        await asyncio.sleep(60)
        return LIBRARY


def search(cache: Path, **settings: float | str) -> PremiseSearch:
    return PremiseSearch(RetrievalSettings.model_validate(settings), cache)


async def found(looking: PremiseSearch, language: Searched) -> set[str]:
    return {p.name for p in (await looking.find(language, GOAL)).premises}


EVERYTHING = {"near", "reverse_reverse", "append_nil"}


async def test_a_library_with_a_name_is_asked_for_once_and_then_kept_on_disk(tmp_path: Path) -> None:
    first, second = OnShelf(), OnShelf()
    assert await found(search(tmp_path), first) == await found(search(tmp_path), second) == EVERYTHING
    assert (first.asked_for_library, second.asked_for_library) == (1, 0)
    assert len(list(tmp_path.iterdir())) == 1  # noqa: ASYNC240


async def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    await found(search(tmp_path), OnShelf())
    for file in tmp_path.iterdir():  # noqa: ASYNC240
        file.write_bytes(b"nonsense")
    mended = search(tmp_path)
    assert await found(mended, OnShelf()) == EVERYTHING
    assert mended.troubles() == []


async def test_a_search_that_takes_too_long_gives_nothing_and_says_so(tmp_path: Path) -> None:
    late = search(tmp_path, seconds=0.05)
    assert await found(late, Slow()) == set()
    assert late.troubles() == ["no premises within 0.05 s; the search goes on without"]


@pytest.mark.parametrize("wanted", [1, 2])
async def test_there_are_no_more_premises_than_wanted(tmp_path: Path, wanted: int) -> None:
    assert len(await found(search(tmp_path, premises=wanted), Searched())) == wanted
