"""A run's proof tree as a value: notebooks show it as lists that open, everything else as text."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from goedels_poetry.trace.terminal import console
from goedels_poetry.trace.tree import MAX_DRAWN, Render, method, tree
from goedels_poetry.trace.wording import worded, wording_of
from goedels_poetry.tree.html import details, node_line
from goedels_poetry.tree.state import NodeStatus, ProofNode
from goedels_poetry.tree.store.reads import StoreReader

OPEN_TO = 2
"""Levels that stand open at first."""


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
        """Nested lists that open; parents stand before their children, so each is complete when it is needed."""
        drawn = self.nodes[:MAX_DRAWN]
        below: dict[str, list[str]] = {}
        for node in reversed(drawn):
            inside = "".join(reversed(below.pop(node.id, [])))
            below.setdefault(node.parent or "", []).append(
                details(self._line(node), inside, is_open=node.depth < OPEN_TO)
            )
        shown = "".join(reversed(below.pop("", []))) or "<div>(no goals yet)</div>"
        more = f"<div>... and {len(self.nodes) - len(drawn)} more</div>" if len(self.nodes) > len(drawn) else ""
        return f'<div style="line-height:1.5">{shown}{more}</div>'

    def _line(self, node: ProofNode) -> str:
        reason = node.reason if node.status is not NodeStatus.PROVED else ""
        return node_line(node.id, str(node.status), self.render(node.statement or self.theorem), method(node), reason)
