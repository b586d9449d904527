"""The final gate for Lean: a file, the user's original, two fresh Leans, a second kernel; versions that are refused.

Elaborating a stranger's text runs his program, so the Lean that does it, the *elaborator*, is not believed: it has
elaborated the original before it saw the text, it says what the text declares as data, and it is thrown away. The
*replayer* elaborates nothing. In this order, and the first rule that refuses ends it: what the text may contain
(tokens, commands: a quick refusal, no wall); Lean's errors; the data, strictly read; the statement against the
original's; what the theorems need (no axiom, nothing opaque, unsafe or partial but the user's); Lean's kernel over
that; the axioms, by our own walk over everything; our own kernel over everything; known faults of this Lean.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from goedels_poetry.checker.lean.original import (
    KINDS,
    Original,
    Refusal,
    errors,
    first_finding,
    foreign_commands,
    read_data,
    unfinished,
)
from goedels_poetry.lean.gate.compare import BY_COMPILED_CODE, Comparison, NotAllowed, Opinion, grounds, needed
from goedels_poetry.lean.gate.data import OWN_TYPE, PROJECTION, features, read
from goedels_poetry.lean.gate.stream import BadData, Stream, write
from goedels_poetry.lean.gate.stream import Declaration as DeclaredData
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import LOGIC_AXIOMS, PRIVATE, CheckRequest, CheckResult, ReplayRequest, place
from goedels_poetry.lean.text.scan import DECEIVING

# Versions of Lean whose kernel or run time is known to have accepted a proof of `False`, and how

Version = tuple[int, int, int]


Shown = Literal["data", "size", "second kernel"]
"""How a fault is shown to be blocked: it needs what the data cannot say; more of them than the gate reads; or the
second kernel, which does not have it, has checked the same declarations."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One known way to a proof of `False`."""

    since: Version
    fixed: Version
    where: str
    """The report or repair in Lean's repository."""
    text: str
    blocked: Shown
    features: frozenset[str] = frozenset()
    """What a proof has to use for it, one of these, where that can be seen in the data."""


_SECOND: Shown = "second kernel"
_TYPES, _OUT = frozenset({OWN_TYPE}), frozenset({OWN_TYPE, PROJECTION})
FAULTS = (
    Fault((4, 14, 0), (4, 20, 0), "lean4#8060", "Nat.pow reduces what is no numeral", _SECOND),
    Fault((4, 0, 0), (4, 32, 1), "lean4#14484", "values of opaque constants are not closed", "data"),
    Fault(
        (4, 0, 0), (4, 32, 2), "lean4#14576", "parameters of nested inductive types are not checked", _SECOND, _TYPES
    ),
    Fault((4, 0, 0), (4, 33, 0), "lean4#14613", "`Sort (imax 1 0)` is not taken for Prop", _SECOND, _OUT),
    Fault((4, 0, 0), (4, 33, 0), "lean4#14616", "names of auxiliary nested types clash", _SECOND, _TYPES),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14806", "a recursor and its rules disagree, by a cache", _SECOND, _TYPES),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14807", "a projection out of a proposition", _SECOND, _OUT),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14838", "reference counts overflow in 18 GB of memory", "size"),
    Fault((4, 0, 0), (4, 34, 1), "lean4#15289", "reference counts overflow with 100 GB of input", "size"),
)


def parse(version: str) -> Version | None:
    """`4.28.0-pre` as numbers; None when it is not a version."""
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def faults_of(version: str) -> tuple[Fault, ...]:
    """The known faults of a version; all of them when it cannot be read. A release candidate counts as its release."""
    number = parse(version)
    return tuple(f for f in FAULTS if number is None or f.since <= number < f.fixed)


def usable(version: str, features: Collection[str]) -> Fault | None:
    """A fault that declarations with these features may use where the second kernel has not confirmed them."""
    open_ = (f for f in faults_of(version) if f.blocked == "second kernel")
    return next((f for f in open_ if not f.features or f.features & set(features)), None)


def notes(version: str, confirmed: bool) -> tuple[str, ...]:
    """For the report: the known faults of this version, and how each was shown to be blocked.

    ``confirmed``: the second kernel has accepted the declarations. Where it has not, a proof that uses a feature with a
    fault is refused, so that the others are blocked by not being used.
    """
    found = faults_of(version)
    if not found:
        return ()
    how = {
        "data": "the data cannot say what they need",
        "size": "the data are smaller than they need",
        "second kernel": "the second kernel does not have them"
        if confirmed
        else "the proof does not use what they need",
    }
    ways = [(reason, [f.where for f in found if f.blocked == way]) for way, reason in how.items()]
    blocked = "; ".join(f"{', '.join(where)}: {reason}" for reason, where in ways if where)
    return (f"known faults of Lean {version} that were shown to be blocked: {blocked}",)


_COMPONENT = r"[A-Za-z_][A-Za-z0-9_'!?]*"
_MODULE = re.compile(rf"{_COMPONENT}(\.{_COMPONENT})*")
COMPILED = frozenset({"Lean.ofReduceBool", "Lean.ofReduceNat", "Lean.trustCompiler"}) | BY_COMPILED_CODE
SORRY = "sorryAx"
SecondKernel = Callable[[str, str, Sequence[str], float], Awaitable[Opinion]]
"""Our own kernel: library, candidate, premises, seconds."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """What the gate has seen of a text that it accepts."""

    theorems: tuple[str, ...]
    axioms: tuple[str, ...]
    """All that the theorems rest on."""
    assumptions: tuple[str, ...]
    """Of these, the axioms that the user's own file declares."""
    replayed: int
    """Declarations that Lean's kernel has added in the replayer."""
    by_type: int
    """Theorems and other constants of the library below them that are believed by their types."""
    opinion: Opinion
    """Of the second kernel."""


@dataclass(frozen=True, slots=True)
class Grounded:
    """A text whose theorems are the wanted ones and rest on what they may, by Lean's kernel; ours is to come."""

    seen: CheckResult
    text: str
    original: Original
    data: Stream
    theorems: tuple[str, ...]
    selected: tuple[DeclaredData, ...]
    """All that the theorems need, in order."""
    candidate: str
    """The same as a stream."""
    library: str
    """What they need of the imports, as a stream."""
    axioms: tuple[str, ...]
    by_type: int
    compared: bool = True
    """With a file of the user's: else the original's types are a stranger's like all others."""


@dataclass(frozen=True, slots=True)
class Leans:
    """The processes of one judgement."""

    elaborator: LeanPool
    """Is not believed. Where there is no `reader` it has seen nothing but the original when the judgement begins."""
    replayer: LeanPool
    """Never elaborates anything of the text."""
    second: SecondKernel
    reader: LeanPool | None = None
    """Reads the original where the elaborator has seen other things before."""


async def admit(
    leans: Leans,
    text: str,
    original: Original,
    theorems: tuple[str, ...],
    seconds: float,
    negates: str = "",
    *,
    empty: bool = False,
) -> Refusal | Accepted:
    """Whether ``text`` proves these theorems of the original, or that the theorem ``negates`` of it is false.

    ``theorems``: names of constants; with ``negates`` the one constant that says so. ``empty``: see `ground`.

    Raises:
        TimeoutError: not done within ``seconds``.
    """
    until = time.monotonic() + seconds
    refusal = first_finding(text, original.text)
    grounded = refusal or await ground(leans, text, original, theorems, until, negates, empty=empty)
    return grounded if isinstance(grounded, Refusal) else await confirm(leans, grounded, until)


async def ground(
    leans: Leans,
    text: str,
    original: Original,
    theorems: tuple[str, ...],
    until: float,
    negates: str = "",
    *,
    empty: bool = False,
) -> Refusal | Grounded:
    """All of the judgement but the second kernel, for a text whose tokens have been looked at.

    ``empty``: the theorem says that ``negates`` has contradictory hypotheses, not that it is false.

    ``until``: on the monotonic clock, in seconds.
    """
    request = CheckRequest(
        text,
        seconds=_left(until),
        commands=True,
        export=True,
        reference=original.text,
        barred=DECEIVING,
        kinds=KINDS,
    )
    seen = await leans.elaborator.check(request)
    if seen.status == "timeout":
        raise TimeoutError(f"Lean had not checked the whole text: {seen.error}")
    if seen.status != "done":
        return Refusal("answer", f"Lean gave no answer about the whole text: {seen.error}")
    refusal = errors(seen) or foreign_commands(seen, text, original) or unfinished(seen, original)
    if refusal is not None:
        return refusal
    data = await read_data(seen, until)
    if isinstance(data, Refusal):
        return data
    stated = await asyncio.to_thread(_statement, seen, text, original, data, theorems, negates, empty)
    return stated or await rests(leans, seen, text, original, data, theorems, until)


async def ground_alone(leans: Leans, own: Original, theorems: tuple[str, ...], until: float) -> Refusal | Grounded:
    """As `ground`, for a file that was read as if it were a user's own: nothing is compared."""
    seen = CheckResult("done", commands=own.commands, imports=own.imports)
    grounded = await rests(leans, seen, own.text, own, own.data, theorems, until)
    return grounded if isinstance(grounded, Refusal) else replace(grounded, compared=False)


async def confirm(leans: Leans, grounded: Grounded, until: float) -> Refusal | Accepted:
    """The second kernel's opinion; without it a proof may not use what kernels like Lean's were at fault about."""
    g, premises = grounded, [d.name for d in grounded.selected if d.kind in ("axiom", "opaque")]
    opinion = await leans.second(g.library, g.candidate, premises, _left(until))
    if opinion.verdict == "refused" and opinion.in_library:
        reason = f"it does not accept {opinion.declaration or 'a record'} of Lean's own library: {opinion.reason}"
        opinion = replace(opinion, verdict="undecided", reason=reason)
    if opinion.verdict == "refused":
        explained = f"the second kernel does not accept {opinion.declaration}: {opinion.reason}"
        return Refusal("kernel", explained, *_declared(g.seen, g.text, (opinion.declaration, *g.theorems)))
    if opinion.verdict == "accepted" and opinion.candidate != len(g.selected):
        return Refusal("kernel", f"the second kernel checked {opinion.candidate} of {len(g.selected)} declarations")
    if opinion.verdict == "undecided" and (refusal := await asyncio.to_thread(_unconfirmed, leans, g, opinion, until)):
        return refusal
    assumed = tuple(a for a in g.axioms if a in g.original.axioms)
    return Accepted(g.theorems, g.axioms, assumed, len(g.selected), g.by_type, opinion)


def _unconfirmed(leans: Leans, g: Grounded, opinion: Opinion, until: float) -> Refusal | None:
    """Whether the second kernel decides is in the stranger's hand, so without it no part of the proof is let off."""
    version = leans.replayer.version
    users = g.original.data.constants if g.compared else ()
    used = features(g.data, g.selected, read(g.library, until), users)
    fault = usable(version, used)
    if fault is None:
        return None
    feature = next(iter(sorted(fault.features & set(used))), "")
    name = used.get(feature, g.theorems[0])
    explained = (
        f"{name} uses {f'a {feature}' if feature else 'reduction'} where Lean {version} has a fault ({fault.where})"
    )
    reason = f"{explained}, and the second kernel is undecided: {opinion.reason}"
    return Refusal("version", reason, *_declared(g.seen, g.text, (name,)))


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0.1)


def _statement(
    seen: CheckResult, text: str, original: Original, data: Stream, theorems: tuple[str, ...], negates: str, empty: bool
) -> Refusal | None:
    for name in theorems:
        if name not in data.constants or data.constants[name][0].kind != "thm":
            return Refusal("missing", f"there is no theorem {name}")
    left = next((module for module in original.imports if module not in seen.imports), None)
    why = (
        f"it does not import {left}"
        if left
        else Comparison(original.data, data).difference(theorems, negates, empty=empty)
    )
    return Refusal("statement", f"not what was given: {why}", *_declared(seen, text, theorems)) if why else None


async def rests(
    leans: Leans,
    seen: CheckResult,
    text: str,
    original: Original,
    data: Stream,
    theorems: tuple[str, ...],
    until: float,
) -> Refusal | Grounded:
    """What the theorems rest on, by our walk, and whether Lean's kernel accepts it where nothing is elaborated."""
    if refusal := no_module(module for module in seen.imports if module not in original.imports):
        return refusal
    parts = await asyncio.to_thread(_needed, seen, text, original, data, theorems)
    if isinstance(parts, Refusal):
        return parts
    selected, candidate = parts
    request = ReplayRequest(seen.imports, candidate, library=True, seconds=_left(until))
    replayed = await leans.replayer.replay(request)
    if replayed.status == "timeout":
        raise TimeoutError(f"Lean's kernel had not checked the declarations: {replayed.error}")
    if replayed.status != "done":
        return Refusal("answer", f"Lean's kernel gave no answer about the declarations: {replayed.error}")
    if replayed.failed:
        explained = f"Lean's kernel does not accept {replayed.at or 'the imports'}: {replayed.failed}"
        return Refusal("kernel", explained, *_declared(seen, text, (replayed.at, *theorems)))
    if replayed.count != len(selected):
        return Refusal("kernel", f"Lean's kernel accepted {replayed.count} of {len(selected)} declarations")
    try:
        below = await asyncio.to_thread(lambda: grounds(theorems, data, selected, read(replayed.library, until)))
    except BadData as fault:
        return Refusal("data", str(fault))
    axioms = tuple(sorted({*below.axioms, *replayed.axioms}))
    if foreign := _foreign(axioms, original):
        return _rests(seen, text, data, theorems, foreign)
    by_type = len(below.by_type)
    return Grounded(seen, text, original, data, theorems, selected, candidate, replayed.library, axioms, by_type)


def no_module(names: Iterable[str]) -> Refusal | None:
    """Why one of these is no name of a module: it would stand in a text that Lean reads."""
    strange = next((name for name in names if not _MODULE.fullmatch(name)), None)
    return None if strange is None else Refusal("data", f"no name of a module: {strange[:80]!r}")


def _needed(
    seen: CheckResult, text: str, original: Original, data: Stream, theorems: tuple[str, ...]
) -> Refusal | tuple[tuple[DeclaredData, ...], str]:
    """The declarations that the theorems need, and the stream of these and nothing else."""
    premises = [n for n, (constant, _) in original.data.constants.items() if constant.kind in ("axiom", "opaque")]
    try:
        selected = needed(data, theorems, frozenset(premises))
    except NotAllowed as fault:
        return Refusal(fault.rule, str(fault), *_declared(seen, text, (fault.name, *theorems)))
    except BadData as fault:
        return Refusal("data", str(fault))
    mentioned = {name for declaration in selected for name in data.needs(declaration)}
    if foreign := _foreign(mentioned & (COMPILED | {SORRY}), original):
        return _rests(seen, text, data, theorems, foreign)
    return tuple(selected), write(data, selected)


def _foreign(axioms: Iterable[str], original: Original) -> list[str]:
    return sorted(a for a in axioms if a not in LOGIC_AXIOMS and a not in original.axioms)


def _rests(seen: CheckResult, text: str, data: Stream, theorems: tuple[str, ...], foreign: list[str]) -> Refusal:
    """The refusal of theorems that rest on what they may not, at the first of them that does."""
    culprit = next((n for n in theorems if set(foreign) & _below(data, n)), theorems[0])
    compiled = any(a in COMPILED or "._native." in a for a in foreign)  # the latter from Lean 4.29 on
    rule = "sorry" if SORRY in foreign else "native" if compiled else "axiom"
    return Refusal(rule, f"{culprit} rests on {', '.join(foreign)}", *_declared(seen, text, (*foreign, culprit)))


def _below(data: Stream, name: str) -> set[str]:
    """Every constant that one of the text mentions, through what the text declares."""
    found: set[str] = set()
    todo = [name]
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            todo.extend(data.needs(data.constants[at][1]) if at in data.constants else ())
    return found


def _declared(seen: CheckResult, text: str, names: Iterable[str]) -> tuple[int, int] | tuple[None, None]:
    """Where the first of these constants is declared."""
    places = {c.full_name(): c.start for c in seen.commands if c.names and c.start < len(text)}
    for name in names:
        if name.removeprefix(PRIVATE) in places:
            return place(text, places[name.removeprefix(PRIVATE)])
    return None, None
