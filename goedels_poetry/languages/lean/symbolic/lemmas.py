"""Conjectures as lemmas: with names, turned round so that they rewrite, and read by Lean."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goedels_poetry.languages.lean.runtime.protocol import CheckRequest, LeanRuntime
from goedels_poetry.languages.lean.symbolic.attempts import Clock
from goedels_poetry.languages.lean.symbolic.conjectures import Conjecture, conjectures
from goedels_poetry.languages.lean.symbolic.orders import greater, permutes, ranks
from goedels_poetry.languages.lean.symbolic.pool import World
from goedels_poetry.languages.lean.task import Task

TERM_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Named:
    """A conjecture with the name of its theorem."""

    name: str
    conjecture: Conjecture
    simp: bool

    @property
    def stated(self) -> str:
        """Name, variables and statement, as after the word `theorem`."""
        return f"{self.name} {self.conjecture.binders()} : {self.conjecture.body()}"


async def lemmas_of(lean: LeanRuntime, task: Task, world: World, clock: Clock) -> tuple[Named, ...]:
    """The conjectures of a world that Lean reads, in the direction in which they rewrite."""
    made = await asyncio.to_thread(conjectures, world, min(TERM_SECONDS, clock.left / 3))
    stem = re.sub(r"\W+", "_", task.name.split(".")[-1].strip("«»"))
    found = []
    functions = [f.name for f in world.functions]
    rank = ranks(functions, world.equations)
    for made_first in made:
        c, simp = _oriented(made_first, rank)
        digest = hashlib.sha256(c.statement.encode()).hexdigest()[:6]
        found.append(Named(f"{stem}_aux_{digest}", c, simp))
    return await _readable(lean, task, tuple({n.name: n for n in found}.values()), clock)


async def _readable(lean: LeanRuntime, task: Task, lemmas: Sequence[Named], clock: Clock) -> tuple[Named, ...]:
    """Those whose statements Lean reads."""
    stubs = "".join(f"axiom {n.stated}\n" for n in lemmas)
    result = await lean.check(CheckRequest(f"\n{task.stubs}{stubs}", prefix=task.prefix, seconds=clock.left))
    if result.status != "done":
        return ()
    first = f"{task.prefix}\n{task.stubs}".count("\n") + 1
    wrong = {m.line - first for m in result.errors}
    return tuple(n for i, n in enumerate(lemmas) if i not in wrong)


def _oriented(c: Conjecture, rank: Mapping[str, int]) -> tuple[Conjecture, bool]:
    """The way round in which it rewrites, and whether there is one."""
    if c.right is None:
        return c, True
    free = frozenset(v.name for v in c.variables)
    if greater(c.left, c.right, free, rank) or permutes(c.left, c.right, free):
        return c, True
    if greater(c.right, c.left, free, rank) and free <= set(c.right.heads()):
        return replace(c, left=c.right, right=c.left), True
    return c, False
