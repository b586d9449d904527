"""Goals about containers that loops build: what is seen of them after one more element, and at the end."""

from __future__ import annotations

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.conjecture.states import advance_laws, builder_laws, state_laws
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

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
MERGE = f"""{BISECT}
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec skip ((x L) (n Int)) L (ite (<= n 0) x (match x ((none none) ((more e r) (skip r (- n 1)))))))
(define-fun-rec at ((i Int) (j Int) (x L) (y L)) Int (ite (and (< i (len x)) (< j (len y)))
  (ite (<= (nth x i) (nth y j)) (at (+ i 1) j x y) (at i (+ j 1) x y)) i))
(define-fun-rec by ((i Int) (j Int) (x L) (y L)) Int (ite (and (< i (len x)) (< j (len y)))
  (ite (<= (nth x i) (nth y j)) (by (+ i 1) j x y) (by i (+ j 1) x y)) j))
(define-fun-rec merge ((i Int) (j Int) (out L) (x L) (y L)) L (ite (and (< i (len x)) (< j (len y)))
  (ite (<= (nth x i) (nth y j)) (merge (+ i 1) j (join out (more (nth x i) none)) x y)
    (merge i (+ j 1) (join out (more (nth y j) none)) x y)) out))
(prove (forall ((x L) (y L)) (= (+ (len x) (len y)) (len (join (merge 0 0 none x y)
  (join (skip x (at 0 0 x y)) (skip y (by 0 0 x y))))))))
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "theorem",
    [
        f"{LISTS}(prove (forall ((x L)) (<= (len (squeeze none x)) (len x))))",
        f"{LISTS}(prove (forall ((x L)) (apart (squeeze none x))))",
        f"""{BISECT}(prove (forall ((x L) (n Int)) (let ((r (left (len x) 0 x n)))
          (or (= r (len x)) (>= (nth x r) n)))))""",
        pytest.param(MERGE, marks=pytest.mark.whole("test_a_goal_about_what_a_loop_has_built_is_proved")),
    ],
    ids=["not longer", "no neighbours are equal", "what is found, or the end", "as long as two lists"],
)
def test_a_goal_about_what_a_loop_has_built_is_proved(theorem: str) -> None:
    sketch = sketched(theorem)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_the_laws_are_what_is_seen_after_one_more_element_and_at_the_end() -> None:
    context = ProverContext(problem_of(f"{LISTS}(prove (forall ((x L)) (<= (len (squeeze none x)) (len x))))"))
    goal = root_sequent(context.problem)
    guessed = {show(guess.concl) for guesses in builder_laws(context, goal) for guess in guesses}
    assert "(= (len (join own0 (more y0 none))) (+ (len own0) 1))" in guessed
    ends = {show(guess.concl) for guesses in state_laws(context, goal) for guess in guesses}
    assert "(<= (len (squeeze own0 own1)) (+ (len own0) (len own1)))" in ends
    context.close()


def test_a_container_grows_by_as_much_as_the_counters_get_on() -> None:
    context = ProverContext(problem_of(MERGE))
    try:
        laws = [show(law.concl) for law in advance_laws(context, root_sequent(context.problem))]
    finally:
        context.close()
    assert any(law.startswith("(= (len (merge ") and "(- (at " in law and "(- (by " in law for law in laws), laws
    assert any(law.startswith("(<= (at ") and law.endswith("(len own1))") for law in laws), laws
    assert not any("(- (at " in law and "(- (by " not in law for law in laws), "one counter alone is refuted by values"


def test_nothing_is_claimed_that_values_refute() -> None:
    theorem = f"{LISTS}(prove (forall ((x L)) (= (len (squeeze none x)) (len x))))"
    context = ProverContext(problem_of(theorem))
    goal = root_sequent(context.problem)
    for guesses in (*builder_laws(context, goal), *state_laws(context, goal)):
        assert all(context.refutes(guess, 200) is None for guess in guesses)
    context.close()
