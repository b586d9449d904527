"""Goals in one form before anything is guessed, and guesses that have seen the numbers a theorem speaks of."""

import random

import pytest
from searches import is_complete, job, sketched

from goedels_poetry.kernel.refutation.counterexample import goal_of
from goedels_poetry.kernel.refutation.values import random_value
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import INT
from goedels_poetry.python.translate.program import read_program
from goedels_poetry.python.translate.translate import translate
from goedels_poetry.smt.auxiliary.cores import cores
from goedels_poetry.smt.conjecture.library import Library
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.jobs.payloads import problem_of
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.smt.rewriting.plan import Plan

POWERS = """
(define-fun double ((x Int)) Int (+ x x))
(define-fun two () Int 2)
(define-fun-rec by ((n Int) (y Int)) Int (ite (<= n 0) y (double (by (- n 1) y))))
(define-fun-rec up ((n Int) (y Int)) Int (ite (<= n 0) y (* (up (- n 1) y) two)))
(define-fun-rec cube ((n Int) (y Int)) Int (ite (<= n 0) y (* (cube (- n 1) y) (by 3 1))))
(define-fun-rec eight ((n Int) (y Int)) Int (ite (<= n 0) y (* 8 (eight (- n 1) y))))
(define-fun-rec even ((n Int)) Int (ite (<= n 0) two (+ (odd (- n 1)) 1)))
(define-fun-rec odd ((n Int)) Int (ite (<= n 0) 1 (even (- n 1))))
"""
MUTUAL = """
(define-fun one () Int 1)
(define-funs-rec ((a ((x Int) (y Int)) Int) (b ((x Int) (y Int)) Int))
  ((ite (<= x 0) y (+ (b (- x 1) y) one)) (ite (<= x 0) one (a (- x 1) y))))
(define-funs-rec ((c ((x Int) (y Int)) Int) (d ((x Int) (y Int)) Int))
  ((ite (<= x 0) y (+ 1 (d (- x 1) y))) (ite (<= x 0) 1 (c (- x 1) y))))
"""


def standing(definitions: str) -> dict[str, str]:
    return cores(parse_problem(f"{definitions}(prove true)").signature)[0]


def test_functions_that_come_to_the_same_have_one_between_them() -> None:
    found = standing(POWERS[: POWERS.index("(define-fun-rec even")])
    assert found["by"] == found["up"] and found["cube"] == found["eight"] != found["by"]
    group = standing(MUTUAL)
    assert (group["a"], group["b"]) == (group.get("c", "c"), group.get("d", "d"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(* 2 (f (- n 1) y))", "(* 3 (f (- n 1) y))"),
        ("(f (- n 1) (* 2 y))", "(* 2 (f (- n 1) y))"),
        ("(f (- n 1) n)", "(f (- n 1) y)"),
    ],
)
def test_functions_that_only_look_alike_are_told_apart(one: str, other: str) -> None:
    texts = (
        f"(define-fun-rec {f} ((n Int) (y Int)) Int (ite (<= n 0) y {b.replace('(f ', f'({f} ')}))"
        for f, b in (("f", one), ("g", other))
    )
    assert standing("(define-fun i () Int 1)" + "".join(texts)) == {}


@pytest.mark.parametrize(
    "goal",
    [
        "(forall ((n Int)) (= (cube n 5) (eight n 5)))",
        "(forall ((n Int)) (=> (= (by n 1) 7) (= (up n two) 3)))",
        "(forall ((n Int)) (=> (>= n 0) (= (by n (up 2 1)) (* 4 (by n 1)))))",
    ],
)
def test_a_goal_is_proved_in_the_form_and_given_back(goal: str) -> None:
    theorem = f"{POWERS[: POWERS.index('(define-fun-rec even')]}(prove {goal})"
    sketch = sketched(theorem)
    assert sketch["strategy"] == "core-form" and is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_groups_that_call_each_other_are_brought_into_the_form_together() -> None:
    theorem = f"{MUTUAL}(prove (forall ((x Int) (y Int)) (= (a x y) (c x y))))"
    sketch = sketched(theorem)
    assert sketch["strategy"] == "core-form" and is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


PROGRAMS = """
from goedels_poetry.contracts import ensures, requires

@ensures(lambda result, xs: result == all(xs[i] == xs[len(xs) - i - 1] for i in range(len(xs))))
def mirrored(xs: list[int]) -> bool:
    same = True
    i = 0
    while i < len(xs) // 2:
        if xs[i] != xs[len(xs) - i - 1]:
            same = False
        i += 1
    return same

@requires(lambda xs, ys: len(xs) == len(ys))
@ensures(lambda result, xs: len(result) == len(xs))
@ensures(lambda result, xs, ys: all(result[i] == abs(xs[i] - ys[i]) for i in range(len(result))))
def distances(xs: list[int], ys: list[int]) -> list[int]:
    out = [0] * len(xs)
    i = 0
    while i < len(xs):
        out[i] = abs(xs[i] - ys[i])
        i += 1
    return out

@requires(lambda xs: all(97 <= x <= 122 for x in xs))
@ensures(lambda result, xs: len(result) == len(xs))
@ensures(lambda result, xs: all(xs[i] != 101 or result[i] == 51 for i in range(len(xs))))
@ensures(lambda result, xs: all(xs[i] == 101 or result[i] == xs[i] for i in range(len(xs))))
def leet(xs: list[int]) -> list[int]:
    out: list[int] = []
    i = 0
    while i < len(xs):
        if xs[i] == 101:
            out = out + [51]
        else:
            out = out + [xs[i]]
        i += 1
    return out
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("function", ["mirrored", "distances", "leet"])
def test_a_loop_is_proved_whose_invariant_is_of_halves_of_results_or_of_letters(function: str) -> None:
    theorem = translate(read_program(PROGRAMS), function).text
    sketch = sketched(theorem, seconds=30)
    assert is_complete(sketch)
    assert job("verify_sketch", theorem, sketch=sketch)["ok"]


def test_random_numbers_are_near_those_that_definitions_speak_of() -> None:
    signature = parse_problem("(define-fun vowel ((c Int)) Bool (or (= c 97) (= c 101)))(prove true)").signature
    source = random.Random(1)
    drawn = {random_value(signature, INT, 3, source) for _ in range(200)}
    assert {97, 101, 0, 1} <= drawn and max(drawn) <= 102


def test_a_lemma_with_an_open_case_is_none() -> None:
    context = ProverContext(problem_of("(prove (forall ((x Int)) (< x 5)))"))
    context.begin()
    try:

        def open_plan(_: ProverContext, fact: Sequent) -> Plan:
            return Plan(fact)

        library = Library(context)
        assert not library.establish(goal_of(context.problem), open_plan) and not library.plans
    finally:
        context.close()
