"""A run's proof tree as text for people, and as Mermaid or Graphviz."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.trace.methods import worded_method
from goedels_poetry.trace.terminal import counted, one_line
from goedels_poetry.trace.wording import LONGEST
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

WRAP = 40
"""Characters of a line in a box."""
MOST_LINES = 6
"""Lines of a statement in a box."""
SIDE_BY_SIDE = 5
"""Goals of one depth that a page shows side by side."""

Notes = Callable[[ProofNode], Sequence[str]]
Render = Callable[[str], str]


def method(node: ProofNode) -> str:
    """How the goal was decomposed: the strategy with what it was applied to, "" where it was not."""
    name, fingerprint = node.strategy or "", node.fingerprint or ""
    return one_line(worded_method(fingerprint, node.language) if fingerprint.startswith(f"{name}(") else name)


def heading(node: ProofNode, statement: str, role: str = "", status: str = "") -> Text:
    """One node in one paragraph: id, role among its siblings, statement, status or what is said instead, strategy."""
    text = Text()
    text.append(f"{node.id}  ", style="dim")
    text.append(f"{role}: " if role else "", style="bold")
    text.append(one_line(statement, LONGEST))
    text.append(f"  {status or node.status}", style=STYLES[node.status])
    if node.strategy:
        text.append(f" by {method(node)}", style="cyan")
    if node.origin:
        text.append(f" (taken from {one_line(node.origin)})", style="dim")
    if node.queue and node.status is NodeStatus.OPEN:
        text.append(f" (waits for: {node.queue})", style="dim")
    return text


def tree(
    nodes: Sequence[ProofNode], theorem: str, render: Render = str, notes: Notes | None = None, status: str = ""
) -> Tree:
    """The tree to print. ``nodes`` in depth-first order, parents first; ``theorem`` stands for the root's statement.

    A goal that others wait for is called a lemma. ``render`` turns a statement into what people read; ``notes``
    gives further lines below a node (attempts, bans, costs); ``status`` is said of the root instead of its own.
    """
    lemmas = {waited for node in nodes for waited in node.waits_for}
    drawn: dict[str, Tree] = {}
    top: Tree | None = None
    for node in nodes[:MAX_DRAWN]:
        role = "lemma" if node.id in lemmas else ""
        label = heading(node, render(node.statement or theorem), role, status if top is None else "")
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
    """The tree as a Mermaid flowchart: downwards, or to the right where it is wider than a page."""
    lines = [f"flowchart {'LR' if _is_wide(nodes) else 'TD'}"]
    for name, node in _named(nodes):
        label = "<br/>".join(_escape_mermaid(part) for part in _label(node, render(node.statement or theorem)))
        lines.append(f'    {name}["{label}"]:::{node.status}')
    for parent, child, by in _edges(nodes):
        words = "<br/>".join(map(_escape_mermaid, by))
        arrow = f'-->|"{words}"|' if by else "-->"
        lines.append(f"    {parent} {arrow} {child}")
    lines.extend(f"    classDef {status} fill:{colour},stroke:#555" for status, colour in _FILL.items())
    return "\n".join(lines) + "\n"


def dot(nodes: Sequence[ProofNode], theorem: str, render: Render = str) -> str:
    """The tree as a Graphviz digraph: downwards, or to the right where it is wider than a page."""
    lines = [
        "digraph proof {",
        f"    rankdir={'LR' if _is_wide(nodes) else 'TB'}; nodesep=0.15; ranksep=0.4;",
        '    node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11, margin="0.12,0.06"];',
        '    edge [fontname="sans-serif", fontsize=10, color="#666666"];',
    ]
    for name, node in _named(nodes):
        label = "\\n".join(_escape_dot(part) for part in _label(node, render(node.statement or theorem)))
        lines.append(f'    {name} [label="{label}", fillcolor="{_FILL[node.status]}"];')
    for parent, child, by in _edges(nodes):
        words = "\\n".join(map(_escape_dot, by))
        lines.append(f'    {parent} -> {child} [label="{words}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: ProofNode, statement: str) -> list[str]:
    """Lines of a box: the goal's id and how it stands, and its statement, wrapped and cut where it is long."""
    tries = f", {counted(node.attempts, 'attempt')}" if node.attempts else ""
    return [f"{node.id}  {node.status}{tries}", *_wrapped(statement)]


def _wrapped(text: str, most: int = MOST_LINES) -> list[str]:
    """Lines of at most :data:`WRAP` characters, broken at white space where there is some."""
    lines = textwrap.wrap(one_line(text), WRAP, break_on_hyphens=False)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][: WRAP - 3]}..."]


def _is_wide(nodes: Sequence[ProofNode]) -> bool:
    """Whether more goals stand side by side than a page has room for."""
    across = Counter(node.depth for node in nodes[:MAX_DRAWN])
    return max(across.values(), default=0) > SIDE_BY_SIDE


def _named(nodes: Sequence[ProofNode]) -> Iterable[tuple[str, ProofNode]]:
    return [(f"n{i}", node) for i, node in enumerate(nodes[:MAX_DRAWN])]


def _edges(nodes: Sequence[ProofNode]) -> list[tuple[str, str, list[str]]]:
    """(parent, child, lines of the strategy of the parent's sketch) by picture name."""
    names = {node.id: name for name, node in _named(nodes)}
    strategies = {node.id: _wrapped(method(node), 2) for node in nodes}
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
