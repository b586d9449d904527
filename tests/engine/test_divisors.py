"""What a function of numbers gives divides its arguments."""

from __future__ import annotations

import pytest
from searches import is_complete, sketched

from goedels_poetry.smt.arithmetic.divisors import common_divisors
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

EUCLID = "(define-fun-rec gcd ((a Int) (b Int)) Int (ite (= b 0) a (gcd b (mod a b))))"
# As Python computes remainders: of the divisor's sign.
FLOORED = """
(define-fun-rec gcd ((a Int) (b Int)) Int
  (ite (= b 0) a (gcd b (ite (or (> b 0) (= (mod a b) 0)) (mod a b) (+ (mod a b) b)))))
"""
BY_DIFFERENCES = """
(define-fun-rec gcd ((a Int) (b Int)) Int
  (ite (or (<= a 0) (<= b 0)) (+ a b) (ite (< a b) (gcd a (- b a)) (gcd (- a b) b))))
"""
COMMON = "(and (= (mod a (gcd a b)) 0) (= (mod b (gcd a b)) 0))"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{EUCLID}(prove (forall ((a Int) (b Int)) (=> (not (= (gcd a b) 0)) {COMMON})))",
        f"{FLOORED}(prove (forall ((a Int) (b Int)) (=> (and (> a 0) (> b 0)) (= (mod a (gcd a b)) 0))))",
        f"{BY_DIFFERENCES}(prove (forall ((a Int) (b Int)) (=> (and (>= a 0) (> b 0)) (= (mod b (gcd a b)) 0))))",
    ],
    ids=["euclid", "floored remainders", "differences"],
)
def test_a_common_divisor_divides(theorem):
    found = sketched(theorem, banned=["conjunction"])
    assert found["strategy"] == "common-divisor"
    assert is_complete(found)


@pytest.mark.parametrize(
    "theorem",
    [
        # The last remainder but one is no divisor.
        "(define-fun-rec f ((a Int) (b Int)) Int (ite (= b 0) (+ a 1) (f b (mod a b))))"
        "(prove (forall ((a Int) (b Int)) (=> (not (= (f a b) 0)) (= (mod a (f a b)) 0))))",
        f"{EUCLID}(prove (forall ((a Int) (b Int)) (= (gcd a b) (mod a 3))))",  # not divided by what it gives
    ],
)
def test_what_does_not_divide_on_values_is_not_tried(theorem):
    problem = problem_of(theorem)
    context = ProverContext(problem)
    try:
        assert not list(common_divisors(context, root_sequent(problem)))
    finally:
        context.close()
