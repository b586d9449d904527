"""Functions found without a model: every candidate fits its examples, and one of the first is what was meant."""

import ast
import itertools
import time

import pytest

from goedels_poetry.python.synthesis.search import synthesise


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


TASKS = {
    "max of two": ("def f(a: int, b: int) -> int", "f(1,2)=2 f(5,3)=5 f(-1,-4)=-1", "f(7,9)=9 f(4,-4)=4"),
    "absolute value": ("def f(x: int) -> int", "f(3)=3 f(-2)=2 f(0)=0", "f(-9)=9"),
    "sum of a list": ("def f(xs: list[int]) -> int", "f([1,2,3])=6 f([])=0 f([5])=5", "f([4,4,1])=9"),
    "factorial": ("def f(n: int) -> int", "f(0)=1 f(1)=1 f(3)=6 f(5)=120", "f(7)=5040"),
    "reverse": ("def f(xs: list[int]) -> list[int]", "f([1,2,3])=[3,2,1] f([])=[]", "f([4,1])=[1,4]"),
    "power": ("def f(b: int, n: int) -> int", "f(2,3)=8 f(3,2)=9 f(5,0)=1", "f(2,10)=1024"),
    "Fibonacci": ("def f(n: int) -> int", "f(0)=0 f(1)=1 f(2)=1 f(6)=8 f(10)=55", "f(15)=610"),
    "palindrome": (
        "def f(s: str) -> bool",
        "f('aba')=True f('ab')=False f('')=True f('abca')=False",
        "f('abba')=True f('abb')=False",
    ),
    "dot product": (
        "def f(xs: list[int], ys: list[int]) -> int",
        "f([1,2],[3,4])=11 f([],[])=0 f([2,0,1],[5,9,3])=13",
        "f([1,1],[2,7])=9",
    ),
    "without duplicates": (
        "def f(xs: list[int]) -> list[int]",
        "f([1,2,1,3,2])=[1,2,3] f([])=[] f([3,3])=[3]",
        "f([2,1,2])=[2,1]",
    ),
    "greatest common divisor": (
        "def f(a: int, b: int) -> int",
        "f(12,8)=4 f(7,3)=1 f(18,12)=6 f(5,0)=5 f(100,75)=25",
        "f(48,36)=12 f(35,14)=7",
    ),
    "sum of digits": ("def f(n: int) -> int", "f(123)=6 f(0)=0 f(99)=18 f(1000)=1", "f(456)=15"),
}


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
