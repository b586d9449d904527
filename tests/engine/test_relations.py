"""Goals about two loops, from the equations that their values satisfy."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from searches import is_complete, job, sketched

from goedels_poetry.kernel.refutation.evaluator import evaluate
from goedels_poetry.kernel.terms import INT, var
from goedels_poetry.smt.notation.text import parse_problem, parse_term
from goedels_poetry.smt.rewriting.polynomials import normal

LOOPS = """
(define-fun-rec power ((b Int) (n Int)) Int (ite (<= n 0) 1 (* b (power b (- n 1)))))
(define-fun-rec double ((n Int) (y Int)) Int (ite (<= n 0) y (* 2 (double (- n 1) y))))
(define-fun-rec thirds ((n Int)) Int (ite (<= n 0) 0 (+ (thirds (- n 1)) n)))
(define-fun-rec cubes ((n Int)) Int (ite (<= n 0) 0 (+ (* n n n) (cubes (- n 1)))))
(define-funs-rec ((f ((n Int) (a Int) (b Int)) Int) (g ((n Int) (a Int) (b Int)) Int))
  ((ite (<= n 0) a (+ (f (- n 1) a b) (g (- n 1) a b))) (ite (<= n 0) b (f (- n 1) a b))))
(define-fun-rec ones ((n Int)) Int (ite (<= n 0) 0 (+ 1 (* 10 (ones (- n 1))))))
"""

TRUE = [
    "(= (power 2 (* 2 n)) (power 4 n))",
    "(= (double (+ n n) 1) (power 4 n))",
    "(= (thirds n) (div (* n (+ n 1)) 2))",
    "(= (* 2 (thirds n)) (+ (* n n) n))",
    "(= (cubes n) (* (thirds n) (thirds n)))",
    "(= (* 4 (cubes n)) (* n n (+ n 1) (+ n 1)))",
    "(= (f (* 2 n) 1 1) (* (g n 1 1) (- (* 2 (f n 1 1)) (g n 1 1))))",
    "(= (+ 1 (* 9 (ones n))) (power 10 n))",
    "(= (ones n) (div (power 10 n) 9))",
]


@pytest.mark.parametrize("claim", TRUE)
def test_a_goal_follows_from_equations_among_the_values_of_loops(claim: str) -> None:
    theorem = f"{LOOPS}(prove (forall ((n Int)) (=> (>= n 0) {claim})))"
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


K, M = var("k", INT), var("m", INT)
NUMBERS = parse_problem("(prove true)").signature


@given(
    st.recursive(
        st.sampled_from(["k", "m", "0", "1", "2", "7"]),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from("+-*"), inner, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            st.tuples(st.sampled_from(["div", "mod"]), inner, st.sampled_from("2367")).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
            st.tuples(st.sampled_from(["<", "<=", ">=", "="]), inner, inner, inner).map(
                lambda t: f"(ite ({t[0]} {t[1]} {t[2]}) {t[3]} {t[1]})"
            ),
        ),
        max_leaves=12,
    )
)
def test_a_normal_form_has_the_same_values(text: str) -> None:
    term = parse_term(text, NUMBERS, (K, M), INT)
    same = normal(term, NUMBERS)
    for k, m in product((-7, -1, 0, 1, 2, 5), repeat=2):
        assert evaluate(term, {K: k, M: m}, NUMBERS) == evaluate(same, {K: k, M: m}, NUMBERS)
