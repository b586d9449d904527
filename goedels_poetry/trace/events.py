"""The events of a run with what each cost, and the state machine as a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import Event, RunResult
from goedels_poetry.store.state import NodeStatus
from goedels_poetry.trace.tree import Arrow, Box, Picture
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


# How a goal travels through the state machine, as a picture

DONE, END, ASKED, OPEN = "proved", "end", "confirm", "open"
"""Where a goal is in no agent's queue: proved; the search is over; a person is asked; left open while others go on."""

EDGES = {
    "theorem": """
formalize: formalized > check_semantics; formalization rejected > formalize; no formalization > end
check_semantics: open > prove; judged faithful > check_semantics; formalization rejected > formalize; \
refuted, inconsistent > end
prove: candidate > verify; sketched > verify_sketch; rejected > decide; adopted > proved; \
refuted > decomposition_backtrack (an ancestor); refuted > end
verify: proved > proved; rejected > decide
decide: correct > correct; prove > prove; sketch > retrieve; resketch > sketch; \
backtracked > decomposition_backtrack (an ancestor); keep > open; give_up > end
correct: candidate > verify; sketched > verify_sketch; rejected > decide; \
refuted > decomposition_backtrack (an ancestor); refuted > end
retrieve: lemmas, premises > sketch
sketch: sketched > verify_sketch; rejected, banned, none left > decide; ban lifted > sketch
verify_sketch: sketch verified > decompose; sketch rejected > correct_sketch; sketch rejected > decide
correct_sketch: sketched > verify_sketch; sketch not corrected > decide
decompose: decomposed > prove (subgoals); decomposed > verify (subgoals that are ready); \
decomposed > verify_sketch (subgoals that are ready); proved by its sketch > proved; \
sketch rejected > correct_sketch; sketch rejected > decide
decomposition_backtrack: to be sketched differently > retrieve""",
    "question": """
formalize: written > verify; no program > decide
verify: read and decided > decide
decide: correct > correct; ask_again > formalize; test > check_semantics; answered > proved; refuted, given up > end
correct: written > verify; no program > decide
check_semantics: tested > decide
refine: rejected > refine; advised > end""",
    "code": """
formalize: written > verify; nothing found > formalize; no candidate > decide
verify: passed, failed > decide
decide: prosecute > check_semantics; correct > correct; fresh, ask_again > formalize; accepted, given up > end
check_semantics: broken, not broken > decide
correct: written > verify; no candidate > decide""",
    "change": """
check_semantics: measured > formalize; no change > end
formalize: proposed > verify; not applied > decide; no change > end
verify: verified, not applied > decide
decide: refine > correct; different, roll back > formalize; keep, stop > end
correct: proposed > verify; not applied > decide; no change > end""",
}
EDGES["claim"] = EDGES["theorem"].replace("check_semantics: ", "check_semantics: open > confirm; ", 1)
"""kind of task -> a line for each queue, in the order in which a goal mostly comes through them."""


class Way(NamedTuple):
    """One way out of a queue."""

    outcome: str
    """As events have it, without what differs from goal to goal."""
    to: str
    """A queue, or :data:`ASKED`, :data:`DONE`, :data:`OPEN` or :data:`END`."""
    whose: str = ""
    """What goes there when it is not the goal itself: "subgoals", "an ancestor"."""


def journey_of(kind: str) -> dict[str, tuple[Way, ...]]:
    """Queue -> ways out of it; {} for an unknown kind."""
    found = {}
    for line in EDGES.get(kind, "").strip().splitlines():
        queue, _, ways = line.partition(": ")
        parts = [re.fullmatch(r"(.*) > ([^(]*?)(?: \((.*)\))?", way) for way in ways.split("; ")]
        found[queue] = tuple(Way(way[1], way[2], way[3] or "") for way in parts if way)
    return found


SUPERVISOR = "supervisor: hands a goal to the agent of its queue, the most urgent queue first"
UNSAID = "where its agent sends it"
"""Of a queue that a plug-in has brought."""
ENDS = {ASKED: "confirm: a person", DONE: "proved", OPEN: "stays open", END: "end: checker"}


@dataclass(frozen=True, slots=True)
class Station:
    """A queue in the picture."""

    queue: str
    urgency: int
    """1: served first."""
    agent: str
    plugin: str
    """Entry point that brought the agent; "" for ours."""
    displaced: tuple[str, ...]
    """Agents that would serve the queue if this one did not."""
    failure: str
    """What the agent's failure costs."""
    ways: tuple[Way, ...]
    """Of a plug-in's agent in a queue of ours: what is expected of it."""

    @property
    def origin(self) -> str:
        """Who brought it, and whom it displaces; "" for ours."""
        if not self.plugin:
            return ""
        instead = f", instead of {', '.join(self.displaced)}" if self.displaced else ""
        return f"plug-in {self.plugin}{instead}"


def stations(registry: Registry, kind: str = "theorem") -> list[Station]:
    """Every queue that somebody serves, in the order in which a goal mostly comes through them."""
    journey, order, found = journey_of(kind), {queue: at for at, queue in enumerate(registry.routes, 1)}, []
    for queue in dict.fromkeys((*(queue for queue in journey if queue in order), *order)):
        spec = registry.routes[queue]
        others = tuple(o.name for o in registry.agents.values() if queue in o.queues and o.name != spec.name)
        failure = registry.policy(spec, queue).name
        found.append(Station(queue, order[queue], spec.name, spec.plugin, others, failure, journey.get(queue, ())))
    return found


def idle(registry: Registry) -> list[str]:
    """Agents that have lost all their queues."""
    return [name for name, queues in registry.served().items() if not queues]


def text(registry: Registry, kind: str = "theorem") -> Tree:
    """For people: each queue with its agent and where goals go, then strategies, then what was left out."""
    top = Tree(Text(SUPERVISOR, style="bold"))
    for station in stations(registry, kind):
        label = Text(station.queue, style="bold")
        label.append(f" ({station.urgency})  ", style="dim")
        label.append(station.agent, style="cyan")
        label.append(f"  {station.origin}" if station.origin else "", style="magenta")
        label.append(f"  on failure {station.failure}", style="dim")
        branch = top.add(label)
        if station.plugin and station.ways:
            branch.add(Text("expected of it, as of ours:", style="dim"))
        width = max((len(way.outcome) for way in station.ways), default=0)
        for way in station.ways:
            line = Text(f"{way.outcome:{width}} → ")
            line.append(ENDS.get(way.to, way.to), style="bold" if way.to not in ENDS else "green")
            line.append(f" ({way.whose})" if way.whose else "", style="dim")
            branch.add(line)
        if not station.ways:
            branch.add(Text(f"→ {UNSAID}", style="dim"))
    for name in idle(registry):
        top.add(Text(f"{name}  idle: plug-ins serve its queues", style="yellow"))
    if registry.strategies:
        below = top.add(Text("strategies of plug-ins", style="bold"))
        for strategy in registry.strategies:
            below.add(Text(f"{strategy.name}{_by(strategy.plugin)}", style="cyan"))
    for problem in registry.notices:
        top.add(Text(f"warning: {problem}", style="yellow"))
    return top


def picture(registry: Registry, kind: str = "theorem") -> Picture:
    """A box for every queue and every end, an arrow for all ways between two of them.

    An arrow is dashed where a plug-in's agent need not go that way.
    """
    found = stations(registry, kind)
    names = {station.queue: f"q{n}" for n, station in enumerate(found)} | {end: f"e{n}" for n, end in enumerate(ENDS)}
    arrows = []
    for station in found:
        labels: dict[str, dict[str, None]] = {}
        for way in station.ways:
            outcome = f"{way.outcome}: {way.whose}" if way.whose else way.outcome
            labels.setdefault(way.to, {})[outcome] = None
        for to, outcomes in labels.items():
            if to in names:
                arrows.append(Arrow(names[station.queue], names[to], list(outcomes), bool(station.plugin)))
    reached = {arrow.end for arrow in arrows}
    boxes = [Box(names[s.queue], [s.queue, s.agent, *([s.origin] if s.origin else [])]) for s in found]
    boxes += [Box(names[end], [title], "end", "#ffffff") for end, title in ENDS.items() if names[end] in reached]
    boxes += [Box(f"i{n}", [name, "(idle)"]) for n, name in enumerate(idle(registry))]
    boxes += [Box(f"s{n}", [f"strategy {s.name}{_by(s.plugin)}"], "idea") for n, s in enumerate(registry.strategies)]
    return Picture(boxes, arrows, comments=[SUPERVISOR, *(f"warning: {problem}" for problem in registry.notices)])


def _by(plugin: str) -> str:
    return f" (plug-in {plugin})" if plugin else ""
