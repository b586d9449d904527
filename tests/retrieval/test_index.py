"""Words, index and ranks: what is found for a query, and in which order."""

from pathlib import Path

import pytest

from goedels_poetry.protocol.base import Citable, Premise
from goedels_poetry.search.retrieval import Index, fused, queries_for, words_of

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
