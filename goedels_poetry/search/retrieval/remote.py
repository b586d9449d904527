"""Search services for Lean over HTTP: Loogle and LeanExplore, asked where they are configured.

Loogle: ``GET BASE/json?q=…`` answers ``{"hits": [{"name", "type", "module", "doc"}], …}`` or ``{"error": …}``; its
queries are names of constants and patterns, separated by commas. LeanExplore (v2): ``GET BASE/search?q=…&limit=…``
answers ``{"results": [{"name", "module", "docstring", "source_text"}], …}``; it takes any text.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.models.http import http_client
from goedels_poetry.protocol.base import Premise
from goedels_poetry.search.retrieval.retrievers import document

MOST_BYTES = 2_000_000
MOST_TEXT = 2_000
LOOGLE_NAMES = 3
"""Constants in one query: all of them must occur in a hit."""


class SearchFailed(GoedelsPoetryError):
    """A service gave no usable answer."""


class _Remote(BaseRetriever):
    """One service. ``base`` is its address without the last part of the path."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    base: str
    limit: int = 20
    seconds: float = 10.0

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return asyncio.run(self._ask(query))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return await self._ask(query)

    async def _ask(self, query: str) -> list[Document]:
        raise NotImplementedError

    async def _get(self, path: str, parameters: dict[str, str], headers: dict[str, str]) -> dict[str, Any]:
        """The JSON object at an address; raises :class:`SearchFailed` and whatever the connection raises."""
        try:
            async with asyncio.timeout(self.seconds), http_client(MOST_BYTES) as client:
                answer = await client.get(f"{self.base.rstrip('/')}/{path}", params=parameters, headers=headers)
        except TimeoutError:
            raise SearchFailed(f"{self.base} did not answer within {self.seconds:g} s") from None
        if answer.status_code != 200:
            raise SearchFailed(f"{self.base} answered with HTTP {answer.status_code}")
        try:
            found = json.loads(answer.content)
        except ValueError:
            raise SearchFailed(f"{self.base} answered with something else than JSON") from None
        if not isinstance(found, dict):
            raise SearchFailed(f"{self.base} answered with something else than an object")
        return found


class LoogleRetriever(_Remote):
    """Loogle: theorems that have all the constants of the query in them."""

    async def _ask(self, query: str) -> list[Document]:
        names = [piece for piece in query.split() if ">" not in piece and "#" not in piece]
        asked = query if "_" in names or "?" in query else ", ".join(names[:LOOGLE_NAMES])
        found = await self._get("json", {"q": asked}, {})
        return [document(_premise(hit, "type", "doc", "loogle")) for hit in _objects(found.get("hits"))[: self.limit]]


class LeanExploreRetriever(_Remote):
    """LeanExplore: hybrid search by meaning."""

    api_key: str = ""

    async def _ask(self, query: str) -> list[Document]:
        text = " ".join(piece for piece in query.split() if ">" not in piece)
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        found = await self._get("search", {"q": text, "limit": str(self.limit)}, headers)
        return [
            document(_premise(hit, "source_text", "docstring", "leanexplore"))
            for hit in _objects(found.get("results"))[: self.limit]
        ]


def _objects(value: Any) -> list[dict[str, Any]]:
    """The hits that have a name."""
    found = value if isinstance(value, list) else []
    return [hit for hit in found if isinstance(hit, dict) and isinstance(hit.get("name"), str) and hit["name"].strip()]


def _premise(hit: dict[str, Any], statement: str, docstring: str, source: str) -> Premise:
    name, signature, about = (str(hit.get(field) or "").strip()[:MOST_TEXT] for field in ("name", statement, docstring))
    return Premise(name, signature, about, source)
