"""What strategies work with on one problem: budgets, lemmas, single queries."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.smt.context.attempts import close_goal, direct_query, minimal_query
from goedels_poetry.smt.context.budget import DIRECT, OutOfTime
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent
from goedels_poetry.smt.notation.text import parse_sequent
from goedels_poetry.smt.rewriting.plan import key_of
from goedels_poetry.solvers.limits import Answer

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


def test_a_quiet_lemma_may_be_cited_though_no_query_is_given_it_unasked(context: ProverContext) -> None:
    fact = parse_sequent(RIGHT_ZERO, context.signature)
    key = context.add_lemma(fact, quiet=True)
    assert key == key_of(fact) and not context.lemmas
    assert context.holds(fact, Query(cites=(key,)), DIRECT)
    assert not context.holds(fact, Query(), DIRECT, known=True), "it was told although nobody asked"


def test_a_job_begins_with_no_lemma_no_cost_and_no_limit_of_the_job_before(context: ProverContext) -> None:
    fact = parse_sequent(RIGHT_ZERO, context.signature)
    context.add_lemma(fact)
    context.restrict("plus", ())
    context.want_at(fact, fact.concl.args[0])
    context.budget.limit_calls(0)
    with pytest.raises(OutOfTime):
        context.holds(fact, Query(), DIRECT)
    context.begin()
    assert not context.lemmas and context.domain("plus") is None and context.wanted_at(fact) is None
    assert context.budget.calls == 0 and context.budget.seconds == 0
    assert not context.holds(fact, Query(), DIRECT), "the solver remembers the lemma of the job before"
    assert context.budget.calls == 1


def test_a_number_of_queries_counts_from_where_it_is_set_and_a_deadline_from_now(context: ProverContext) -> None:
    fact = parse_sequent(NOTHING, context.signature)
    assert context.holds(fact, Query(), DIRECT)
    context.budget.limit_calls(1)
    assert context.holds(fact, Query(), DIRECT)
    with pytest.raises(OutOfTime):
        context.holds_alone(fact, Query(), DIRECT)
    context.budget.limit_calls(None)
    context.budget.set_deadline(60.0)
    assert 50 < context.budget.seconds_left() <= 60
    assert context.holds_alone(fact, Query(), DIRECT)
    context.budget.set_deadline(-1.0)
    with pytest.raises(OutOfTime):
        context.refutes(fact)


def test_lemmas_are_shown_and_not_handed_out(context: ProverContext) -> None:
    with pytest.raises(TypeError):
        context.lemmas["key"] = root_sequent(context.problem)  # type: ignore[index]


def test_a_part_of_a_budget_leaves_the_rest_for_the_others(context: ProverContext) -> None:
    budget = context.budget
    budget.limit_calls(8)
    with budget.part(0.25):
        for _ in range(2):
            budget.check()
            budget.spend(Answer("unknown"))
        with pytest.raises(OutOfTime):
            budget.check()
    for _ in range(6):
        budget.check()
        budget.spend(Answer("unknown"))
    with pytest.raises(OutOfTime):
        budget.check()
    budget.limit_calls(None)
    with budget.part(0.0):
        budget.check()
