"""What may be done with a change that was verified: the legal moves, computed by code, and a table that prefers some.

Keeping what breaks something that worked is no legal move, whoever asks for it; nor is keeping a change as progress
that made nothing better. Going back to an earlier state is a move like any other: it happens because it was decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goedels_poetry.python.changes.comparing import MISSED, OPEN, REACHED, ChangeReport

MOVES = {
    "keep": "the change is kept, and the work is done",
    "keep_partial": "the change is kept as partial progress, and the next one builds on it",
    "refine": "the next change builds on this state of the file",
    "different": "the file goes back to the state that was kept last, for a different approach",
    "roll_back": "the file goes back to an earlier state: the one kept last, or say which: roll back to step N",
    "stop": "nobody has another change: the state that was kept last remains",
}
"""move -> what it does."""

SYNONYMS = {
    "keep": ("keep", "accept", "keep the change", "keep this change", "done"),
    "keep_partial": ("keep partial", "keep as partial progress", "partial", "partial progress", "keep progress"),
    "refine": ("refine", "make additional changes", "additional changes", "correct", "repair"),
    "different": ("different", "different approach", "another approach", "try another approach", "new approach"),
    "roll_back": ("roll back", "rollback", "revert", "undo"),
    "stop": ("stop", "give up"),
}
"""move -> words that a model may use for it."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a decision is about."""

    report: ChangeReport
    goes_on: bool
    """Whether anybody can propose another change."""
    in_vain: int = 0
    """How many of the last changes, this one included, reached nothing and made nothing better."""
    is_same: bool = False
    """Whether the change leaves the file as the state that was kept last has it."""


def legal_moves(now: Situation) -> tuple[str, ...]:
    """Moves that may be made, in the order of :data:`MOVES`."""
    report = now.report
    sound = report.is_applied and not report.broken
    allowed = {
        "keep": sound and report.goal != MISSED and not (now.is_same and report.goal == OPEN),
        "keep_partial": sound and report.goal == MISSED and bool(report.better) and not now.is_same,
        "refine": now.goes_on,
        "different": now.goes_on,
        "roll_back": report.is_applied,
        "stop": not now.goes_on and not report.is_applied,
    }
    return tuple(move for move, is_legal in allowed.items() if is_legal)


def preferred(now: Situation) -> tuple[str, str]:
    """The move of the table, always a legal one, and why."""
    legal = legal_moves(now)
    for move, why in _wanted(now):
        if move in legal:
            return move, why
    return legal[-1], MOVES[legal[-1]]


def _wanted(now: Situation) -> Sequence[tuple[str, str]]:
    report = now.report
    if not report.is_applied:
        return (("refine", "it could not be applied; another one is asked for"), ("stop", MOVES["stop"]))
    if report.is_clean:
        return (("keep", "the goal is reached and nothing broke"),)
    if report.broken:
        harm = f"it breaks what worked ({report.broken[0]})"
        if report.goal == REACHED:
            return (("refine", f"the goal is reached, but {harm}"), ("roll_back", harm))
        return (("different", harm), ("roll_back", harm))
    if report.doubts:
        doubt = f"nobody has said that this is meant: {report.doubts[0]}"
        return (("refine", doubt), ("roll_back", doubt))
    if report.goal == OPEN:
        return (
            ("keep", "nothing broke, and whether the goal is reached cannot be checked here"),
            ("roll_back", "it changes nothing"),
        )
    if report.better:
        return (("keep_partial", f"the goal is not reached, but nothing broke and {report.better[0]}"),)
    if now.in_vain > 1:
        return (("different", "the last changes made nothing better"), ("roll_back", "it makes nothing better"))
    return (("refine", "nothing broke, and the goal is not reached"), ("roll_back", "it makes nothing better"))


def chosen_move(words: str, legal: Sequence[str]) -> tuple[str, int | None]:
    """The legal move that a model's words name, and the step that it names with it; ("", None) for none."""
    said = " ".join(words.strip().lower().replace("_", " ").replace("-", " ").strip(".!\"'`*").split())
    numbers = [int(word) for word in said.replace(":", " ").split() if word.isdecimal()]
    bare = said
    for word in ("to step", "to state", "to the state after step", "step", "to"):
        for number in numbers:
            bare = bare.removesuffix(f"{word} {number}").strip()
    if numbers and bare.endswith(str(numbers[-1])):
        bare = bare.removesuffix(str(numbers[-1])).strip(" :")
    move = next((m for m in legal if bare == m.replace("_", " ") or bare in SYNONYMS[m]), "")
    return move, numbers[-1] if move == "roll_back" and numbers else None
