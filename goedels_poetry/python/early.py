"""What is asked of a theorem first, asked while its function is still being tested.

Tests of a function take seconds, its proof often less: so direct proofs and sketches are looked for beside them, of the
theorem and then of what a sketch leaves open. When nothing is open any more, the tests end: the machine goes the same
way with the answers that are here, and the checker runs the function as well. Anything else waits for the tests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Ask = Callable[[str, Json], Awaitable[Json]]
"""A job by name with its payload; what it answers."""

EARLY = ("prove", "sketch")
"""What is asked early, in this order."""

MAX_DEPTH = 4
"""Sketches of what sketches leave open."""


@dataclass(frozen=True, slots=True)
class _Answer:
    asked: Json
    answer: Json
    closed: bool
    """Whether nothing stays open below: then it needs no fact that somebody has found since."""


class EarlyAnswers:
    """Answers to the first questions about goals; each is given once."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str, str], _Answer] = {}

    async def search(self, ask: Ask, payload: Json, depth: int = MAX_DEPTH) -> bool:
        """Look for a direct proof of a goal, then for a sketch of one; whether nothing is left open."""
        proof = await ask("prove", payload)
        self._keep("prove", payload, proof, closed=proof["ok"])
        if proof["ok"] or not depth:
            return bool(proof["ok"])
        wanted = {**payload, "banned": []}
        answer = await ask("sketch", wanted)
        closed = bool(answer["ok"])
        self._keep("sketch", wanted, answer, closed=False)
        for statement in open_goals(answer["value"]["sketch"]) if closed else ():
            closed = closed and await self.search(ask, {**payload, "statement": statement}, depth - 1)
        self._keep("sketch", wanted, answer, closed=closed)
        return closed

    def take(self, question: str, payload: Json) -> Json | None:
        """The answer to what was asked early, or None: to be asked anew."""
        known = self._answers.pop((question, payload["theorem"], payload["statement"]), None)
        if known is None:
            return None
        wanted = {name: value for name, value in payload.items() if name != "log"}
        same = {**wanted, "scope": known.asked["scope"]} == known.asked
        return known.answer if same and (known.closed or wanted["scope"] == known.asked["scope"]) else None

    def _keep(self, question: str, asked: Json, answer: Json, *, closed: bool) -> None:
        self._answers[question, asked["theorem"], asked["statement"]] = _Answer(asked, answer, closed)


def open_goals(sketch: Json) -> list[str]:
    """The statements that a sketch, and the sketches within, leave open."""
    found: list[str] = []
    for child in sketch["children"]:
        if "sketch" in child:
            found += open_goals(child["sketch"])
        elif "candidate" not in child:
            found.append(child["statement"])
    return found
