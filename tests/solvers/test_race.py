"""Two solvers at one question: who answers first is believed, who is still at it is stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Answer, Limits
from goedels_poetry.solvers.racing import Runner, race
from goedels_poetry.solvers.z3_process import Z3Process

FALSE = "(declare-const x Int)(assert (< x x))"


@pytest.fixture
def cvc5() -> Iterator[Cvc5Process]:
    with Cvc5Process() as process:
        yield process


def test_the_first_definite_answer_wins_and_the_loser_is_stopped(z3: Z3Process, cvc5: Cvc5Process, hard: str) -> None:
    long = Limits(seconds=300)
    for slow, fast in ((z3, cvc5), (cvc5, z3)):
        finish = race(
            Runner(slow, iter(lambda slow=slow: slow.ask(hard, long), None)),
            Runner(fast, (fast.ask(FALSE) for _ in range(1))),
        )
        assert (finish.winner, finish.answer.status) == (1, "unsat")
        assert slow.pid is None, "the loser is still running"
        assert slow.ask(FALSE).status == "unsat", "and does not answer any more"


def test_a_runner_tries_its_next_way_only_when_it_needs_one(z3: Z3Process, cvc5: Cvc5Process) -> None:
    asked = []

    def ways(solver: Z3Process | Cvc5Process, *statuses: str) -> Iterator[Answer]:
        for status in statuses:
            asked.append(solver.name)
            yield Answer(status)  # type: ignore[arg-type]

    finish = race(Runner(z3, ways(z3, "unknown", "unknown", "sat", "unsat")))
    assert (finish.winner, finish.answer.status) == (0, "sat")
    assert asked == ["z3"] * 3
    finish = race(Runner(z3, ways(z3, "unknown")), Runner(cvc5, ways(cvc5, "unknown", "unknown")))
    assert (finish.winner, finish.answer.status) == (None, "unknown")


def test_what_goes_wrong_while_asking_is_raised_and_stops_the_others(
    z3: Z3Process, cvc5: Cvc5Process, hard: str
) -> None:
    def broken() -> Iterator[Answer]:
        raise ValueError("no such option")
        yield

    with pytest.raises(ValueError, match="no such option"):
        race(Runner(z3, (z3.ask(hard, Limits(seconds=300)) for _ in range(1))), Runner(cvc5, broken()))
    assert z3.pid is None
