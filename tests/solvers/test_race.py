"""Two solvers at one question: who answers first is believed, who is still at it is stopped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.solvers.cvc5_process import Cvc5Process
from goedels_poetry.solvers.limits import Limits
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
