"""Goals go on independently: nobody waits for another goal's slow reply, and nothing is lost of steps made together."""

from __future__ import annotations

import asyncio
from typing import Any

from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Event, Verdict

HOPELESS: dict[str, Any] = {"proof": None, "exhausted": True}
MANY = [f"goal {n}" for n in range(40)]
TREE = {
    "T": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["slow", "A", "B", *MANY]}]},
    "A": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["A1", "A2"]}]},
    "A1": {"proof": 2},
    "B": {"correctable": True, "proof": 5},
}


class OneSlowReply(ToyLanguage):
    """The reply for one goal comes when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if (what, statement) == ("prove", "slow"):
            await self.let_go.wait()
        await super()._work(what, statement, attempt, spec)


async def test_a_slow_reply_delays_no_other_goal(framework: MakeFramework) -> None:
    language = OneSlowReply()
    fw = framework(language, max_concurrency=3)
    proved: list[str] = []

    def heard(event: Event) -> None:
        if event.outcome == "proved":
            proved.append(event.node)
        if len(proved) == 2 + 1 + len(MANY):  # A1, A2, B and the many: all but the slow one
            language.let_go.set()

    # Were there a barrier anywhere, the reply would never be let go.
    result = await asyncio.wait_for(fw.arun(theorem(goals=TREE), name="t", on_event=heard), 100)
    assert result.verdict is Verdict.PROVED
    with fw.open_store(result.run_id) as store:
        assert store.get(proved[-1]).statement == "slow"


class WaitForSketch(ToyLanguage):
    """From some goal on replies come when the other one has been sketched."""

    def __init__(self) -> None:
        super().__init__()
        self.sketched = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if what == "prove" and statement in MANY[10:]:
            await self.sketched.wait()
        if (what, statement) == ("sketch", "A"):
            self.sketched.set()
        await super()._work(what, statement, attempt, spec)


async def test_a_goal_that_must_be_decomposed_need_not_wait_until_all_others_were_tried(
    framework: MakeFramework,
) -> None:
    tree = TREE | {"T": {**HOPELESS, "sketches": [{"strategy": "s", "children": ["A", *MANY]}]}}
    fw = framework(WaitForSketch(), max_concurrency=4)
    # If the many, which are more than the places, had them all, no sketch would ever be asked for.
    result = await asyncio.wait_for(fw.arun(theorem(goals=tree), name="t"), 100)
    assert result.verdict is Verdict.PROVED


class WaitForCheck(ToyLanguage):
    """The reply for one goal comes at once, those for all others when the first one's has been checked."""

    def __init__(self) -> None:
        super().__init__()
        self.checked = asyncio.Event()

    async def _work(self, what: str, statement: str, attempt: int, spec: dict[str, Any]) -> None:
        if what == "prove" and statement in MANY[1:]:
            await self.checked.wait()
        if (what, statement) == ("verify", MANY[0]):
            self.checked.set()
        await super()._work(what, statement, attempt, spec)


async def test_what_is_found_is_checked_while_every_place_waits_for_a_reply(framework: MakeFramework) -> None:
    tree = {"T": {**HOPELESS, "sketches": [{"strategy": "s", "children": MANY}]}}
    fw = framework(WaitForCheck(), max_concurrency=2)
    # The second place is given away while the first result is written: the check finds none that is free.
    result = await asyncio.wait_for(fw.arun(theorem(goals=tree), name="t"), 100)
    assert result.verdict is Verdict.PROVED
