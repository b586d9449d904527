"""What functions do to the elements of containers: sorting, permutations, counts, in terms of folds over them."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.terms import BOOL, var
from goedels_poetry.smt.auxiliary.folds import containers_of
from goedels_poetry.smt.auxiliary.standard import standard_auxiliaries
from goedels_poetry.smt.notation.text import parse_problem

NATURALS = """
(declare-datatypes ((N 0)) (((zero) (next (before N)))))
(define-fun-rec under ((a N) (b N)) Bool
  (match b ((zero false) ((next d) (match a ((zero true) ((next c) (under c d))))))))
"""
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


def test_an_order_is_found_in_the_words_of_the_problem() -> None:
    rows = ROWS.replace("Int", "N")
    found = containers_of(parse_problem(f"{NATURALS}{rows}(prove (forall ((x L)) (= x x)))"))
    assert found is not None
    assert (found.order.name, found.order.negated, found.order.turned) == ("under", True, True)
    assert repr(found.order.holds(var("a", found.order.sort), var("b", found.order.sort))) == "(not (under b a))"


def test_folds_over_a_pair_are_those_over_its_parts() -> None:
    problem = parse_problem(f"{ROWS}{SWAPS}(prove (forall ((x L)) (= (often x) x)))")
    containers = containers_of(problem)
    assert containers is not None
    pair = next(d.sort for d in containers.datatypes if d.sort.name == "P")
    assert repr(containers.occurrences(var("n", containers.order.sort), var("p", pair))) == "(occurrences!L n (row p))"
    assert not any(d.name.endswith("!P") for d in standard_auxiliaries(problem) if d.sort is not BOOL)


def test_elements_that_are_only_told_apart_are_counted_and_not_ordered() -> None:
    rows = "(declare-sort E 0)" + ROWS.replace("Int", "E")
    has = "(define-fun-rec has ((n E) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))"
    problem = parse_problem(f"{rows}{has}(prove (forall ((x L) (n E)) (= (has n x) (has n x))))")
    names = {d.name.split("!")[0] for d in standard_auxiliaries(problem)}
    assert "occurrences" in names
    assert "sorted" not in names
