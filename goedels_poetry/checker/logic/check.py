"""From the certificate of a logic program to a verdict: the program is read and decided anew, in fresh processes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from goedels_poetry.checker.certificate.archive import (
    LOGIC,
    MANIFEST,
    BadCertificate,
    plain_bytes,
    read_manifest,
    sha256,
)
from goedels_poetry.checker.certificate.report import MAY_RISE, CheckReport, TrustLevel
from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import Entailment
from goedels_poetry.questions.entailment.program import LogicProgram, statement_of
from goedels_poetry.questions.query_runner import SolverPair, read_program

# Certificates of logic programs on disk

SCHEMA = 1
LANGUAGE = "logic"
PROGRAMS = {"smt2": "program.smt2", "json": "program.json"}
"""dialect -> name of the file."""
CLAIMS = ("proved", "refuted", "inconsistent")
WORLDS = ("open", "closed")


@dataclass(frozen=True, slots=True)
class LogicArchive:
    """A certificate as it lies there; nothing in it has been believed yet."""

    program: str
    dialect: str
    claim: str
    """One of :data:`CLAIMS`, about what the program asks."""
    choice: str
    """Of a multiple-choice question: the one goal that follows; "" for a program that asks one thing."""
    world: str
    milliseconds: int
    optimize_milliseconds: int
    statement: str
    versions: dict[str, str]


def read_logic(path: Path) -> LogicArchive:
    """Read a certificate's files and compare their hashes.

    Raises:
        BadCertificate: missing, unknown or oversized files, malformed JSON, text that is not UTF-8, a wrong hash.
    """
    try:
        names = sorted(entry.name for entry in path.iterdir())
        manifest_data = plain_bytes(path / MANIFEST)
        manifest = read_manifest(manifest_data, schema=SCHEMA, language=LANGUAGE, keys=LOGIC)
        dialect = manifest["dialect"]
        if not isinstance(dialect, str) or dialect not in PROGRAMS or names != sorted((PROGRAMS[dialect], MANIFEST)):
            raise BadCertificate(f"missing or unknown files: {', '.join(names)}")
        data = plain_bytes(path / PROGRAMS[dialect])
        program = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadCertificate(f"the certificate cannot be read: {error}") from error
    if manifest["file"] != sha256(data):
        raise BadCertificate("the program was edited: its hash is not the one in the manifest")
    if manifest["claim"] not in CLAIMS or manifest["world"] not in WORLDS:
        raise BadCertificate(f"unknown claim: {manifest['claim']!r} in a world that is {manifest['world']!r}")
    numbers = [manifest[name] for name in ("milliseconds", "optimize_milliseconds")]
    if not all(type(number) is int and number > 0 for number in numbers):
        raise BadCertificate("a limit in the manifest is no number of milliseconds")
    if not (isinstance(manifest["choice"], str) and isinstance(manifest["statement"], str)):
        raise BadCertificate("an entry of the manifest is of the wrong kind")
    versions = manifest["versions"] if isinstance(manifest["versions"], dict) else {}
    return LogicArchive(
        program,
        dialect,
        manifest["claim"],
        manifest["choice"],
        manifest["world"],
        numbers[0],
        numbers[1],
        manifest["statement"],
        versions,
    )


CLOSED = (
    "the world is closed: what cannot be derived is taken for false, constants that are not shown to be equal for "
    "different, and nothing exists in a declared sort but its constants"
)
OTHER_WORLD = "the certificate takes the world to be {}, and was to be checked for one that is {}: see --world"

MAX_MILLISECONDS = 600_000
"""A certificate that asks for more gets no more: it must not keep its checker busy for days."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The report, and what it is about."""

    report: CheckReport
    program: LogicProgram | None = None
    found: Entailment | None = None


def check_logic(path: Path, against: str | None = None, *, world: str = "open") -> CheckReport:
    """Check a certificate; never raises on account of what it contains.

    Args:
        path: the certificate's folder.
        against: the text of the program that it has to be about; None accepts the one inside it.
        world: ``closed`` where what does not follow is to be false; a certificate for another world is refused.
    """
    began = time.monotonic()
    try:
        archive = read_logic(path)
    except BadCertificate as error:
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    if against is not None and archive.program != against:
        reason = "the certificate is about another program than the one given"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
    if archive.world != world:
        return _refused(OTHER_WORLD.format(archive.world, world))
    return replace(checked(archive).report, seconds=time.monotonic() - began)


def checked(archive: LogicArchive) -> Checked:
    """Decide the program of a certificate anew, and hold the answer against the claim."""
    try:
        program = read_program(archive.program, archive.dialect)
        statement = statement_of(program)
        if archive.statement != statement:
            return Checked(_refused("the statement in the manifest is not what the program asks"))
        found = _decided(program, archive)
        level = _level(archive, program, found)
    except InvalidInput as error:
        reason = f"the program is not valid: {error}"
        return Checked(CheckReport(Verdict.INVALID, refused=True, reasons=(reason,)))
    except EncodingError as error:
        return Checked(_refused(str(error)))
    verdict = verdict_of(program, found, archive.choice)
    if verdict != archive.claim:
        reasons = tuple(filter(None, (f"{archive.claim} was claimed; found: {verdict}", found.reason)))
        final = verdict if verdict in (Verdict.INCONSISTENT, Verdict.UNKNOWN) else Verdict.UNKNOWN
        late = verdict is Verdict.UNKNOWN
        return Checked(CheckReport(final, reasons=reasons, statement=statement, retry=late), program, found)
    if level is None or level < TrustLevel.REBUILT:
        reasons = ("the answer could not be confirmed in a fresh process",)
        return Checked(CheckReport(Verdict.UNKNOWN, reasons=reasons, statement=statement, retry=True), program, found)
    core = tuple(dict.fromkeys(name for goal in found.goals for name in goal.core))
    contradictory = verdict is Verdict.INCONSISTENT
    low = bool(found.goals) and level < TrustLevel.CONFIRMED
    may_rise = [MAY_RISE.format("the solvers did not confirm all of it in time")] if low else []
    report = CheckReport(
        verdict,
        level,
        statement=statement,
        core=core if contradictory else (),
        needed=None if contradictory else core,
        assumptions=(CLOSED,) if archive.world == "closed" else (),
        notes=tuple(dict.fromkeys((*_details(archive, program, found), *program.warnings, *found.warnings, *may_rise))),
    )
    return Checked(report, program, found)


def _details(archive: LogicArchive, program: LogicProgram, found: Entailment) -> Iterator[str]:
    """What the verdict is about, where the statement does not say it."""
    if archive.choice:
        yield f"of the choices only {archive.choice} follows"
    for objective, optimum in zip(program.objectives, found.optima, strict=True):
        value = optimum.value if optimum.attained else f"none is shown ({optimum.reason})"
        yield f"{'maximum' if objective.maximize else 'minimum'} of {show(objective.term)}: {value}"


def _decided(program: LogicProgram, archive: LogicArchive) -> Entailment:
    with SolverPair() as fresh:
        return decide(
            program,
            solvers=fresh,
            milliseconds=min(archive.milliseconds, MAX_MILLISECONDS),
            optimize_milliseconds=min(archive.optimize_milliseconds, MAX_MILLISECONDS),
            world="closed" if archive.world == "closed" else "open",
            confirm=True,
        )


def verdict_of(program: LogicProgram, found: Entailment, choice: str = "") -> Verdict:
    """The verdict on a program, or on the claim that of its goals ``choice`` alone follows."""
    if choice:
        follow = [goal.name for goal in found.goals if goal.verdict is Verdict.PROVED]
        return Verdict.PROVED if follow == [choice] and len(found.goals) > 1 else Verdict.UNKNOWN
    if found.goals:
        return found.verdict
    if found.optima and all(optimum.attained for optimum in found.optima):
        return Verdict.PROVED
    contradictory = any(optimum.reason == "inconsistent" for optimum in found.optima)
    return Verdict.INCONSISTENT if contradictory else Verdict.UNKNOWN


def _level(archive: LogicArchive, program: LogicProgram, found: Entailment) -> TrustLevel | None:
    """How far what was found can be trusted."""
    if not found.goals:
        return TrustLevel.REBUILT  # the optimum was found again by fresh processes
    trust_level = found.trust_level
    if trust_level is None and archive.choice:  # the other choices have no level: they stay open
        goals = tuple(goal for goal in program.goals if goal.name == archive.choice)
        trust_level = _decided(replace(program, goals=goals), archive).trust_level
    return None if trust_level is None else TrustLevel(int(trust_level.removeprefix("L")))


def _refused(reason: str) -> CheckReport:
    return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))
