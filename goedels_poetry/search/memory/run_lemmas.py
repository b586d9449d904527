"""What a run has proved by itself, goal by goal: what later runs may use, and other goals of the same run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from goedels_poetry.search.memory.bank import Lemma, export_subtree
from goedels_poetry.store.derivation import scope_ids
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode

MOST_NODES_OF_A_LEMMA = 500
"""Larger proofs are not worth carrying about."""


def proved_in_run(
    store: StoreReader,
    language: str,
    *,
    cut_ones: bool,
    latest: int | None = None,
    wanted: Callable[[str, str], bool] = lambda key, node_id: True,
) -> Iterator[Lemma]:
    """Each goal below the root whose proof stands by itself, in the order in which they were proved.

    Args:
        cut_ones: with those that backtracking cut off, which stand in no proof that was checked.
        latest: how many of the goals that were proved last are looked at; None: all.
        wanted: by key and node; what is not wanted is not read.
    """
    for key, node_id in store.lemmas(latest):
        if not wanted(key, node_id):
            continue
        node = store.get(node_id)
        if node.parent is None or node.origin.startswith("bank:"):
            continue
        if store.is_cut(node_id) and not cut_ones:
            continue
        body = export_subtree(store, node_id, origin="")
        if len(body) <= MOST_NODES_OF_A_LEMMA and not _rests_on_others(store, node, body):
            yield Lemma(key, language, node.statement, node.strategy or "", body)


def _rests_on_others(store: StoreReader, node: ProofNode, body: list[dict[str, Any]]) -> bool:
    """Whether the proof of a subtree cites what does not stand in it: a lemma of the bank, or one proved beside it."""
    if any("lemmas" in item["row"] for item in body):
        return True
    inside = {item["id"] for item in body}
    outside = [fact for fact in scope_ids(store, node) if fact not in inside]
    if not outside:
        return False
    parts = [item[name] for item in body for name in ("proof", "sketch") if item.get(name)]
    cited = {cite for part in parts for cite in part.get("cites", ())}
    text = json.dumps(parts)  # where citations are keys, they are long enough to stand for nothing else
    return any(fact in cited or _key(store, fact) in text for fact in outside)


def _key(store: StoreReader, fact: str) -> str:
    """By what a node or a lemma of the bank is cited."""
    lemma = store.meta(f"lemma:{fact}")
    key = store.get(fact).key if lemma is None else lemma[0]["row"]["key"]
    return str(key).rpartition(":")[2]
