"""What is asked of a theorem first, asked while its function is still being tested.

Tests of a function take seconds, its proof often less: so direct proofs and sketches are looked for beside them, of the
theorem and then of what a sketch leaves open. When nothing is open any more, the tests end: the machine goes the same
way with the answers that are here, and the checker runs the function as well. Anything else waits for the tests. A
question that is under way when the tests end is not asked again by the machine, which takes its answer.
"""

from __future__ import annotations

import asyncio
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
PATIENCE = 10.0
"""Seconds after the tests within which what is under way has to be asked for."""


@dataclass(slots=True)
class _Question:
    asked: Json
    answer: asyncio.Future[Json]
    closed: bool = False
    """Whether nothing stays open below: then it needs no fact that was found since."""


class EarlyAnswers:
    """Answers to the first questions about goals; each is given once."""

    def __init__(self) -> None:
        self._questions: dict[tuple[str, str, str], _Question] = {}
        self._left: set[str] = set()

    async def search(self, ask: Ask, payload: Json) -> bool:
        """Look for a direct proof of a goal, then for a sketch of one; whether nothing is left open.

        Raises:
            JobTimeout, JobMemory, JobCrashed: a question was not answered.
        """
        self._left.discard(payload["theorem"])
        return await self._closes(ask, payload, MAX_DEPTH)

    async def _closes(self, ask: Ask, payload: Json, depth: int) -> bool:
        proof = self._ask(ask, "prove", payload)
        proof.closed = "candidate" in (await proof.answer)["value"]  # else it may be a counterexample
        if proof.closed or not depth or payload["theorem"] in self._left:
            return proof.closed
        sketch = self._ask(ask, "sketch", {**payload, "banned": []})
        answer = await sketch.answer
        closed = bool(answer["ok"])
        for statement in open_goals(answer["value"]["sketch"]) if closed else ():
            below = {**payload, "statement": statement}
            closed = closed and payload["theorem"] not in self._left and await self._closes(ask, below, depth - 1)
        sketch.closed = closed
        return closed

    def leave(self, theorem: str) -> None:
        """Ask nothing more about a theorem; what is under way goes on, but is ended if `take` is not called in time."""
        self._left.add(theorem)
        asyncio.get_running_loop().call_later(PATIENCE, self.end, theorem)

    def end(self, theorem: str) -> None:
        """End what is under way about a theorem and was not taken."""
        for key in [key for key in self._questions if key[1] == theorem]:
            if not self._questions[key].answer.done():
                self._questions.pop(key).answer.cancel()

    async def take(self, question: str, payload: Json) -> Json | None:
        """The answer to what was asked early, or None: to be asked anew.

        Raises:
            JobTimeout, JobMemory, JobCrashed: it was not answered.
        """
        known = self._questions.pop((question, payload["theorem"], payload["statement"]), None)
        if known is None:
            return None
        wanted = {name: value for name, value in payload.items() if name != "log"}
        same = {**wanted, "scope": known.asked["scope"], "left": known.asked["left"]} == known.asked
        if not same or not (known.closed or wanted["scope"] == known.asked["scope"]):
            known.answer.cancel()
            return None
        return await known.answer

    def _ask(self, ask: Ask, question: str, asked: Json) -> _Question:
        found = _Question(asked, asyncio.ensure_future(ask(question, asked)))
        self._questions[question, asked["theorem"], asked["statement"]] = found
        return found


def open_goals(sketch: Json) -> list[str]:
    """The statements that a sketch, and the sketches within, leave open."""
    found: list[str] = []
    for child in sketch["children"]:
        if "sketch" in child:
            found += open_goals(child["sketch"])
        elif "candidate" not in child:
            found.append(child["statement"])
    return found
