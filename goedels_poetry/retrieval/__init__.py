"""Premises for a goal: what its file, its project, the library and search services have that may help to prove it."""

from __future__ import annotations

from goedels_poetry.retrieval.index import Index
from goedels_poetry.retrieval.remote import LeanExploreRetriever, LoogleRetriever
from goedels_poetry.retrieval.retrievers import BM25Retriever, EmbeddedRetriever
from goedels_poetry.retrieval.search import PremiseSearch, SearchResult

__all__ = [
    "BM25Retriever",
    "EmbeddedRetriever",
    "Index",
    "LeanExploreRetriever",
    "LoogleRetriever",
    "PremiseSearch",
    "SearchResult",
]
