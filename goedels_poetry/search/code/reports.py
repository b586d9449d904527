"""What came of testing a candidate: in words for the model, in one line for people, and as evidence for later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.testing.checks import CheckResult, TestReport, from_literal
from goedels_poetry.search.code.wording import call_text, example_text
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_moves import BANNED, FAILED, PASSED, REPEATED

MOST_FAULTS = 6
MAX_FAULT = 1_200
"""Failed checks that a model is told, and characters of each."""
FORMAL = frozenset({"compile", "signature"})
"""Kinds of checks that say nothing of what a function does."""
FIND = "Find the cause, and mend it."
WITHOUT_STRATEGY = frozenset({"syntax", "signature"})
"""Faults that say nothing about the strategy."""


def report_on(task: CodeTask, tested: TestReport) -> dict[str, Any]:
    """The report that `set_report` takes."""
    checks = [result for result in tested.results if result.kind not in FORMAL]
    passed = sum(result.passed for result in checks)
    numbers = {"passed": passed, "total": len(checks), "inputs_tried": tested.inputs_tried}
    if tested.passed:
        tried = f", the contract on {tested.inputs_tried} inputs" if tested.inputs_tried else ""
        return {"kind": PASSED, "words": "", "reason": f"{passed} checks passed{tried}", **numbers}
    faults = [result for result in tested.results if not result.passed]
    failing = next((dict(fault.input) for fault in faults if fault.input), None)
    return {
        "kind": FAILED,
        "words": _words(task, tested, faults, (passed, len(checks))),
        "reason": _line(task, tested, faults),
        "failing": failing,
        "evidence": _evidence(faults),
        "counts": tested.fault not in WITHOUT_STRATEGY,
        **numbers,
    }


def broken_report(task: CodeTask, faults: Sequence[CheckResult], before: Mapping[str, Any]) -> dict[str, Any]:
    """The report on a candidate that passed every check and then failed hostile tests that count."""
    inputs = [dict(fault.input) for fault in faults if fault.input]
    listed = "\n".join(_fault(task, fault) for fault in faults[:MOST_FAULTS])
    return {
        "kind": FAILED,
        "words": f"Your function passes the visible checks, but it does not do what the task says:\n{listed}\n{FIND}",
        "reason": _one(task, faults[0]),
        "failing": inputs[0] if inputs else None,
        "evidence": _evidence(faults),
        "counts": True,
        "passed": before.get("passed", 0),
        "total": int(before.get("total", 0)) + len(faults),
        "inputs_tried": before.get("inputs_tried", 0),
    }


def disputed_words(disputed: Sequence[Mapping[str, Any]]) -> str:
    """For the author of a function that passes every check: what the words of the task are said to forbid."""
    listed = "\n".join(f'- {each["reason"]}; the task says "{each["words"]}"' for each in disputed[:MOST_FAULTS])
    return (
        f"Your function passes every check. It is disputed whether it does what the words of the task say:\n{listed}\n"
        "Where that is right, mend the function. Where the task asks for what your function does, answer with the same "
        "function, unchanged."
    )


def refused_report(kind: str, why: str, left: str = "") -> dict[str, Any]:
    """The report on a candidate that was not run; ``left``: which strategies are allowed, in words."""
    words = {
        BANNED: f"Your function was not run: {why}. Choose a fundamentally different approach. {left}".rstrip(),
        REPEATED: f"Your function was not run: {why}. Look at the report on it again, and change what is wrong.",
    }
    return {"kind": kind, "words": words[kind], "reason": f"not run: {why}"}


def _evidence(faults: Sequence[CheckResult]) -> list[dict[str, str]]:
    """Inputs that can be tried on later candidates: a value without a literal is shown, and cannot be made again."""
    return [dict(fault.input) for fault in faults if fault.input and all(map(_is_literal, fault.input.values()))]


def _is_literal(text: str) -> bool:
    try:
        from_literal(text)
    except InvalidInput:
        return False
    return True


def _words(task: CodeTask, tested: TestReport, faults: Sequence[CheckResult], checks: tuple[int, int]) -> str:
    if not faults:
        return f"Your function does not pass: {tested.reason[:MAX_FAULT]}"
    listed = [_fault(task, fault) for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        listed.append(f"- and {len(faults) - MOST_FAULTS} further checks")
    count = f"It passes {checks[0]} of {checks[1]} checks." if checks[0] else "It passes no check."
    return "\n".join(["Your function was run and does not pass:", *listed, count, FIND])


def _fault(task: CodeTask, fault: CheckResult) -> str:
    return f"- {_one(task, fault)}"[:MAX_FAULT]


def _one(task: CodeTask, fault: CheckResult) -> str:
    name, reason = " ".join(_named(task, fault).split())[:300].rstrip(":"), " ".join(fault.reason.split())
    told = f"{name}: {reason}" if name and name not in reason else reason
    named = f"{task.function}(" in reason or any(f"{parameter} = " in reason for parameter in fault.input or ())
    if not fault.input or named:
        return told
    return f"{told}, called as {call_text(task.function, fault.input)}"


def _named(task: CodeTask, fault: CheckResult) -> str:
    """The check; the name of an exception that an example demands would read as a value there."""
    if fault.kind != "example":
        return fault.name
    told = (example_text(*each) for each in task.examples if fault.name == " == ".join(each))
    return next(told, fault.name)


def _line(task: CodeTask, tested: TestReport, faults: Sequence[CheckResult]) -> str:
    shown = next((fault for fault in faults if fault.input), faults[0] if faults else None)
    return (_one(task, shown) if shown is not None else tested.reason)[:400]
