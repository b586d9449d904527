"""Contracts at run time: checked really, in any order of decorators, and cheap to leave out."""

import asyncio
import inspect
import os
import subprocess
import sys

import pytest

from goedels_poetry.contracts import (
    ContractViolation,
    decreases,
    enabled,
    ensures,
    invariant,
    raises,
    requires,
    uses,
)


@requires(lambda n: n >= 0)
@ensures(lambda n, result: result * 2 == n * (n + 1))
def triangle(n: int, wrong: bool = False) -> int:
    """The n-th triangular number."""
    return n * (n + 1) // 2 + wrong


def test_what_holds_passes_and_the_function_keeps_its_face():
    assert triangle(4) == 10
    assert triangle(n=4) == 10
    assert triangle.__name__ == "triangle"
    assert triangle.__doc__ == "The n-th triangular number."
    assert list(inspect.signature(triangle).parameters) == ["n", "wrong"]


def test_a_broken_precondition_names_clause_function_and_arguments():
    with pytest.raises(ContractViolation, match=r"triangle\(n=-1, wrong=False\): requires n >= 0 does not hold"):
        triangle(-1)


def test_a_broken_postcondition_shows_the_result():
    with pytest.raises(AssertionError, match=r"n=3, wrong=True, result=7\): ensures result \* 2 == n \* \(n \+ 1\)"):
        triangle(3, True)


def test_a_condition_that_raises_does_not_hold():
    with pytest.raises(ContractViolation, match="could not be evaluated: TypeError"):
        triangle("a")


@pytest.mark.parametrize("order", range(6))
def test_decorators_stack_in_any_order(order):
    decorators = [
        requires(lambda x: x != 1),
        ensures(lambda result: result != 4),
        raises(ValueError, when=lambda x: x == 3),
    ]
    for _ in range(order % 3):
        decorators.append(decorators.pop(0))
    if order >= 3:
        decorators.reverse()

    def double(x):
        if x == 3:
            raise ValueError("three")
        if x == 5:
            raise KeyError("five")
        if x == 7:
            raise ValueError("seven")
        return 2 * x

    for decorator in decorators:
        double = decorator(double)
    assert double(0) == 0
    with pytest.raises(ValueError, match="three"):
        double(3)
    for bad in (1, 2, 5, 7):
        with pytest.raises(ContractViolation):
            double(bad)


def test_methods_static_methods_and_class_methods():
    class Account:
        limit = 10

        @requires(lambda self, amount: amount <= self.limit)
        def draw(self, amount):
            return amount

        @requires(lambda x: x > 0)
        @staticmethod
        def check(x):
            return x

        @classmethod
        @ensures(lambda cls, result: isinstance(result, cls))
        def make(cls):
            return cls()

    assert Account.make().draw(3) == 3
    assert Account.check(2) == 2
    with pytest.raises(ContractViolation, match=r"draw\("):
        Account().draw(11)
    with pytest.raises(ContractViolation):
        Account.check(0)


def test_all_kinds_of_parameters():
    @requires(lambda b, d, rest, more: (b < d and not rest) or more["e"] == 1)
    def kinds(a, /, b=1, *rest, c, d=5, **more):
        return (a, b, rest, c, d, more)

    assert kinds(0, c=2) == (0, 1, (), 2, 5, {})
    with pytest.raises(ContractViolation):
        kinds(0, 9, c=2)


def test_a_predicate_that_wants_what_there_is_not_is_told_when_decorating():
    with pytest.raises(TypeError, match="wants 'y'; the function's parameters are: x"):

        @requires(lambda x, y: x < y)
        def one(x):
            return x


def test_a_coroutine_is_checked_when_it_is_awaited():
    @requires(lambda x: x > 0)
    @ensures(lambda x, result: result == x + 1)
    async def later(x):
        return x + 1 if x < 5 else 0

    assert inspect.iscoroutinefunction(later)
    assert asyncio.run(later(1)) == 2
    for bad in (0, 5):
        with pytest.raises(ContractViolation):
            asyncio.run(later(bad))


def test_contracts_can_be_switched_off_and_on():
    with enabled(False):
        assert triangle(-3) == 3
    with pytest.raises(ContractViolation):
        triangle(-3)


@pytest.mark.parametrize(
    ("value", "said"), [("0", "unchecked"), ("off", "unchecked"), ("1", "checked"), ("", "checked")]
)
def test_an_environment_variable_switches_them_off(value, said):
    program = """
from goedels_poetry.contracts import requires
@requires(lambda x: x)
def f(x): return "unchecked"
try:
    print(f(0))
except AssertionError:
    print("checked")
"""
    environment = {**os.environ, "GOEDELS_POETRY_CONTRACTS": value}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said


def counted(n, step):
    i = 0
    while i < n:
        invariant(0 <= i <= n)
        decreases(n - i)
        i += step
    return i


def test_an_invariant_that_does_not_hold_tells_the_state():
    assert counted(4, 2) == 4
    with pytest.raises(ContractViolation, match=r"invariant \(line \d+\) does not hold where n=4, step=-1, i=-1"):
        counted(4, -1)


def test_a_measure_is_never_negative():
    with pytest.raises(ContractViolation, match=r"decreases \(line \d+\) does not hold where left=-1$"):
        left = -1
        decreases(left)


def test_hints_are_not_checked_where_contracts_are_not():
    with enabled(False):
        invariant(False)
        decreases(-1)
        invariant(lambda: 1 // 0)


def test_uses_leaves_the_function_as_it_is_and_takes_functions_alone():
    assert uses(counted)(counted) is counted
    with pytest.raises(TypeError, match="uses takes functions"):
        uses(1)
