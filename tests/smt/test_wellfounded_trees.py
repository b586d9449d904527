"""Functions that turn trees round end by a size in which some fields count twice; those that turn them back do not."""

from __future__ import annotations

import random

import pytest

from goedels_poetry.kernel.termination import termination_obligations
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.termination.search import terminations

TREES = """(declare-datatypes ((T 0)) (((leaf) (node (left T) (right T)))))
(declare-datatypes ((L 0)) (((none) (more (first T) (rest L)))))
"""
RIGHT = "(match x ((leaf 0) ((node y r) (match y ((leaf (f r)) ((node p q) (f (node p (node q r)))))))))"
LEFT = "(match x ((leaf 0) ((node l y) (match y ((leaf (f l)) ((node p q) (f (node (node l p) q))))))))"
TWICE = "(match x ((leaf 0) ((node y r) (match y ((leaf (f r)) ((node p q) (f (node p (node q (node r r))))))))))"
BACK = """(match x ((leaf 0) ((node l r) (match l ((leaf (match r ((leaf 0) ((node p q) (f (node (node l p) q))))))
  ((node p q) (f (node p (node q r)))))))))"""
MIRROR = "(match x ((leaf 0) ((node l r) (f (node r l)))))"
STACK = """(match x ((none 0) ((more t r) (match t ((leaf (f r))
  ((node a b) (match a ((leaf (f (more b r))) ((node c d) (f (more a (more (node leaf b) r))))))))))))"""
SPILL = """(match x ((none 0) ((more t r) (match t ((leaf (f r))
  ((node a b) (f (more a (more a (more b (more b r)))))))))))"""


def decide(body: str, sort: str = "T") -> bool:
    problem = parse_problem(f"{TREES}(define-fun-rec f ((x {sort})) Int {body})(prove true)")
    evidence = terminations(problem.signature, None).evidence({"f"})
    ends = termination_obligations(problem.signature, evidence)
    assert not ends.sequents
    return "f" in ends.terminating


@pytest.mark.parametrize(("body", "sort"), [(RIGHT, "T"), (LEFT, "T"), (STACK, "L")])
def test_turning_one_way_comes_to_an_end(body: str, sort: str) -> None:
    assert decide(body, sort)


@pytest.mark.parametrize(("body", "sort"), [(BACK, "T"), (MIRROR, "T"), (TWICE, "T"), (SPILL, "L")])
def test_what_turns_back_or_makes_more_is_not_shown_to_end(body: str, sort: str) -> None:
    """Some of these end, by a measure that is not looked for; the first two do not."""
    assert not decide(body, sort)


Tree = tuple  # () is a leaf, (left, right) a node


def written(tree: Tree, names: list[str]) -> str:
    """A term of constructors over the fields that the path has opened."""
    if tree == ():
        return "leaf"
    return tree[0] if len(tree) == 1 else f"(node {written(tree[0], names)} {written(tree[1], names)})"


def filled(tree: Tree, at: dict[str, Tree]) -> Tree:
    if tree == ():
        return ()
    return at[tree[0]] if len(tree) == 1 else (filled(tree[0], at), filled(tree[1], at))


def random_tree(rng: random.Random, names: list[str], depth: int) -> Tree:
    if rng.random() < 0.6 or depth == 0:
        return (rng.choice(names),) if names and rng.random() < 0.9 else ()
    return (random_tree(rng, names, depth - 1), random_tree(rng, names, depth - 1))


def test_whatever_is_said_to_end_ends_when_it_is_run() -> None:
    """Random functions that rebuild what they have taken apart, run on all small trees."""
    rng = random.Random(11)
    small: list[Tree] = [()]
    for _ in range(2):
        small = [(), *[(a, b) for a in small for b in small]]
    accepted = 0
    for _ in range(250):
        first = random_tree(rng, ["p", "q", "r"], 2)
        second = random_tree(rng, ["r"], 1)
        body = (
            f"(match x ((leaf 0) ((node y r) (match y ((leaf (f {written(second, [])}))"
            f" ((node p q) (f {written(first, [])})))))))"
        )
        if not decide(body):
            continue
        accepted += 1
        for tree in small:
            for _ in range(400):
                if tree == ():
                    break
                y, r = tree
                tree = filled(second, {"r": r}) if y == () else filled(first, {"p": y[0], "q": y[1], "r": r})
            else:
                pytest.fail(f"this goes on: {body}")
    assert accepted > 20
