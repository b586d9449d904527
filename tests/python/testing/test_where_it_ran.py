"""A contract that stands in the program is evaluated where the function ran; what is not of the input refutes none."""

# ruff: noqa: E501  programs, each on its line

import asyncio

import pytest
from kept_contracts import KEPT

from goedels_poetry.checker.python import proof
from goedels_poetry.python.testing.candidate import replay, test_candidate
from goedels_poetry.python.testing.checks import CheckResult, TestReport, checks_of
from goedels_poetry.python.translate.program import read_program

HEAD = "from goedels_poetry.contracts import ensures, raises, requires\n"
PROGRAMS = [(kept, style) for kept in KEPT for style in kept.texts()]


def ran(text: str) -> TestReport:
    return asyncio.run(test_candidate(text, checks_of(read_program(text), "f"), effort="quick"))


def again(text: str, **arguments: str) -> CheckResult:
    return asyncio.run(replay(text, checks_of(read_program(text), "f"), arguments))


@pytest.mark.sample(24)
@pytest.mark.parametrize(("kept", "style"), PROGRAMS, ids=[f"{kept.name}, {style}" for kept, style in PROGRAMS])
def test_what_holds_is_not_refuted(kept, style):
    report = ran(kept.texts()[style])
    assert not any(result.violates() for result in report.results), report.reason
    if kept.steady is False:
        assert not report.passed, "that all runs agree was not seen"


BROKEN = {
    "identity": ("f(x: tuple[int, ...]) -> object", "return x", "result is not x"),
    "a closure": ("f(n: int) -> object", "return lambda k: k + n + (n == 3)", "result(1) == n + 1"),
    "a default of a dict": (
        "f(n: int) -> object",
        "import collections\nreturn collections.defaultdict(list)",
        "result['z'] == 0",
    ),
    "a generator": ("f(n: int) -> object", "return (i for i in range(abs(n)))", "sum(1 for _ in result) < 3"),
    "a bool": ("f(n: int) -> int", "return n > 3", "type(result) is int"),
    "a subclass": ("f(n: int) -> int", "class Id(int): pass\nreturn Id(n)", "type(result) is int"),
    "an argument that is changed": ("f(xs: list[int]) -> None", "xs.append(1)", "len(xs) < 3"),
    "every chance": ("f(n: int) -> int", "import random\nreturn random.randrange(6)", "result > 5"),
    "the second call": ("f(n: int, seen: list[int] = []) -> int", "seen.append(n)\nreturn len(seen)", "result == 1"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_broken_where_it_ran_is_refuted_and_again_by_the_input_alone(kind):
    signature, body, ensures = BROKEN[kind]
    names = ", ".join(part.split(":")[0] for part in signature[2 : signature.index(")")].split(", ") if ":" in part)
    text = f"{HEAD}@ensures(lambda result, {names}: {ensures})\ndef {signature}:\n"
    text += "".join(f"    {line}\n" for line in body.split("\n"))
    if kind == "every chance":
        text = text.replace("result > 5", "result > 6")
    report = ran(text)
    assert report.counterexample is not None and report.counterexample["kind"] in ("ensures", "typed"), report.reason
    assert again(text, **report.counterexample["input"]).violates()


@pytest.mark.parametrize("times", [2, 6, 50])
def test_what_breaks_only_now_and_then_is_no_counterexample(times):
    chance = f"import random\n@ensures(lambda result: result)\ndef f(n: int) -> bool:\n    return random.randrange({times}) != 1"
    report = ran(f"{HEAD}{chance}\n")
    assert not report.passed and not any(result.violates() for result in report.results), report.reason
    assert "same input" in report.reason or "not so in a fresh process" in report.reason


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return len(open('here.txt').read())", "open"),
        ("import os\n    return len(os.environ['NOT_SET_HERE'])", "the environment"),
        ("import os\n    return len(os.listdir('/nowhere'))", "os.listdir"),
        ("import socket\n    return socket.create_connection(('localhost', 9)).fileno()", "socket"),
        ("return int(input())", "standard input"),
        ("try:\n        return len([0] * 10**9)\n    except MemoryError:\n        return -1", "MemoryError"),
        (
            "g = lambda n: n and 1 + g(n - 1)\n    try:\n        return g(9999)\n    except RecursionError:\n        return -1",
            "RecursionError",
        ),
    ],
)
def test_what_the_machine_has_a_part_in_is_no_counterexample(body, what):
    report = ran(f"{HEAD}@ensures(lambda result: result >= 0)\ndef f(n: int) -> int:\n    {body}\n")
    assert not report.passed and not any(result.violates() for result in report.results), report.reason
    assert f"depends on the machine ({what}" in report.reason


@pytest.mark.parametrize(
    "error", ["OSError(2, 'no')", "FileNotFoundError(2, 'no')", "ImportError('x')", "RuntimeError('x')"]
)
def test_what_the_function_raises_itself_is_its_own_fault(error):
    text = f"""{HEAD}@raises(OSError, when=lambda n: n == 1)
@ensures(lambda result, n: result == n)
def f(n: int) -> int:
    if n == 4:
        return g()
    return n

def g() -> int:
    raise {error}
"""
    assert ran(text).counterexample["input"] == {"n": "4"}


def test_the_process_that_runs_functions_for_checks_goes_on_after_a_hostile_one():
    for body, passed in (("n", True), ("__import__('os')._exit(0)", False), ("n + [].x", False), ("n", True)):
        running = proof._cross_check(
            f"{HEAD}@ensures(lambda n, result: result == n)\ndef f(n: int) -> int:\n    return {body}\n", "f"
        )
        assert next(running) == {} and next(running)["passed"] is passed
        assert len(proof._idle) == 1 and proof._idle[0].alive
