"""A run's proof tree as text for people, as a picture, and as a value that notebooks show."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO

from rich.text import Text
from rich.tree import Tree

from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import NodeStatus, ProofNode
from goedels_poetry.trace.terminal import console, counted, one_line
from goedels_poetry.trace.wording import LONGEST, worded, worded_method, wording_of

SHAPES = {"box": ('["', '"]', "box"), "end": ('(("', '"))', "ellipse"), "idea": ('[/"', '"/]', "parallelogram")}
"""By shape: what stands before and after a label in Mermaid, and the name that Graphviz has."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node; its name is a word."""

    name: str
    lines: Sequence[str]
    shape: str = "box"
    fill: str = ""
    """A colour; "" for that of all."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between two names."""

    start: str
    end: str
    lines: Sequence[str] = ()
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and arrows, downwards or to the right; the comments are not drawn."""

    boxes: Sequence[Box]
    arrows: Sequence[Arrow]
    to_the_right: bool = False
    comments: Sequence[str] = field(default_factory=tuple)

    def mermaid(self) -> str:
        """As a Mermaid flowchart."""
        lines = [f"%% {' '.join(each.split())}" for each in self.comments]
        lines.append(f"flowchart {'LR' if self.to_the_right else 'TD'}")
        fills = {fill: f"c{number}" for number, fill in enumerate(dict.fromkeys(box.fill for box in self.boxes))}
        for box in self.boxes:
            before, after, _ = SHAPES[box.shape]
            style = f":::{fills[box.fill]}" if box.fill else ""
            lines.append(f"    {box.name}{before}{'<br/>'.join(map(_quiet, box.lines))}{after}{style}")
        for arrow in self.arrows:
            label = f'|"{"<br/>".join(map(_quiet, arrow.lines))}"|' if arrow.lines else ""
            lines.append(f"    {arrow.start} {'-.->' if arrow.dashed else '-->'}{label} {arrow.end}")
        lines += [f"    classDef {name} fill:{fill},stroke:#555" for fill, name in fills.items() if fill]
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """As a Graphviz digraph."""
        lines = ["digraph proof {", *(f"    // {' '.join(each.split())}" for each in self.comments)]
        lines += [
            f"    rankdir={'LR' if self.to_the_right else 'TB'}; nodesep=0.2; ranksep=0.4;",
            '    node [style="rounded,filled", fillcolor="#f4f6fa", fontname="sans-serif", fontsize=11];',
            '    edge [fontname="sans-serif", fontsize=10, color="#666666"];',
        ]
        for box in self.boxes:
            fill = f', fillcolor="{box.fill}"' if box.fill else ""
            lines.append(f'    {box.name} [label="{_lines(box.lines)}", shape={SHAPES[box.shape][2]}{fill}];')
        for arrow in self.arrows:
            style = ", style=dashed" if arrow.dashed else ""
            lines.append(f'    {arrow.start} -> {arrow.end} [label="{_lines(arrow.lines)}"{style}];')
        return "\n".join([*lines, "}"]) + "\n"


def _quiet(line: str) -> str:
    """Mermaid reads ``#code;`` entities; everything that it could take for syntax becomes one."""
    return "".join(c if c.isalnum() or c in " .,:_=+-/*" else f"#{ord(c)};" for c in line)


def _lines(lines: Sequence[str]) -> str:
    return "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)


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


def picture(nodes: Sequence[ProofNode], theorem: str, render: Render = str) -> Picture:
    """The tree downwards, or to the right where it is wider than a page."""
    shown = nodes[:MAX_DRAWN]
    names = {node.id: f"n{place}" for place, node in enumerate(shown)}
    ways = {node.id: _wrapped(method(node), 2) for node in shown}
    across = Counter(node.depth for node in shown)
    return Picture(
        [
            Box(names[node.id], _label(node, render(node.statement or theorem)), fill=_FILL[node.status])
            for node in shown
        ],
        [Arrow(names[node.parent], names[node.id], ways[node.parent]) for node in shown if node.parent in names],
        to_the_right=max(across.values(), default=0) > SIDE_BY_SIDE,
    )


def _label(node: ProofNode, statement: str) -> list[str]:
    """Lines of a box: the goal's id and how it stands, and its statement, wrapped and cut where it is long."""
    tries = f", {counted(node.attempts, 'attempt')}" if node.attempts else ""
    return [f"{node.id}  {node.status}{tries}", *_wrapped(statement)]


def _wrapped(text: str, most: int = MOST_LINES) -> list[str]:
    """Lines of at most :data:`WRAP` characters, broken at white space where there is some."""
    lines = textwrap.wrap(one_line(text), WRAP, break_on_hyphens=False)
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][: WRAP - 3]}..."]


@dataclass(frozen=True, slots=True)
class TreeView:
    """The goals of a run at one moment, to be looked at: ``print`` it, or end a cell of a notebook with it."""

    nodes: tuple[ProofNode, ...]
    """In depth-first order."""
    theorem: str = ""
    """Stands for the root's statement."""
    render: Render = worded
    """Statement -> what people read."""

    @classmethod
    def of(cls, store: StoreReader, *, as_of: int | None = None, render: Render | None = None) -> TreeView:
        """The tree of a store, now or as it was after commit ``as_of``.

        ``render``: None for the words of the run's language.
        """
        words = render or wording_of(str(store.meta("language") or ""))
        return cls(tuple(store.nodes(as_of=as_of)), str(store.meta("statement") or ""), words)

    def __str__(self) -> str:
        written = StringIO()
        console(written).print(tree(self.nodes, self.theorem, self.render))
        return "\n".join(line.rstrip() for line in written.getvalue().splitlines())

    def _repr_html_(self) -> str:
        """The same text for notebooks."""
        return f"<pre>{escape(str(self))}</pre>"
