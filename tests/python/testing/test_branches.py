"""The test run takes the branches of a program: its own conditions are solved for inputs."""

# ruff: noqa: E501  programs, each on its line

from __future__ import annotations

import asyncio

import pytest

from goedels_poetry.python.testing.candidate import test_candidate
from goedels_poetry.python.testing.checks import TestReport, checks_of
from goedels_poetry.python.translate.program import read_program

HEAD = "from dataclasses import dataclass\nfrom goedels_poetry.contracts import ensures, raises, requires\n\n"
K = 918276400738937754  # 918273645918 * 1000003

# what stands before the function, its parameters, and a condition that hardly an input satisfies
RARE = {
    "a product": ("", "n: int", f"n * 1000003 == {K}"),
    "a product, the other way": ("", "n: int", f"not ({K} != 1000003 * n)"),
    "a difference of two": ("", "a: int, b: int", "a * 7 - b == 700 * 10 ** 12 - 41152263 and b * 3 == 123456789"),
    "a sum of three": ("", "a: int, b: int, c: int", "a + b + c == 987654321098 and a > b > c > 1000"),
    "a quotient": ("", "n: int", "n // 1234567 == 7654321"),
    "a remainder": ("", "n: int", "n % 1000003 == 777777 and n > 10 ** 12"),
    "a shift": ("", "n: int", "(n << 20) + 5 == 1048576 * 987654321 + 5"),
    "a bound": ("", "n: int", "98765432100 < n < 98765432102"),
    "a negative one": ("", "n: int", "n * 1000003 == -12346037038"),
    "a constant of the module": (f"LIMIT = {K}\n", "n: int", "1000003 * n == LIMIT"),
    "in a function that it calls": (f"def g(m: int) -> bool:\n    return m * 1000003 == {K}\n", "n: int", "g(3 * n - 6)"),
    "two calls deep": (f"def h(m: int) -> int:\n    return m + 17\ndef g(m: int) -> bool:\n    return h(m) == {K}\n", "n: int", "g(n - 4)"),
    "a truth value": ("", "n: int, flag: bool", f"flag and n == {K}"),
    "a text": ("", "s: str", "s == 'xyzzy plugh'"),
    "parts of a text": ("", "s: str", "s.startswith('héllo') and s.endswith('!') and len(s) == 12"),
    "a letter of a text": ("", "s: str", "len(s) == 5 and s[3] == 'ß' and s[0] == '\"'"),
    "a code": ("", "s: str", "len(s) == 1 and ord(s) == 12345"),
    "a number in a text": ("", "s: str", "s == str(987654) + 'px'"),
    "a text within": ("", "s: str", "'needle' in s and len(s) == 20"),
    "an item": ("", "xs: list[int]", "len(xs) == 6 and xs[4] == 123456789 and xs[-1] == 5"),
    "an item somewhere": ("", "xs: list[int]", f"{K} in xs"),
    "a list": ("", "xs: list[int]", "xs == [31337, -5, 1000003]"),
    "texts in a list": ("", "xs: list[str]", "len(xs) == 2 and xs[1] == 'xyzzy'"),
    "a field": ("@dataclass\nclass P:\n    x: int\n    y: int\n", "p: P", "p.x * 3 == 370370367 and p.y == p.x + 1"),
    "a tuple": ("", "t: tuple[int, str]", "t[0] == 31337 * 31337 and t[1] == 'deep'"),
    "an optional": ("", "n: int | None", f"n is not None and n == {K}"),
    "one of several": ("", "n: int", f"n in ({K}, 7 ** 30)"),
    "a largest one": ("", "a: int, b: int", "max(a, b) == 987654321987 and min(a, b) == -44444444"),
    "a distance": ("", "a: int, b: int", "abs(a - b) == 123456789123 and a + b == 3"),
}  # fmt: skip


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
