"""LangChain retrievers over premises: each answers a query with documents, best first.

A query is text: names, notation, words, and pairs ``outer>inner`` of symbols. A document's content is the statement;
its metadata are name, docstring and source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
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
