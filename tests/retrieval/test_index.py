"""Premises: their index, the search, the agent, remote services."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from services import FAULTS, Services
from toy_language import ToyLanguage

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.http import ReplyTooLarge
from goedels_poetry.protocol.base import Citable, Goal, Premise
from goedels_poetry.search.retrieval import (
    Index,
    PremiseSearch,
    SearchFailed,
    fused,
    leanexplore,
    loogle,
    queries_for,
    words_of,
)
from goedels_poetry.settings.declared import RetrievalSettings

LIBRARY = [Citable("reverse_reverse", statement="reverse"), Citable("append_nil", statement="append")]


class Searched(ToyLanguage):
    """Toy goals whose symbols are their words."""

    asked_for_library = 0
    library_name = ""

    async def library_id(self, goal: Goal) -> str:
        return self.library_name

    async def library(self, goal: Goal) -> list[Citable] | None:
        self.asked_for_library += 1
        return LIBRARY

    async def local_context(self, goal: Goal) -> tuple[Citable, list[Citable]]:
        statement = goal.statement or json.loads(goal.theorem)["root"]
        return Citable("root", tuple(statement.split())), [Citable("near", statement="append", source="file")]

    async def stated(self, goal: Goal, names: Sequence[str]) -> dict[str, str]:
        return {name: f"states {name}" for name in names}


LEMMAS = [
    Citable("List.map_append", statement="(f : α → β) : (xs ++ ys).map f = xs.map f ++ ys.map f"),
    Citable("List.reverse_reverse", statement="(xs : List α) : xs.reverse.reverse = xs"),
    Citable("Nat.add_comm", statement="(n m : Nat) : n + m = m + n", docstring="Addition commutes."),
    Citable("Nat.mul_comm", statement="(n m : Nat) : n * m = m * n"),
]


def names(found: list[Premise]) -> list[str]:
    return [p.name for p in found]


def test_a_name_is_taken_apart_at_dots_underscores_capitals_and_digits() -> None:
    assert words_of("List.reverse_append'") == ("list", "reverse", "append")
    assert words_of("getElem?_ofFn") == ("get", "elem", "fn")
    assert words_of("Int64.toNat") == ("int", "64", "nat")


def test_what_shares_most_comes_first() -> None:
    index = Index.of(LEMMAS)
    assert names(index.search("(as ++ bs).map g", 2))[0] == "List.map_append"
    assert names(index.search("a * b", 4))[0] == "Nat.mul_comm"
    assert names(index.search("commutes addition", 4))[0] == "Nat.add_comm"
    assert index.search("", 5) == []
    assert index.search("zebra", 5) == []


def test_a_conclusion_about_other_functions_counts_less() -> None:
    entries = [
        Citable("far", ("Eq", "f", "g", "h", "Eq>f", "f>g", "g>h")),
        Citable("near", ("Eq", "f", "Eq>f")),
    ]
    assert names(Index.of(entries).search("Eq f Eq>f g", 2))[0] == "near"


def test_an_index_in_a_file_says_the_same_as_one_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "index.db"
    Index.write(file, LEMMAS)
    kept = Index.at(file)
    assert kept is not None
    for query in ("xs.map f", "n + m", "reverse"):
        assert kept.search(query, 4) == Index.of(LEMMAS).search(query, 4)
    kept.close()
    assert [f.name for f in file.parent.iterdir()] == ["index.db"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\0" * 500])
def test_a_damaged_file_is_no_index(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "index.db"
    file.write_bytes(content)
    assert Index.at(file) is None
    assert Index.at(tmp_path / "none.db") is None


def test_ranks_are_merged_by_their_reciprocals() -> None:
    a, b, c = (Premise(name, name) for name in "abc")
    assert fused([[a, b], [b, c]], 3) == [b, a, c]
    assert fused([[a, b], [c]], 3, [1.0, 2.0]) == [c, a, b]
    assert fused([[a, a, a], [b]], 1) == [a]
    assert fused([], 3) == []


def test_each_round_of_queries_is_another_until_none_is_left() -> None:
    goal = Citable("g", ("Eq", "f", "f>g", "g"), ("Nat", "h"))
    failed = Citable("s", ("Eq", "f", "k"), ())
    earlier: list[str] = []
    while queries := queries_for(goal, failed, earlier):
        assert not set(queries) & set(earlier)
        earlier += queries
    assert earlier[:3] == ["Eq f k", "Eq f f>g g Nat h", "k"]
    assert {"f", "f f>g", "g f>g", "h"} <= set(earlier)


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


HOPELESS = {"proof": None, "exhausted": True}
GOALS = {
    "reverse append": HOPELESS
    | {"sketches": [{"strategy": name, "children": [child]} for name, child in (("a", "A"), ("b", "B"), ("c", "C"))]},
    "A": HOPELESS,
    "B": HOPELESS,
}


@pytest.fixture
async def language() -> AsyncIterator[Searched]:
    yield Searched()


async def ran(language: ToyLanguage, tmp_path: Path, **retrieval: Any) -> tuple[Any, list[dict[str, Any]]]:
    settings = Settings(home=tmp_path, retrieval=retrieval)
    async with GoedelsPoetryFramework(settings, language=language) as framework:
        result = await framework.arun(json.dumps({"root": "reverse append", "goals": GOALS}), name="t.toy")
        return result, [
            e for e in framework.conversation(result.run_id) if (e["kind"], e["node"]) == ("retrieval", "0")
        ]


async def test_the_sketcher_sees_premises_and_each_new_start_asks_other_queries(
    language: Searched, tmp_path: Path
) -> None:
    result, rounds = await ran(language, tmp_path)
    assert result.verdict is Verdict.PROVED
    asked = [query for entry in rounds for query in entry["queries"]]
    assert len(rounds) >= 2 and len(asked) == len(set(asked))
    assert rounds[0]["queries"][0] == "reverse append"
    assert set(rounds[0]["premises"]) == {"near", "reverse_reverse", "append_nil"}
    first = next(goal for goal in language.goals if goal.statement == "" and goal.premises)
    assert Premise("near", "states near", source="file") in first.premises


async def test_a_service_that_is_down_costs_one_warning_and_no_proof(language: Searched, tmp_path: Path) -> None:
    with Services("HTTP 500") as services:
        result, rounds = await ran(language, tmp_path, loogle_url=services.url)
    assert result.verdict is Verdict.PROVED
    assert 2 <= len(services.asked) <= 6, "a service that is down is not asked for ever"
    assert [w for w in result.warnings if "Loogle" in w] == [
        f"Loogle gave no premises: {services.url} answered with HTTP 500"
    ]
    assert rounds[0]["premises"]


async def test_loogle_is_asked_for_constants_and_its_hits_are_premises() -> None:
    with Services() as services:
        found = await loogle(services.url, 20, 10.0, "HAppend.hAppend List.length Eq>List.length #0 Nat Eq")
    assert services.asked == [("/json", {"q": "HAppend.hAppend, List.length, Nat"})]
    assert [p.name for p in found] == ["List.length_append", "Finset.card_union"]
    assert (found[0].docstring, found[0].source) == ("Said by the service.", "loogle")


async def test_a_query_that_loogle_does_not_understand_finds_nothing() -> None:
    with Services() as services:
        assert await loogle(services.url, 20, 10.0, "nope") == []


async def test_leanexplore_is_asked_with_words_a_limit_and_the_key() -> None:
    with Services() as services:
        found = await leanexplore(f"{services.url}/", "secret", 7, 10.0, "List.map List.map>f length of a list")
    assert services.asked == [("/search", {"q": "List.map length of a list", "limit": "7"})]
    assert services.headers[0]["authorization"] == "Bearer secret"
    assert found[0].name == "List.length_map"
    assert found[0].statement == "theorem …"


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_service_that_misbehaves_raises_within_its_time(fault: str) -> None:
    with Services(fault) as services, pytest.raises((SearchFailed, ReplyTooLarge)):
        await loogle(services.url, 20, 2.0, "List.map")


def test_an_address_that_is_none_is_refused_before_anything_begins() -> None:
    with pytest.raises(ValidationError, match="is not an address"):
        RetrievalSettings(loogle_url="loogle.lean-lang.org")
