"""How a goal travels: from each queue, what its agent may make of the goal, and where the goal stands then.

It is written down for people, and for pictures; the moves themselves are in `goedels_poetry.store.state_manager` and in
the files of `goedels_poetry.search.tasks`. Tests hold it against what runs have done. A plug-in that takes a queue
over moves goals as it likes: what stands here is what it is expected to do.
"""

from __future__ import annotations

from typing import NamedTuple

from goedels_poetry.store.state import Queue

DONE = "proved"
"""Where a goal is that needs nobody any more."""
END = "end"
"""The search is over; whoever checks has the last word."""
ASKED = "confirm"
"""A person is asked whether the formal statement is what was meant, or it was all that was wanted."""
OPEN = "open"
"""The goal stays open while the others go on."""


class Way(NamedTuple):
    """One way out of a queue."""

    outcome: str
    """In the words of events, without what differs from goal to goal."""
    to: str
    """A queue, or :data:`ASKED`, :data:`DONE`, :data:`OPEN` or :data:`END`."""
    whose: str = ""
    """Who goes there when it is not the goal itself: "subgoals", "an ancestor"."""


Journey = dict[str, tuple[Way, ...]]
"""queue -> ways, in the order in which a goal mostly comes through the queues."""

_THEOREM: Journey = {
    Queue.FORMALIZE: (
        Way("formalized", Queue.CHECK_SEMANTICS),
        Way("formalization rejected", Queue.FORMALIZE),
        Way("no formalization", END),
    ),
    Queue.CHECK_SEMANTICS: (
        Way("open", Queue.PROVE),
        Way("judged faithful", Queue.CHECK_SEMANTICS),
        Way("formalization rejected", Queue.FORMALIZE),
        Way("refuted, inconsistent", END),
    ),
    Queue.PROVE: (
        Way("candidate", Queue.VERIFY),
        Way("sketched", Queue.VERIFY_SKETCH),
        Way("rejected", Queue.DECIDE),
        Way("adopted", DONE),
        Way("refuted", Queue.DECOMPOSITION_BACKTRACK, "an ancestor"),
        Way("refuted", END),
    ),
    Queue.VERIFY: (Way("proved", DONE), Way("rejected", Queue.DECIDE)),
    Queue.DECIDE: (
        Way("correct", Queue.CORRECT),
        Way("prove", Queue.PROVE),
        Way("sketch", Queue.RETRIEVE),
        Way("resketch", Queue.SKETCH),
        Way("backtracked", Queue.DECOMPOSITION_BACKTRACK, "an ancestor"),
        Way("keep", OPEN),
        Way("give_up", END),
    ),
    Queue.CORRECT: (
        Way("candidate", Queue.VERIFY),
        Way("sketched", Queue.VERIFY_SKETCH),
        Way("rejected", Queue.DECIDE),
        Way("refuted", Queue.DECOMPOSITION_BACKTRACK, "an ancestor"),
        Way("refuted", END),
    ),
    Queue.RETRIEVE: (Way("lemmas, premises", Queue.SKETCH),),
    Queue.SKETCH: (
        Way("sketched", Queue.VERIFY_SKETCH),
        Way("rejected, banned, none left", Queue.DECIDE),
        Way("ban lifted", Queue.SKETCH),
    ),
    Queue.VERIFY_SKETCH: (
        Way("sketch verified", Queue.DECOMPOSE),
        Way("sketch rejected", Queue.CORRECT_SKETCH),
        Way("sketch rejected", Queue.DECIDE),
    ),
    Queue.CORRECT_SKETCH: (
        Way("sketched", Queue.VERIFY_SKETCH),
        Way("sketch not corrected", Queue.DECIDE),
    ),
    Queue.DECOMPOSE: (
        Way("decomposed", Queue.PROVE, "subgoals"),
        Way("decomposed", Queue.VERIFY, "subgoals that are ready"),
        Way("decomposed", Queue.VERIFY_SKETCH, "subgoals that are ready"),
        Way("proved by its sketch", DONE),
        Way("sketch rejected", Queue.CORRECT_SKETCH),
        Way("sketch rejected", Queue.DECIDE),
    ),
    Queue.DECOMPOSITION_BACKTRACK: (Way("to be sketched differently", Queue.RETRIEVE),),
}

_CLAIM: Journey = _THEOREM | {
    Queue.CHECK_SEMANTICS: (Way("open", ASKED), *_THEOREM[Queue.CHECK_SEMANTICS]),
}

_QUESTION: Journey = {
    Queue.FORMALIZE: (Way("written", Queue.VERIFY), Way("no program", Queue.DECIDE)),
    Queue.VERIFY: (Way("read and decided", Queue.DECIDE),),
    Queue.DECIDE: (
        Way("correct", Queue.CORRECT),
        Way("ask_again", Queue.FORMALIZE),
        Way("test", Queue.CHECK_SEMANTICS),
        Way("answered", DONE),
        Way("refuted, given up", END),
    ),
    Queue.CORRECT: (Way("written", Queue.VERIFY), Way("no program", Queue.DECIDE)),
    Queue.CHECK_SEMANTICS: (Way("tested", Queue.DECIDE),),
    "refine": (Way("rejected", "refine"), Way("advised", END)),
}

_CODE: Journey = {
    Queue.FORMALIZE: (
        Way("written", Queue.VERIFY),
        Way("nothing found", Queue.FORMALIZE),
        Way("no candidate", Queue.DECIDE),
    ),
    Queue.VERIFY: (Way("passed, failed", Queue.DECIDE),),
    Queue.DECIDE: (
        Way("prosecute", Queue.CHECK_SEMANTICS),
        Way("correct, dispute", Queue.CORRECT),
        Way("fresh, ask_again", Queue.FORMALIZE),
        Way("stand", Queue.VERIFY),
        Way("stand", Queue.DECIDE),
        Way("accepted, given up", END),
    ),
    Queue.CHECK_SEMANTICS: (Way("broken, not broken", Queue.DECIDE),),
    Queue.CORRECT: (Way("written", Queue.VERIFY), Way("no candidate", Queue.DECIDE)),
}

_CHANGE: Journey = {
    Queue.CHECK_SEMANTICS: (Way("measured", Queue.FORMALIZE), Way("no change", END)),
    Queue.FORMALIZE: (Way("proposed", Queue.VERIFY), Way("not applied", Queue.DECIDE), Way("no change", END)),
    Queue.VERIFY: (Way("verified, not applied", Queue.DECIDE),),
    Queue.DECIDE: (
        Way("refine", Queue.CORRECT),
        Way("different, roll back", Queue.FORMALIZE),
        Way("keep, stop", END),
    ),
    Queue.CORRECT: (Way("proposed", Queue.VERIFY), Way("not applied", Queue.DECIDE), Way("no change", END)),
}

JOURNEYS: dict[str, Journey] = {
    "theorem": _THEOREM,
    "claim": _CLAIM,
    "question": _QUESTION,
    "code": _CODE,
    "change": _CHANGE,
}
"""kind of task -> how its goals travel."""


def journey_of(kind: str) -> Journey:
    """How goals of that kind travel; {} for a kind of which nothing is written down."""
    return {str(queue): ways for queue, ways in JOURNEYS.get(kind, {}).items()}
