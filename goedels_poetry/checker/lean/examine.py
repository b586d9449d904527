"""From a file and the user's original to the report: the gate, the premises, the trust level."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.checker.lean import versions
from goedels_poetry.checker.lean.gate import Accepted, Original, Refusal, judge, place_of, read_original
from goedels_poetry.checker.lean.vacuity import SECONDS as PREMISE_SECONDS
from goedels_poetry.checker.lean.vacuity import premises_of
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.languages.lean.runtime import LeanPool, LeanUnavailable, open_lean
from goedels_poetry.languages.lean.tokens import tokenize
from goedels_poetry.settings import Settings
from goedels_poetry.state import Verdict

SECONDS = 300.0
"""For Lean's work on the whole text, where nothing else is said."""
MOST_ASKED = 4
"""Theorems whose premises are looked at."""
Fresh = Callable[[], LeanPool]
"""Starts a Lean that nothing has been asked of; who calls it closes it."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text is to show. ``theorems``: constants of the original; () are all that rest on a `sorry`."""

    text: str
    original: str
    theorems: tuple[str, ...] = ()
    witness: str = ""
    """The constant of the text that says that the one theorem is false; "" where the theorems are proved."""
    named: str = ""
    """One theorem as a person names it, instead of ``theorems``."""


def fresh_lean() -> LeanPool:
    """A new Lean of the kind that the settings ask for, and never one that others run."""
    try:
        return open_lean(Settings().lean, 1, trusted=True)
    except LeanUnavailable as fault:
        raise GoedelsPoetryError(f"Lean is not available: {fault}") from fault
    except (ValidationError, SettingsError) as error:
        raise GoedelsPoetryError(f"settings: {error}") from error


async def examine(fresh: Fresh, claim: Claim, seconds: float | None = None) -> CheckReport:
    """The verdict on a claim, by a Lean that has seen nothing before.

    Raises:
        InvalidInput: the original is not one.
        TimeoutError: Lean was not done within ``seconds``.
    """
    began = time.monotonic()
    seconds = SECONDS if seconds is None else seconds
    lean = await asyncio.to_thread(fresh)
    try:
        original = await read_original(lean, claim.original, seconds)
        theorems = claim.theorems or ((original.named(claim.named),) if claim.named else original.open_theorems())
        if not theorems:
            raise InvalidInput("no theorem of the original has a `sorry`: there is nothing to compare with")
        left = seconds - (time.monotonic() - began)
        if claim.witness:
            found = await judge(lean, claim.text, original, (claim.witness,), left, theorems[0])
        else:
            found = await judge(lean, claim.text, original, theorems, left)
        report = (
            refused(found)
            if isinstance(found, Refusal)
            else await _accepted(lean, original, theorems, claim, found, began + seconds)
        )
        about = {"lean": lean.version, "known faults": ", ".join(f.where for f in versions.faults_of(lean.version))}
        taken = time.monotonic() - began
        return replace(report, statement=statement_of(original, theorems), versions=about, seconds=taken)
    except LeanUnavailable as fault:
        raise GoedelsPoetryError(f"Lean is not available: {fault}") from fault
    finally:
        await lean.aclose()


def with_faults(report: CheckReport) -> CheckReport:
    """The report with a note on the known faults of the version of Lean that made it."""
    return replace(report, notes=(*report.notes, *versions.words(report.versions["lean"])))


def refused(why: Refusal, verdict: Verdict = Verdict.UNKNOWN) -> CheckReport:
    """The report on a text that the gate does not accept."""
    place = (why.line, (why.column or 0) + 1) if why.line is not None else None
    return CheckReport(verdict, refused=True, reasons=(f"{why.rule}: {why.reason}",), rule=why.rule, place=place)


async def _accepted(
    lean: LeanPool, original: Original, theorems: tuple[str, ...], claim: Claim, found: Accepted, until: float
) -> CheckReport:
    """L1 by the gate; L2 when no premise can be to blame; L3 by the replay.

    The replay is what `leanchecker` does: every declaration once more through the kernel, on top of the imports alone.
    It is the same kernel, so it is a second look at the file, not a second opinion on the kernel.
    """
    notes: list[str] = []
    assumptions = tuple(f"axiom {name}, declared in the original" for name in found.assumptions)
    harmless = not assumptions
    if not claim.witness:
        for name in theorems[:MOST_ASKED]:
            premises = await premises_of(lean, original, name, min(PREMISE_SECONDS, until - time.monotonic()))
            harmless = harmless and premises in ("none", "satisfiable")
            if premises == "contradictory":
                notes.append(
                    f"vacuous: the hypotheses of {name} contradict each other, so its conclusion plays no part"
                )
            elif premises == "unknown":
                notes.append(f"no values were found for which the hypotheses of {name} hold")
        harmless = harmless and len(theorems) <= MOST_ASKED
    return CheckReport(
        Verdict.REFUTED if claim.witness else Verdict.PROVED,
        TrustLevel.CONFIRMED if harmless else TrustLevel.REBUILT,
        obligations=Counts(found.replayed, found.replayed, found.replayed),
        notes=tuple(notes),
        assumptions=assumptions,
        axioms=found.axioms,
    )


def statement_of(original: Original, theorems: tuple[str, ...]) -> str:
    """The theorems as they are written, each in one line."""
    commands = [place_of(original, name) for name in theorems]
    return "; ".join(_words(original.text[c.start : c.head]) for c in commands if c and c.head > c.start)


def _words(head: str) -> str:
    """A declaration without what stands before its first word: docstring, attributes, `open … in`."""
    words = [t for t in tokenize(head) if t.kind == "word" and t.text in ("theorem", "lemma")]
    return " ".join(head[words[0].start if words else 0 :].split())


def run(checking: Coroutine[Any, Any, CheckReport]) -> CheckReport:
    """A check from code that is no coroutine; what ends it becomes part of the report."""
    try:
        return asyncio.run(checking)
    except InvalidInput as error:
        place = (error.line, error.column or 1) if error.line is not None else None
        return CheckReport(Verdict.INVALID, refused=True, reasons=(f"the original is not valid: {error}",), place=place)
    except TimeoutError as error:
        return CheckReport(Verdict.UNKNOWN, reasons=(str(error),))


__all__ = ["Claim", "Fresh", "examine", "fresh_lean", "refused", "run", "statement_of", "with_faults"]
