"""The nodes that a writer has written or read last, so that a step need not ask the database for what it holds."""

from __future__ import annotations

from typing import NamedTuple

from goedels_poetry.tree.state import ProofNode

MOST_NODES = 2_000
MOST_CHARACTERS = 4_000
"""Of a statement that is kept, so that all take some megabytes at most."""


class Present(NamedTuple):
    """A live node and the commit that wrote it."""

    node: ProofNode
    seq: int


class PresentNodes:
    """The present revisions of live nodes, as far as they are known; the database is the truth.

    Only the one writer of a tree may have it. It tells of every node that it writes, and forgets all when anything that
    it has told of may be undone (a transaction rolls back) or cut off (backtracking); what is forgotten is read again.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Present] = {}
        self.waited_for: set[str] | None = None
        """Every node that another has ever waited for, which are few: others let nobody go when they are proved.

        None: not looked up yet.
        """

    def get(self, node_id: str) -> Present | None:
        """The node when it is known; None says nothing."""
        return self._nodes.get(node_id)

    def keep(self, node: ProofNode, seq: int) -> None:
        """This is the node's present revision, and it is live."""
        if len(node.statement) > MOST_CHARACTERS:
            self._nodes.pop(node.id, None)
            return
        if len(self._nodes) >= MOST_NODES:
            self._nodes.pop(next(iter(self._nodes)))
        self._nodes[node.id] = Present(node, seq)

    def forget(self) -> None:
        """Anything may have changed."""
        self._nodes.clear()


__all__ = ["Present", "PresentNodes"]
