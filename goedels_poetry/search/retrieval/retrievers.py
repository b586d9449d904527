"""LangChain retrievers over premises: each answers a query with documents, best first.

A query is text: names, notation, words, and pairs ``outer>inner`` of symbols. A document's content is the statement;
its metadata are name, docstring and source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from goedels_poetry.protocol.base import Citable, Premise
from goedels_poetry.search.retrieval.index import Index

RANK_OFFSET = 60
"""Of reciprocal rank fusion: a place r counts 1 / (60 + r) (Cormack, Clarke and Büttcher, SIGIR 2009)."""


def document(premise: Premise) -> Document:
    """A premise as LangChain has it."""
    about = {"name": premise.name, "docstring": premise.docstring, "source": premise.source}
    return Document(page_content=premise.statement, metadata=about)


def premise(document: Document) -> Premise:
    """And back."""
    known = document.metadata
    return Premise(
        str(known.get("name", "")),
        document.page_content,
        str(known.get("docstring", "")),
        str(known.get("source", "")),
    )


class BM25Retriever(BaseRetriever):
    """Premises of an index, by BM25."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    index: Index
    limit: int = 20

    @classmethod
    def of(cls, entries: Iterable[Citable], limit: int = 20) -> BM25Retriever:
        """Over a few entries, in memory."""
        return cls(index=Index.of(entries), limit=limit)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return [document(found) for found in self.index.search(query, self.limit)]


class EmbeddedRetriever(BaseRetriever):
    """What another retriever finds, ordered by nearness to the query in the space of an embedding model."""

    model_config = ConfigDict(arbitrary_types_allowed=True)
    retriever: BaseRetriever
    embeddings: Embeddings
    limit: int = 20

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.retriever.invoke(query)
        return self._ordered(found, self.embeddings.embed_documents([query, *map(_text, found)])) if found else []

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = await self.retriever.ainvoke(query)
        if not found:
            return []
        return self._ordered(found, await self.embeddings.aembed_documents([query, *map(_text, found)]))

    def _ordered(self, found: list[Document], vectors: list[list[float]]) -> list[Document]:
        wanted, *others = vectors
        near = [(-_cosine(wanted, vector), n) for n, vector in enumerate(others)]
        return [found[n] for _, n in sorted(near)][: self.limit]


def fused(answers: Sequence[Sequence[Document]], limit: int, weights: Sequence[float] = ()) -> list[Document]:
    """Answers merged by reciprocal rank, each with its weight (default 1).

    Of several documents with one name the first is kept.
    """
    scores: dict[str, float] = {}
    known: dict[str, Document] = {}
    for answer, weight in zip(answers, weights or [1.0] * len(answers), strict=True):
        seen: set[str] = set()
        for rank, found in enumerate(answer, start=1):
            name = str(found.metadata.get("name") or found.page_content)
            if name in seen:
                continue
            seen.add(name)
            known.setdefault(name, found)
            scores[name] = scores.get(name, 0.0) + weight / (RANK_OFFSET + rank)
    return [known[name] for name in sorted(scores, key=lambda name: -scores[name])[:limit]]


def _text(found: Document) -> str:
    return f"{found.metadata.get('name', '')} : {found.page_content} {found.metadata.get('docstring', '')}".strip()


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    length = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return sum(x * y for x, y in zip(a, b, strict=True)) / length if length else 0.0


def openai_embeddings(model: str, base_url: str | None, api_key: str, seconds: float) -> Embeddings:
    """Any embedding endpoint that speaks OpenAI's protocol."""
    import openai
    from langchain_openai import OpenAIEmbeddings

    settings: dict[str, Any] = {"model": model, "base_url": base_url, "api_key": api_key or "none", "timeout": seconds}
    # Goals are not sent on to a host that nobody has named.
    settings["http_client"] = openai.DefaultHttpxClient(follow_redirects=False)
    settings["http_async_client"] = openai.DefaultAsyncHttpxClient(follow_redirects=False)
    # Other servers take texts, not the token numbers that this client sends for OpenAI's own models.
    return OpenAIEmbeddings(**settings, max_retries=0, check_embedding_ctx_length=False)
