"""Premises for a goal, where its language can be searched: for the retriever, and for prompts that come before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from goedels_poetry.protocol.base import Goal, Premise, Searchable
from goedels_poetry.search.agents.deps import Deps

if TYPE_CHECKING:
    from goedels_poetry.search.retrieval.search import SearchResult  # brings LangChain

KIND = "retrieval"
"""Entries of a node's history: which queries were asked, and what they found."""


def can_search(deps: Deps) -> bool:
    """Whether premises can be looked up in the run's language at all."""
    return deps.premises is not None and isinstance(deps.language, Searchable) and deps.settings.retrieval.premises > 0


async def found_premises(deps: Deps, goal: Goal, queries: Sequence[str] = ()) -> SearchResult:
    """Premises by queries that were not asked for this goal before: the model's, and those of the goal itself."""
    if deps.premises is None or not isinstance(deps.language, Searchable):
        from goedels_poetry.search.retrieval.search import SearchResult

        return SearchResult()
    entries = [entry for entry in goal.history if entry["kind"] == KIND]
    earlier = frozenset(query for entry in entries for query in entry["queries"])
    last = next((e for e in reversed(goal.history) if e["kind"] == "backtrack"), None)
    failed = str(last.get("statement") or "") if last is not None else ""
    return await deps.premises.find(deps.language, goal, queries, failed=failed, earlier=earlier)


async def with_premises(deps: Deps, goal: Goal) -> Goal:
    """The goal with those that the retriever found for it, else with those that it suggests itself."""
    if goal.premises or deps.premises is None or not isinstance(deps.language, Searchable):
        return goal
    return replace(goal, premises=(await deps.premises.find(deps.language, goal)).premises)


async def best_first(
    deps: Deps, goal: Goal, lemmas: list[dict[str, Any]], queries: Sequence[str]
) -> list[dict[str, Any]]:
    """Lemmas of earlier runs, ordered by how well they fit where that can be said."""
    if deps.premises is None or not isinstance(deps.language, Searchable):
        return lemmas
    return await deps.premises.ranked(deps.language, goal, lemmas, queries)


def kept(premises: Sequence[Premise]) -> list[dict[str, str]]:
    """Premises as they are stored."""
    return [asdict(premise) for premise in premises]
