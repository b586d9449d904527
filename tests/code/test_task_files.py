"""Tasks are read from TOML, strictly; what is wrong is said with its line, and with what was probably meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_file import code_task

EXAMPLES = sorted((Path(__file__).parents[2] / "theorems" / "python" / "tasks").glob("*.toml"))
WHOLE = '''
task = "The double of x."
signature = "def double(x: int, *, offset: int = 0) -> int:"
examples = ["double(2) == 4", ["double(3)", "6"], "double(0) == 0"]
tests = "assert double(5) == 10\\nassert double(6) == 12"
requires = ["x >= 0"]
ensures = ["result == 2 * x + offset"]
raises = ["MemoryError", ["ValueError", "x > 10**9"], {exception = "KeyError", when = "x == 7"}]
bans = "recursion and not memoisation"
context = "TWO = 2"
max_attempts = 4
properties = ["""
def test_it():
    assert double(1) == 2
"""]
doctests = """
>>> double(10)
20
>>> double(-1)
Traceback (most recent call last):
    ...
ValueError: negative
>>> xs = [1]
>>> double(xs[0])
2
"""

[limits]
seconds = 2
memory_mb = 128
'''


def task_of(text: str = WHOLE) -> CodeTask:
    return code_task(text, "tasks/double.toml")


def test_everything_that_a_task_may_say_is_read() -> None:
    task = task_of()
    assert (task.name, task.function, task.parameters) == ("double", "double", ("x", "offset"))
    assert task.signature == "def double(x: int, *, offset: int = 0) -> int"
    assert task.examples == (("double(2)", "4"), ("double(3)", "6"), ("double(0)", "0"), ("double(10)", "20"))
    assert task.raises == (("MemoryError", ""), ("ValueError", "x > 10**9"), ("KeyError", "x == 7"))
    assert len(task.tests) == 3
    assert "except ValueError" in task.tests[1]
    assert task.tests[2] == "xs = [1]\nassert (double(xs[0])) == (2)"
    assert (task.seconds, task.memory_mb, task.max_attempts) == (2.0, 128, 4)
    assert task.bans == ("recursion and not memoisation",)
    checks = task.checks
    assert (checks.function, checks.requires, checks.ensures) == ("double", ("x >= 0",), ("result == 2 * x + offset",))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_tasks_that_ship_can_be_read(path: Path) -> None:
    task = code_task(path.read_text("utf-8"), str(path))
    assert task.name == path.stem


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ('bans = "rec', 'bannedd = "rec', "'bannedd' is no key", "bans"),
        ("examples = [", "example = [", "'example' is no key", "examples"),
        ("seconds = 2", "second = 2", "'second' is no limit", "seconds"),
        ("max_attempts = 4", 'max_attempts = "4"', "max_attempts must be a whole number", ""),
        ("max_attempts = 4", "max_attempts = true", "max_attempts must be a whole number", ""),
        ("max_attempts = 4", "max_attempts = 0", "max_attempts must be at least 1", ""),
        ("seconds = 2", "seconds = -1", "seconds", ""),
        ('"double(2) == 4"', '"double(2)"', "an example cannot be read", "double(2)|f(3)"),
        ('"double(2) == 4"', '"double(2 == 4"', "an example cannot be read", ""),
        ('["double(3)", "6"]', '["double(3)"]', "an example cannot be read", ""),
        ('["double(3)", "6"]', '["double(3", "6"]', "not Python", ""),
        ('"x >= 0"', '"x >="', "requires: .* is not Python", ""),
        ("result == 2 * x + offset", "result = 2 * x", "ensures: .* is not Python", ""),
        ("assert double(5) == 10", "assert double(5 == 10", "tests: .* is not Python", ""),
        ("-> int:", "-> int: return 1", "signature|not that of a plain function", ""),
        ('"def double(', '"async def double(', "plain function", ""),
        ('"def double(', '"double(', "signature", "def f"),
        ('"MemoryError"', '"Memory Error"', "is no exception", ""),
        ("recursion and not", "recurtion and not", "recurtion", "recursion"),
        ('task = "The double of x."', 'task = " "', "no task", ""),
        ('task = "The double of x."', "task = 3", "task must be a text", ""),
        ('context = "TWO = 2"', 'context = "TWO = "', "context: .* is not Python", ""),
        (">>> double(10)", ">>>double(10)", "doctests", ""),
        ("language", "language", "", ""),
    ],
)
def test_what_is_wrong_is_named(old: str, new: str, message: str, hint: str) -> None:
    if not message:  # an unknown language
        old, new, message = "max_attempts = 4", 'language = "cobol"', "'cobol' is not known"
    assert old in WHOLE
    with pytest.raises(InvalidInput, match=message) as caught:
        task_of(WHOLE.replace(old, new, 1))
    assert not hint or any(each in (caught.value.hint or "") for each in hint.split("|"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "task = ",
        "task",
        "[[limits]]\nseconds = 1",
        "task = '''",
        "a" * 2_000_000,
        "x = [" * 5000,
        "\0",
        "limits = 3",
    ],
)
def test_what_is_no_task_at_all_is_invalid(text: str) -> None:
    with pytest.raises(InvalidInput):
        task_of(text)


def test_a_task_without_any_check_is_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing that a candidate could be tested with"):
        task_of('task = "t"\nsignature = "def f(x)"\nrequires = ["x > 0"]')
    with pytest.raises(InvalidInput, match="no check calls f"):
        task_of('task = "t"\nsignature = "def f(x)"\ntests = ["assert 1 == 1"]')
