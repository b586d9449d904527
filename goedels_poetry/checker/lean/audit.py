"""Anyone's Lean file through the same gate as our own proofs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from goedels_poetry.checker.certificate.report import CheckReport, TrustLevel
from goedels_poetry.checker.lean.gate import Leans, confirm, ground_alone
from goedels_poetry.checker.lean.original import Refusal, may_deceive, place_of, read_original
from goedels_poetry.checker.lean.verify import (
    Claim,
    FreshLean,
    counts_of,
    fresh_lean,
    fresh_leans,
    in_its_file,
    notes_on,
    refused,
    stated_by_itself,
    verify,
    within,
)
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.runtime.protocol import THEOREMS
from goedels_poetry.lean.text.modules import about_modules, own_start
from goedels_poetry.lean.text.source import normalised

SECONDS = 300.0
NOT_COMPARED = "nothing was compared: the statements are the file's own (--against ORIGINAL.lean compares them)"
_UNFINISHED = "unexpected end of input; expected ':='"


async def audit_file(
    text: str,
    original: str | None = None,
    theorem: str = "",
    fresh: FreshLean = fresh_lean,
    seconds: float | None = None,
) -> CheckReport:
    """The verdict on a file that anyone has written.

    Args:
        original: what it is to prove: a file with one or several theorems left open. None: the file is judged by
            itself, its theorems must rest on no `sorry` and no axiom but its own, and the report says that nothing
            was compared.
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
        return await verify(fresh, Claim(text, original, named=theorem), seconds)
    except InvalidInput as error:
        if not error.message.startswith(_UNFINISHED):
            raise
    completed = f"{original.rstrip()}\n  := sorry\n"
    return await verify(fresh, Claim(text, completed, named=theorem), seconds)


async def _alone(text: str, theorem: str, fresh: FreshLean, seconds: float) -> CheckReport:
    began = time.monotonic()
    async with within(seconds) as until:
        if deceiving := await asyncio.to_thread(may_deceive, text):
            return replace(in_its_file(refused(deceiving), text), notes=(NOT_COMPARED,))
        async with fresh_leans(fresh) as leans:
            report = await _by_itself(leans, text, theorem, until)
            about = {"lean": leans.replayer.version}
    taken = time.monotonic() - began
    return replace(report, notes=(NOT_COMPARED, *report.notes), versions=about, seconds=taken)


async def _by_itself(leans: Leans, text: str, theorem: str, until: float) -> CheckReport:
    try:
        own = await read_original(leans.elaborator, text, until - time.monotonic())
    except InvalidInput as error:
        column = None if error.column is None else error.column - 1
        return refused(Refusal("compile", error.message, error.line, column), Verdict.INVALID)
    start = own_start(text)
    places = {n: c for n in own.constants if (c := place_of(own, n)) is not None and c.start >= start}
    every = tuple(n for n, c in places.items() if c.declaration in THEOREMS)
    theorems = (own.named(theorem),) if theorem else every
    if not theorems:
        raise InvalidInput("the file declares no theorem")
    grounded = await ground_alone(leans, own, theorems, until)
    found = grounded if isinstance(grounded, Refusal) else await confirm(leans, grounded, until)
    if isinstance(found, Refusal):
        return in_its_file(refused(found), text)
    report = CheckReport(
        Verdict.PROVED,
        TrustLevel.ACCEPTED,
        obligations=counts_of(found),
        notes=(*about_modules(text), *notes_on(found, leans.replayer.version)),
        assumptions=tuple(f"axiom {name}, declared in the file" for name in found.assumptions),
        axioms=found.axioms,
    )
    return await stated_by_itself(leans, report, own, theorems, until)
