"""What kind of ending and what kind of mistake: reasons in words, sorted into a few kinds that can be counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.lean.errors import ErrorCategory, ErrorClassifier

_LIMITS: tuple[tuple[str, str], ...] = (
    (r"wall time|\bs\b[^;]*are used up|time limit", "time"),
    (r"model calls", "model calls"),
    (r"model tokens", "tokens"),
    (r"US dollars|money", "money"),
    (r"agent steps", "steps"),
    (r"solver seconds|solver time", "solver time"),
    (r"larger nodes|\bnodes\b", "goals"),
    (r"\bdepth\b", "depth"),
    (r"\battempts\b", "attempts"),
)
_INVALID: tuple[tuple[str, str], ...] = (
    (r"unknown (module|package)|object file|bad import|\bimport\b|Mathlib|no such library", "missing library"),
)
_UNKNOWN: tuple[tuple[str, str], ...] = (
    (r"certif|checker", "not certified"),
    (r"no reply|no model", "no reply"),
)
_MISTAKES: tuple[tuple[str, str], ...] = (
    (
        r"gave no reply|\breply is (missing|empty)|empty reply|no answer from|HTTP \d|status [45]\d\d|connection",
        "no reply",
    ),
    (r"\bbanned\b|tried before|failed before", "banned strategy"),
    (
        r"cannot be read|not JSON|no (complete )?JSON|cannot read|no (Lean )?code|cut off|not a (proof|sketch)",
        "unreadable reply",
    ),
    (r"subgoal \S+ is false|lemma \S+ is false|\bis false\b|counterexample|refuted", "false subgoal"),
    (r"has neither a new lemma|proposes? nothing|says nothing|holds no (proof|sketch)", "empty proposal"),
    (r"time-?out|timed out|out of time|time is up|took longer", "time"),
    (r"crashed|killed|out of memory", "crash"),
    (r"does not close|no solver closes|not proved|does not follow|unsolved goals|do(es)? not give", "not closed"),
    (r"does not apply|no strategy", "nothing applies"),
)
"""The first pattern that is found counts."""

ERROR = "error"
"""The ending of what was broken off by an error, and will be asked again."""


def ending(verdict: Verdict, reason: str) -> str:
    """How a run ended, in one or two words: the verdict, and which limit or what kind of fault it was.

    ``proved``, ``refuted``, ``inconsistent``, ``open``, ``limit: time``, ``invalid: missing library``, …
    """
    match verdict:
        case Verdict.OUT_OF_BUDGET:
            return f"limit: {_first(_LIMITS, reason) or 'other'}"
        case Verdict.INVALID:
            kind = _first(_INVALID, reason)
            return f"invalid: {kind}" if kind else "invalid"
        case Verdict.UNKNOWN:
            kind = _first(_UNKNOWN, reason)
            return f"open: {kind}" if kind else "open"
        case _:
            return str(verdict)


def mistake(reason: str, language: str) -> str:
    """The kind of one failed attempt, by what the verifier or the reader of replies said of it."""
    if language == "lean":
        errors = ErrorClassifier().classify_errors(reason if "error:" in reason else f"error: {reason}")
        if errors and errors[0].category is not ErrorCategory.OTHER:
            return errors[0].category.value.replace("_", " ")
    return _first(_MISTAKES, reason) or "other"


def mistakes(entries: Iterable[Mapping[str, Any]], language: str) -> dict[str, int]:
    """Failed attempts of a run by kind, most frequent first.

    Args:
        entries: of the history of its goals, as ``memory.conversation`` gives them.
        language: of the theorem: Lean's messages have kinds of their own.
    """
    every = list(entries)
    asked = {(entry.get("seq"), entry.get("node")) for entry in every if entry.get("kind") == "model"}
    found: Counter[str] = Counter()
    for entry in every:
        match entry.get("kind"):
            case "model":  # one for each reply that does not hold
                found.update(mistake(str(reason), language) for reason in entry.get("reasons") or ())
            case "attempt" | "rejected" if (entry.get("seq"), entry.get("node")) not in asked and entry.get("reason"):
                found[mistake(str(entry["reason"]), language)] += 1
    return dict(found.most_common())


def _first(table: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for pattern, name in table if re.search(pattern, text, re.IGNORECASE)), "")
