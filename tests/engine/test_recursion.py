"""Inductions with the hypothesis where functions call themselves, and the lemmas that their cases ask for."""

from __future__ import annotations

from typing import Any

import pytest
from searches import job

ROWS = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun-rec sift ((n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (= n e) (sift n r) (more e (sift n r)))))))
(define-fun-rec once ((x L)) L (match x ((none none) ((more e r) (more e (once (sift e r)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(define-fun-rec blend ((x L) (y L)) L
  (match x ((none y) ((more a r) (match y ((none x) ((more b s)
    (ite (<= a b) (more a (blend r y)) (more b (blend x s))))))))))
"""
HEAPS = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(declare-datatypes ((T 0)) (((leaf) (node (left T) (label Int) (right T)))))
(define-fun-rec meld ((x T) (y T)) T (match x ((leaf y) ((node a k b) (match y ((leaf x) ((node c m d)
  (ite (<= k m) (node (meld b y) k a) (node (meld x d) m c)))))))))
(define-fun-rec flat ((x T)) L (match x ((leaf none) ((node a k b) (more k (flat (meld a b)))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
"""


def schemes_of(sketch: dict[str, Any]) -> set[str]:
    """The kinds of schemes in a sketch, all of whose cases are closed."""
    found = {sketch["scheme"]["kind"]} if "scheme" in sketch else set()
    for child in sketch["children"]:
        assert "candidate" in child or "sketch" in child, "a case is open"
        found |= schemes_of(child["sketch"]) if "sketch" in child else set()
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("theorem", "kind"),
    [
        (f"{ROWS}(prove (forall ((x L)) (<= (len (once x)) (len x))))", "recursion"),
        (f"{ROWS}(prove (forall ((x L) (y L) (z L)) (= (blend (blend x y) z) (blend x (blend y z)))))", "recursion"),
        (
            f"{HEAPS}(prove (forall ((n Int) (x T) (y T)) (= (has n (flat (meld x y)))"
            " (or (has n (flat x)) (has n (flat y))))))",
            "size",
        ),
    ],
)
def test_an_induction_is_found_where_the_fields_of_constructors_are_not_enough(theorem: str, kind: str) -> None:
    found = job("sketch", theorem)
    while found["ok"] and any("sketch" not in c and "candidate" not in c for c in found["value"]["sketch"]["children"]):
        found = job("sketch", theorem, banned=[found["value"]["sketch"]["fingerprint"]])  # halves of an equivalence
    assert found["ok"], found["reason"]
    sketch = found["value"]["sketch"]
    assert kind in schemes_of(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
