"""What an error says about itself, in the forms in which people have it at hand."""

from __future__ import annotations

from goedels_poetry.python.changes.measuring import Frame, innermost, is_same_error, symptom_of

PLAIN = """Traceback (most recent call last):
  File "/home/me/app/main.py", line 9, in <module>
    main()
  File "/home/me/app/shop/stats.py", line 4, in mean
    return sum(xs) / len(xs)
           ~~~~~~~~^~~~~~~~~
ZeroDivisionError: division by zero
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


def test_the_output_of_test_runners_names_tests() -> None:
    found = symptom_of(FROM_PYTEST)
    assert found.exception == "ZeroDivisionError" and found.tests == ("tests/test_stats.py::test_empty",)
    assert innermost(found.frames, ["stats.py"]) == Frame("stats.py", 4, "mean")
    assert symptom_of("FAIL: test_a (test_x.Tests.test_a)\n---").tests == ("test_x.Tests.test_a",)


def test_a_failure_is_the_error_by_exception_and_function_whatever_its_line() -> None:
    symptom, frame = symptom_of(PLAIN), Frame("shop/stats.py", 4, "mean")
    assert is_same_error(symptom, "ZeroDivisionError: division by zero", "stats.py:99: in mean", frame)
    assert not is_same_error(symptom, "ZeroDivisionError: division by zero", "stats.py:4: in median", frame)
    assert not is_same_error(symptom, "ValueError: x", "stats.py:4: in mean", frame)
