"""Whole proofs by one job, and the next ones where the first was not wanted."""

from __future__ import annotations

import json

from goedels_poetry.smt.jobs import whole

CUBES = """
(define-fun-rec up ((n Int)) Int (ite (<= n 0) 0 (+ (up (- n 1)) n)))
(define-fun-rec cubes ((n Int)) Int (ite (<= n 0) 0 (+ (cubes (- n 1)) (* n n n))))
(prove (forall ((n Int)) (=> (>= n 0) (= (* (up n) (up n)) (cubes n)))))
"""


def proofs(skip: int) -> str:
    found = whole.search({"theorem": CUBES, "seconds": 30, "skip": skip})
    assert found["status"] == "proved"
    return json.dumps(found["proof"])


def test_the_next_proof_is_another_one() -> None:
    first, third = proofs(0), proofs(2)
    assert first != third


def test_what_is_false_has_no_next_proof() -> None:
    for skip in range(2):
        assert whole.search({"theorem": "(prove (forall ((n Int)) (< n 5)))", "seconds": 2, "skip": skip})[
            "status"
        ] == ("open")
