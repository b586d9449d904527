import random

import pytest

from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.process import SolverProcess
from goedels_poetry.solvers.z3_process import Z3Process

# Peano addition and its equations; the questions below take some hundred to some thousand steps.
PEANO = """
(declare-datatypes ((Nat 0)) (((Z) (S (pred Nat)))))
(declare-fun plus (Nat Nat) Nat)
(assert (forall ((y Nat)) (! (= (plus Z y) y) :pattern ((plus Z y)))))
(assert (forall ((x Nat) (y Nat)) (! (= (plus (S x) y) (S (plus x y))) :pattern ((plus (S x) y)))))
(declare-const n Nat)
(declare-const m Nat)
"""
QUESTIONS = {
    "right zero, base": "(assert (not (= (plus Z Z) Z)))",
    "right zero, step": "(assert (= (plus n Z) n))\n(assert (not (= (plus (S n) Z) (S n))))",
    "right zero, no hypothesis": "(assert (not (= (plus n Z) n)))",
    "right successor, step": (
        "(assert (forall ((y Nat)) (= (plus n (S y)) (S (plus n y)))))\n"
        "(assert (not (= (plus (S n) (S m)) (S (plus (S n) m)))))"
    ),
    "a false equation": "(assert (not (= (plus (S Z) n) n)))",
    "seven is no cube": "(declare-const x Int)\n(assert (= (* x x x) 7))",
}


QUANTIFIERS = {"auto_config": "false", "smt.mbqi": "false"}
BUDGET = Limits(rlimit=20_000, seconds=60)


def test_the_same_question_gets_the_same_answer_after_the_same_steps_in_any_order(
    solver: SolverProcess,
) -> None:
    options = QUANTIFIERS if solver.name == "z3" else None
    seen: dict[str, set[tuple[str, str, int | None]]] = {name: set() for name in QUESTIONS}
    names = list(QUESTIONS) * 6
    random.Random(7).shuffle(names)
    for count, name in enumerate(names):
        answer = solver.ask(PEANO + QUESTIONS[name], BUDGET, options=options)
        seen[name].add((answer.status, answer.reason, answer.rlimit_used))
        if count == 20:
            solver.close()  # a new process says the same
    assert {name: len(answers) for name, answers in seen.items()} == dict.fromkeys(QUESTIONS, 1)


def test_a_session_gives_the_same_statuses_in_any_order(z3: Z3Process) -> None:
    expected = {name: z3.ask(PEANO + text, BUDGET, options=QUANTIFIERS) for name, text in QUESTIONS.items()}
    session = z3.session(PEANO, QUANTIFIERS)
    names = list(QUESTIONS) * 5
    random.Random(3).shuffle(names)
    for name in names:
        found = session.check(QUESTIONS[name], BUDGET).status
        assert (found == "unsat") == (expected[name].status == "unsat"), name


@pytest.mark.parametrize("options", [{"smt.random_seed": "7"}, {"smt.mbqi": "false"}, {"auto_config": "false"}])
def test_options_of_one_query_do_not_reach_the_next(z3: Z3Process, options: dict[str, str]) -> None:
    question = PEANO + QUESTIONS["right zero, no hypothesis"]
    before = z3.ask(question, BUDGET)
    z3.ask(question, BUDGET, options=options)
    after = z3.ask(question, BUDGET)
    assert (before.status, before.reason, before.rlimit_used) == (after.status, after.reason, after.rlimit_used)
