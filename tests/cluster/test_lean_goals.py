"""Goals of a Lean theorem that somebody else works on: what comes of it, and what comes of his lies.

Ray is not needed for that: a pool that answers in this process says what a node would say, in the same JSON.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import kept_lean
import pytest

from goedels_poetry import Budgets, GoedelsPoetryFramework, Settings
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.language import LeanLanguage
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.text.away import JOB, answer
from goedels_poetry.protocol.base import Goal
from goedels_poetry.protocol.trials import TrialLog

Json = dict[str, Any]
Lie = Callable[[str], Json | None]
"""What is said in the place of a method's outcome; None: that outcome."""

TRUE = "theorem below (a b : Nat) (h : a ≤ b) : a < b + 1 := by sorry\n"
FALSE = "theorem never (n : Nat) : n * n ≠ 1524157875019052100 := by sorry\n"
"""It is the square of 1,234,567,890, which no search for values meets."""


class Node:
    """A pool whose node does what it is asked, and says something else where it lies."""

    def __init__(self, lean: LeanPool, lie: Lie = lambda method: None) -> None:
        self._language = LeanLanguage(lean)
        self._lie = lie
        self.asked: list[str] = []

    async def run(
        self, function: str, payload: Json, seconds: float = 60.0, memory_mb: int = 4096, urgency: int = 0
    ) -> Any:
        assert function == JOB
        told = json.loads(json.dumps(payload))
        self.asked.append(told["method"])
        lie = self._lie(told["method"]) or {}
        if "outcome" in lie:  # who makes an outcome up has not worked for it
            return {"trials": TrialLog().to_json(), "lean": await self._language.lean_version(), **lie}
        return {**json.loads(json.dumps(await answer(self._language, told))), **lie}

    async def aclose(self) -> None:
        await self._language.aclose()


Made = Callable[[Node, float], GoedelsPoetryFramework]


@pytest.fixture
async def framework(lean: LeanPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Made]:
    """A framework whose goals are worked on by a node. Who decides in the end has a Lean of its own kind here."""
    kept_lean.for_checkers(lean, monkeypatch)
    made = []

    def make(node: Node, seconds: float) -> GoedelsPoetryFramework:
        settings = Settings(home=tmp_path, budgets=Budgets(wall_seconds=seconds), use_memory=False)
        made.append(GoedelsPoetryFramework(settings, language=LeanLanguage(lean)))
        made[-1].spread_over(node)
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


async def test_a_theorem_is_proved_by_goals_that_another_machine_works_on(lean: LeanPool, framework: Made) -> None:
    node = Node(lean)
    result = await framework(node, 120).arun(TRUE, name="t.lean")
    assert result.verdict is Verdict.PROVED, result.reason
    assert {"prove", "verify"} <= set(node.asked)


PARTS = """by
  have sum : a + b = b + a := by sorry
  have less : a ≤ b := by sorry
  have other : b ≤ a := by sorry
  omega"""


async def test_each_subgoal_of_a_sketch_is_looked_at_by_whichever_node_is_free(lean: LeanPool) -> None:
    """All at once, and what is told is what one Lean alone would tell: of the false ones the first."""
    goal = Goal("theorem equal (a b : Nat) : a = b := by sorry\n", {"theorem": "equal"}, "0", "")
    language, alone = LeanLanguage(lean), LeanLanguage(lean)
    at_work, most = 0, 0

    class Several(Node):
        async def run(self, function: str, payload: Json, *arguments: Any, **named: Any) -> Any:
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            try:
                return await super().run(function, payload, *arguments, **named)
            finally:
                at_work -= 1

    node = Several(lean)
    language.work_on(node)
    sketch = {"strategy": "split", "fingerprint": "split", "proof": PARTS}
    outcome, expected = await language.verify_sketch(goal, sketch), await alone.verify_sketch(goal, sketch)
    assert node.asked == ["link_sketch", *["refute_child"] * 3] and most == 3
    assert (outcome.ok, outcome.value, outcome.reason) == (expected.ok, expected.value, expected.reason)
    assert outcome.value["refuted_child"] == 1 and at_work == 0


def proved_by(proof: str, helpers: str = "") -> Lie:
    """Whatever the goal is, this proves it; so a node says."""
    candidate = {"proof": proof, "helpers": helpers}
    verified = {**candidate, "names": [], "cites": [], "axioms": []}

    def lie(method: str) -> Json | None:
        value = {"prove": {"candidate": candidate}, "verify": {"proof": verified}}.get(method)
        return None if value is None else {"outcome": {"ok": True, "value": value, "reason": "", "cost": {}}}

    return lie


def without_a_hole(method: str) -> Json | None:
    """A sketch that leaves nothing open, and is said to be linked."""
    sketch = {
        "strategy": "induction",
        "fingerprint": "lie",
        "proof": "by omega",
        "helpers": "",
        "children": [],
        "linked": {"proof": "by omega", "helpers": ""},
        "names": [],
    }
    if method == "prove":
        return {"outcome": {"ok": False, "value": {}, "reason": "exhausted", "cost": {}}}
    if method in ("sketch", "link_sketch", "correct_sketch"):
        return {"outcome": {"ok": True, "value": {"sketch": sketch}, "reason": "", "cost": {}}}
    return None


LIES: dict[str, tuple[Lie, str]] = {
    "a tactic that fails": (proved_by("by omega"), "omega could not prove the goal"),
    "an admitted proof": (proved_by("by sorry"), "never rests on sorryAx"),
    "an axiom of its own": (
        proved_by("absurd_fact n", "axiom absurd_fact (n : Nat) : n * n ≠ 1524157875019052100"),
        "axiom",
    ),
    "another theorem behind it": (proved_by("by sorry\ntheorem other : True := by trivial"), "rests on sorryAx"),
    "a sketch without holes": (without_a_hole, "omega could not prove the goal"),
}
"""With what the gate says."""


@pytest.mark.parametrize(("lie", "words"), LIES.values(), ids=LIES)
async def test_what_a_node_calls_proved_is_not_by_that(lean: LeanPool, framework: Made, lie: Lie, words: str) -> None:
    result = await framework(Node(lean, lie), 60).arun(FALSE, name="t.lean")
    assert (result.verdict, result.certificate) == (Verdict.UNKNOWN, None)
    assert words in result.reason


WORKED: Json = {"ok": True, "value": {}, "reason": "", "cost": {}}
MALFORMED: tuple[Json, ...] = (
    {"outcome": None},
    {"outcome": {**WORKED, "ok": "yes"}},
    {"outcome": {**WORKED, "value": []}},
    {"outcome": {**WORKED, "cost": {"solver_seconds": "many"}}},
    {"outcome": WORKED, "trials": 7},
)


async def test_an_answer_that_is_none_costs_no_attempt(lean: LeanPool, framework: Made) -> None:
    lies = [MALFORMED[0]]
    made = framework(Node(lean, lambda method: lies.pop() if lies else None), 120)
    result = await made.arun(TRUE, name="t.lean")
    assert result.verdict is Verdict.OUT_OF_BUDGET and "a node's answer cannot be read" in result.reason
    with made.open_store(result.run_id) as store:
        assert store.root().attempts == 0
    assert (await made.arun(TRUE, name="t.lean")).verdict is Verdict.PROVED
