"""Premises for Lean goals: what is found, in which order, in whose words, and what happens when nothing is."""

from dataclasses import replace
from pathlib import Path

import pytest
from model_server import Answer, Server
from services import Services

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text import premises
from goedels_poetry.protocol.base import Goal, Searchable
from goedels_poetry.search.retrieval import Index, PremiseSearch
from goedels_poetry.settings.declared import RetrievalSettings

GOALS = [line.split(" ", 1) for line in Path(__file__).with_name("premise_goals.txt").read_text("utf-8").splitlines()]
"""Core lemmas, each with a goal of ours that needs it and does not state it."""
FILE = """def rev : List Nat → List Nat
  | [] => []
  | x :: xs => rev xs ++ [x]

/-- One element. -/
theorem rev_one (x : Nat) : rev [x] = [x] := rfl

theorem goal (xs ys : List Nat) : (rev (xs ++ ys)).length = ys.length + xs.length := by
  sorry

theorem later (xs : List Nat) : rev (rev xs) = xs := by
  sorry
"""
GOAL = Goal(FILE, {"theorem": "goal"}, "0", "")


@pytest.fixture(autouse=True)
def no_services(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOOGLE_URL", "LEANEXPLORE_URL", "LEANEXPLORE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("premises") / "goedels_poetry" / "premises"


@pytest.fixture(scope="module")
def language(lean: LeanPool) -> LeanLanguage:
    return LeanLanguage(lean)


def search(cache: Path, **settings: object) -> PremiseSearch:
    return PremiseSearch(RetrievalSettings(**{"seconds": 60.0, **settings}), cache)


@pytest.mark.whole("test_file_and_library_give_premises_in_lean_s_words")
async def test_core_lemmas_are_found_for_goals_that_need_them(lean: LeanPool, language: LeanLanguage) -> None:
    entries = await premises.library(lean, "")
    assert entries is not None
    index, ranks = Index.of(entries), []
    text = "".join(f"theorem goal{n} {statement} := sorry\n" for n, (_, statement) in enumerate(GOALS))
    asked = await lean.library("", text, False, 60.0)
    assert asked is not None
    goals = {constant.name: constant for constant in asked.own}
    for n, (lemma, _) in enumerate(GOALS):
        wanted = goals[f"goal{n}"]
        found = [p.name for p in index.search(" ".join((*wanted.conclusion, *wanted.context)), 50)]
        ranks.append(found.index(lemma) + 1 if lemma in found else 1000)
    print(f"of {len(ranks)} lemmas {sum(r <= 10 for r in ranks)} in the first 10, {sum(r <= 50 for r in ranks)} in 50")
    assert sum(rank <= 10 for rank in ranks) >= 0.8 * len(ranks)
    assert sum(rank <= 50 for rank in ranks) >= 0.95 * len(ranks)


async def test_file_and_library_give_premises_in_lean_s_words(language: LeanLanguage, cache: Path) -> None:
    assert isinstance(language, Searchable)
    found = await search(cache).find(language, GOAL)
    by_name = {p.name: p for p in found.premises}
    assert by_name["rev_one"].source == "file"
    assert by_name["rev_one"].statement == "(x : Nat) : rev [x] = [x]"
    assert (
        by_name["List.length_append"].statement
        == "{α : Type u} {as bs : List α} : (as ++ bs).length = as.length + bs.length"
    )
    assert not {"goal", "later", "rev", "rev.eq_1"} & set(by_name)
    shown = (await language.describe(replace(GOAL, premises=found.premises)))["premises"]
    assert "rev_one (x : Nat) : rev [x] = [x]  (file)\n" in shown


async def test_a_model_s_query_is_asked_first(language: LeanLanguage, cache: Path) -> None:
    found = await search(cache).find(language, GOAL, ["Nat.gcd symmetric comm"])
    assert found.queries[0] == "Nat.gcd symmetric comm"
    assert "Nat.gcd_comm" in {p.name for p in found.premises}


async def test_names_that_lean_does_not_know_are_left_out(language: LeanLanguage, cache: Path) -> None:
    with Services() as services:
        looking = search(cache, premises=100, loogle_url=services.url, leanexplore_url=services.url)
        found = {p.name: p for p in (await looking.find(language, GOAL)).premises}
    assert {path for path, _ in services.asked} == {"/json", "/search"}
    assert "List.length_map" in found
    assert not {"Finset.card_union", "not a name; #eval 1"} & set(found)
    assert looking.troubles() == []


@pytest.mark.sample(1)
@pytest.mark.parametrize(("fault", "seconds"), [("HTTP 500", 60.0), ("no answer at all", 12.0)])
async def test_a_service_that_fails_is_named_once_and_the_others_answer(
    fault: str, seconds: float, language: LeanLanguage, cache: Path
) -> None:
    with Services(fault) as services:
        looking = search(cache, seconds=seconds, loogle_url=services.url)
        found = await looking.find(language, GOAL)
        await looking.find(language, replace(GOAL, options={"theorem": "later"}))
    assert "List.length_append" in {p.name for p in found.premises}
    assert len(looking.troubles()) == 1
    assert looking.troubles()[0].startswith("Loogle gave no premises: ")


@pytest.mark.whole("test_file_and_library_give_premises_in_lean_s_words")
@pytest.mark.usefixtures("checked_by_kept")
async def test_the_prompts_of_a_run_name_premises(
    lean: LeanPool, monkeypatch: pytest.MonkeyPatch, cache: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache.parents[1]))
    with Server([Answer("I do not know.")]) as server:
        settings = Settings(
            home=tmp_path,
            budgets=Budgets(wall_seconds=60, model_calls=1),
            model_first=True,
            models={"default": {"model": "m", "base_url": server.url, "retries": 0}, "cache": False},
            retrieval={"seconds": 60.0},
        )
        async with GoedelsPoetryFramework(settings, language=LeanLanguage(lean)) as framework:
            await framework.arun(FILE, name="t.lean", options={"theorem": "goal"})
    (prompt,) = (asked["messages"][-1]["content"] for asked in server.requests)
    assert "rev_one (x : Nat) : rev [x] = [x]  (file)\n" in prompt
    assert "List.length_append {α : Type u} {as bs : List α} : (as ++ bs).length = as.length + bs.length\n" in prompt
