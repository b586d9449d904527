"""The events of a run as `trace` writes them: each with what it cost, how long it took, and what was tried in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goedels_poetry.store.reads import StoreReader

_COSTS = {
    "job_seconds": "seconds",
    "solver_calls": "solver_calls",
    "solver_seconds": "solver_seconds",
    "cpu_seconds": "cpu_seconds",
    "model_calls": "model_calls",
}
"""Counters of a run, and what an event calls its share of them."""


def told_events(store: StoreReader, as_of: int | None = None) -> Iterator[dict[str, Any]]:
    """Every event as JSON, in order, until a commit.

    Beside the fields of `Event`: ``seconds`` (wall time of the agent's job; absent where nobody has measured it),
    ``solver_calls``, ``solver_seconds``, ``cpu_seconds``, ``model_calls`` (absent where there was none), ``strategies``
    (that were proposed, rejected, banned or tried in this step; absent without any), ``tried`` (how many things were).
    """
    named = _strategies(store)
    before: Mapping[str, float] = {}
    for event in store.events():
        if as_of is not None and event.seq > as_of:
            return
        after = store.spent(as_of=event.seq)
        told = event.to_json()
        for counter, name in _COSTS.items():
            amount = after.get(counter, 0) - before.get(counter, 0)
            if amount > 0:
                told[name] = int(amount) if name.endswith("calls") else round(amount, 6)
        strategies, tried = named.get(event.seq, ({}, 0))
        if strategies:
            told["strategies"] = list(strategies)
        if tried:
            told["tried"] = tried
        before = after
        yield told


def _strategies(store: StoreReader) -> dict[int, tuple[dict[str, None], int]]:
    """By commit: the strategies that its history names, in order, and how many things were tried."""
    named: dict[int, tuple[dict[str, None], int]] = {}
    for seq, _, _, entry in store.whole_history():
        strategies, tried = named.get(seq, ({}, 0))
        trials = entry.get("trials") or ()
        for name in (entry.get("strategy"), *(trial.get("strategy") for trial in trials)):
            if name:
                strategies[str(name)] = None
        tried += sum(int(trial.get("times", 1)) for trial in trials) + int(entry.get("more") or 0)
        named[seq] = (strategies, tried)
    return named
