"""`ProofStore`: the proof tree in SQLite. One transaction an agent step, immutable revisions, time travel."""

from __future__ import annotations

from goedels_poetry.tree.store.database import refuse
from goedels_poetry.tree.store.proof_store import STEPS, Commit, ProofStore
from goedels_poetry.tree.store.queues import WorkItem
from goedels_poetry.tree.store.reads import HistoryEntry, StoreReader, bans_in
from goedels_poetry.tree.store.salvage import Salvage, is_whole, salvage
from goedels_poetry.tree.store.txn import Txn

__all__ = [
    "STEPS",
    "Commit",
    "HistoryEntry",
    "ProofStore",
    "Salvage",
    "StoreReader",
    "Txn",
    "WorkItem",
    "bans_in",
    "is_whole",
    "refuse",
    "salvage",
]
