"""What a writer has written or read last, so that a step need not ask the database for what it knows."""

from __future__ import annotations

from typing import NamedTuple

from goedels_poetry.store.queues import Beginning, WorkItem
from goedels_poetry.store.state import ProofNode

MOST_NODES = 2_000
MOST_TEXTS = 500
MOST_SILENT = 10_000
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
    The same holds for texts, for the beginnings of queues, and for nodes without a history.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Present] = {}
        self._texts: dict[str, str] = {}
        self._silent: set[str] = set()
        self._queues: dict[str, Beginning] = {}
        self.waited_for: set[str] | None = None
        """Every node that another has ever waited for, which are few: others let nobody go when they are proved.

        None: not looked up yet.
        """
        self.lemma_keys: set[str] | None = None
        """Every key of which a proof has ever been written, undone ones included; None: not looked up yet."""

    # -- nodes ---------------------------------------------------------------------------------------------
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

    # -- queues --------------------------------------------------------------------------------------------
    def beginning(self, queue: str) -> Beginning:
        """What is known of a queue, to be added to by who has read on."""
        return self._queues.setdefault(queue, Beginning())

    def leaves(self, queue: str, node_id: str) -> None:
        """The node has left the queue."""
        if queue in self._queues:
            self._queues[queue].leaves(node_id)

    def enters(self, queue: str, item: WorkItem) -> None:
        """The node has entered the queue, in which it did not stand."""
        if queue in self._queues and not self._queues[queue].enters(item):
            del self._queues[queue]

    # -- the rest ------------------------------------------------------------------------------------------
    def text(self, ref: str) -> str | None:
        """A stored text by its hash; None says nothing."""
        return self._texts.get(ref)

    def keep_text(self, ref: str, body: str) -> None:
        """This text is stored."""
        if len(body) <= MOST_CHARACTERS:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.pop(next(iter(self._texts)))
            self._texts[ref] = body

    def is_silent(self, node_id: str) -> bool:
        """Whether a node is known to have no history; False says nothing."""
        return node_id in self._silent

    def silent(self, node_id: str) -> None:
        """The node has no history."""
        if len(self._silent) >= MOST_SILENT:
            self._silent.clear()
        self._silent.add(node_id)

    def speaks(self, node_id: str) -> None:
        """Something is written into the node's history."""
        self._silent.discard(node_id)

    def forget(self) -> None:
        """Anything may have changed."""
        self._nodes.clear()
        self._texts.clear()
        self._silent.clear()
        self._queues.clear()
