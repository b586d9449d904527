"""The edges of the state machine: from each queue, the outcomes of its agent and the queue that follows.

For people and pictures; a test compares it with what runs do. An agent of a plug-in moves goals as it likes.
"""

from __future__ import annotations

from typing import NamedTuple

DONE, END, ASKED, OPEN = "proved", "end", "confirm", "open"
"""Where a goal is in no agent's queue: proved; the search is over; a person is asked; left open while others go on."""

EDGES = {
    "theorem": """
formalize: formalized > check_semantics; formalization rejected > formalize; no formalization > end
check_semantics: open > prove; judged faithful > check_semantics; formalization rejected > formalize; \
refuted, inconsistent > end
prove: candidate > verify; sketched > verify_sketch; rejected > decide; adopted > proved; \
refuted > decomposition_backtrack (an ancestor); refuted > end
verify: proved > proved; rejected > decide
decide: correct > correct; prove > prove; sketch > retrieve; resketch > sketch; \
backtracked > decomposition_backtrack (an ancestor); keep > open; give_up > end
correct: candidate > verify; sketched > verify_sketch; rejected > decide; \
refuted > decomposition_backtrack (an ancestor); refuted > end
retrieve: lemmas, premises > sketch
sketch: sketched > verify_sketch; rejected, banned, none left > decide; ban lifted > sketch
verify_sketch: sketch verified > decompose; sketch rejected > correct_sketch; sketch rejected > decide
correct_sketch: sketched > verify_sketch; sketch not corrected > decide
decompose: decomposed > prove (subgoals); decomposed > verify (subgoals that are ready); \
decomposed > verify_sketch (subgoals that are ready); proved by its sketch > proved; \
sketch rejected > correct_sketch; sketch rejected > decide
decomposition_backtrack: to be sketched differently > retrieve""",
    "question": """
formalize: written > verify; no program > decide
verify: read and decided > decide
decide: correct > correct; ask_again > formalize; test > check_semantics; answered > proved; refuted, given up > end
correct: written > verify; no program > decide
check_semantics: tested > decide
refine: rejected > refine; advised > end""",
    "code": """
formalize: written > verify; nothing found > formalize; no candidate > decide
verify: passed, failed > decide
decide: prosecute > check_semantics; correct > correct; fresh, ask_again > formalize; accepted, given up > end
check_semantics: broken, not broken > decide
correct: written > verify; no candidate > decide""",
    "change": """
check_semantics: measured > formalize; no change > end
formalize: proposed > verify; not applied > decide; no change > end
verify: verified, not applied > decide
decide: refine > correct; different, roll back > formalize; keep, stop > end
correct: proposed > verify; not applied > decide; no change > end""",
}
EDGES["claim"] = EDGES["theorem"].replace("check_semantics: ", "check_semantics: open > confirm; ", 1)
"""kind of task -> a line for each queue, in the order in which a goal mostly comes through them."""


class Way(NamedTuple):
    """One way out of a queue."""

    outcome: str
    """As events have it, without what differs from goal to goal."""
    to: str
    """A queue, or :data:`ASKED`, :data:`DONE`, :data:`OPEN` or :data:`END`."""
    whose: str = ""
    """What goes there when it is not the goal itself: "subgoals", "an ancestor"."""


def journey_of(kind: str) -> dict[str, tuple[Way, ...]]:
    """Queue -> ways out of it; {} for an unknown kind."""
    lines = (line.partition(": ") for line in EDGES.get(kind, "").strip().splitlines())
    return {queue: tuple(map(_way, ways.split("; "))) for queue, _, ways in lines}


def _way(text: str) -> Way:
    outcome, _, rest = text.partition(" > ")
    to, _, whose = rest.partition(" (")
    return Way(outcome, to, whose.rstrip(")"))
