"""Search services over real HTTP, as they should be and as they should not."""

import pytest
from pydantic import ValidationError
from services import FAULTS, Services

from goedels_poetry.models.faults import ReplyTooLarge
from goedels_poetry.search.retrieval.remote import LeanExploreRetriever, LoogleRetriever, SearchFailed
from goedels_poetry.settings.declared import RetrievalSettings


async def test_loogle_is_asked_for_constants_and_its_hits_are_premises() -> None:
    with Services() as services:
        found = await LoogleRetriever(base=services.url).ainvoke("HAppend.hAppend List.length Eq>List.length #0 Nat Eq")
    assert services.asked == [("/json", {"q": "HAppend.hAppend, List.length, Nat"})]
    assert [d.metadata["name"] for d in found] == ["List.length_append", "Finset.card_union"]
    assert found[0].metadata == {
        "name": "List.length_append",
        "docstring": "Said by the service.",
        "source": "loogle",
    }


async def test_a_query_that_loogle_does_not_understand_finds_nothing() -> None:
    with Services() as services:
        assert await LoogleRetriever(base=services.url).ainvoke("nope") == []


async def test_leanexplore_is_asked_with_words_a_limit_and_the_key() -> None:
    with Services() as services:
        retriever = LeanExploreRetriever(base=f"{services.url}/", api_key="secret", limit=7)
        found = await retriever.ainvoke("List.map List.map>f length of a list")
    assert services.asked == [("/search", {"q": "List.map length of a list", "limit": "7"})]
    assert services.headers[0]["authorization"] == "Bearer secret"
    assert found[0].metadata["name"] == "List.length_map"
    assert found[0].page_content == "theorem …"


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_service_that_misbehaves_raises_within_its_time(fault: str) -> None:
    with Services(fault) as services, pytest.raises((SearchFailed, ReplyTooLarge)):
        await LoogleRetriever(base=services.url, seconds=2.0).ainvoke("List.map")


def test_an_address_that_is_none_is_refused_before_anything_begins() -> None:
    with pytest.raises(ValidationError, match="is not an address"):
        RetrievalSettings(loogle_url="loogle.lean-lang.org")
