"""Lemmas found by looking: laws among terms that agree on values, and what rewriting with proven ones is good for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.conjecture.explore import Explorer
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import root_sequent
from goedels_poetry.smt.notation.text import parse_problem
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


@pytest.fixture
def context() -> Iterator[ProverContext]:
    found = ProverContext(parse_problem(f"{HEAPS}{GOAL}"))
    yield found
    found.close()


def conjectures(context: ProverContext, functions: list[str], sizes: int) -> set[str]:
    explorer = Explorer(context, Library(context).rules, functions, 0)
    batches = [batch for batch, _ in zip(explorer.conjectures(), range(sizes), strict=False)]
    return {show(candidate.formula) for batch in batches for candidate in batch}


def test_laws_of_three_variables_are_found_in_general_form_without_their_instances(context: ProverContext) -> None:
    found = conjectures(context, ["add"], 4)
    assert any(text.count("add") == 4 and "(nv2 N)" in text for text in found)
    assert "(forall ((nv0 N) (nv1 N)) (= (add nv0 nv1) (add nv1 nv0)))" in found
    assert not any(text.startswith("(forall ((nv0 N)) (= (add nv0 none) (add none nv0)") for text in found)


def test_the_same_problem_gives_the_same_conjectures(context: ProverContext) -> None:
    functions = context.shape.reachable_functions(root_sequent(context.problem).formula)
    explorers = [Explorer(context, Rules(context.signature, context.rewriter), functions, 3) for _ in range(2)]
    first, second = ([c.concl for batch in e.conjectures() for c in batch][:200] for e in explorers)
    assert first == second
