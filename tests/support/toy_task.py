"""A fourth kind of task, made of nothing but the `Task` class: a riddle.

Its text is the name of a toy theorem's root. Its first queue is its own; the agent there writes the toy theorem and
puts the root into a queue that nobody serves, where the first search ends. The riddle lets it out: the second search
proves it.

As a program: ``toy_task.py HOME LATENCY RIDDLE`` works on one; it prints the run's id when the theorem is written.
"""

import asyncio
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from toy_language import ToyLanguage, theorem

from goedels_poetry import Event, GoedelsPoetryFramework, Settings
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages import Theorem
from goedels_poetry.search.agents.deps import Apply, Deps
from goedels_poetry.search.agents.registry import Registry, agent, load_registry
from goedels_poetry.search.machine.kinds import KINDS, Kind
from goedels_poetry.search.tasks.base import FORMAL, GO_ON, Session, Stop, Task
from goedels_poetry.store.reads import StoreReader, Txn
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, ProofNode, Queue

REWRITE, PAUSE = "rewrite", "pause"


@dataclass(frozen=True)
class Riddle(Task):
    kind: ClassVar[str] = "riddle"
    first_queue: ClassVar[str] = REWRITE

    text: str
    latency: float = 0.0

    @property
    def title(self) -> str:
        return f"riddle of {self.text}"

    def check(self, language: Any, models: Any) -> None:
        if not self.text:
            raise InvalidInput("the riddle is empty")

    async def settle(self, stop: Stop, session: Session) -> Stop:
        if stop.status != "exhausted" or (await session.root()).queue != PAUSE:
            return stop
        session.warn("the riddle was let out")
        await session.commit("let_out", let_out)
        return GO_ON

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        return replace(result, answer={"riddle": self.text, "read": theorem.statement, "suffix": suffix})


def let_out(txn: Txn) -> str:
    txn.put(replace(txn.get(ROOT), queue=Queue.PROVE))
    return "let out"


@agent(queue=REWRITE)
async def rewriter(node: ProofNode, deps: Deps) -> Apply:
    riddle = deps.task
    assert isinstance(riddle, Riddle)
    parts = [f"{riddle.text} part {n}" for n in range(4)]
    goals = {riddle.text: {"proof": None, "exhausted": True, "sketches": [{"strategy": "s", "children": parts}]}}
    formal = theorem(riddle.text, goals=goals, latency=riddle.latency)

    def apply(txn: Txn) -> str:
        txn.put(replace(node, queue=PAUSE, refs={**node.refs, FORMAL: txn.save(formal)}))
        return "rewritten"

    return apply


def riddle_registry() -> Registry:
    """The agents of a proof, and the one of riddles."""
    known, spec = load_registry(), rewriter.__agent__  # type: ignore[attr-defined]
    return replace(known, agents={**known.agents, spec.name: spec}, routes={REWRITE: spec, **known.routes})


RIDDLES = Kind(Riddle.again, riddle_registry)
"""The one line of the machine's table."""


async def main(home: str, latency: str, text: str) -> None:
    KINDS[Riddle.kind] = RIDDLES

    def tell(event: Event) -> None:
        if event.agent == "rewriter":
            print(event.run_id, flush=True)

    async with GoedelsPoetryFramework(Settings(home=Path(home)), language=ToyLanguage()) as framework:
        await framework.arun_task(Riddle(text, float(latency)), ToyLanguage(), {}, on_event=tell)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
