"""What is kept across runs: proved lemmas, how well strategies did; and what one run has tried on each goal."""

from __future__ import annotations

from goedels_poetry.search.memory.bank import LemmaBank, export_subtree, lemma_id, theory_of
from goedels_poetry.search.memory.lateral import ExecutionTrace, NodeState, conversation, node_state
from goedels_poetry.search.memory.run_lemmas import proved_in_run
from goedels_poetry.search.memory.statistics import StrategyStatistics

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
