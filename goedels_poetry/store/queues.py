"""The beginnings of the queues, so that nobody reads from the database what he has just read or written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

MOST_ITEMS = 4_000
"""Of one queue in memory; what comes after them is read when somebody goes that far."""


class WorkItem(NamedTuple):
    """A node that stands in a queue, and the revision at which it was looked at."""

    node_id: str
    seq: int
    key: str


class Beginning:
    """The first items of one queue, in their order: all whose ids are not greater than ``last``."""

    def __init__(self) -> None:
        self.last = ""
        self.is_whole = False
        """Whether nothing comes after ``last``."""
        self._items: dict[str, WorkItem] = {}

    @property
    def items(self) -> list[WorkItem]:
        """Those that are known."""
        return list(self._items.values())

    def read_on(self, items: Iterable[WorkItem], *, is_whole: bool) -> None:
        """What comes next."""
        for item in items:
            self._items[item.node_id] = item
            self.last = item.node_id
        self.is_whole = is_whole

    def leaves(self, node_id: str) -> None:
        """The node does not stand in the queue any more."""
        self._items.pop(node_id, None)

    def enters(self, item: WorkItem) -> bool:
        """The node stands in the queue now; False: its place is among those that are known, so nothing is any more."""
        if item.node_id <= self.last:
            return False
        if self.is_whole and len(self._items) < MOST_ITEMS:
            self.read_on([item], is_whole=True)
        else:
            self.is_whole = False
        return True
