"""A run's proof tree as text for people, and as Mermaid or Graphviz."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.trace.terminal import one_line
from goedels_poetry.tree.state import NodeStatus, ProofNode

STYLES = {
    NodeStatus.PROVED: "green",
    NodeStatus.REFUTED: "red",
    NodeStatus.FAILED: "red",
    NodeStatus.OPEN: "yellow",
}
_FILL = {
    NodeStatus.PROVED: "#d5f5d5",
    NodeStatus.REFUTED: "#f9d0d0",
    NodeStatus.FAILED: "#f5dcc8",
    NodeStatus.OPEN: "#fdf6d0",
}
MAX_DRAWN = 2_000
"""Nodes drawn at most; the rest is counted. Larger pictures help nobody and stall most viewers."""

Notes = Callable[[ProofNode], Sequence[str]]
Render = Callable[[str], str]


def method(node: ProofNode) -> str:
    """How the goal was decomposed: the strategy with what it was applied to, "" where it was not."""
    name, fingerprint = node.strategy or "", node.fingerprint or ""
    return one_line(fingerprint if fingerprint.startswith(f"{name}(") else name)


def heading(node: ProofNode, statement: str, role: str = "") -> Text:
    """One node in one paragraph: id, role among its siblings, statement, status, strategy."""
    text = Text()
    text.append(f"{node.id}  ", style="dim")
    text.append(f"{role}: " if role else "", style="bold")
    text.append(one_line(statement))
    text.append(f"  {node.status}", style=STYLES[node.status])
    if node.strategy:
        text.append(f" by {method(node)}", style="cyan")
    if node.origin:
        text.append(f" (taken from {one_line(node.origin)})", style="dim")
    if node.queue and node.status is NodeStatus.OPEN:
        text.append(f" (waits for: {node.queue})", style="dim")
    return text


def tree(nodes: Sequence[ProofNode], theorem: str, render: Render = str, notes: Notes | None = None) -> Tree:
    """The tree to print. ``nodes`` in depth-first order, parents first; ``theorem`` stands for the root's statement.

    A goal that others wait for is called a lemma. ``wording`` turns a statement into what people read; ``notes``
    gives further lines below a node (attempts, bans, costs).
    """
    lemmas = {waited for node in nodes for waited in node.waits_for}
    drawn: dict[str, Tree] = {}
    top: Tree | None = None
    for node in nodes[:MAX_DRAWN]:
        label = heading(node, render(node.statement or theorem), "lemma" if node.id in lemmas else "")
        for line in notes(node) if notes else ():
            label.append(f"\n  {one_line(line)}", style="dim")
        parent = drawn.get(node.parent or "")
        if top is None:
            branch = top = Tree(label)
        else:
            branch = (parent or top).add(label)
        drawn[node.id] = branch
    if top is None:
        return Tree("(no goals yet)")
    if len(nodes) > MAX_DRAWN:
        top.add(f"... and {len(nodes) - MAX_DRAWN} more")
    return top


def mermaid(nodes: Sequence[ProofNode], theorem: str, render: Render = str) -> str:
    """The tree as a Mermaid flowchart."""
    lines = ["flowchart TD"]
    for name, node in _named(nodes):
        label = "<br/>".join(_escape_mermaid(part) for part in _label(node, render(node.statement or theorem)))
        lines.append(f'    {name}["{label}"]:::{node.status}')
    for parent, child, label in _edges(nodes):
        arrow = f"-->|{_escape_mermaid(label)}|" if label else "-->"
        lines.append(f"    {parent} {arrow} {child}")
    lines.extend(f"    classDef {status} fill:{colour},stroke:#555" for status, colour in _FILL.items())
    return "\n".join(lines) + "\n"


def dot(nodes: Sequence[ProofNode], theorem: str, render: Render = str) -> str:
    """The tree as a Graphviz digraph."""
    lines = ["digraph proof {", '    node [shape=box, style="rounded,filled", fontname="sans-serif"];']
    for name, node in _named(nodes):
        label = "\\n".join(_escape_dot(part) for part in _label(node, render(node.statement or theorem)))
        lines.append(f'    {name} [label="{label}", fillcolor="{_FILL[node.status]}"];')
    for parent, child, label in _edges(nodes):
        lines.append(f'    {parent} -> {child} [label="{_escape_dot(label)}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: ProofNode, statement: str) -> list[str]:
    return [node.id, one_line(statement, 160), f"{node.status} ({node.attempts} attempts)"]


def _named(nodes: Sequence[ProofNode]) -> Iterable[tuple[str, ProofNode]]:
    return [(f"n{i}", node) for i, node in enumerate(nodes[:MAX_DRAWN])]


def _edges(nodes: Sequence[ProofNode]) -> list[tuple[str, str, str]]:
    """(parent, child, strategy of the parent's sketch) by picture name."""
    names = {node.id: name for name, node in _named(nodes)}
    strategies = {node.id: one_line(method(node), 60) for node in nodes}
    return [
        (names[node.parent], name, strategies[node.parent])
        for name, node in _named(nodes)
        if node.parent is not None and node.parent in names
    ]


def _escape_mermaid(text: str) -> str:
    """Mermaid reads ``#code;`` entities; everything that it could take for syntax becomes one."""
    return "".join(c if c.isalnum() or c in " .,:_=+-/*" else f"#{ord(c)};" for c in text)


def _escape_dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
