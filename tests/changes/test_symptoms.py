"""What an error says about itself, in the forms in which people have it at hand."""

from __future__ import annotations

import pytest

from goedels_poetry.python.changes.case import command_of, words_of
from goedels_poetry.python.changes.measuring import Frame, innermost, is_same_error, symptom_of

PLAIN = """Traceback (most recent call last):
  File "/home/me/app/main.py", line 9, in <module>
    main()
  File "/home/me/app/shop/stats.py", line 4, in mean
    return sum(xs) / len(xs)
           ~~~~~~~~^~~~~~~~~
ZeroDivisionError: division by zero
"""
CHAINED = f"""{PLAIN}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "main.py", line 11, in main
    raise shop.errors.Empty("none") from e
shop.errors.Empty: none
"""
FROM_PYTEST = """
    def test_empty():
>       assert mean([]) == 0
tests/test_stats.py:3:
_ _ _ _ _
stats.py:4: in mean
    return sum(xs) / len(xs)
E   ZeroDivisionError: division by zero
=== short test summary info ===
FAILED tests/test_stats.py::test_empty - ZeroDivisionError: division by zero
"""


def test_a_traceback_has_an_exception_and_frames() -> None:
    found = symptom_of(PLAIN)
    assert (found.exception, found.message, found.raised) == ("ZeroDivisionError", "division by zero", True)
    assert [frame.function for frame in found.frames] == ["<module>", "mean"]
    assert innermost(found.frames, ["shop/stats.py", "main.py"]) == Frame("shop/stats.py", 4, "mean")
    assert symptom_of(PLAIN.replace("\n", "\r\n")) == found


def test_of_a_chain_the_last_counts() -> None:
    found = symptom_of(CHAINED)
    assert (found.exception, found.message) == ("Empty", "none") and len(found.frames) == 1


def test_the_output_of_test_runners_names_tests() -> None:
    found = symptom_of(FROM_PYTEST)
    assert found.exception == "ZeroDivisionError" and found.tests == ("tests/test_stats.py::test_empty",)
    assert innermost(found.frames, ["stats.py"]) == Frame("stats.py", 4, "mean")
    assert symptom_of("FAIL: test_a (test_x.Tests.test_a)\n---").tests == ("test_x.Tests.test_a",)


@pytest.mark.parametrize(
    ("words", "exception"),
    [
        ("mean([]) crashes with a ZeroDivisionError", "ZeroDivisionError"),
        ("ValueError: bad", "ValueError"),
        ("it is slow", ""),
        ("", ""),
    ],
)
def test_words_are_words(words: str, exception: str) -> None:
    found = symptom_of(words)
    assert (found.exception, found.raised) == (exception, False)


def test_a_failure_is_the_error_by_exception_and_function_whatever_its_line() -> None:
    symptom, frame = symptom_of(PLAIN), Frame("shop/stats.py", 4, "mean")
    assert is_same_error(symptom, "ZeroDivisionError: division by zero", "stats.py:99: in mean", frame)
    assert not is_same_error(symptom, "ZeroDivisionError: division by zero", "stats.py:4: in median", frame)
    assert not is_same_error(symptom, "ValueError: x", "stats.py:4: in mean", frame)


def test_commands_are_told_apart() -> None:
    assert command_of(words_of("pytest -q tests")).kind == "pytest"
    assert not command_of(words_of("pytest")).root_on_path
    assert command_of(words_of("python3 -m pytest -x")).arguments == ("-x",)
    assert command_of(words_of("PYTHONPATH=src python -m unittest discover")).path == ("src",)
    assert command_of(words_of("make test")).arguments == ("make", "test")
    assert words_of("cd a && make") == ("sh", "-c", "cd a && make")
