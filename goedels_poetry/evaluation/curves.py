"""Success against budget: which share of the trials would have ended well with so many calls, tokens, dollars, seconds.

A trial is one sample of one theorem or question. It counts as solved at a budget when it ended rightly and cost no more
than that; so a curve is the empirical distribution of the cost of success, and what was never solved keeps it below 1.
A run that is stopped at its budget is read as having the rest of its curve unknown: beyond the limit it stays level.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from goedels_poetry.evaluation.metrics import Share
from goedels_poetry.evaluation.outcome import Outcome
from goedels_poetry.evaluation.statistics import wilson

UNITS = ("seconds", "calls", "tokens", "money")
"""What budgets are counted in; calls include replies from the cache, since these would have been paid for."""
_STEPS = (1.0, 2.0, 5.0)
MOST_ROWS = 12
"""Budgets that a table has."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Success against one kind of budget."""

    unit: str
    costs: tuple[float, ...]
    """What each solved trial cost, in ascending order."""
    trials: int
    items: int
    """Theorems or questions that they belong to: several samples of one are no independent trials."""

    def at(self, budget: float) -> Share:
        """The share that is solved within a budget."""
        solved = bisect_right(self.costs, budget) / self.trials * self.items if self.trials else 0.0
        return Share(solved, self.items, *wilson(solved, self.items))

    @property
    def points(self) -> list[tuple[float, float]]:
        """Steps (budget, share solved within it), one for each cost that occurs."""
        steps: dict[float, float] = {}
        for number, cost in enumerate(self.costs, 1):
            steps[cost] = number / self.trials
        return list(steps.items())

    def to_json(self) -> dict[str, Any]:
        """``{"trials", "items", "points": [[budget, share], …]}``."""
        points = [[round(budget, 6), round(share, 4)] for budget, share in self.points]
        return {"trials": self.trials, "items": self.items, "points": points}


def curves(outcomes: Iterable[Outcome]) -> dict[str, Curve]:
    """A curve for every unit in which anything was spent; answers that are another question's are no trials."""
    every = [one for one in outcomes if not one.repeated]
    items = len({one.key for one in every})
    return {
        unit: Curve(unit, tuple(sorted(cost_of(one, unit) for one in every if one.correct)), len(every), items)
        for unit in UNITS
        if any(cost_of(one, unit) > 0 for one in every)
    }


def cost_of(outcome: Outcome, unit: str) -> float:
    """What a trial cost in a unit."""
    return float(outcome.calls + outcome.cached) if unit == "calls" else float(getattr(outcome, unit))


def budgets(many: Sequence[Curve]) -> list[float]:
    """Round budgets (1, 2, 5, 10, …) from below the cheapest success to the dearest, at most `MOST_ROWS`.

    Calls and tokens come in whole numbers.
    """
    costs = [cost for curve in many for cost in curve.costs if cost > 0]
    if not costs:
        return []
    least, most = min(costs), max(costs)
    grid = [step * 10.0**power for power in range(-7, 13) for step in _STEPS]
    whole = all(curve.unit in ("calls", "tokens") for curve in many)
    chosen = [v for v in grid if least <= v * 2.5 and v <= most * 2.5 and (v >= 1 or not whole)]
    upto = next((number for number, value in enumerate(chosen, 1) if value >= most), len(chosen))
    return chosen[max(0, upto - MOST_ROWS) : upto]
