"""What a logic program asks, in one line."""

from __future__ import annotations

from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.entailment.program import LogicProgram


def statement_of(program: LogicProgram) -> str:
    """Its goals and objectives, in their order."""
    goals = [
        show(goal.formula) if goal.name == "goal" else f"{goal.name}: {show(goal.formula)}" for goal in program.goals
    ]
    best = [f"{'maximize' if o.maximize else 'minimize'} {show(o.term)}" for o in program.objectives]
    return "; ".join((*goals, *best))
