"""What functions do to the elements of containers: sorting, permutations, counts, in terms of folds over them."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

ROWS = "(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))"
SORTED = """
(define-fun-rec rising ((x L)) Bool
  (match x ((none true) ((more a r) (match r ((none true) ((more b s) (and (<= a b) (rising r)))))))))
"""
SAME = """
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec less ((n Int) (x L)) L (match x ((none none) ((more e r) (ite (= n e) r (more e (less n r)))))))
(define-fun-rec same ((x L) (y L)) Bool
  (match x ((none (= y none)) ((more e r) (and (has e y) (same r (less e y)))))))
"""
PUT = """
(define-fun-rec put ((n Int) (x L)) L
  (match x ((none (more n none)) ((more e r) (ite (<= n e) (more n x) (more e (put n r)))))))
(define-fun-rec lined ((x L)) L (match x ((none none) ((more e r) (put e (lined r))))))
"""
TREES = """
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(define-fun-rec hang ((n Int) (t T)) T (match t ((leaf (node leaf n leaf))
  ((node a k b) (ite (<= n k) (node (hang n a) k b) (node a k (hang n b)))))))
(define-fun-rec grown ((x L)) T (match x ((none leaf) ((more e r) (hang e (grown r))))))
(define-fun-rec read ((t T) (x L)) L (match t ((leaf x) ((node a k b) (read a (more k (read b x)))))))
"""
PARTS = """
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec low ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (< e n) (more e (low n r)) (low n r))))))
(define-fun-rec rest_of ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (< e n) (rest_of n r) (more e (rest_of n r)))))))
(define-fun-rec parted ((x L)) L (match x ((none none) ((more e r)
  (join (parted (low e r)) (more e (parted (rest_of e r))))))))
"""
SWAPS = """
(declare-datatypes ((P 0)) (((pair (swapped Bool) (row L)))))
(define-fun-rec once ((x L)) P (match x ((none (pair false none)) ((more a r) (match r ((none (pair false x))
  ((more b s) (ite (<= a b) (pair (swapped (once r)) (more a (row (once r))))
    (pair true (more b (row (once (more a s)))))))))))))
(define-fun-rec often ((x L)) L (ite (swapped (once x)) (often (row (once x))) x))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{ROWS}{PUT}{SAME}(prove (forall ((x L)) (same (lined x) x)))",
        f"{ROWS}{SAME}(prove (forall ((x L) (y L) (z L)) (=> (same x y) (same y z) (same x z))))",
        f"{ROWS}{TREES}{SORTED}(prove (forall ((x L)) (rising (read (grown x) none))))",
        f"{ROWS}{PARTS}{PUT}(prove (forall ((x L)) (= (parted x) (lined x))))",
        f"{ROWS}{SWAPS}{SORTED}(prove (forall ((x L)) (rising (often x))))",
    ],
    ids=["permutation", "transitive", "search-tree", "equal-sorts", "until-nothing-is-swapped"],
)
def test_a_goal_about_sorting_rests_on_what_each_function_does_to_the_elements(theorem: str) -> None:
    sketch = sketched(theorem)
    assert sketch["strategy"] == "invariants"
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_a_sort_that_loses_elements_is_refuted_and_not_proved() -> None:
    losing = PARTS.replace("(ite (< e n) (rest_of n r)", "(ite (<= e n) (rest_of n r)")
    theorem = f"{ROWS}{losing}{SAME}(prove (forall ((x L)) (same (parted x) x)))"
    found = job("judge", theorem)
    assert found["value"]["verdict"] == "refuted"
