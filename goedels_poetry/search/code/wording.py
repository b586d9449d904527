"""Texts for models about functions: the task, strategies, reports on candidates; and a candidate's strategy."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.fingerprint.ban import STRATEGIES, Fingerprint, parse_ban
from goedels_poetry.python.fingerprint.classify import fingerprint
from goedels_poetry.python.testing.checks import CheckResult, TestReport, from_literal
from goedels_poetry.search.tasks.code import BANNED, FAILED, MODEL, PASSED, REPEATED, CodeTask

MOST_EXAMPLES, MAX_SECTION, MAX_BANS = 40, 12_000, 30
MOST_ATTEMPTS, MAX_REASON = 6, 300
MOST_FAULTS, MAX_FAULT = 6, 1_200
"""Of a prompt: examples, characters of the tests, bans; attempts, characters of a reason; failed checks, characters of
each."""
FORMAL = frozenset({"compile", "signature"})
"""Kinds of checks that say nothing of what a function does."""
WITHOUT_STRATEGY = frozenset({"syntax", "signature"})
"""Faults that say nothing about the strategy."""
FIND = "Find the cause, and mend it."

# -- the task ----------------------------------------------------------------------------------------------------


def query_of(task: CodeTask) -> str:
    """What is wanted and how it is checked."""
    parts = [task.task.strip(), f"The signature is exactly:\n\n```python\n{task.signature}: ...\n```"]
    if task.examples:
        shown = [example_text(call, expected) for call, expected in task.examples[:MOST_EXAMPLES]]
        parts.append("It is checked with these examples:\n\n" + _fenced(shown))
    parts += _contract(task)
    if task.tests:
        parts.append("It is checked with these tests:\n\n" + _fenced(task.tests))
    if task.properties:
        parts.append("It is checked with these properties (Hypothesis):\n\n" + _fenced(task.properties))
    parts.append(
        f"One call has {task.seconds:g} s of processor time and {task.memory_mb} MB, and CPython's usual limit on "
        "recursion (about 1,000 calls deep)."
    )
    return "\n\n".join(parts)


def example_text(call: str, expected: str) -> str:
    """An example; the name of an exception stands for raising it."""
    return f"{call}  # raises {expected}" if is_exception(expected) else f"{call} == {expected}"


def is_exception(text: str) -> bool:
    """Whether it is the name of a built-in exception."""
    kind = getattr(builtins, text, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _contract(task: CodeTask) -> list[str]:
    lines = [f"- requires {text} (other inputs are never tried)" for text in task.requires]
    lines += [f"- ensures {text}" for text in task.ensures]
    lines += [f"- may raise {name}{f' where {when}' if when else ''}, and nothing else" for name, when in task.raises]
    if not lines:
        return []
    return ["On every input it keeps this contract (`result` is what it returns):\n\n" + "\n".join(lines)]


def _fenced(texts: Iterable[str]) -> str:
    text = "\n".join(texts)
    if len(text) > MAX_SECTION:
        text = f"{text[:MAX_SECTION]}\n# and further ones"
    return f"```python\n{text}\n```"


def context_of(task: CodeTask, past: Sequence[Mapping[str, Any]], evidence: Sequence[Mapping[str, Any]]) -> str:
    """The given code, the latest attempts, and the inputs on which they failed."""
    parts = []
    if task.context.strip():
        given = f"```python\n{task.context.strip()}\n```"
        parts.append(f"This code stands before your function; use it, do not repeat it:\n\n{given}")
    lines = [
        f"- {entry.get('fingerprint') or 'no strategy'}: {str(entry.get('reason', ''))[:MAX_REASON]}"
        for entry in past[-MOST_ATTEMPTS:]
        if entry.get("by") == MODEL
    ]
    if lines:
        parts.append("Earlier attempts, oldest first:\n" + "\n".join(lines))
    calls = list(dict.fromkeys(call_text(task.function, each) for each in evidence))[:MOST_EXAMPLES]
    if calls:
        listed = "\n".join(f"- {call}" for call in calls)
        parts.append(f"Earlier attempts failed on these inputs, which are tried first on every new one:\n{listed}")
    return "\n\n".join(parts)


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """``f(n=3, xs=[])``, cut when it is long."""
    given = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return f"{function}({given if len(given) <= 300 else given[:300] + '…'})"


# -- strategies --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A strategy that must not be used on this task, and the evidence."""

    strategy: str
    why: str = "the task does not want it"
    failures: int = 0

    @property
    def text(self) -> str:
        """The strategy without the others that its name covers: plain recursion bans no memoised one."""
        plain = self.failures and self.strategy == "recursion"
        return "recursion and not memoisation" if plain else self.strategy

    @property
    def words(self) -> str:
        """For a prompt, in one line."""
        often = f"failed {self.failures} times, last because " if self.failures else ""
        return f"- {self.text}: {often}{self.why}"


def strategy_of(source: str, function: str) -> Fingerprint | None:
    """The fingerprint of a candidate; None where none can be taken."""
    try:
        return fingerprint(source, function)
    except (InvalidInput, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def candidate_of(function: str, task: CodeTask, by: str) -> dict[str, Any]:
    """A candidate as the store keeps it: ``{"source": the module that is tested, "by", "strategy", ...}``."""
    source = task.whole(function)
    found = strategy_of(source, task.function)
    return {
        "source": source,
        "by": by,
        "strategy": found.strategy if found is not None else "",
        "fingerprint": found.text if found is not None else "",
        "tags": sorted(found.tags) if found is not None else [],
        "digest": digest_of(source),
    }


def digest_of(source: str) -> str:
    """Equal for candidates that differ in layout and comments alone."""
    try:
        text = ast.dump(ast.parse(source), annotate_fields=False)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        text = source
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def forbidden_strategies(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> tuple[Forbidden, ...]:
    """Those that the task excludes, then those that failed twice; ``bans`` as the store has them."""
    failed = (Forbidden(text, str(ban["reason"]), int(ban["failures"])) for text, ban in bans.items())
    return (*map(Forbidden, task.bans), *failed)


def why_banned(found: Fingerprint | None, forbidden: Iterable[Forbidden]) -> str:
    """The ban that a candidate falls under, in one line; "" for none."""
    if found is None:  # else a ban could be evaded by a program too entangled to be read
        return "its strategy cannot be told from its text, and some are banned here" if any(forbidden) else ""
    for each in forbidden:
        if each.strategy == found.text or (not each.failures and parse_ban(each.strategy).matches(found)):
            return f"the strategy {found.text} is banned here ({each.text}: {each.why})"
    return ""


def all_banned(task: CodeTask, bans: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether each of the primary strategies is banned in some form."""
    failed = {str(ban["strategy"]) for ban in bans.values()}
    return all(name in failed for name in _left(map(Forbidden, task.bans)))


def _left(forbidden: Iterable[Forbidden]) -> list[str]:
    """The primary strategies that no ban covers."""
    bans = [parse_ban(each.text) for each in forbidden]
    return [name for name in STRATEGIES if not any(ban.matches(Fingerprint(name, frozenset())) for ban in bans)]


def left_words(forbidden: Iterable[Forbidden]) -> str:
    """The strategies that are not banned, "" where there are none."""
    left = ", ".join(_left(forbidden))
    return f"These strategies are left: {left}." if left else ""


def forbidden_words(forbidden: Sequence[Forbidden]) -> str:
    """The bans with their reasons; "" without any."""
    if not forbidden:
        return ""
    lines = "\n".join(each.words for each in forbidden[-MAX_BANS:])
    return (
        f"DO NOT USE these strategies:\n{lines}\n"
        "Your function is classified by its syntax tree, whatever its names and layout are, and refused without being "
        f"run when it uses one of them. You must choose a fundamentally different approach. {left_words(forbidden)}"
    ).rstrip()


# -- reports -----------------------------------------------------------------------------------------------------


def report_on(task: CodeTask, tested: TestReport) -> dict[str, Any]:
    """The report on a candidate that was tested."""
    checks = [result for result in tested.results if result.kind not in FORMAL]
    passed = sum(result.passed for result in checks)
    numbers = {"passed": passed, "total": len(checks), "inputs_tried": tested.inputs_tried}
    if tested.passed:
        tried = f", the contract on {tested.inputs_tried} inputs" if tested.inputs_tried else ""
        return {"kind": PASSED, "words": "", "reason": f"{passed} checks passed{tried}", **numbers}
    faults = [result for result in tested.results if not result.passed]
    shown = next((fault for fault in faults if fault.input), faults[0] if faults else None)
    return {
        "kind": FAILED,
        "words": _words(task, tested, faults, (passed, len(checks))),
        "reason": (_one(task, shown) if shown is not None else tested.reason)[:400],
        "counts": tested.fault not in WITHOUT_STRATEGY,
        **_inputs(faults),
        **numbers,
    }


def broken_report(task: CodeTask, faults: Sequence[CheckResult], before: Mapping[str, Any]) -> dict[str, Any]:
    """The report on a candidate that passed every check and then failed hostile tests that count."""
    listed = "\n".join(_fault(task, fault) for fault in faults[:MOST_FAULTS])
    return {
        "kind": FAILED,
        "words": f"Your function passes the visible checks, but it does not do what the task says:\n{listed}\n{FIND}",
        "reason": _one(task, faults[0]),
        "counts": True,
        "passed": before.get("passed", 0),
        "total": int(before.get("total", 0)) + len(faults),
        "inputs_tried": before.get("inputs_tried", 0),
        **_inputs(faults),
    }


def refused_report(kind: str, why: str, left: str = "") -> dict[str, Any]:
    """The report on a candidate that was not run; ``left``: which strategies are allowed, in words."""
    words = {
        BANNED: f"Your function was not run: {why}. Choose a fundamentally different approach. {left}".rstrip(),
        REPEATED: f"Your function was not run: {why}. Look at the report on it again, and change what is wrong.",
    }
    return {"kind": kind, "words": words[kind], "reason": f"not run: {why}"}


def _inputs(faults: Sequence[CheckResult]) -> dict[str, Any]:
    """The input to show, and those that can be tried on later candidates: a value without a literal cannot."""
    inputs = [dict(fault.input) for fault in faults if fault.input]
    return {
        "failing": inputs[0] if inputs else None,
        "evidence": [each for each in inputs if all(map(_is_literal, each.values()))],
    }


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
    name = fault.name
    if fault.kind == "example":  # the name of an exception would read as a value
        name = next((example_text(*each) for each in task.examples if name == " == ".join(each)), name)
    name, reason = " ".join(name.split())[:300].rstrip(":"), " ".join(fault.reason.split())
    text = f"{name}: {reason}" if name and name not in reason else reason
    named = f"{task.function}(" in reason or any(f"{parameter} = " in reason for parameter in fault.input or ())
    if not fault.input or named:
        return text
    return f"{text}, called as {call_text(task.function, fault.input)}"
