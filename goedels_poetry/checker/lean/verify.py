"""From a file and the user's original to the report: the gate, the premises, the trust level."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.checker.lean import versions
from goedels_poetry.checker.lean.gate import Accepted, Grounded, Leans, confirm, ground
from goedels_poetry.checker.lean.original import Original, Refusal, read_original
from goedels_poetry.checker.lean.preflight import KINDS, first_finding
from goedels_poetry.checker.lean.statement import as_proved, as_written
from goedels_poetry.checker.lean.vacuity import SECONDS as PREMISE_SECONDS
from goedels_poetry.checker.lean.vacuity import premises_of
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, MissingTool
from goedels_poetry.kernel.lean.second import Opinion, second_opinion
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.lean.runtime.driven import LeanKilled, LeanUnavailable
from goedels_poetry.languages.lean.runtime.embedded import node_command
from goedels_poetry.languages.lean.runtime.opening import open_lean
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import ReplayRequest
from goedels_poetry.settings.declared import LeanSettings, Settings

SECONDS = 300.0
"""For Lean's work on the whole text, where nothing else is said."""
SECOND_SECONDS = 60.0
"""For the second kernel, at most."""
START_SECONDS = 60.0
MOST_WORDS = 2_000
"""Characters of a reason: names in a stranger's data may have any length."""
MOST_ASKED = 4
"""Theorems whose premises are looked at."""
FreshLean = Callable[[], LeanPool]
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
    stated: str | None = None
    """What a certificate says that its own original states; None where the original is the user's."""

    @property
    def compared(self) -> bool:
        """Whether the original is the user's own."""
        return self.stated is None


def fresh_lean(settings: LeanSettings | None = None) -> LeanPool:
    """A new Lean of the kind that the settings ask for, by default those of the program; never one that others run."""
    try:
        return open_lean(Settings().lean if settings is None else settings, 1, trusted=True)
    except LeanUnavailable as fault:
        raise MissingTool(f"Lean is not available: {fault}") from fault
    except (ValidationError, SettingsError) as error:
        raise GoedelsPoetryError(f"settings: {error}") from error


async def second_kernel(library: str, candidate: str, premises: Sequence[str], seconds: float) -> Opinion:
    """Our own kernel, by the Node that also runs the embedded Lean, in an empty environment."""
    try:
        node = node_command()
    except LeanUnavailable as fault:
        return Opinion("undecided", f"the second kernel needs Node: {fault}")
    return await second_opinion(node, library, candidate, premises, min(seconds, SECOND_SECONDS))


@asynccontextmanager
async def fresh_leans(fresh: FreshLean, elaborator: LeanPool | None = None) -> AsyncIterator[Leans]:
    """Two Leans that nothing has been asked of, both starting; killed at the end.

    ``elaborator``: one that runs already, and stays open; the original, a user's own, is then read by the replayer.
    """
    started: list[LeanPool] = []
    try:
        for _ in range(2 if elaborator is None else 1):
            started.append(await asyncio.to_thread(fresh))
        replayer = started[-1]
        warming = asyncio.ensure_future(replayer.replay(ReplayRequest(("Init",), "", seconds=START_SECONDS)))
        try:
            yield Leans(elaborator or started[0], replayer, second_kernel, None if elaborator is None else replayer)
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
    except LeanUnavailable as fault:  # one that was killed is there, and may live another time
        raise fault if isinstance(fault, LeanKilled) else MissingTool(f"Lean is not available: {fault}")  # noqa: B904
    finally:
        for lean in started:
            await lean.aclose()


async def verify(
    fresh: FreshLean, claim: Claim, seconds: float | None = None, elaborator: LeanPool | None = None
) -> CheckReport:
    """The verdict on a claim, by Leans that have seen nothing before, but for the `elaborator` where one is given.

    Raises:
        InvalidInput: the original is not one.
        TimeoutError: not done within ``seconds``, everything included.
    """
    async with within(SECONDS if seconds is None else seconds) as until, fresh_leans(fresh, elaborator) as leans:
        return await verify_with(leans, claim, until)


async def verify_with(leans: Leans, claim: Claim, until: float) -> CheckReport:
    """As `verify`, with Leans of which the elaborator may have read the user's own file. ``until``: monotonic."""
    began = time.monotonic()
    reader = leans.reader or leans.elaborator
    original = await read_original(reader, claim.original, until - began, KINDS if leans.reader else ())
    theorems = claim.theorems or ((original.named(claim.named),) if claim.named else original.open_theorems())
    if not theorems:
        raise InvalidInput("no theorem of the original has a `sorry`: there is nothing to compare with")
    wanted, negates = ((claim.witness,), theorems[0]) if claim.witness else (theorems, "")
    finding = await asyncio.to_thread(first_finding, claim.text, claim.original)
    found = finding or await ground(leans, claim.text, original, wanted, until, negates)
    if isinstance(found, Refusal):
        report = refused(found)
    else:
        report = await _accepted(leans, replace(found, compared=claim.compared), theorems, claim, until)
    about = {"lean": leans.replayer.version, "known faults": _faults(leans.replayer.version)}
    written = as_written(original, theorems)
    if report.accepted and claim.stated is not None:
        if claim.stated != written:
            report = refused(Refusal("statement", "the statement in the manifest is not the theorem's"))
        else:
            report = await stated_by_itself(leans, report, original, theorems, until)
    elif claim.compared:
        report = replace(report, statement=written)
    return replace(report, versions=about, seconds=time.monotonic() - began)


async def stated_by_itself(
    leans: Leans, report: CheckReport, original: Original, theorems: tuple[str, ...], until: float
) -> CheckReport:
    """A report on theorems that are compared with nothing of the user's: what they state is what was proved."""
    stated = await as_proved(leans.replayer, original.data, original.imports, theorems, until)
    if isinstance(stated, Refusal):
        return refused(stated)
    return replace(report, statement=stated.text, notes=(*stated.definitions, *report.notes))


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[float]:
    """Everything inside ends in time, starting and reading included; gives the end on the monotonic clock.

    Raises:
        TimeoutError: it did not.
    """
    scope = asyncio.timeout(seconds)
    try:
        async with scope:
            yield time.monotonic() + seconds
    except TimeoutError as error:
        if scope.expired():
            raise TimeoutError(f"the check was not done within {seconds:g} s") from error
        raise


def _faults(version: str) -> str:
    return ", ".join(f.where for f in versions.faults_of(version))


def refused(why: Refusal, verdict: Verdict = Verdict.UNKNOWN) -> CheckReport:
    """The report on a text that the gate does not accept."""
    place = (why.line, (why.column or 0) + 1) if why.line is not None else None
    why = replace(why, reason=why.reason[:MOST_WORDS])
    return CheckReport(verdict, refused=True, reasons=(f"{why.rule}: {why.reason}",), rule=why.rule, place=place)


async def _accepted(
    leans: Leans, grounded: Grounded, theorems: tuple[str, ...], claim: Claim, until: float
) -> CheckReport:
    """L1 by the gate; L2 when no premise can be to blame; L3 when the second kernel has confirmed it all as well."""
    confirming = asyncio.ensure_future(confirm(leans, grounded, until))
    try:
        premises = await _premises(leans, grounded, theorems, claim, until)
        found = await confirming
    finally:
        confirming.cancel()
        await asyncio.gather(confirming, return_exceptions=True)
    if isinstance(found, Refusal):
        return refused(found)
    assumptions = tuple(f"axiom {name}, declared in the original" for name in found.assumptions)
    harmless = premises.harmless and not assumptions
    confirmed = found.opinion.verdict == "accepted"
    level = TrustLevel.CONFIRMED if confirmed else TrustLevel.NOT_VACUOUS
    return CheckReport(
        Verdict.REFUTED if claim.witness else Verdict.PROVED,
        level if harmless else TrustLevel.REBUILT,
        obligations=counts_of(found),
        notes=(*premises.notes, *notes_on(found, leans.replayer.version)),
        assumptions=assumptions,
        axioms=found.axioms,
    )


def counts_of(found: Accepted) -> Counts:
    """Declarations that Lean's kernel has accepted, and of these the ones that ours has."""
    return Counts(found.replayed, found.replayed, found.opinion.candidate)


def notes_on(found: Accepted, version: str) -> tuple[str, ...]:
    """What is to be said of the kernels: how far the second one got, and the faults of this version of the first."""
    opinion, by_type = found.opinion, f"{found.by_type} constants of the library count by their types"
    if opinion.verdict == "accepted":
        kernel = (
            f"a second, independent kernel checked {opinion.candidate} declarations of the proof and {opinion.library} "
            f"of the library; {by_type}"
        )
    else:
        kernel = f"the second kernel did not decide: {opinion.reason}; the trust level stays lower, and {by_type}"
    return (kernel, *versions.notes(version, opinion.verdict == "accepted"))


@dataclass(frozen=True, slots=True)
class _Premises:
    harmless: bool
    notes: tuple[str, ...] = ()


async def _premises(
    leans: Leans, grounded: Grounded, theorems: tuple[str, ...], claim: Claim, until: float
) -> _Premises:
    """Whether there are arguments for the theorems."""
    if claim.witness:
        return _Premises(True)
    notes, harmless = [], len(theorems) <= MOST_ASKED
    for name in theorems[:MOST_ASKED]:
        seconds = min(PREMISE_SECONDS, until - time.monotonic())
        looked = await premises_of(leans, grounded.original, name, seconds)
        harmless = harmless and looked.premises in ("none", "satisfiable")
        if looked.premises == "contradictory":
            notes.append(f"vacuous: the hypotheses of {name} contradict each other, so its conclusion plays no part")
        elif looked.premises == "unknown":
            what = ", ".join(looked.unshown) or "its arguments together"
            notes.append(f"{name} may be about nothing: no values were found for: {what}")
    if len(theorems) > MOST_ASKED:
        notes.append(f"values for the arguments were looked for of the first {MOST_ASKED} theorems alone")
    return _Premises(harmless, tuple(notes))


def run(checking: Coroutine[Any, Any, CheckReport]) -> CheckReport:
    """A check from code that is no coroutine; what ends it becomes part of the report."""
    try:
        return asyncio.run(checking)
    except InvalidInput as error:
        place = (error.line, error.column or 1) if error.line is not None else None
        hint = f" ({error.hint})" if error.hint else ""
        reason = f"the original is not valid: {error.message}{hint}"
        return CheckReport(Verdict.INVALID, refused=True, reasons=(reason,), place=place)
    except TimeoutError as error:
        return CheckReport(Verdict.UNKNOWN, reasons=(str(error),))
