"""From a file and the user's original to the report: the gate, the premises, the trust level.

A theorem about nothing is worth nothing: arguments that satisfy its premises are looked for by a Lean that is not
believed. What it finds is a theorem, `¬ ∀ …, False` over the arguments of the user's, and comes as data: it has to say
just that, and Lean's kernel has to accept it where nothing is elaborated.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.checker.certificate.report import CheckReport, Counts, TrustLevel
from goedels_poetry.checker.lean import gate as versions
from goedels_poetry.checker.lean.gate import Accepted, Grounded, Leans, confirm, ground, no_module, rests
from goedels_poetry.checker.lean.original import (
    KINDS,
    Original,
    Refusal,
    first_finding,
    place_of,
    read_data,
    read_original,
)
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput, MissingTool
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.lean.gate.compare import Comparison, NotAllowed, Opinion, needed, second_opinion
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData, Constant, Declaration, Stream, write
from goedels_poetry.lean.runtime.driven import LeanKilled, LeanUnavailable
from goedels_poetry.lean.runtime.embedded import node_command
from goedels_poetry.lean.runtime.opening import open_lean
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import (
    LOGIC_AXIOMS,
    PRIVATE,
    CheckRequest,
    CheckResult,
    Hole,
    HoleGoal,
    ReplayRequest,
    place,
)
from goedels_poetry.lean.runtime.tokens import goes_on, starts_word, tokenize
from goedels_poetry.lean.text.modules import about_modules, located
from goedels_poetry.settings.declared import LeanSettings, Settings

if TYPE_CHECKING:
    from goedels_poetry.lean.text.witnesses import Proposal


# -- What theorems state -------------------------------------------------------------------------------------------


MOST_SHOWN = 300
"""Characters of a definition in a report."""
MOST_DEFINITIONS = 12
_UNSHOWN = "has no form that Lean reads back as the same: compare with your own file (--against)"


@dataclass(frozen=True, slots=True)
class Stated:
    """What theorems state, and the definitions of the file on which that rests."""

    text: str
    definitions: tuple[str, ...] = ()


def as_written(original: Original, theorems: Iterable[str]) -> str:
    """The theorems as the user has written them, each in one line, without comments."""
    commands = [place_of(original, name) for name in theorems]
    return "; ".join(_declaration(original.text[c.start : c.head]) for c in commands if c and c.head > c.start)


def _declaration(head: str) -> str:
    """A declaration without what stands before its first word: docstring, attributes, `open … in`."""
    tokens = tokenize(head)
    first = next((t.start for t in tokens if t.kind == "word" and t.text in ("theorem", "lemma")), 0)
    for token in reversed(tokens):
        if token.kind in ("comment", "doc") and token.start > first:
            head = f"{head[: token.start]} {head[token.end :]}"
    return " ".join(head[first:].split())


async def as_proved(
    lean: LeanPool, own: Stream, imports: tuple[str, ...], theorems: Sequence[str], until: float
) -> Stated | Refusal:
    """The theorems of a stream, as `lean` shows them: one that has read no text.

    Raises:
        TimeoutError: not shown by ``until``, on the monotonic clock.
    """
    if refusal := no_module(imports):
        return refusal
    rests = [name for name in own.mentioned(own.constants[t][0].type for t in theorems) if name in own.constants]
    premises = {name for name, (constant, _) in own.constants.items() if constant.kind in ("axiom", "opaque")}
    try:
        below = needed(own, rests, premises)
    except NotAllowed as fault:
        return Refusal(fault.rule, str(fault))
    except BadData as fault:
        return Refusal("data", str(fault))
    claims = [_claim(own, own.constants[t][0], t) for t in theorems if t not in {d.name for d in below}]
    defined = [d for d in below if d.kind != "thm"]
    named = [c.name for d in defined for c in d.constants if c.kind in ("def", "axiom", "opaque", "constructor")]
    named.sort(key=lambda name: name not in rests)
    data = write(own, [*below, *claims])
    parts = _parts(read(data, until))
    if strange := next((name for name, path in parts.items() if not all(map(_can_be_shown, path))), None):
        return Refusal("data", f"a name that cannot be shown: {strange[:80]!r}")
    show = (*theorems, *named[:MOST_DEFINITIONS])
    answer = await lean.replay(ReplayRequest(imports, data, show=show, seconds=max(until - time.monotonic(), 0.1)))
    if answer.status == "timeout":
        raise TimeoutError(f"Lean had not shown the statements: {answer.error}")
    if answer.status != "done" or len(answer.shown) != len(show):
        return Refusal("answer", f"Lean did not show the statements: {answer.error or answer.failed}")
    texts = dict(zip(show, map(_in_one_line, answer.shown), strict=True))
    if unshown := next((t for t in theorems if not texts[t]), None):
        return Refusal("statement", f"{_shown(parts[unshown])} {_UNSHOWN}")
    ends = sorted(_marked(parts[name]) for name in rests)
    itself = f", with {', '.join(ends)} of the file" if ends else ""
    heads = [_shown(parts[t]) + _levels([parts[u] for u in own.constants[t][0].levels]) for t in theorems]
    stated = [f"theorem {head} : {texts[t]}" for head, t in zip(heads, theorems, strict=True)]
    short = [n for n in named[:MOST_DEFINITIONS] if 0 < len(texts[n]) <= MOST_SHOWN]
    definitions = [f"of the file: {_definition(own.constants[n][0], _shown(parts[n]), texts[n])}" for n in short]
    others = [_shown(parts[n]) for n in named if n not in short]
    more = f", and {len(others) - MOST_DEFINITIONS} more" if len(others) > MOST_DEFINITIONS else ""
    rest = f"it rests on {', '.join(others[:MOST_DEFINITIONS])}{more} of the file as well"
    return Stated("; ".join(stated) + itself, (*definitions, *([rest] if others else [])))


def _claim(own: Stream, constant: Constant, name: str) -> Declaration:
    """A theorem without its proof."""
    _, proved = own.constants[name]
    record = {key: proved.record[key] for key in ("name", "levelParams", "type")}
    return Declaration("axiom", (constant,), {**record, "isUnsafe": False}, proved.place)


def _parts(stream: Stream) -> dict[str, tuple[str | int, ...]]:
    """The components of each name."""
    paths: list[tuple[str | int, ...]] = [()]
    for before, part in stream.parts[1:]:
        paths.append((*paths[before], part))
    return dict(zip(stream.names, paths, strict=True))


def _can_be_shown(part: str | int) -> bool:
    return isinstance(part, int) or (part.isprintable() and not re.search("[«»]", part))


def _shown(path: tuple[str | int, ...]) -> str:
    """A name as Lean writes it: what is no identifier stands in its brackets."""
    whole = ".".join(str(p) if isinstance(p, int) or _is_identifier(p) else f"«{p}»" for p in path)
    return whole.removeprefix(PRIVATE)


def _is_identifier(part: str) -> bool:
    return part != "" and starts_word(part[0]) and all(map(goes_on, part))


def _marked(path: tuple[str | int, ...]) -> str:
    """A name with its letters beyond ASCII, which may look like others."""
    shown = _shown(path)
    odd = [f"U+{ord(c):04X}" for c in shown if not c.isascii() and c not in "«»"]
    return f"{shown} ({' '.join(odd)})" if odd else shown


def _levels(paths: list[tuple[str | int, ...]]) -> str:
    return f".{{{', '.join(map(_shown, paths))}}}" if paths else ""


def _definition(constant: Constant, name: str, text: str) -> str:
    return text if constant.kind == "def" else f"{name} : {text}"


def _in_one_line(text: str) -> str:
    r"""In a literal Lean writes a new line as `\n`; what cannot be seen, or counted, is written by its number."""
    line = re.sub(r"(?<= ) ", r"\\x20", re.sub(r"\n\s*", " ", text))
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in line)


# -- From a file and the user's original to the report -------------------------------------------------------------


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
    empty: bool = False
    """Whether the witness says instead that the hypotheses of the theorem contradict each other."""
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
    found = finding or await ground(leans, claim.text, original, wanted, until, negates, empty=claim.empty)
    if isinstance(found, Refusal):
        report = refused(found)
    else:
        report = await _accepted(leans, replace(found, compared=claim.compared), theorems, claim, until)
    report = in_its_file(report, claim.text)
    about = {"lean": leans.replayer.version, "known faults": _faults(leans.replayer.version)}
    written = as_written(original, theorems)
    if report.accepted and claim.stated is not None:
        if claim.stated != written:
            report = refused(Refusal("statement", "the statement in the manifest is not the theorem's"))
        else:
            report = await stated_by_itself(leans, report, original, theorems, until)
    elif claim.compared:
        report = replace(report, statement=written)
    notes = about_modules(original.text)
    if notes and report.accepted and claim.compared:  # what is read may be another than what stands there
        shown = await as_proved(leans.replayer, original.data, original.imports, theorems, until)
        stated = shown.text if isinstance(shown, Stated) else f"not shown: {shown.reason}"
        notes = (f"{notes[0]}; read with them it is {stated}", *notes[1:])
    notes = (*notes, *report.notes)
    return replace(report, versions=about, notes=notes, seconds=time.monotonic() - began)


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


def in_its_file(report: CheckReport, text: str) -> CheckReport:
    """The report on a text with the modules that a file imports, with its place in the file that it is about."""
    if report.place is None:
        return report
    moved = located(InvalidInput(report.reasons[0], *report.place), text)
    place = None if moved.line is None else (moved.line, moved.column or 1)
    return replace(report, place=place, reasons=(moved.message, *report.reasons[1:]))


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
    shown = Verdict.INCONSISTENT if claim.empty else Verdict.REFUTED if claim.witness else Verdict.PROVED
    return CheckReport(
        shown,
        level if harmless else TrustLevel.REBUILT,
        obligations=counts_of(found),
        notes=(*premises.notes, *notes_on(found, leans.replayer.version)),
        assumptions=assumptions,
        unneeded=() if claim.witness else _unneeded(grounded),
        axioms=found.axioms,
        reasons=(CONTRADICTORY.format(theorems[0].removeprefix(PRIVATE)),) if claim.empty else (),
    )


def _unneeded(grounded: Grounded) -> tuple[str, ...]:
    """Variables and hypotheses of the theorems that Lean has not seen used. They are told, and decide nothing."""
    names = [name.removeprefix(PRIVATE) for name in grounded.theorems]
    heads = [c for c in grounded.seen.commands if c.names and c.full_name() in names and c.head > c.start]
    spans = [(place(grounded.text, c.start), place(grounded.text, c.head)) for c in heads]
    said = [m for m in grounded.seen.messages if m.kind == "linter.unusedVariables"]
    inside = [m for m in said if any(start <= (m.line, m.column) < end for start, end in spans)]
    return tuple(dict.fromkeys(m.text.split("`")[1] for m in inside if m.text.count("`") > 1))


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


VACUOUS = "vacuous: "
FACTS = ("a second, independent kernel checked ", "known faults of Lean ", "relative to the project's modules ")
"""How notes begin that say nothing against a proof."""
CONTRADICTORY = "the hypotheses of {} contradict each other, so its conclusion plays no part"


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
            notes.append(VACUOUS + CONTRADICTORY.format(name.removeprefix(PRIVATE)))
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


Premises = Literal["none", "satisfiable", "contradictory", "unknown"]
PREMISE_SECONDS = 20.0
"""For everything that is asked about one theorem."""
HEARTBEATS = 200_000
MOST_NAMED = 8
_WITNESS = "goedels_poetry_arguments"
_CONTRADICTION = "first | contradiction | omega | (simp_all; done) | grind | (apply Fin.elim0; assumption)"


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found out about the arguments of a theorem."""

    premises: Premises
    """"none": it has none. "satisfiable": there are values for all of them at once, by a proof that Lean's kernel
    accepts. "contradictory": `False` follows from them, in the words of a Lean that is not believed."""
    unshown: tuple[str, ...] = ()
    """Arguments for which no values were found."""
    absurd: str = field(default="", compare=False)
    """Of contradictory ones: the statement that they are, and what proves it, as Lean text after the name."""


async def premises_of(leans: Leans, original: Original, constant: str, seconds: float = PREMISE_SECONDS) -> Looked:
    """What can be found out about the arguments of a theorem of the original within ``seconds``."""
    # What searches is loaded where it is asked, and is on no list of what is trusted: Lean decides about its proposals.
    from goedels_poetry.lean.text.witnesses import WAVES, unshown

    until = time.monotonic() + seconds
    data, at = original.data, original.data.constants[constant][0].type
    if data.exprs[at][0] != "forallE":
        return Looked("none")
    while (e := data.exprs[at])[0] == "forallE":
        at = e[3]
    unknown = Looked("unknown", unshown(original.data, constant)[:MOST_NAMED])
    command = place_of(original, constant)
    if command is None or command.head < 0 or (e[0] == "const" and data.names[e[1]] == "False"):
        return unknown  # a theorem that says that its hypotheses contradict each other means it
    search = _Search(leans, original, constant, original.text[: command.start], until)
    head = original.text[command.start : command.head]
    hole = _only_hole(await search.ask(f"{head} := by\n  intros\n  exfalso\n  sorry\n"))
    if hole is None or not hole.goals[0].statement:
        return unknown
    found = await search.witness(hole.goals[0], WAVES[:1])
    if not found:
        seen = await search.ask(f"{head} := by\n  intros\n  exfalso\n  {_CONTRADICTION}\n")
        if seen.ok and _proved(seen, constant):
            absurd = f" : {hole.goals[0].statement} := by\n  intros\n  {_CONTRADICTION}\n"
            return Looked("contradictory", unknown.unshown, absurd)
        found = await search.witness(hole.goals[0], WAVES[1:])
    return Looked("satisfiable") if found else unknown


@dataclass(frozen=True, slots=True)
class _Search:
    leans: Leans
    original: Original
    constant: str
    prefix: str
    until: float

    async def ask(self, code: str, macros: str = "") -> CheckResult:
        left = self.until - time.monotonic()
        if left <= 0:
            return CheckResult("timeout")
        options: dict[str, bool | int] = {"maxHeartbeats": HEARTBEATS}
        request = CheckRequest(
            code, self.prefix + macros, left, options, holes=not macros, declarations=not macros, export=bool(macros)
        )
        return await self.leans.elaborator.check(request)

    async def witness(self, goal: HoleGoal, waves: Iterable[tuple[int, int, str]]) -> bool:
        """Whether values are found for which the hypotheses hold, by a proof that Lean's kernel accepts."""
        from goedels_poetry.lean.text.witnesses import attempts, proposals, tactics

        levels = {u: int(re.search(rf"\bSort {re.escape(u)}\b", goal.statement) is not None) for u in goal.levels}
        statement = goal.statement
        for level, value in levels.items():
            statement = re.sub(rf"\b{re.escape(level)}\b", str(value), statement)
        claim = f"theorem _root_.{_WITNESS} : ¬ ({statement}) := by\n  intro gp_none\n"
        macros = tactics(self.original.data, self.constant)
        offered = proposals(self.original.data, self.constant, goal)
        tried: list[Proposal] = []
        for first, end, tactic in waves:
            tried += islice(offered, max(end - len(tried), 0))
            definitions: dict[str, list[Proposal]] = {}
            for proposal in tried[first:end]:
                definitions.setdefault(proposal.definitions, []).append(proposal)
            for text, some in definitions.items():
                seen = await self.ask(f"{text}{claim}  {attempts('gp_none', some, tactic)}\n", macros)
                if seen.ok:
                    with contextlib.suppress(TimeoutError):  # of this search: what it has not shown is not shown
                        if await self._accepted(seen, levels):
                            return True
        return False

    async def _accepted(self, seen: CheckResult, levels: dict[str, int]) -> bool:
        data = await read_data(seen, self.until)
        if isinstance(data, Refusal):
            return False
        comparison = Comparison(self.original.data, data, levels)
        if not await asyncio.to_thread(comparison.inhabited, self.constant, _WITNESS):
            return False
        nothing = Original("", (), {}, self.original.imports)  # so that no axiom is allowed
        return isinstance(await rests(self.leans, seen, "", nothing, data, (_WITNESS,), self.until), Grounded)


def _only_hole(seen: CheckResult) -> Hole | None:
    return seen.holes[0] if seen.ok and len(seen.holes) == 1 and len(seen.holes[0].goals) == 1 else None


def _proved(seen: CheckResult, name: str) -> bool:
    return any(d.name == name and set(d.axioms) <= LOGIC_AXIOMS for d in seen.declarations)
