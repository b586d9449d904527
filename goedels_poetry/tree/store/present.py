"""What a writer has written or read last, so that a step need not ask the database for what it knows."""

from __future__ import annotations

from typing import NamedTuple

from goedels_poetry.tree.state import ProofNode

MOST_NODES = 2_000
MOST_TEXTS = 500
MOST_ABSENT = 10_000
MOST_CHARACTERS = 4_000
"""Of a statement or text that is kept, so that all take some megabytes at most."""


class Present(NamedTuple):
    """A live node and the commit that wrote it."""

    node: ProofNode
    seq: int


class PresentNodes:
    """The present revisions of live nodes, as far as they are known; the database is the truth.

    Only the one writer of a tree may have it. It tells of every node that it writes, and forgets all when anything that
    it has told of may be undone (a transaction rolls back) or cut off (backtracking); what is forgotten is read again.
    The same holds for texts, and for rows that were looked for and are not there.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Present] = {}
        self._texts: dict[str, str] = {}
        self._absent: set[tuple[str, str]] = set()
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

    def text(self, ref: str) -> str | None:
        """A stored text by its hash; None says nothing."""
        return self._texts.get(ref)

    def keep_text(self, ref: str, body: str) -> None:
        """This text is stored."""
        if len(body) <= MOST_CHARACTERS:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.pop(next(iter(self._texts)))
            self._texts[ref] = body

    def is_absent(self, table: str, key: str) -> bool:
        """Whether a table is known to have no row of that key; False says nothing."""
        return (table, key) in self._absent

    def looked_for(self, table: str, key: str, *, found: bool) -> None:
        """What the database has said; of what is there nothing is noted."""
        if not found:
            if len(self._absent) >= MOST_ABSENT:
                self._absent.clear()
            self._absent.add((table, key))

    def arrives(self, table: str, key: str) -> None:
        """A row of that key is written."""
        self._absent.discard((table, key))

    def forget(self) -> None:
        """Anything may have changed."""
        self._nodes.clear()
        self._texts.clear()
        self._absent.clear()


__all__ = ["Present", "PresentNodes"]
