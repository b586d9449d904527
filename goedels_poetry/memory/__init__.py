"""What is kept across runs: proved lemmas, and how well strategies did."""

from __future__ import annotations

from goedels_poetry.memory.bank import LemmaBank, export_subtree, lemma_id, theory_of
from goedels_poetry.memory.statistics import StrategyStatistics

__all__ = ["LemmaBank", "StrategyStatistics", "export_subtree", "lemma_id", "theory_of"]
