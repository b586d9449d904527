"""A machine that has nothing to give, or a solver that cannot be run, stops a run; it decides nothing in it."""

from __future__ import annotations

import errno
from typing import Any

import pytest
from toy_language import ToyLanguage, theorem
from trees_by_hand import MakeFramework

from goedels_poetry import Verdict
from goedels_poetry.errors import MissingTool, Unavailable
from goedels_poetry.languages import Goal, Outcome, Theorem
from goedels_poetry.solvers.limits import SolverUnavailable


class Failing(ToyLanguage):
    """The first direct attempt meets with an error that is not its own."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    async def prove(self, goal: Goal) -> Outcome:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return await super().prove(goal)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        SolverUnavailable("z3 cannot be run: exit code 1"),
        Unavailable("no worker"),
        MissingTool("the cluster does not answer any more"),
    ],
    ids=str,
)
async def test_what_the_machine_cannot_do_now_costs_no_attempt(framework: MakeFramework, error: Exception) -> None:
    fw = framework(Failing(error))
    result = await fw.arun(theorem(), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert "the machine cannot go on" in result.reason and str(error.args[-1]) in result.reason
    assert result.reason.endswith(f"run {result.run_id} can be resumed")
    again = await fw.arun(theorem(), name="t")
    assert (again.verdict, again.run_id) == (Verdict.PROVED, result.run_id)
    with fw.open_store(again.run_id) as store:
        assert store.root().attempts == 1


class CannotAssemble(ToyLanguage):
    """What is needed to put the proof together for the checker is not there the first time."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error

    async def assemble(self, theorem: Theorem, derivation: list[dict[str, Any]]) -> dict[str, Any]:
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        return await super().assemble(theorem, derivation)


async def test_a_check_for_which_the_machine_has_nothing_to_give_is_made_on_resume(framework: MakeFramework) -> None:
    fw = framework(CannotAssemble(OSError(errno.EMFILE, "Too many open files")))
    result = await fw.arun(theorem(), name="t")
    assert result.verdict is Verdict.OUT_OF_BUDGET
    assert "the machine cannot go on before the whole proof was checked" in result.reason
    assert result.reason.endswith(f"run {result.run_id} can be resumed")
    assert (await fw.arun(theorem(), name="t")).verdict is Verdict.PROVED
