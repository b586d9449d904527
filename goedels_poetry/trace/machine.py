"""How a goal travels through the state machine, as a picture: queues, who serves them, where goals go; with plug-ins.

The supervisor hands a goal to the agent of the queue in which it stands, and the agent leaves it in another. So the
picture has a station for every queue, and an edge for everything that an agent may make of a goal. LangGraph's own
picture, in which every agent goes back to the supervisor, is `GoedelsPoetryFramework.graph`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.search.agents.registry import Registry
from goedels_poetry.trace.tree import Arrow, Box, Picture

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
