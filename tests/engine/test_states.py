"""Goals about containers that loops build: what is seen of them after one more element, and at the end."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

LISTS = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec last ((x L)) Int (match x ((none 0) ((more e r) (ite ((_ is none) r) e (last r))))))
(define-fun-rec apart ((x L)) Bool (match x ((none true)
  ((more e r) (=> (not ((_ is none) r)) (and (not (= e (first r))) (apart r)))))))
(define-fun-rec squeeze ((out L) (x L)) L (match x ((none out) ((more e r) (squeeze
  (ite (or ((_ is none) out) (not (= (last out) e))) (join out (more e none)) out) r)))))
"""
BISECT = """
(declare-datatype L ((none) (more (first Int) (rest L))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec nth ((x L) (i Int)) Int (match x ((none 0) ((more e r) (ite (<= i 0) e (nth r (- i 1)))))))
(define-fun-rec left ((high Int) (low Int) (x L) (n Int)) Int (ite (< low high)
  (ite (< (nth x (div (+ low high) 2)) n) (left high (+ (div (+ low high) 2) 1) x n)
    (left (div (+ low high) 2) low x n)) low))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}(prove (forall ((x L)) (<= (len (squeeze none x)) (len x))))",
        f"{LISTS}(prove (forall ((x L)) (apart (squeeze none x))))",
        f"""{BISECT}(prove (forall ((x L) (n Int)) (let ((r (left (len x) 0 x n)))
          (or (= r (len x)) (>= (nth x r) n)))))""",
    ],
    ids=["not longer", "no neighbours are equal", "what is found, or the end"],
)
def test_a_goal_about_what_a_loop_has_built_is_proved(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
