"""Two runs compared: how they ended, what they cost, what one proved and the other did not, where they part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.wording import worded

MOST_GOALS = 50
"""Goals that are listed of each kind; the rest is counted."""
_FIGURES = (
    ("seconds", "wall_seconds"),
    ("steps", "steps"),
    ("attempts", "attempts"),
    ("backtracks", "backtracks"),
    ("bans", "bans"),
    ("lemmas reused", "lemmas_reused"),
    ("solver calls", "solver_calls"),
    ("solver seconds", "solver_seconds"),
    ("model calls", "model_calls"),
    ("model tokens", "model_tokens"),
)
"""What the page calls a counter of a run, in this order."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs."""

    run_id: str
    name: str
    statement: str
    """The theorem, worded."""
    verdict: str
    """"not ended" where there is none yet."""
    trust_level: str | None
    reason: str
    figures: dict[str, float]
    strategies: dict[str, int]
    """How often each was proposed, in the order of names."""


@dataclass(frozen=True, slots=True)
class Goals:
    """Goals of one kind."""

    statements: tuple[str, ...]
    """Worded; at most `MOST_GOALS`."""
    count: int


@dataclass(frozen=True, slots=True)
class Parting:
    """The first step on a goal that is not the same in both runs; None: that run has no such step."""

    node: str
    statement: str
    a: dict[str, Any] | None
    """``{"seq", "agent", "outcome", "reason"}``."""
    b: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side."""

    a: Side
    b: Side
    same_theorem: bool
    proved_in_a_open_in_b: Goals
    proved_in_b_open_in_a: Goals
    proved_in_a_only: Goals
    """Proved in A; B never had such a goal, or cut it off."""
    proved_in_b_only: Goals
    parting: Parting | None
    """None: the runs took the same steps."""

    def to_json(self) -> dict[str, Any]:
        """A JSON object with every field."""
        return {"schema": 1, **asdict(self)}


def compare(a: StoreReader, b: StoreReader, results: tuple[RunResult | None, RunResult | None]) -> Comparison:
    """Compare two runs, of the same theorem or of two; ``results`` as far as the runs have ended."""
    first, second = (_side(store, result) for store, result in zip((a, b), results, strict=True))
    goals = _goals(a, first), _goals(b, second)
    both_ways = [_proved_and_not(*pair) for pair in (goals, goals[::-1])]
    return Comparison(
        a=first,
        b=second,
        same_theorem=(a.meta("theorem"), a.meta("language")) == (b.meta("theorem"), b.meta("language")),
        proved_in_a_open_in_b=both_ways[0][0],
        proved_in_b_open_in_a=both_ways[1][0],
        proved_in_a_only=both_ways[0][1],
        proved_in_b_only=both_ways[1][1],
        parting=_parting(a, b),
    )


def _side(store: StoreReader, result: RunResult | None) -> Side:
    nodes, spent = store.nodes(), store.spent()
    proved = sum(node.status is NodeStatus.PROVED for node in nodes)
    tree = {"goals": len(nodes), "proved": proved, "depth": max((node.depth for node in nodes), default=0)}
    strategies = Counter(str(entry.get("strategy")) for _, entry in store.history_of_kind("sketch"))
    return Side(
        run_id=str(store.meta("run_id") or store.path.parent.name),
        name=str(store.meta("name") or ""),
        statement=worded(str(store.meta("statement") or ""), str(store.meta("language") or "")),
        verdict=str(result.verdict) if result else "not ended",
        trust_level=result.trust_level if result else None,
        reason=result.reason if result else "",
        figures=tree | {name: _neat(spent.get(counter, 0)) for name, counter in _FIGURES},
        strategies=dict(sorted(strategies.items())),
    )


def _neat(amount: float) -> float:
    return int(amount) if amount == int(amount) else round(amount, 3)


def _goals(store: StoreReader, side: Side) -> dict[str, bool]:
    """Worded statement -> whether it is proved anywhere in the live tree."""
    found: dict[str, bool] = {}
    for node in store.nodes():
        statement = worded(node.statement, node.language) if node.statement else side.statement
        found[statement] = found.get(statement, False) or node.status is NodeStatus.PROVED
    return found


def _proved_and_not(these: dict[str, bool], others: dict[str, bool]) -> tuple[Goals, Goals]:
    """What is proved here: open there, and unknown there."""
    proved = [statement for statement, is_proved in these.items() if is_proved]
    still_open = (statement for statement in proved if others.get(statement) is False)
    return _listed(still_open), _listed(statement for statement in proved if statement not in others)


def _listed(statements: Iterable[str]) -> Goals:
    every = tuple(statements)
    return Goals(every[:MOST_GOALS], len(every))


def _parting(a: StoreReader, b: StoreReader) -> Parting | None:
    """The earliest step on any goal that differs; goals are worked on at once, so each is compared on its own."""
    steps = [_by_node(store.events()) for store in (a, b)]
    best: tuple[int, str, Event | None, Event | None] | None = None
    for node in dict.fromkeys((*steps[0], *steps[1])):
        one, other = steps[0].get(node, []), steps[1].get(node, [])
        at = next((i for i, (x, y) in enumerate(zip(one, other, strict=False)) if _what(x) != _what(y)), None)
        at = min(len(one), len(other)) if at is None else at
        pair = [events[at] if at < len(events) else None for events in (one, other)]
        when = min((event.seq for event in pair if event is not None), default=None)
        if when is not None and (best is None or when < best[0]):
            best = (when, node, *pair)  # type: ignore[assignment]  # a list of two
    if best is None:
        return None
    found: ProofNode | None = a.find(best[1]) or b.find(best[1])
    statement = found.statement if found is not None and found.statement else str(a.meta("statement") or "")
    return Parting(best[1], worded(statement, str(a.meta("language") or "")), _told(best[2]), _told(best[3]))


def _by_node(events: Iterable[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.node, []).append(event)
    return found


def _what(event: Event) -> tuple[str, str]:
    return event.agent, event.outcome


def _told(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    return {"seq": event.seq, "agent": event.agent, "outcome": event.outcome, "reason": event.reason}


def rows(a: Side, b: Side) -> list[tuple[str, str, str]]:
    """(what, of A, of B): verdicts, figures that are not zero in both, strategies."""
    found = [("name", a.name, b.name), ("verdict", a.verdict, b.verdict)]
    found.append(("trust level", a.trust_level or "", b.trust_level or ""))
    found.append(("reason", a.reason, b.reason))
    found += [(name, f"{a.figures[name]:,g}", f"{b.figures[name]:,g}") for name in a.figures]
    for name in sorted({*a.strategies, *b.strategies}):
        counts = (str(side.strategies.get(name, 0)) for side in (a, b))
        found.append((f"sketches by {name}", *counts))  # type: ignore[arg-type]  # two of them
    return [row for row in found if {row[1], row[2]} - {"", "0"}]


def lists(comparison: Comparison) -> list[tuple[str, Goals]]:
    """Titles and goals of what one run has and the other has not; without empty ones."""
    every = [
        ("proved in A, open in B", comparison.proved_in_a_open_in_b),
        ("proved in B, open in A", comparison.proved_in_b_open_in_a),
        ("proved in A only; no such goal in B", comparison.proved_in_a_only),
        ("proved in B only; no such goal in A", comparison.proved_in_b_only),
    ]
    return [(title, goals) for title, goals in every if goals.count]


def parting_lines(comparison: Comparison) -> list[str]:
    """Where the runs part, in up to three lines."""
    parting = comparison.parting
    if parting is None:
        return ["both runs took the same steps"]
    lines = [f"first difference: goal {parting.node}  {parting.statement}"]
    for name, step in (("A", parting.a), ("B", parting.b)):
        reason = f" ({step['reason']})" if step and step["reason"] else ""
        told = f"#{step['seq']} {step['agent']}: {step['outcome']}{reason}" if step else "no further step"
        lines.append(f"  {name}: {told}")
    return lines
