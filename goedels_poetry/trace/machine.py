"""The state machine as a picture: the supervisor, every agent, the queues that lead to it, plug-ins included.

All three forms are drawn from the compiled LangGraph graph, which `GoedelsPoetryFramework.graph` returns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.agents.registry import Registry
from goedels_poetry.machine.graph import draw


class _Box(NamedTuple):
    """An agent in the picture."""

    name: str
    queues: tuple[str, ...]
    failures: tuple[str, ...]
    """What its failure costs, without repetition."""
    plugin: str

    @property
    def title(self) -> str:
        return f"{self.name}{_origin(self.plugin)}".replace('"', "'")


def _boxes(registry: Registry) -> Iterator[_Box]:
    """The agents among the nodes of the graph; one that has lost all its queues has none."""
    for node in draw(registry).get_graph().nodes.values():
        facts = node.metadata or {}
        if "queues" in facts:
            failures = dict.fromkeys(facts["on_failure"].values())
            yield _Box(node.name, tuple(facts["queues"]), tuple(failures), facts["plugin"])


def text(registry: Registry) -> Tree:
    """For people: agents with their queues in the order of urgency, then strategies, then what was left out."""
    order = {queue: place for place, queue in enumerate(registry.routes, 1)}
    top = Tree(Text("supervisor", style="bold"))
    for box in _boxes(registry):
        label = Text(box.name, style="cyan")
        served = ", ".join(f"{queue} ({order[queue]})" for queue in box.queues)
        label.append(f"  serves {served}" if served else "  idle")
        label.append(f"  on failure {', '.join(box.failures)}" if served else "", style="dim")
        label.append(_origin(box.plugin), style="magenta")
        top.add(label)
    if registry.strategies:
        branch = top.add(Text("strategies of plug-ins", style="bold"))
        for strategy in registry.strategies:
            branch.add(Text(f"{strategy.name}{_origin(strategy.plugin)}", style="cyan"))
    for problem in registry.problems:
        top.add(Text(f"warning: {problem}", style="yellow"))
    return top


def mermaid(registry: Registry) -> str:
    """As a Mermaid state diagram."""
    lines = ["flowchart LR", "    supervisor([supervisor])", "    finish((end))", "    supervisor --> finish"]
    for i, box in enumerate(_boxes(registry)):
        lines.append(f'    a{i}["{box.title}"]')
        lines.extend(f"    supervisor -->|{queue}| a{i}" for queue in box.queues)
        lines.append(f"    a{i} --> supervisor")
    lines.extend(f'    s{i}[/"strategy {s.name}{_origin(s.plugin)}"/]' for i, s in enumerate(registry.strategies))
    lines.extend(f"    %% warning: {problem}" for problem in registry.problems)
    return "\n".join(lines) + "\n"


def dot(registry: Registry) -> str:
    """As a Graphviz digraph."""
    lines = ["digraph machine {", "    rankdir=LR;", "    supervisor [shape=ellipse]; end [shape=doublecircle];"]
    lines.append("    supervisor -> end;")
    for i, box in enumerate(_boxes(registry)):
        lines.append(f'    a{i} [shape=box, label="{box.title}"];')
        lines.extend(f'    supervisor -> a{i} [label="{queue}"];' for queue in box.queues)
        lines.append(f"    a{i} -> supervisor;")
    for i, s in enumerate(registry.strategies):
        lines.append(f'    s{i} [shape=parallelogram, label="strategy {s.name}{_origin(s.plugin)}"];')
    lines.extend(f"    // warning: {problem}" for problem in registry.problems)
    return "\n".join([*lines, "}"]) + "\n"


def _origin(plugin: str) -> str:
    return f" (plug-in {plugin})" if plugin else ""
