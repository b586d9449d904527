"""Anyone's Lean file through the same gate as our own proofs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from goedels_poetry.checker.lean.examine import Claim, Fresh, examine, fresh_lean, refused, statement_of, with_faults
from goedels_poetry.checker.lean.gate import Refusal, judge_by_lean, place_of, read_original
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.errors import InvalidInput
from goedels_poetry.languages.lean.runtime import THEOREMS, LeanPool
from goedels_poetry.languages.lean.scan import scan
from goedels_poetry.languages.lean.source import normalised
from goedels_poetry.state import Verdict

SECONDS = 300.0
NOT_COMPARED = "nothing was compared: the statements are the file's own (--against ORIGINAL.lean compares them)"
_UNFINISHED = "unexpected end of input; expected ':='"
_DECEIVING = frozenset({"metaprogram", "unsafe", "native", "unterminated"})
"""Rules that hold for any file: such text could deceive Lean, and us, about everything else."""


async def audit_file(
    text: str,
    original: str | None = None,
    theorem: str = "",
    fresh: Fresh = fresh_lean,
    seconds: float | None = None,
) -> CheckReport:
    """The verdict on a file that anyone has written.

    Args:
        text: the file.
        original: what it is to prove: a file with one or several theorems left open. None: the file is judged by
            itself, its theorems must rest on no `sorry` and no axiom but its own, and the report says that nothing
            was compared.
        theorem: name of one theorem; by default all that the original leaves open.
        fresh: starts the Lean.
        seconds: for Lean's work on the text.

    Raises:
        InvalidInput: the original does not elaborate, or has no such theorem.
        TimeoutError: Lean was not done in time.
    """
    text = normalised(text)
    if original is None:
        return await _alone(text, theorem, fresh, seconds or SECONDS)
    original = normalised(original)
    try:
        return with_faults(await examine(fresh, Claim(text, original, named=theorem), seconds))
    except InvalidInput as error:
        if not error.message.startswith(_UNFINISHED):
            raise
    completed = f"{original.rstrip()}\n  := sorry\n"
    return with_faults(await examine(fresh, Claim(text, completed, named=theorem), seconds))


async def _alone(text: str, theorem: str, fresh: Fresh, seconds: float) -> CheckReport:
    deceiving = [f for f in scan(text) if f.rule in _DECEIVING or "debug." in f.text]
    if deceiving:
        first = deceiving[0]
        report = refused(Refusal(first.rule, first.text, first.line, first.column))
        return replace(report, notes=(NOT_COMPARED,))
    began = time.monotonic()
    lean = await asyncio.to_thread(fresh)
    try:
        report = await _by_itself(lean, text, theorem, seconds)
    finally:
        await lean.aclose()
    taken = time.monotonic() - began
    notes, about = (NOT_COMPARED, *report.notes), {"lean": lean.version}
    return with_faults(replace(report, notes=notes, versions=about, seconds=taken))


async def _by_itself(lean: LeanPool, text: str, theorem: str, seconds: float) -> CheckReport:
    try:
        own = await read_original(lean, text, seconds)
    except InvalidInput as error:
        column = None if error.column is None else error.column - 1
        return refused(Refusal("compile", error.message, error.line, column), Verdict.INVALID)
    every = tuple(n for n in own.constants if (c := place_of(own, n)) is not None and c.declaration in THEOREMS)
    theorems = (own.named(theorem),) if theorem else every
    if not theorems:
        raise InvalidInput("the file declares no theorem")
    found = await judge_by_lean(lean, text, own, theorems, seconds)
    if isinstance(found, Refusal):
        return refused(found)
    return CheckReport(
        Verdict.PROVED,
        TrustLevel.ACCEPTED,
        obligations=Counts(found.replayed, found.replayed, 0),
        assumptions=tuple(f"axiom {name}, declared in the file" for name in found.assumptions),
        axioms=found.axioms,
        statement=statement_of(own, theorems),
    )


__all__ = ["audit_file"]
