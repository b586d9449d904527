"""A search over all sources: what is kept, and what happens when something fails."""

import asyncio
import json
from pathlib import Path

import pytest
from searched import LIBRARY, Searched

from goedels_poetry.protocol.base import Citable, Goal
from goedels_poetry.search.retrieval.search import PremiseSearch
from goedels_poetry.settings.declared import RetrievalSettings

GOAL = Goal(json.dumps({"root": "reverse append"}), {}, "0", "")


class OnShelf(Searched):
    library_name = "toy 1"


class Broken(Searched):
    async def library(self, goal: Goal) -> list[Citable] | None:
        raise OSError("the library burns")


class Slow(Searched):
    async def library(self, goal: Goal) -> list[Citable] | None:
        await asyncio.sleep(60)
        return LIBRARY


class Unknown(Searched):
    async def library(self, goal: Goal) -> list[Citable] | None:
        return None


class Wordless(Searched):
    """Knows the text of its goals, and nothing about it."""

    async def local_context(self, goal: Goal) -> tuple[Citable, list[Citable]]:
        return Citable("root", statement="reverse append"), []


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


async def test_a_library_without_a_name_is_kept_for_the_run_only(tmp_path: Path) -> None:
    language, looking = Searched(), search(tmp_path / "cache")
    assert await found(looking, language) == EVERYTHING
    await looking.find(language, GOAL, ["another query"])
    assert language.asked_for_library == 1
    assert not (tmp_path / "cache").exists()


async def test_a_damaged_index_is_built_again(tmp_path: Path) -> None:
    await found(search(tmp_path), OnShelf())
    for file in tmp_path.iterdir():  # noqa: ASYNC240
        file.write_bytes(b"nonsense")
    mended = search(tmp_path)
    assert await found(mended, OnShelf()) == EVERYTHING
    assert mended.troubles() == []


async def test_a_cache_that_cannot_be_written_is_named_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    stuck = search(tmp_path / "file" / "cache")
    assert await found(stuck, OnShelf()) == EVERYTHING
    assert len(stuck.troubles()) == 1
    assert stuck.troubles()[0].startswith("the index of the library is not kept: ")


async def test_a_search_that_fails_gives_nothing_and_says_so_once(tmp_path: Path) -> None:
    broken = search(tmp_path)
    assert await found(broken, Broken()) == await found(broken, Broken()) == set()
    assert broken.troubles() == ["premises could not be looked up: OSError: the library burns"]


async def test_a_search_that_takes_too_long_gives_nothing_and_says_so(tmp_path: Path) -> None:
    late = search(tmp_path, seconds=0.05)
    assert await found(late, Slow()) == set()
    assert late.troubles() == ["no premises within 0.05 s; the search goes on without"]


async def test_without_a_library_there_is_still_the_file(tmp_path: Path) -> None:
    assert await found(search(tmp_path), Unknown()) == {"near"}


@pytest.mark.parametrize("wanted", [1, 2])
async def test_there_are_no_more_premises_than_wanted(tmp_path: Path, wanted: int) -> None:
    assert len(await found(search(tmp_path, premises=wanted), Searched())) == wanted


async def test_a_goal_whose_symbols_nobody_can_say_is_read_as_text(tmp_path: Path) -> None:
    assert await found(search(tmp_path), Wordless()) == {"reverse_reverse", "append_nil"}
