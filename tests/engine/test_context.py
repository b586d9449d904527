"""What strategies work with on one problem: budgets, lemmas, single queries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.smt.context.attempts import close_goal, direct_query, minimal_query
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent
from goedels_poetry.smt.notation.text import parse_sequent

PLUS = """
(declare-datatypes ((N 0)) (((zero) (s (p N)))))
(define-fun-rec plus ((x N) (y N)) N (match x ((zero y) ((s k) (s (plus k y))))))
(prove (forall ((x N)) (= (plus x (s zero)) (s (plus x zero)))))
"""
RIGHT_ZERO = "(sequent ((x N)) () (= (plus x zero) x))"
RIGHT_ONE = "(sequent ((x N)) () (= (plus x (s zero)) (s x)))"
NOTHING = "(sequent ((x N)) () (= (plus zero x) x))"


@pytest.fixture
def context() -> Iterator[ProverContext]:
    with_solvers = ProverContext(problem_of(PLUS))
    with_solvers.begin()
    yield with_solvers
    with_solvers.close()


def test_a_goal_that_needs_an_induction_closes_once_the_lemmas_are_there_and_cites_just_those(
    context: ProverContext,
) -> None:
    goal = root_sequent(context.problem)
    assert close_goal(context, goal) is None
    keys = [context.add_lemma(parse_sequent(text, context.signature)) for text in (NOTHING, RIGHT_ZERO, RIGHT_ONE)]
    query = direct_query(context, goal)
    assert query is not None and list(query.cites) == keys == list(context.lemmas)
    assert minimal_query(context, goal, query).cites == (keys[1], keys[2])
