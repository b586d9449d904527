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
from goedels_poetry.checker.lean.original import Original, Refusal, place_of, read_original
from goedels_poetry.checker.lean.preflight import first_finding
from goedels_poetry.checker.lean.vacuity import SECONDS as PREMISE_SECONDS
from goedels_poetry.checker.lean.vacuity import premises_of
from goedels_poetry.checker.report import CheckReport, Counts, TrustLevel
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, MissingTool
from goedels_poetry.kernel.lean import Opinion, Stream, arguments, second_opinion
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.languages.lean.runtime import LeanKilled, LeanPool, LeanUnavailable, ReplayRequest, open_lean
from goedels_poetry.languages.lean.runtime.embedded import node_command
from goedels_poetry.languages.lean.tokens import tokenize
from goedels_poetry.settings import LeanSettings, Settings

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
    compared: bool = True
    """Whether the original is the user's own: else it is shown what its statements depend on."""


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
    original = await read_original(leans.reader or leans.elaborator, claim.original, until - began)
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
    taken = time.monotonic() - began
    return replace(report, statement=statement_of(original, theorems), versions=about, seconds=taken)


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
    itself = () if claim.compared else stated_by_itself(grounded.original.data, theorems)
    assumptions = tuple(f"axiom {name}, declared in the original" for name in found.assumptions)
    harmless = premises.harmless and not assumptions
    confirmed = found.opinion.verdict == "accepted"
    level = TrustLevel.CONFIRMED if confirmed else TrustLevel.NOT_VACUOUS
    return CheckReport(
        Verdict.REFUTED if claim.witness else Verdict.PROVED,
        level if harmless else TrustLevel.REBUILT,
        obligations=counts_of(found),
        notes=(*itself, *premises.notes, *notes_on(found, leans.replayer.version)),
        assumptions=assumptions,
        axioms=found.axioms,
    )


def stated_by_itself(own: Stream, theorems: tuple[str, ...]) -> tuple[str, ...]:
    """Notes on theorems that are compared with nothing: what of the file their statements depend on, by the data.

    Text can say less than is there: hypotheses of a section, instances, definitions with the names of others.
    """
    notes = []
    for name in theorems[:MOST_ASKED]:
        constant, declaration = own.constants[name]
        mentioned = sorted(n for n in own.mentioned([constant.type]) if n in own.constants)
        what = f"{', '.join(mentioned[:8])} of the file" if mentioned else "nothing that the file declares"
        notes.append(f"{declaration.name} has {arguments(own, name)} variables and hypotheses, and speaks of {what}")
    return tuple(notes)


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
    """Whether the hypotheses of the theorems allow anything; by the Lean that has elaborated nothing of the text."""
    if claim.witness:
        return _Premises(True)
    notes, harmless = [], len(theorems) <= MOST_ASKED
    for name in theorems[:MOST_ASKED]:
        seconds = min(PREMISE_SECONDS, until - time.monotonic())
        premises = await premises_of(leans.replayer, grounded.original, name, seconds)
        harmless = harmless and premises in ("none", "satisfiable")
        if premises == "contradictory":
            notes.append(f"vacuous: the hypotheses of {name} contradict each other, so its conclusion plays no part")
        elif premises == "unknown":
            notes.append(f"no values were found for which the hypotheses of {name} hold")
    return _Premises(harmless, tuple(notes))


def statement_of(original: Original, theorems: tuple[str, ...]) -> str:
    """The theorems as they are written, each in one line."""
    commands = [place_of(original, name) for name in theorems]
    return "; ".join(_declaration(original.text[c.start : c.head]) for c in commands if c and c.head > c.start)


def _declaration(head: str) -> str:
    """A declaration without what stands before its first word: docstring, attributes, `open … in`."""
    words = [t for t in tokenize(head) if t.kind == "word" and t.text in ("theorem", "lemma")]
    return " ".join(head[words[0].start if words else 0 :].split())


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


__all__ = [
    "Claim",
    "FreshLean",
    "counts_of",
    "fresh_lean",
    "fresh_leans",
    "notes_on",
    "refused",
    "run",
    "stated_by_itself",
    "statement_of",
    "verify",
    "verify_with",
    "within",
]
