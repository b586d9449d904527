"""A result of another type than the signature declares is no result of that function, whatever ``==`` says."""

from __future__ import annotations

import ast
import asyncio

import pytest

from goedels_poetry.python.harness.contract import ResultType
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import Checks

# an annotation, results of this type, and results of another one
KINDS = [
    ("int", [0, -3, True], [1.0, "1", None]),
    ("bool", [True], [1, None]),
    ("float", [1.5, 1, False], ["1.5", 1j]),
    ("None", [None], [0, False]),
    ("list[int]", [[], [1, True]], [(1,), [1.0], [[1]], None]),
    ("List", [[], ["a"]], [()]),
    ("tuple[int, str]", [(1, "a")], [(1,), (1, 2), [1, "a"]]),
    ("tuple[int, ...]", [(), (1, 2)], [(1, "a")]),
    ("tuple[()]", [()], [(1,)]),
    ("dict[str, list[int]]", [{}, {"a": [1]}], [{"a": 1}, {1: [1]}, []]),
    ("set[str]", [set(), {"a"}], [{1}, frozenset()]),
    ("Optional[int]", [None, 1], ["a", 1.0]),
    ("typing.Union[int, str]", [1, "a"], [None, 1.5]),
    ("int | None", [None, 1], [[]]),
    ("Literal['a', 1]", ["a", 1], ["b", True, 1.0]),
    ("'list[int]'", [[1]], [(1,)]),
    # What cannot be told by looking at a value admits every one.
    ("Iterable[int]", [[1], (1,), "a", None], []),
    ("T", [1, "a", None], []),
    ("Vector", [1, [1]], []),
    ("Any", [1, None], []),
    ("", [1, None], []),
]


@pytest.mark.parametrize(("annotation", "right", "wrong"), KINDS, ids=[kind for kind, _, _ in KINDS])
def test_a_result_is_of_its_declared_type(annotation, right, wrong):
    declared = ResultType(annotation, frozenset({"Vector", "T"}))
    assert all(declared.admits(value) for value in right)
    assert not any(declared.admits(value) for value in wrong)


@pytest.mark.parametrize(
    ("annotation", "body", "reason"),
    [
        ("int", "2.0 * n", "is 0.0, of type float; declared is int"),
        ("list[int]", "(n,) * 2", "of type tuple; declared is list[int]"),
        ("int", "2 * n if n < 5 else None", "is None, of type NoneType; declared is int"),
    ],
)
def test_a_contract_that_only_looks_kept_is_refuted_by_the_type_and_again_by_the_input_alone(annotation, body, reason):
    source = f"def f(n: int) -> {annotation}:\n    return {body}\n"
    checks = Checks("f", requires=("n >= 0",), ensures=("result in (2 * n, (n, n), None)",))
    report = asyncio.run(test_candidate(source, checks, effort="quick"))
    assert not report.passed
    assert reason in report.reason
    again = asyncio.run(replay(source, checks, report.counterexample["input"]))
    assert (again.kind, again.violates()) == ("typed", True)
    assert all(ast.literal_eval(text) < 30 for text in report.counterexample["input"].values())


def test_the_signature_that_is_asked_for_counts_and_not_the_candidates_own():
    checks = Checks("f", "def f(n: int) -> int", requires=("abs(n) < 99",), ensures=("result == 2 * n",))
    source = "def f(n):\n    return 2.0 * n\n"
    assert not asyncio.run(test_candidate(source, checks, effort="quick")).passed
    free = Checks("f", "def f(n: int)", requires=("abs(n) < 99",), ensures=("result == 2 * n",))
    assert asyncio.run(test_candidate(source, free, effort="quick")).passed
