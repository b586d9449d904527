"""What runs leave for later ones: proved lemmas and the success of strategies. It helps; nothing depends on it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import NamedTuple

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.search.memory import LemmaBank, StrategyStatistics, proved_in_run
from goedels_poetry.settings.declared import Settings
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import NodeStatus


class Memory(NamedTuple):
    """What earlier runs left, as far as it can be used."""

    bank: LemmaBank | None = None
    statistics: StrategyStatistics | None = None
    problems: tuple[str, ...] = ()

    def troubles(self) -> list[str]:
        """What went wrong with them since this was asked last, for the warnings."""
        return [trouble for file in (self.bank, self.statistics) if file is not None for trouble in file.troubles()]


class MemoryFiles:
    """The databases in the data directory, opened when a run first needs them. They help, nothing depends on them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._bank: LemmaBank | None = None
        self._statistics: StrategyStatistics | None = None

    def open(self) -> Memory:
        """What can be used now; what cannot be opened is left out and named."""
        if not self._settings.use_memory:
            return Memory()
        home = self._settings.data_dir
        problems: list[str] = []
        if self._bank is None:
            try:
                self._bank = LemmaBank(home / "lemmas.db")
            except (sqlite3.Error, OSError) as exc:
                problems.append(f"the lemma bank {home / 'lemmas.db'} is not used: {exc}")
        if self._statistics is None:
            try:
                self._statistics = StrategyStatistics(home / "strategies.db")
            except (sqlite3.Error, OSError) as exc:
                problems.append(f"the statistics {home / 'strategies.db'} are not used: {exc}")
        return Memory(self._bank, self._statistics, tuple(problems))

    def close(self) -> None:
        """Close them; they are opened again when they are needed again."""
        for memory in (self._bank, self._statistics):
            if memory is not None:
                memory.close()
        self._bank = self._statistics = None


def fill_memory(
    memory: Memory, store: ProofStore, run_id: str, result: RunResult, retry: bool, ours: frozenset[str]
) -> list[str]:
    """Give later runs what this one has learnt; a full disk must not take the result with it.

    Args:
        retry: the checker could not be asked about the whole proof now.
        ours: names of the agents that come from no plug-in.

    Returns:
        What went wrong, for the warnings.
    """
    if memory.statistics is not None:
        memory.statistics.record(run_id, result.language, _strategy_counts(store))
    if memory.bank is not None:
        _fill_bank(memory.bank, store, result, retry, ours)
    return memory.troubles()


def _fill_bank(bank: LemmaBank, store: ProofStore, result: RunResult, retry: bool, ours: frozenset[str]) -> None:
    """What the checker has accepted; and what else was proved where nobody but our own agents says so.

    Even that is no more than a hint: the checker looks at whatever a later proof takes from the bank.
    """
    ours_alone = store.agents() <= ours
    accepted = result.verdict is Verdict.PROVED
    if store.root().status is NodeStatus.PROVED and not accepted and not retry:
        bank.forget(_taken_from_bank(store))
    elif accepted or ours_alone:
        bank.add(proved_in_run(store, result.language, cut_ones=ours_alone))


def _taken_from_bank(store: ProofStore) -> set[str]:
    nodes = store.nodes()
    adopted = {node.origin.removeprefix("bank:") for node in nodes if node.origin.startswith("bank:")}
    return adopted | {lemma for node in nodes for lemma in node.lemmas}


def _strategy_counts(store: ProofStore) -> dict[tuple[str, str], tuple[int, int]]:
    tried: Counter[tuple[str, str]] = Counter()
    proved: Counter[tuple[str, str]] = Counter()
    last_shape: dict[tuple[str, str], str] = {}
    for node_id, entry in store.history_of_kind("sketch"):
        name = (entry["strategy"], entry["shape"])
        tried[name] += 1
        last_shape[node_id, entry["strategy"]] = entry["shape"]
    for node in store.nodes():
        if node.status is NodeStatus.PROVED and node.strategy is not None:
            shape = last_shape.get((node.id, node.strategy))
            if shape is not None:
                proved[node.strategy, shape] += 1
    return {name: (count, proved[name]) for name, count in tried.items()}
