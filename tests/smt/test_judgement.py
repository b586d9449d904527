"""What is said about a problem before any search."""

from __future__ import annotations

from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.preflight.checks import check_problem

HELPED_BY_A_PREMISE = """
(declare-fun smaller (Int) Int)
(assert (forall ((n Int)) (=> (> n 0) (and (<= 0 (smaller n)) (< (smaller n) n)))))
(define-fun-rec down ((n Int)) Int (ite (<= n 0) 0 (down (smaller n))))
(prove (= (down 0) 0))
"""


def test_a_premise_must_not_help_a_definition_into_existence() -> None:
    context = ProverContext(parse_problem(HELPED_BY_A_PREMISE))
    try:
        found = check_problem(context)
    finally:
        context.close()
    assert found.verdict == "unknown"
    assert "not shown to be well-founded: down" in found.reason
