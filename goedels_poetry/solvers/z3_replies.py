"""What z3 says besides a status, in the words of an ``Answer``."""

from __future__ import annotations

import re

from goedels_poetry.solvers.limits import Answer, Limits

ERROR_START = re.compile(r"^\s*\(error\b", re.MULTILINE)
_ERROR = re.compile(r'^\s*\(error "(?:line (\d+) column (\d+): )?(.*?)"\)\s*$', re.MULTILINE | re.DOTALL)
_CUT_OFF = ("push canceled", "pop canceled", "canceled")
"""What z3 says when a limit strikes before the check begins."""


def why_unknown(reason: str, used: int, limits: Limits) -> str:
    """The solver's reason; ``used`` are the steps of the check."""
    if "memory" in reason:
        return "memory"
    if "resource limit" in reason or (limits.rlimit and used >= limits.rlimit and "cancel" in reason):
        return "rlimit"
    if reason in ("timeout", "canceled", "interrupted from keyboard"):
        return "timeout"
    return reason


def error_answer(reply: str, first_line: int) -> Answer:
    """The answer to a reply that holds more than one status: its first message, with the caller's line."""
    if found := _ERROR.search(reply):
        line, column, message = found.groups()
        if "out of memory" in message:
            return Answer("unknown", "memory")
        if message in _CUT_OFF:
            return Answer("unknown", "timeout")
        if "resource limit" in message:  # used up by assertions, before there is anything to check
            return Answer("unknown", "rlimit")
        place = f"line {int(line) - first_line + 1} column {column}: " if line else ""
        return Answer("error", place + message)
    return Answer("error", f"unexpected reply: {reply.strip()[:200]!r}")
