"""Proofs by arithmetic in core Lean, tried as the agents try them."""

import asyncio

from goedels_poetry.lean.agents import prove
from goedels_poetry.lean.arithmetic.predicates import predicates_of
from goedels_poetry.lean.arithmetic.tactics import arithmetic
from goedels_poetry.lean.refute import refute
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.tactics.portfolio import Clock, Proposal, first_success
from goedels_poetry.lean.tactics.theory import opened, theory_of
from goedels_poetry.lean.text.task import Task

SECONDS = 60


def shown(lean: LeanPool, statement: str, prefix: str = "") -> Proposal | None:
    """The first proof of a statement after a file's beginning that Lean accepts: by computing, else by any tactic."""

    async def run() -> Proposal | None:
        task = Task(prefix, f"theorem t {statement}", "t")
        goal = await opened(lean, task, SECONDS)
        assert goal is not None
        known = predicates_of(await theory_of(lean, prefix, SECONDS)) if prefix else {}
        proofs = [f"{goal.start}  {tactic}" for tactic in arithmetic(goal, known)]
        found = await first_success(lean, task, proofs, clock=Clock(SECONDS), strategy="arithmetic")
        return found or await prove(lean, task, seconds=SECONDS)

    return asyncio.run(run())


def refuted(lean: LeanPool, prefix: str, closed: str) -> str:
    """The proof of a closed statement's negation; "" if there is none."""
    found = asyncio.run(refute(lean, Task(prefix, f"theorem t : {closed}", "t"), seconds=SECONDS))
    return "" if found is None else found.text
