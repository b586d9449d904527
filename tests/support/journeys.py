"""What goals have really done in a run: from which queue to which, with the outcome of the commit that moved them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from goedels_poetry.search.agents.journey import DONE, END, OPEN, journey_of
from goedels_poetry.store.reads import StoreReader

Step = tuple[str, str, str]
"""Queue, outcome, and the queue after it, or one of the ends."""
ENDS = (DONE, END, OPEN)
"""Of the goal; a person who is asked stands in a queue that nobody serves."""


def travelled(store: StoreReader) -> Iterator[Step]:
    """Every step of an agent on the goal that it was handed."""
    before: dict[str, str] = {}
    events = {event.seq: event for event in store.events()}
    rows = store._rows("SELECT seq, node_id, queue, payload FROM rev ORDER BY seq")
    for seq, node_id, queue, payload in rows:
        event = events[seq]
        waited = before.get(node_id, "")
        if waited and event.node == node_id and event.agent != "framework" and event.outcome != "error":
            proved = json.loads(payload).get("status") == "proved"
            yield waited, event.outcome, queue or (DONE if proved else END)
        before[node_id] = queue or ""


def undeclared(store: StoreReader) -> set[Step]:
    """Steps that the journey of the run's kind of task does not have. All ends but "proved" count as one."""
    kind = (store.meta("task") or ("theorem", {}))[0]
    journey = journey_of(kind)

    def is_known(queue: str, to: str) -> bool:
        ways = {way.to for way in journey.get(queue, ()) if not way.whose}
        others = {way.to for way in journey.get(queue, ()) if way.whose}
        if to in ENDS:  # "end", or open, or broken off because an ancestor goes on; a decomposed goal waits
            return to in ways if to == DONE else bool(ways & {END, OPEN} or others)
        return to in ways

    return {(queue, outcome, to) for queue, outcome, to in travelled(store) if not is_known(queue, to)}
