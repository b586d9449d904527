"""Search services over real HTTP, as they should be and as they should not."""

import pytest
from pydantic import ValidationError
from services import FAULTS, Services

from goedels_poetry.models.http import ReplyTooLarge
from goedels_poetry.search.retrieval import SearchFailed, leanexplore, loogle
from goedels_poetry.settings.declared import RetrievalSettings


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
