"""What is kept across runs: proved lemmas, how well strategies did; and what one run has tried on each goal."""

from __future__ import annotations

from goedels_poetry.search.memory.bank import (
    LemmaBank,
    StrategyStatistics,
    export_subtree,
    lemma_id,
    proved_in_run,
    theory_of,
)
from goedels_poetry.search.memory.tried import ExecutionTrace, NodeState, conversation, node_state

__all__ = [
    "ExecutionTrace",
    "LemmaBank",
    "NodeState",
    "StrategyStatistics",
    "conversation",
    "export_subtree",
    "lemma_id",
    "node_state",
    "proved_in_run",
    "theory_of",
]
