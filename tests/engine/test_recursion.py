"""Inductions with the hypothesis where functions call themselves, and the lemmas that their cases ask for."""

from __future__ import annotations

from typing import Any

import pytest
from searches import job

from goedels_poetry.kernel.printer import show
from goedels_poetry.smt.conjecture.critics import critic_lemmas
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.conjecture.templates import closure_lemmas, folds
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import root_sequent
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent

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


TURNED = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(declare-datatypes ((T 0) (S 0)) (((leaf) (node (left T) (label Int) (right T))) ((bare) (stack (top T) (under S)))))
(define-fun-rec join ((x L) (y L)) L (match x ((none y) ((more e r) (more e (join r y))))))
(define-fun-rec flat ((x T)) L (match x ((leaf none) ((node a k b) (join (flat a) (more k (flat b)))))))
(define-fun-rec run ((x S)) L (match x ((bare none) ((stack t r) (match t ((leaf (run r)) ((node a k b)
  (match a ((leaf (more k (run (stack b r)))) ((node c m d) (run (stack a (stack (node leaf k b) r)))))))))))))
(prove (forall ((x T)) (= (run (stack x bare)) (flat x))))
"""


def test_a_function_that_turns_trees_round_is_a_fold_by_a_size_in_which_a_field_counts_twice() -> None:
    found = job("sketch", TURNED)
    assert found["ok"], found["reason"]
    assert "size" in schemes_of(found["value"]["sketch"])
    assert ["node", 0] in [place for text in twice_of(found["value"]["sketch"]) for place in text]


SHIFTED = """
(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(define-fun back ((n Int) (k Int)) Int (- n k))
(define-fun-rec shift ((k Int) (x L)) L (match x ((none none) ((more e r) (more (+ e k) (shift k r))))))
(define-fun-rec has ((n Int) (x L)) Bool (match x ((none false) ((more e r) (or (= n e) (has n r))))))
(prove (forall ((n Int) (k Int) (x L)) (= (has n (shift k x)) (has (back n k) x))))
"""


def test_what_is_done_to_all_elements_may_be_done_to_what_is_held_against_them() -> None:
    context = context_of(SHIFTED)
    try:
        goal = root_sequent(context.problem)
        guesses = list(folds(context, goal))
        assert goal.key in [g.key for g in guesses]
        assert [g.key for g in guesses if Library(context).attempt(g)] == [goal.key], "others are false, or follow"
    finally:
        context.close()


def twice_of(sketch: dict[str, Any]) -> list[list[list[Any]]]:
    """The fields that count twice in the inductions on sizes of a sketch."""
    here = [sketch["scheme"]["twice"]] if sketch.get("scheme", {}).get("kind") == "size" else []
    return here + [found for c in sketch["children"] if "sketch" in c for found in twice_of(c["sketch"])]


def context_of(text: str) -> ProverContext:
    return ProverContext(parse_problem(text))


def lemmas_for(context: ProverContext, goal: str) -> list[str]:
    return [show(s.formula) for s in critic_lemmas(context, parse_sequent(f"(sequent {goal})", context.signature))]


def test_a_lemma_has_the_conditions_without_which_it_is_false_and_no_others() -> None:
    context = context_of(f"{ROWS}(prove true)")
    try:
        kept = lemmas_for(context, "((n Int) (x L)) () (= (has n (once x)) (has n x))")
        assert any("(=> (not (= " in text and "(sift " in text and "once" not in text for text in kept)
        premise = lemmas_for(context, "((n Int) (x L)) ((has n x)) (has n (once x))")
        assert any(text.count("(has ") == 2 and "once" not in text and "(not (= " in text for text in premise)
        forwards = lemmas_for(context, "((n Int) (x L)) ((has n (once x))) (has n x)")
        assert any(text.count("(has ") == 2 and "once" not in text and "(not " not in text for text in forwards)
        order = lemmas_for(context, "((x L)) () (<= (len (once x)) (len x))")
        assert any(text.endswith("(<= (len (sift fi0 x0)) (len x0)))") or "once" not in text for text in order)
    finally:
        context.close()


CLOSURES = """
(declare-sort Fun 0)(declare-datatypes ((L 0)) (((none) (more (first Int) (rest L)))))
(declare-fun holds (Fun Int Int) Bool)(declare-const same Fun)(declare-const equal Fun)
(define-fun-rec sift ((f Fun) (n Int) (x L)) L
  (match x ((none none) ((more e r) (ite (holds f n e) (sift f n r) (more e (sift f n r)))))))
(define-fun-rec once ((f Fun) (x L)) L (match x ((none none) ((more e r) (more e (once f (sift f e r)))))))
(define-fun-rec len ((x L)) Int (match x ((none 0) ((more e r) (+ 1 (len r))))))
(assert (forall ((x Int) (y Int)) (= (holds same x y) (= x y))))
(assert (forall ((x Int) (y Int)) (= (holds equal x y) (= y x))))
(prove (forall ((x L)) (= (len (once same x)) (len (once equal x)))))
"""


def test_two_names_of_one_function_are_seen_through() -> None:
    context = context_of(CLOSURES)
    try:
        library = Library(context)
        guesses = list(closure_lemmas(context, root_sequent(context.problem)))
        twins = next(g for g in guesses if {t.name for t in g.concl.args} == {"once"})
        assert library.attempt(twins, 1), "by way of the same for sift, which its case is stuck on"
        assert len(library.plans) == 2
    finally:
        context.close()


@pytest.mark.parametrize(
    "goal",
    [
        "(forall ((x L)) (= (len (once x)) (len x)))",
        "(forall ((n Int) (x L)) (=> (has n (sift n x)) (has n x)))",
        "(forall ((n Int) (x L)) (= (once (sift n x)) (once x)))",
    ],
)
def test_what_a_search_says_of_a_goal_is_true_of_it(goal: str) -> None:
    """A complete sketch for the true one, none for the false ones."""
    theorem = f"{ROWS}(prove {goal})"
    refuted = job("judge", theorem)["value"]["verdict"] == "refuted"
    assert refuted == ("=>" not in goal)
    if not refuted:
        assert schemes_of(job("sketch", theorem)["value"]["sketch"])
