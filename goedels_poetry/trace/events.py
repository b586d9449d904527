"""The events of a run as `trace` writes them: each with what it cost, how long it took, and what was tried in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby, zip_longest
from typing import Any

from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.state import NodeStatus
from goedels_poetry.trace.wording import worded

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


MOST_GOALS = 50
"""Goals that are listed of each kind; the rest is counted."""
_FIGURES = {
    "seconds": "wall_seconds",
    "steps": "steps",
    "attempts": "attempts",
    "backtracks": "backtracks",
    "bans": "bans",
    "lemmas reused": "lemmas_reused",
    "solver calls": "solver_calls",
    "solver seconds": "solver_seconds",
    "model calls": "model_calls",
    "model tokens": "model_tokens",
}
"""Names for people of a run's counters, in this order."""
LISTS = {
    "proved_in_a_open_in_b": "proved in A, open in B",
    "proved_in_b_open_in_a": "proved in B, open in A",
    "proved_in_a_only": "proved in A only; no such goal in B",
    "proved_in_b_only": "proved in B only; no such goal in A",
}
Json = dict[str, Any]


def compare(a: StoreReader, b: StoreReader, results: tuple[RunResult | None, RunResult | None]) -> Json:
    """Two runs, of the same theorem or of two, as one JSON object; ``results`` as far as the runs have ended.

    ``a``, ``b``: what one knows of each; ``same_theorem``; goals by statement, those of `LISTS`; ``parting``: the first
    step on a goal that is not the same in both, None where they took the same steps.
    """
    first, second = _side(a, results[0]), _side(b, results[1])
    goals_a, goals_b = _goals(a, first["statement"]), _goals(b, second["statement"])
    same = (a.meta("theorem"), a.meta("language")) == (b.meta("theorem"), b.meta("language"))
    found: Json = {"schema": 1, "a": first, "b": second, "same_theorem": same}
    for here, there, these, others in (("a", "b", goals_a, goals_b), ("b", "a", goals_b, goals_a)):
        proved = [statement for statement, is_proved in these.items() if is_proved]
        found[f"proved_in_{here}_open_in_{there}"] = _listed([s for s in proved if others.get(s) is False])
        found[f"proved_in_{here}_only"] = _listed([s for s in proved if s not in others])
    return {**found, "parting": _parting(a, b)}


def _side(store: StoreReader, result: RunResult | None) -> Json:
    nodes, spent = store.nodes(), store.spent()
    proved = sum(node.status is NodeStatus.PROVED for node in nodes)
    tree = {"goals": len(nodes), "proved": proved, "depth": max((node.depth for node in nodes), default=0)}
    strategies = Counter(str(entry.get("strategy")) for _, entry in store.history_of_kind("sketch"))
    return {
        "run_id": str(store.meta("run_id") or store.path.parent.name),
        "name": str(store.meta("name") or ""),
        "statement": worded(str(store.meta("statement") or ""), str(store.meta("language") or "")),
        "verdict": str(result.verdict) if result else "not ended",
        "trust_level": result.trust_level if result else None,
        "reason": result.reason if result else "",
        "figures": tree | {name: _neat(spent.get(counter, 0)) for name, counter in _FIGURES.items()},
        "strategies": dict(sorted(strategies.items())),
    }


def _neat(amount: float) -> float:
    return int(amount) if amount == int(amount) else round(amount, 3)


def _goals(store: StoreReader, theorem: str) -> dict[str, bool]:
    """Worded statement -> whether it is proved anywhere in the live tree."""
    found: dict[str, bool] = {}
    for node in store.nodes():
        statement = worded(node.statement, node.language) if node.statement else theorem
        found[statement] = found.get(statement, False) or node.status is NodeStatus.PROVED
    return found


def _listed(statements: list[str]) -> Json:
    return {"statements": statements[:MOST_GOALS], "count": len(statements)}


def _parting(a: StoreReader, b: StoreReader) -> Json | None:
    """The earliest step on any goal that differs; goals are worked on at once, so each is compared on its own."""
    one, other = _by_node(a), _by_node(b)
    partings = []
    for node in dict.fromkeys((*one, *other)):
        for pair in zip_longest(one.get(node, []), other.get(node, [])):
            steps = [None if event is None else (event.agent, event.outcome) for event in pair]
            if steps[0] != steps[1]:
                partings.append((min(event.seq for event in pair if event is not None), node, pair))
                break
    if not partings:
        return None
    _, node, pair = min(partings, key=lambda each: each[0])
    goal = a.find(node) or b.find(node)
    statement = goal.statement if goal is not None and goal.statement else str(a.meta("statement") or "")
    words = worded(statement, str(a.meta("language") or ""))
    return {"node": node, "statement": words, "a": _step(pair[0]), "b": _step(pair[1])}


def _by_node(store: StoreReader) -> dict[str, list[Event]]:
    ordered = sorted(store.events(), key=lambda event: event.node)  # stable: steps on a goal stay in their order
    return {node: list(steps) for node, steps in groupby(ordered, key=lambda event: event.node)}


def _step(event: Event | None) -> Json | None:
    if event is None:
        return None
    return {"seq": event.seq, "agent": event.agent, "outcome": event.outcome, "reason": event.reason}


def rows(a: Json, b: Json) -> list[tuple[str, str, str]]:
    """(what, of A, of B): verdicts, figures that are not zero in both, strategies."""
    found = [
        (name.replace("_", " "), a[name] or "", b[name] or "") for name in ("name", "verdict", "trust_level", "reason")
    ]
    found += [(name, f"{a['figures'][name]:,g}", f"{b['figures'][name]:,g}") for name in a["figures"]]
    for name in sorted({*a["strategies"], *b["strategies"]}):
        first, second = (str(side["strategies"].get(name, 0)) for side in (a, b))
        found.append((f"sketches by {name}", first, second))
    return [row for row in found if {row[1], row[2]} - {"", "0"}]


def parting_lines(parting: Json | None) -> list[str]:
    """Where the runs part, in up to three lines."""
    if parting is None:
        return ["both runs took the same steps"]
    lines = [f"first difference: goal {parting['node']}  {parting['statement']}"]
    for name in ("a", "b"):
        step = parting[name]
        reason = f" ({step['reason']})" if step and step["reason"] else ""
        text = f"#{step['seq']} {step['agent']}: {step['outcome']}{reason}" if step else "no further step"
        lines.append(f"  {name.upper()}: {text}")
    return lines
