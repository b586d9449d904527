"""The retriever of the machine in a language that can be searched; the toy language stands for it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from searched import Searched
from services import Services
from toy_language import ToyLanguage

from goedels_poetry import GoedelsPoetryFramework, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import Premise

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
