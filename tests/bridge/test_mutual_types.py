"""Goals about types that are declared together: Lean's `induction` wants their recursor by its name."""

import asyncio

from goedels_poetry.lean.goals.engine import Engine
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.tactics.portfolio import Clock
from goedels_poetry.lean.text.sketch import check_proof
from goedels_poetry.lean.text.task import Task

BUSHES = """mutual
inductive Bush where
  | twig (below : Twigs)
inductive Twigs where
  | none
  | one (first : Bush) (others : Twigs)
end

def Twigs.then : Twigs → Twigs → Twigs
  | .none, m => m
  | .one b l, m => .one b (l.then m)

def Twigs.turn : Twigs → Twigs
  | .none => .none
  | .one b l => l.turn.then (.one b .none)

"""
FUNCTIONS = ("Twigs.then", "Twigs.turn")


async def _accepted(lean: LeanPool, task: Task) -> str:
    engine = Engine()
    try:
        found = await engine.prove(lean, task, Clock(20))
    finally:
        await engine.aclose()
    assert found is not None
    seen = await check_proof(lean, task, found.proof, found.helpers)
    assert not seen.reason
    assert "sorryAx" not in seen.axioms
    return found.helpers + found.proof


def test_an_induction_on_one_of_them_says_nothing_of_the_others(lean: LeanPool) -> None:
    text = asyncio.run(
        _accepted(lean, Task(BUSHES, "theorem goal (l : Twigs) : l.turn.turn = l", "goal", (), FUNCTIONS))
    )
    assert "sorry" not in text
