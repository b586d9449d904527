"""Examples, assertions, doctests, properties of a candidate: rounds of questions and answers, then the tests alone.

The tests run in a judge's process, where the function is a table of answers. A round collects what they ask, the
candidate answers it in its own process, and so on until nothing is open; a test that is still asking after some
rounds has failed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.python.testing.checks import CheckResult, Checks
from goedels_poetry.python.testing.contracts import Means, answer, arguments_in_words, import_failed
from goedels_poetry.python.testing.literals import to_literal
from goedels_poetry.python.testing.reading import Subject
from goedels_poetry.python.testing.running import JudgeFailed, Outcome, judge

Test = dict[str, str]
_ROUNDS = 8  # of tests; more only for a property that fails, whose input is made smaller
_SHRINKS = 5
_SECONDS = 5.0  # for a test's own work, without the calls


def plain_tests(checks: Checks) -> list[Test]:
    """Examples and assertions."""
    tests = [{"kind": "example", "text": text, "expected": expected} for text, expected in checks.examples]
    tests += [{"kind": "assertion", "text": text} for text in checks.assertions]
    return tests


def doctests(checks: Checks, subject: Subject) -> list[Test]:
    """The candidate's own docstring, which is a program of the candidate's: it is judged in a process of its own."""
    return [{"kind": "doctest", "doc": subject.docstring}] if checks.doctests else []


def properties(checks: Checks) -> list[Test]:
    """Texts that define Hypothesis tests; they need that package."""
    return [{"kind": "property", "text": text} for text in checks.properties]


async def run_tests(
    subject: Subject, checks: Checks, tests: list[Test], means: Means, seed: int, *, part: str
) -> tuple[CheckResult, ...]:
    """A result for each test; ``part``: whose definitions of the module they are judged with.

    Raises:
        InvalidInput: what the tests name cannot be run.
        Unavailable: no sandbox could be had.
    """
    if not tests:
        return ()
    table: dict[str, Outcome] = {}
    task = {"do": "texts", "tests": tests, "seconds": _SECONDS, "examples": means.examples, "seed": seed % 2**32}
    verdicts: list[dict[str, Any]] = []
    shrinks = 0
    try:
        for number in range(_ROUNDS + _SHRINKS):
            collect = number == 0
            limit = (3 * _SECONDS if part == "properties" else _SECONDS) + 2
            judged = await judge(subject, checks, [{**task, "collect": collect}], table=table, seconds=limit, part=part)
            verdicts = _well_formed(judged.done[0], len(tests))
            open_ones = any(v["v"] == "pending" for v in verdicts)
            if not judged.pending and not collect:
                break
            if not collect and not open_ones:  # only smaller inputs of a failing property are asked for
                shrinks += 1
                if shrinks > min(_SHRINKS, means.shrinks):
                    break
            if collect and not judged.pending:
                continue
            loaded = await answer(subject, checks, judged.pending, table, means.playing)
            if loaded["k"] != "returned":
                bad = import_failed(loaded)
                return tuple(replace(bad, name=_name(test)) for test in tests)
    except JudgeFailed as error:
        if len(tests) == 1:
            return (CheckResult(_name(tests[0]), tests[0]["kind"], False, str(error)),)
        results = [await run_tests(subject, checks, [test], means, seed, part=part) for test in tests]
        return tuple(result for some in results for result in some)
    return tuple(_result(subject, checks, test, verdict) for test, verdict in zip(tests, verdicts, strict=True))


def _well_formed(verdicts: Any, number: int) -> list[dict[str, Any]]:
    """The judge's words on so many tests: what the tests name of the candidate's module runs beside it."""
    right = isinstance(verdicts, list) and len(verdicts) == number
    if not right or not all(isinstance(v, dict) and v.get("v") in ("ok", "failed", "pending") for v in verdicts):
        raise JudgeFailed("the checks could not be evaluated: the judge's answer is malformed")
    if any(v["v"] == "ok" and type(v.get("calls")) is not int for v in verdicts):
        raise JudgeFailed("the checks could not be evaluated: the judge's answer is malformed")
    return [{**v, "why": str(v.get("why", ""))} for v in verdicts]


def _name(test: Test) -> str:
    match test["kind"]:
        case "example":
            return f"{test['text']} == {test['expected']}"
        case "doctest":
            return "doctests"
        case kind:
            lines = [line for line in test["text"].strip().splitlines() if line.strip()]
            wanted = ("def ",) if kind == "property" else ("assert ", "assert(")  # not how it is set up
            lines = [line for line in lines if line.lstrip().startswith(wanted)] or lines
            text = " ".join(lines[0].split()) if lines else "an empty text"
            return text[:200]


def _result(subject: Subject, checks: Checks, test: Test, verdict: dict[str, Any]) -> CheckResult:
    name, kind = _name(test), test["kind"]
    if verdict["v"] == "ok":
        calls = verdict["calls"]
        return CheckResult(name, kind, True, f"{calls:,} call{'' if calls == 1 else 's'}")
    if verdict["v"] != "failed":
        return CheckResult(name, kind, False, "the test asks for ever more calls, and was given up")
    shown = _arguments(subject, verdict.get("call"))
    on = arguments_in_words(shown)
    why = _said(checks, verdict, on)
    if verdict.get("input"):
        why = f"{why}, with {arguments_in_words(verdict['input'])}"
    return CheckResult(name, kind, False, why, verdict.get("input") or shown)


def _said(checks: Checks, verdict: dict[str, Any], on: str) -> str:
    outcome, why = verdict.get("outcome") or {}, str(verdict["why"])
    match outcome.get("k"):
        case "time":
            return f"did not finish within {outcome['t']:g} s on {on}"
        case "gone":
            return f"{outcome['why']}, on {on}"
        case "raised" if why.startswith(outcome["mro"][0]):
            line = f" (line {outcome['line']})" if outcome["line"] else ""
            if outcome["mro"][0] == "MemoryError":
                return f"used more than {checks.memory_mb} MB on {on}"
            return f"raised {outcome['mro'][0]}: {outcome['message']}{line} on {on}"
        case "returned":
            result = to_literal(outcome["v"]["t"][-1]) if outcome["v"].get("t") else "?"
            return f"{why}; {checks.function} on {on} returned {result[:200]}" if "fails" in why else why
        case _:
            return why


def _arguments(subject: Subject, call: Any) -> dict[str, str] | None:
    """The first call of a chain as literals by parameter."""
    if not call:
        return None
    args, named = call[0]
    positional = [p.name for p in subject.parameters if p.kind != "named"]
    shown = {name: to_literal(data) for name, data in zip(positional, args, strict=False)}
    shown.update({name: to_literal(data) for name, data in named})
    return shown
