"""The state machine as a picture: the supervisor, every agent, the queues that lead to it, plug-ins included."""

from __future__ import annotations

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.agents.registry import AgentSpec, Registry


def _queues(registry: Registry) -> dict[str, list[str]]:
    """Agent name -> the queues that it serves, most urgent first; agents that serve none too."""
    served: dict[str, list[str]] = {name: [] for name in registry.agents}
    for queue, spec in registry.routes.items():
        served.setdefault(spec.name, []).append(queue)
    return served


def text(registry: Registry) -> Tree:
    """For people: agents with their queues in the order of urgency, then strategies, then what was left out."""
    order = {queue: place for place, queue in enumerate(registry.routes, 1)}
    top = Tree(Text("supervisor", style="bold"))
    for name, queues in _queues(registry).items():
        label = Text(name, style="cyan")
        label.append("  serves " + ", ".join(f"{queue} ({order[queue]})" for queue in queues) if queues else "  idle")
        label.append(_origin(registry.agents[name].plugin), style="magenta")
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
    for i, (name, queues) in enumerate(_queues(registry).items()):
        lines.append(f'    a{i}["{_words(registry.agents[name])}"]')
        lines.extend(f"    supervisor -->|{queue}| a{i}" for queue in queues)
        lines.append(f"    a{i} --> supervisor")
    lines.extend(f'    s{i}[/"strategy {s.name}{_origin(s.plugin)}"/]' for i, s in enumerate(registry.strategies))
    lines.extend(f"    %% warning: {problem}" for problem in registry.problems)
    return "\n".join(lines) + "\n"


def dot(registry: Registry) -> str:
    """As a Graphviz digraph."""
    lines = ["digraph machine {", "    rankdir=LR;", "    supervisor [shape=ellipse]; end [shape=doublecircle];"]
    lines.append("    supervisor -> end;")
    for i, (name, queues) in enumerate(_queues(registry).items()):
        lines.append(f'    a{i} [shape=box, label="{_words(registry.agents[name])}"];')
        lines.extend(f'    supervisor -> a{i} [label="{queue}"];' for queue in queues)
        lines.append(f"    a{i} -> supervisor;")
    for i, s in enumerate(registry.strategies):
        lines.append(f'    s{i} [shape=parallelogram, label="strategy {s.name}{_origin(s.plugin)}"];')
    lines.extend(f"    // warning: {problem}" for problem in registry.problems)
    return "\n".join([*lines, "}"]) + "\n"


def _words(spec: AgentSpec) -> str:
    return f"{spec.name}{_origin(spec.plugin)}".replace('"', "'")


def _origin(plugin: str) -> str:
    return f" (plug-in {plugin})" if plugin else ""
