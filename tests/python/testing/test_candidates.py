"""Candidates are tested: planted bugs, rare branches, declared results."""

import ast
import asyncio
from dataclasses import replace

import pytest
from named_texts import tables
from planted_bugs import RIGHT, SAMPLE

from goedels_poetry.python.harness.contract import ResultType
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import Checks, TestReport, checks_of
from goedels_poetry.python.translate.program import read_program

TABLES = tables(__file__)

DOUBLE = Checks(
    "f", "def f(n: int) -> int", requires=("n >= 0",), ensures=("result == 2 * n",), examples=(("f(3)", "6"),)
)


def judged(source, checks, **options):
    return asyncio.run(test_candidate(source, checks, **{"effort": "quick", **options}))


def contract_of(source, name):
    return checks_of(read_program(source), name)


# ---- bugs and right functions ---------------------------------------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("planted", SAMPLE, ids=lambda p: p.function)
def test_a_planted_bug_is_found_with_an_input_that_shows_it_again(planted):
    checks = contract_of(planted.wrong, planted.function)
    report = judged(planted.wrong, checks)
    assert not report.passed
    again = asyncio.run(replay(planted.wrong, checks, report.counterexample["input"]))
    assert again.violates() or (again.kind == "finishes" and not again.passed), again


@pytest.mark.sample(1)
@pytest.mark.parametrize("planted", RIGHT, ids=lambda p: p.function)
def test_a_right_function_passes(planted):
    report = judged(planted.right, contract_of(planted.right, planted.function))
    assert report.passed, report.reason
    assert report.inputs_tried > 0
    assert report.fault == ""


def test_the_first_failing_input_is_a_smallest_one():
    source = "def f(xs: list[int]) -> int:\n    return sum(xs) - (xs.count(2) > 1)\n"
    report = judged(source, Checks("f", ensures=("result == sum(xs)",)))
    assert report.counterexample["input"] == {"xs": "[2, 2]"}


def test_a_right_function_that_is_slow_or_deep_on_large_inputs_is_no_failure():
    source = """
def ack(m: int, n: int) -> int:
    if m == 0:
        return n + 1
    return ack(m - 1, 1) if n == 0 else ack(m - 1, ack(m, n - 1))
"""
    report = judged(source, Checks("ack", requires=("m >= 0 and n >= 0",), ensures=("result > n",)))
    assert report.passed, report.reason


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("parameters", "requires"),
    [
        ("xs: list[int], i: int", "0 <= i < len(xs)"),
        ("xs: list[int]", "len(xs) > 3 and xs == sorted(set(xs))"),
        ("n: int", "n > 8 and n & (n - 1) == 0"),
        ("a: int, b: int, c: int", "0 < a < b < c and a + b > c"),
        ("s: str, t: str", "len(s) > 2 and s != t and sorted(s) == sorted(t)"),
        ("d: dict[str, list[int]]", "len(d) == 2 and all(d.values())"),
    ],
)
def test_a_precondition_that_few_inputs_satisfy_still_gets_inputs(parameters, requires):
    report = judged(
        f"def f({parameters}) -> int:\n    return 1\n", Checks("f", requires=(requires,), ensures=("result == 1",))
    )
    assert report.passed, report.reason
    assert report.inputs_tried >= 10


def test_inputs_of_the_modules_own_classes_and_literals_are_written_as_python():
    source = """
from dataclasses import dataclass
from enum import Enum
from typing import Literal

class Suit(Enum):
    HEARTS = 1
    SPADES = 2

@dataclass(frozen=True)
class Card:
    suit: Suit
    rank: int

def f(card: Card, mode: Literal["high", "low"], rest: tuple[int, ...] | None = None) -> bool:
    return not (card.suit is Suit.SPADES and card.rank == 3 and mode == "low")
"""
    report = judged(source, Checks("f", ensures=("result",)))
    assert report.counterexample["input"]["card"] == "Card(suit=Suit.SPADES, rank=3)"
    assert report.counterexample["input"]["mode"] == "'low'"
    again = asyncio.run(replay(source, Checks("f", ensures=("result",)), report.counterexample["input"]))
    assert again.violates()


# ---- each kind of check ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "fault", "said"), TABLES["test_what_does_not_compile_or_has_another_signature_never_runs"]
)
def test_what_does_not_compile_or_has_another_signature_never_runs(source, fault, said):
    report = judged(source, DOUBLE)
    assert (report.passed, report.fault) == (False, fault)
    assert said in report.reason


def test_examples_are_compared_by_exact_type():
    same = {"6": "2 * 3", "[(1, 'a')]": "[(1, 'a')]", "0.1 + 0.2": "0.3", "{1: {2}}": "{1: {2}}", "2": "2.0"}
    different = {"6.0": "6", "1": "True", "[1, 2]": "(1, 2)", "None": "0", "{1: [2.0]}": "{1: [2]}"}
    pairs = [*same.items(), *different.items()]
    source = f"def f(i):\n    return [{', '.join(result for result, _ in pairs)}][i]\n"
    report = judged(source, Checks("f", examples=tuple((f"f({i})", text) for i, (_, text) in enumerate(pairs))))
    passed = [result.passed for result in report.results if result.kind == "example"]
    assert passed == [True] * len(same) + [False] * len(different)


def test_assertions_in_the_style_of_humaneval_and_mbpp():
    check = """
def check(candidate):
    assert candidate(2) == 4
    for i in range(30):
        assert candidate(i) == i * 2
"""
    source = "def f(n):\n    return 2 * n if n != 17 else 0\n"
    report = judged(source, Checks("f", assertions=("assert f(3) == 6", "assert f(f(2)) == 8", check)))
    assert [result.passed for result in report.results if result.kind == "assertion"] == [True, True, False]
    assert report.counterexample["input"] == {"n": "17"}
    assert "assert candidate(i) == i * 2 fails; f on n = 17 returned 0" in report.reason


def test_a_test_that_never_calls_the_function_is_no_evidence():
    report = judged("def f(n):\n    return n\n", Checks("f", assertions=("def check(candidate, f=None):\n    pass\n",)))
    assert not report.passed
    assert "never calls f" in report.reason


def test_doctests_with_output_exceptions_and_variables():
    source = '''
def f(n):
    """Double.

    >>> x = f(2)
    >>> x
    4
    >>> f("ab")
    'abab'
    >>> f(None)
    Traceback (most recent call last):
    TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'
    """
    return 2 * n
'''
    checks = contract_of(source, "f")
    assert checks.doctests
    assert judged(source, checks).passed
    report = judged(source.replace("'abab'", "'ab'"), checks)
    assert not report.passed
    assert "expected 'ab'" in report.reason


def test_a_hypothesis_property_fails_with_a_small_input():
    test = """
from hypothesis import given, strategies as st

@given(st.lists(st.integers(0, 9)), st.integers(0, 9))
def test_adding(xs, x):
    assert f(xs + [x]) == f(xs) + x
"""
    right = "def f(xs):\n    return sum(xs)\n"
    assert judged(right, Checks("f", properties=(test,))).passed
    report = judged("def f(xs):\n    return sum(xs[:5])\n", Checks("f", properties=(test,)))
    assert not report.passed
    assert set(report.counterexample["input"]) == {"xs", "x"}


def test_time_and_memory_are_checks():
    slow = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    report = judged(slow, Checks("f", examples=(("f(50)", "12586269025"),), seconds=0.5))
    assert (report.fault, report.reason) == ("resources", "f(50) == 12586269025: did not finish within 0.5 s on n = 50")
    report = judged(
        "def f(n):\n    return len([0] * n)\n", Checks("f", examples=(("f(10**9)", "10**9"),), memory_mb=128)
    )
    assert report.fault == "resources"
    assert "used more than 128 MB on n = 1000000000" in report.reason


def test_a_result_too_large_to_look_at_refutes_no_contract():
    checks = Checks("f", "def f(k: int) -> list[int]", requires=("k >= 0",), ensures=("sum(result) == 0",))
    right = "def f(k: int) -> list[int]:\n    return [0] * k\n"
    result = asyncio.run(replay(right, checks, {"k": "600000"}))
    assert not result.violates() and result.kind == "resources"


ZEROS = Checks("f", "def f(n: int) -> list[int]", requires=("0 <= n",), ensures=("sum(result) == 0",))


@pytest.mark.parametrize(
    "otherwise",
    ["[0] * 600_000 + [1]", "[None] * 600_000"],
    ids=["a wrong item at the end", "no numbers at all"],
)
@pytest.mark.parametrize("few", [0, 30, 1000])
@pytest.mark.sample(1)
def test_a_wrong_result_of_half_a_million_parts_is_looked_at_closely(few, otherwise):
    report = judged(f"def f(n):\n    return [0] * n if n <= {few} else {otherwise}\n", ZEROS)
    assert not report.passed and report.fault == "check", report


def test_what_holds_of_the_part_that_is_seen_is_not_said_to_hold_of_the_whole():
    promised = replace(ZEROS, ensures=("all(x is not None for x in result)",))
    report = judged("def f(n):\n    return [0] * n if n <= 99 else [0] * 600_000 + [None]\n", promised)
    assert not report.passed, report


def test_an_exception_that_is_not_allowed_fails_and_one_that_is_does_not():
    source = "def f(a: int, b: int) -> int:\n    return a // b\n"
    report = judged(source, Checks("f", ensures=("True",)))
    assert report.fault == "raised"
    assert "ZeroDivisionError" in report.reason
    assert judged(source, Checks("f", raises=(("ArithmeticError", ""),))).passed
    assert judged(source, Checks("f", raises=(("ZeroDivisionError", "b == 0"),))).passed
    assert not judged(source, Checks("f", raises=(("ZeroDivisionError", "b == 0 and a > 0"),))).passed


def test_without_a_check_of_what_it_does_nothing_passes():
    report = judged("def f(n):\n    return n\n", Checks("f", "def f(n)"))
    assert not report.passed
    assert "no check" in report.reason


# ruff: noqa: E501  programs, each on its line


HEAD = "from dataclasses import dataclass\nfrom goedels_poetry.contracts import ensures, raises, requires\n\n"
K = 918276400738937754  # 918273645918 * 1000003

# what stands before the function, its parameters, and a condition that hardly an input satisfies
RARE = TABLES["RARE"]


def ran(text: str, name: str = "f") -> TestReport:
    return asyncio.run(test_candidate(text, checks_of(read_program(text), name), effort="quick"))


def fields_of(parameters: str) -> str:
    return ", ".join(part.split(":")[0].strip() for part in parameters.split(", ") if ":" in part)


@pytest.mark.sample(12)
@pytest.mark.parametrize("kind", RARE)
def test_a_fault_behind_a_condition_of_the_program_is_found(kind):
    before, parameters, condition = RARE[kind]
    names = fields_of(parameters)
    text = f"{HEAD}{before}@ensures(lambda result, {names}: result == 3)\ndef f({parameters}) -> int:\n    if {condition}:\n        return 4\n    return 3\n"
    report = ran(text)
    assert report.counterexample is not None, report.reason


PATHS = {
    "behind an assignment": "a = n * 1000003\n    b = a - 4\n    if b == {K} - 4:\n        return 4",
    "behind a return": f"if n < 10:\n        return 3\n    if n * 1000003 == {K}:\n        return 4",
    "in an else": f"if n * 1000003 != {K}:\n        return 3\n    else:\n        return 4",
    "in a loop": f"for i in range(10):\n        if n * 1000003 == {K} + i * 1000003:\n            return 4",
    "a condition of a loop": f"while n * 1000003 == {K}:\n        return 4",
    "in an expression": f"return 4 if n * 1000003 == {K} else 3",
    "within another": f"if n > 5:\n        if n * 1000003 > {K - 1}:\n            if n < 918273645919:\n                return 4",
    "a pattern": "match n:\n        case 918273645918:\n            return 4",
    "an assertion": f"assert n * 1000003 != {K}",
    "an exception": f"try:\n        return 3 // (n * 1000003 - {K}) * 0 + 3\n    except ValueError:\n        return 3",
    "an index": f"return [3, 3][(n * 1000003 == {K}) * 2]",
}


@pytest.mark.parametrize("kind", PATHS)
def test_a_fault_on_a_path_is_found(kind):
    body = PATHS[kind].replace("{K}", str(K))
    text = f"{HEAD}@ensures(lambda result: result == 3)\ndef f(n: int) -> int:\n    {body}\n    return 3\n"
    assert ran(text).counterexample is not None


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
