"""Goals about strings: cvc5 is asked for proofs, solver models and the goal's own letters give counterexamples."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.smt.jobs import symbolic as jobs

A = "(declare-const a String)"
KEY = """
(define-fun key ((a String) (b String)) String (str.++ a ":" b))
(define-fun left ((k String)) String (str.substr k 0 (str.indexof k ":" 0)))
"""
HOST = """
(define-fun host ((u String)) String
  (ite (< (str.indexof u "/" 0) 0) u (str.substr u 0 (str.indexof u "/" 0))))
"""
NUMERAL = """
(define-fun written ((i Int)) String (ite (< i 0) (str.++ "-" (str.from_int (- i))) (str.from_int i)))
(define-fun read ((s String)) Int
  (ite (= "-" (str.at s 0)) (- (str.to_int (str.substr s 1 (- (str.len s) 1)))) (str.to_int s)))
"""


@pytest.mark.parametrize(
    "theorem",
    [
        f'{KEY}{A}(declare-const b String)(assert (not (str.contains a ":")))(prove (= (left (key a b)) a))',
        f'{A}(declare-const b String)(assert (not (str.contains a ":")))'
        '(prove (= (str.substr (str.++ a ":" b) 0 (str.indexof (str.++ a ":" b) ":" 0)) a))',
        f'{HOST}{A}(prove (not (str.contains (host a) "/")))',
    ],
)
def test_a_goal_about_strings_is_proved_directly(theorem: str) -> None:
    found = job("prove", theorem)
    assert found["ok"], found["reason"]
    assert job("verify", theorem, candidate=found["value"]["candidate"])["ok"]


@pytest.mark.parametrize(
    ("theorem", "values"),
    [
        (f'{A}(prove (not (= a "B")))', {"a": '"B"'}),
        (f'{A}(prove (=> (= (str.len a) 3) (not (str.prefixof "Q" a))))', None),
        (f'{A}(prove (=> (= (str.len a) 1) (not (= a "B"))))', {"a": '"B"'}),
        (
            "(declare-datatype Rec ((rec (name String) (n Int))))(declare-const r Rec)"
            '(prove (=> (> (n r) 10) (not (= (name r) "Zed"))))',
            {"r": '(rec "Zed" 11)'},
        ),
        (
            '(declare-const a (Array String Int))(prove (=> (= (select a "key") 1) (= (select a "other") 1)))',
            None,
        ),
        (
            f'{A}(prove (= (str.replace (str.replace a "B" a) a "AB") (str.replace (str.replace a "B" "AB") a "AB")))',
            None,
        ),
        (f'{A}(prove (= (str.replace a "B" "AB") (str.replace_all a "B" "AB")))', {"a": '"BB"'}),
        (f'{A}(prove (not (str.contains a "\\u{{1F600}}")))', {"a": '"\\u{1f600}"'}),
        (f'{A}(prove (=> (= (str.len a) 2) (not (= (str.at a 1) """"))))', None),
    ],
)
def test_a_false_goal_about_strings_is_refuted(theorem: str, values: dict[str, str] | None) -> None:
    found = jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]
    assert found["verdict"] == "refuted"
    assert values is None or found["counterexample"]["values"] == values


@pytest.mark.parametrize(
    "theorem",
    [
        f'{A}(prove (=> (= a "B") (= (str.len a) 1)))',
        f'{A}(prove (= (str.replace a "B" "B") a))',
        f"{NUMERAL}(declare-const i Int)(prove (= (read (written i)) i))",
    ],
)
def test_a_true_goal_about_strings_is_not_refuted(theorem: str) -> None:
    assert jobs.judge({"theorem": theorem, "statement": "", "seed": 0})["value"]["verdict"] != "refuted"


@pytest.mark.parametrize(
    "goal",
    [
        "(declare-const i Int)(prove (= (read (written i)) i))",
        "(prove (forall ((i Int)) (= (read (written (* 2 i))) (* 2 i))))",
        "(declare-fun f (Int) Int)(declare-const i Int)"
        "(prove (=> (forall ((n Int)) (= (f n) n)) (= (read (written i)) (f i))))",
    ],
)
def test_a_definition_that_is_not_recursive_is_written_out_for_the_solver(goal: str) -> None:
    """What is written is read back: the solver sees through neither function as long as it is uninterpreted."""
    theorem = NUMERAL + goal
    assert not job("prove", theorem)["ok"]
    sketch = sketched(theorem)
    assert sketch["strategy"] == "definitions-written-out"
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]
    (child,) = sketch["children"]
    assert "read" not in child["statement"].split(), child["statement"]


def test_what_does_not_hold_is_not_proved_by_writing_definitions_out() -> None:
    found = job("sketch", f"{NUMERAL}(declare-const i Int)(prove (= (read (written i)) (abs i)))", seconds=10)
    assert not found["ok"] or not is_complete(found["value"]["sketch"])
