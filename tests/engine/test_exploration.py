"""Lemmas found by looking: laws among terms that agree on values, and what rewriting with proven ones is good for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.smt.conjecture.explore import Explorer
from goedels_poetry.smt.conjecture.failed_steps import from_failed_step
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.templates import templates
from goedels_poetry.smt.context.attempts import direct_query
from goedels_poetry.smt.context.budget import DIRECT
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import root_sequent
from goedels_poetry.smt.notation.proof_json import show_sequent
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.smt.rewriting.rules import Rules

HEAPS = """
(declare-datatypes ((N 0)) (((none) (more (less N)))))
(define-fun-rec add ((x N) (y N)) N (match x ((none y) ((more a) (more (add a y))))))
(define-fun-rec three ((x N) (y N) (z N)) N (match x ((none (add y z)) ((more a) (more (three a z y))))))
(declare-datatypes ((T 0)) (((tip) (fork (left T) (at N) (right T)))))
(define-fun-rec weight ((t T)) N
  (match t ((tip none) ((fork l n r) (add (weight l) (add n (weight r)))))))
(define-fun-rec flip ((t T)) T (match t ((tip tip) ((fork l n r) (fork (flip r) n (flip l))))))
(define-fun larger ((x N) (y N)) N (ite (= x none) y (ite (= y none) x (more (add x y)))))
(define-fun-rec count ((t T)) Int (match t ((tip 0) ((fork l n r) (+ 1 (count l) (count r))))))
(define-fun-rec has ((n N) (t T)) Bool
  (match t ((tip false) ((fork l m r) (or (= n m) (has n l) (has n r))))))
(define-fun-rec join ((s T) (t T)) T (match s ((tip t) ((fork l n r) (fork l n (join r t))))))
"""
GOAL = "(prove (forall ((t T)) (= (weight (flip t)) (weight t))))"
PREMISES = """
(assert (forall ((x N) (y N)) (= (add x y) (add y x))))
(assert (forall ((x N) (y N) (z N)) (= (add x (add y z)) (add (add x y) z))))
"""


@pytest.fixture
def context() -> Iterator[ProverContext]:
    found = ProverContext(parse_problem(f"{HEAPS}{GOAL}"))
    yield found
    found.close()


def fact(context: ProverContext, text: str) -> Sequent:
    return parse_sequent(f"(sequent {text})", context.signature)


def conjectures(context: ProverContext, functions: list[str], sizes: int) -> set[str]:
    explorer = Explorer(context, Library(context).rules, functions, 0)
    batches = [batch for batch, _ in zip(explorer.conjectures(), range(sizes), strict=False)]
    return {show(candidate.formula) for batch in batches for candidate in batch}


def test_laws_of_three_variables_are_found_in_general_form_without_their_instances(context: ProverContext) -> None:
    found = conjectures(context, ["add"], 4)
    assert any(text.count("add") == 4 and "(nv2 N)" in text for text in found)
    assert "(forall ((nv0 N) (nv1 N)) (= (add nv0 nv1) (add nv1 nv0)))" in found
    assert not any(text.startswith("(forall ((nv0 N)) (= (add nv0 none) (add none nv0)") for text in found)


def test_sums_of_measures_are_among_the_terms(context: ProverContext) -> None:
    found = conjectures(context, ["count", "join"], 6)
    assert any("(+ (count" in text and "(count (join" in text for text in found)


def test_a_predicate_of_what_an_operation_makes_is_tried_as_a_disjunction(context: ProverContext) -> None:
    tried = {
        show(candidate.concl)
        for candidate in templates(context, fact(context, "((n N) (s T) (t T)) () (has n (join s t))"))
    }
    assert any("(has" in text and "(join" in text and "(or (has" in text for text in tried)


def test_the_same_problem_gives_the_same_conjectures(context: ProverContext) -> None:
    functions = context.shape.reachable_functions(root_sequent(context.problem).formula)
    explorers = [Explorer(context, Rules(context.signature, context.rewriter), functions, 3) for _ in range(2)]
    first, second = ([c.concl for batch in e.conjectures() for c in batch][:200] for e in explorers)
    assert first == second


def test_permutative_laws_are_rewritten_with_and_do_not_go_round(context: ProverContext) -> None:
    rules = Rules(context.signature, context.rewriter)
    sums = fact(context, "((a N) (b N) (c N)) () (= (add (add b a) c) (add c (add a b)))")
    assert not rules.joins(sums)
    rules.add(fact(context, "((x N) (y N)) () (= (add x y) (add y x))"))
    rules.add(fact(context, "((x N) (y N) (z N)) () (= (add (add x y) z) (add x (add y z)))"))
    assert rules.joins(sums)
    assert not rules.joins(fact(context, "((a N) (b N)) () (= (add a a) (add a b))"))


def test_rewriting_gives_a_ground_query_that_a_solver_confirms() -> None:
    context = ProverContext(parse_problem(f"{HEAPS}{PREMISES}{GOAL}"))
    try:
        library = Library(context)
        goal = fact(
            context,
            "((a N) (b N) (c N) (d N) (t T)) ((= (weight t) (add d c)))"
            " (= (add (weight t) (add b a)) (add a (add (add b c) d)))",
        )
        query = library.rules.query(goal)
        assert query is not None
        assert not query.quantified
        assert not query.equations
        assert context.holds(goal, query, DIRECT)
        other = fact(context, "((a N) (s T) (t T)) ((= (weight t) a)) (= (weight s) a)")
        wrong = library.rules.query(other)  # a hypothesis speaks of its own variables only
        assert wrong is None or wrong.equations
    finally:
        context.close()


def test_a_law_that_needs_no_induction_is_kept_for_where_it_is_needed(context: ProverContext) -> None:
    library = Library(context)
    assert library.attempt(fact(context, "((x N)) () (= (larger x none) x)")) is False
    assert library.rules.joins(fact(context, "((t T)) () (= (larger (weight t) none) (weight t))"))
    assert library.attempt(fact(context, "((x N) (y N)) () (= (add x (more y)) (more (add x y)))")) is True
    assert library.attempt(fact(context, "((x N) (y N)) () (= (add x y) (more (add y x)))")) is False


def test_what_follows_from_a_candidate_that_nobody_could_prove_is_not_tried(context: ProverContext) -> None:
    library = Library(context)
    hard = fact(context, "((x N) (y N) (z N)) () (= (three x y z) (three z y x))")
    assert library.attempt(hard) is None
    before = context.budget.calls
    assert library.attempt(fact(context, "((x N) (y N)) () (= (more (three x x y)) (more (three y x x)))")) is None
    assert context.budget.calls == before


def test_functions_that_do_not_recur_are_unfolded_at_any_term(context: ProverContext) -> None:
    goal = fact(context, "((s T) (t T)) () (= (larger (weight s) none) (weight s))")
    assert direct_query(context, goal) is not None


def test_the_step_of_an_induction_is_no_lemma_when_it_only_says_the_goal_again(context: ProverContext) -> None:
    goal = fact(context, "((x N) (y N) (z N)) () (= (three x y z) (three y x z))")
    found = [show(candidate.concl) for candidate in from_failed_step(context, goal)]
    assert found
    assert "(= (three x0 y0 (more z0)) (three y0 x0 (more z0)))" not in found


def test_the_variables_of_a_lemma_are_not_called_like_functions() -> None:
    less = "(define-fun-rec x1 ((a N) (b N)) Bool (match b ((none false) ((more k) (or (= a k) (x1 a k))))))"
    context = ProverContext(parse_problem(f"{HEAPS}{less}(prove (forall ((a N)) (not (x1 a a))))"))
    library = Library(context)
    for candidate in templates(context, root_sequent(context.problem)):
        library.attempt(candidate)
    proved = [plan.sequent for plan in library.plans.values()]
    context.close()
    assert proved
    assert [parse_sequent(show_sequent(s), context.signature) for s in proved] == proved
