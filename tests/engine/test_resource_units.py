"""A budget of resource units: what a search finds within it does not depend on how fast the machine is."""

import os
import subprocess
import sys
import time

import pytest

from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.protocol.base import UNITS_A_SECOND
from goedels_poetry.settings.declared import Settings
from goedels_poetry.smt.context.sessions import SLACK, UNITS_A_CALL, UNITS_OF_FUEL, Budget, OutOfTime
from goedels_poetry.solvers.limits import Answer
from goedels_poetry.store.results import RunResult

LISTS = """(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec app ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x L)) L (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
"""
PROVED = LISTS + "(prove (forall ((x L) (y L)) (= (rev (app x y)) (app (rev y) (rev x)))))"
OPEN = LISTS + "(prove (forall ((x L) (y L)) (=> (= (app x y) (app y x)) (= (rev (app y x)) (app (rev x) (rev y))))))"


def result_of(text: str, units: int, *, fresh: bool = True) -> RunResult:
    settings = Settings(budgets={"resource_units": units, "wall_seconds": None}, use_memory=False)
    with GoedelsPoetryFramework(settings) as framework:
        return framework.run(text, name="t", fresh=fresh)


@pytest.mark.parametrize("text", [PROVED, OPEN], ids=["proved", "open"])
def test_the_same_units_are_used_while_others_use_the_processor(text: str) -> None:
    quiet = result_of(text, UNITS_A_SECOND)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * (os.cpu_count() or 1))]
    try:
        busy = result_of(text, UNITS_A_SECOND)
    finally:
        for other in others:
            other.kill()
            other.wait()
    for counter in ("resource_units", "solver_calls", "steps"):
        assert busy.metrics[counter] == quiet.metrics[counter] > 0
    assert busy.verdict is quiet.verdict
    assert quiet.verdict is Verdict.PROVED or quiet.metrics["resource_units"] >= UNITS_A_SECOND


def test_units_that_are_used_up_are_named_and_a_larger_budget_goes_on() -> None:
    stopped = result_of(PROVED, 20_000)
    assert stopped.verdict is Verdict.OUT_OF_BUDGET and "20000 resource units are used up" in stopped.reason
    assert result_of(PROVED, 10 * UNITS_A_SECOND, fresh=False).verdict is Verdict.PROVED


def test_time_in_units_passes_with_queries_and_evaluation_alone() -> None:
    fuel = [5]
    budget = Budget(lambda: fuel[0])
    budget.in_units = True
    budget.set_deadline(0.1)
    time.sleep(0.12)
    budget.check()
    budget.spend(Answer("unsat", rlimit_used=40_000))
    fuel[0] += 10_000
    assert budget.units == UNITS_A_CALL + 40_000 + 10_000 * UNITS_OF_FUEL
    with budget.part(0.5):
        budget.spend(Answer("unknown", rlimit_used=15_000))
        with pytest.raises(OutOfTime):
            budget.check()
    budget.check()
    budget.spend(Answer("unknown", rlimit_used=20_000), units=10)
    with pytest.raises(OutOfTime):
        budget.check()


def test_queries_have_more_time_where_units_are_counted() -> None:
    budget = Budget()
    assert budget.limits(7, 2.0).seconds == 2.0
    budget.in_units = True
    assert (budget.limits(7, 2.0).seconds, budget.limits(7, 2.0).rlimit) == (2.0 * SLACK, 7)
