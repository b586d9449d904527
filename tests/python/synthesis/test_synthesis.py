"""Functions found without a model: every candidate fits its examples, and one of the first is what was meant."""

import ast
import itertools
import time

import pytest
from named_texts import tables

from goedels_poetry.python.synthesis.search import synthesise

TABLES = tables(__file__)


def run(text, call):
    """The value of a call of a candidate; it is made of terms of ours, so it may run here."""
    names = {}
    exec(compile(text, "candidate", "exec"), names)
    return eval(call, names)


def first_right(signature, examples, held_back, seconds=20.0, most=60, **more):
    """The first candidate that passes the checks that the search has not seen."""
    for text in itertools.islice(synthesise(signature, examples, seconds=seconds, **more), most):
        for call, value in examples:
            assert run(text, call) == pytest.approx(ast.literal_eval(value)), text
        if all(run(text, call) == ast.literal_eval(value) for call, value in held_back):
            return text
    return None


TASKS = TABLES["TASKS"]


def pairs(text):
    return [tuple(part.split("=")) for part in text.split()]


@pytest.mark.parametrize("name", TASKS)
def test_small_tasks_are_solved_from_a_few_examples(name):
    signature, shown, held_back = TASKS[name]
    assert first_right(signature, pairs(shown), pairs(held_back)) is not None


def test_a_contract_alone_is_enough():
    clauses = ["result >= x and result >= y and (result == x or result == y)"]
    text = next(synthesise("def f(x: int, y: int) -> int", [], seconds=20, contracts=clauses))
    assert [run(text, f"f({x}, {y})") for x, y in ((1, 2), (5, -5), (3, 3))] == [2, 5, 3]


def test_it_ends_in_time_when_nothing_fits():
    start = time.process_time()
    shown = [(f"f({n})", str(n**5 % 1009 * 7919 % 104729)) for n in range(3, 12)]
    assert list(synthesise("def f(n: int) -> int", shown, seconds=0.3)) == []
    assert time.process_time() - start < 5


def test_arguments_are_literals_and_never_run():
    assert list(synthesise("def f(n: int) -> int", [("f(__import__('os').getpid())", "2")], seconds=0.2)) == []
