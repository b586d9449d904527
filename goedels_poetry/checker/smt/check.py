"""From a certificate to a verdict, from nothing: the theorem's text, the claimed steps, fresh solver processes.

No flag in the certificate is believed. The theorem is parsed again, every scheme recomputed, every obligation posed
again, what it says of the ends of recursions looked at, the consistency of the premises asked again.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.checker.certificate.archive import (
    DEFINED,
    EVIDENCE,
    INTERPRETATION,
    PREMISES,
    Archive,
    BadCertificate,
    read_archive,
    read_canonical,
)
from goedels_poetry.checker.certificate.report import MAY_RISE, CheckReport, Counts, Reading, TrustLevel
from goedels_poetry.checker.smt.portfolio import Z3_OPTIONS, Solvers, Undecided, for_want_of_time
from goedels_poetry.checker.smt.vacuity import (
    NOT_SHOWN,
    Consistency,
    consistency,
    definitions_at_fault,
    equation_of,
    goal_notes,
)
from goedels_poetry.kernel.derivation import Derivation
from goedels_poetry.kernel.faults import BadProof, CodecError, EncodingError, GuardError, InvalidText, ObligationError
from goedels_poetry.kernel.obligations import Context, Obligation, is_quantified
from goedels_poetry.kernel.printer import show, show_symbol
from goedels_poetry.kernel.problem import Problem, reached
from goedels_poetry.kernel.reading.certificate import derivation_from_json, termination_from_json, with_auxiliaries
from goedels_poetry.kernel.reading.faithful import ReadingObligation, reading_obligations
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, read
from goedels_poetry.kernel.refutation.theory import named_premises
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.structure import audit
from goedels_poetry.kernel.termination import TerminationObligations, termination_obligations
from goedels_poetry.kernel.terms import fresh_name
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.solvers.limits import Limits, SolverUnavailable
from goedels_poetry.version import __version__

if TYPE_CHECKING:
    from goedels_poetry.checker.smt.premise_theorems import PremiseTheorems


# Whether a solver agrees to how the theorem's text was read, for the report

SECONDS = 0.5
"""For one question, and for all of them together, which are one formula."""
ALL_SECONDS = 3.0
NOT_CONFIRMED = "{} of {} formulas: no solver confirmed that they say what their text says"


def with_reading(report: CheckReport, text: bytes, problem: Problem, solvers: Solvers) -> CheckReport:
    """The report of a certificate that is accepted, with what a solver says to the reading of its theorem.

    Raises:
        BadProof: a solver sees a difference between a formula and what was read; with the line.
    """
    if not report.accepted:
        return report
    obligations = reading_obligations(text, problem)
    reading = Reading(len(obligations), _confirmed([o for o in obligations if o.claim], solvers))
    left_open = reading.posed - reading.confirmed
    notes = (NOT_CONFIRMED.format(left_open, reading.posed),) if left_open else ()
    return replace(report, reading=reading, notes=(*report.notes, *notes))


def _confirmed(obligations: list[ReadingObligation], solvers: Solvers) -> int:
    """How many the first solver agrees to: all at once, or else one by one."""
    if not obligations:
        return 0
    until = time.monotonic() + ALL_SECONDS
    limits = replace(solvers.limits, seconds=min(SECONDS, solvers.limits.seconds))
    session = solvers.first.session(obligations[0].prelude)
    confirmed = 0
    try:
        together = f"(assert (not (and {' '.join(o.claim for o in obligations)} true)))"
        if session.check(together, limits).status == "unsat":
            return len(obligations)
        for obligation in obligations:
            if time.monotonic() > until:
                break
            status = session.check(obligation.question, limits).status
            if status == "sat" and obligation.decisive:
                raise BadProof(f"line {obligation.line}: the {obligation.name} was not read as it stands there")
            confirmed += status == "unsat"
    except SolverUnavailable:
        return confirmed
    return confirmed


# What is wrong with a theorem that contradicts itself, for the report

MAX_SHOWN = 300
"""Characters of an equation."""


@dataclass(frozen=True)
class Fault:
    """``core``: names of premises, and ``definition-of-f`` for definitions; ``reason``: what the report says."""

    core: tuple[str, ...]
    reason: str


def fault_of(found: Consistency, problem: Problem, theorem: bytes) -> Fault:
    """The fault behind what was found to be contradictory."""
    taken = {p.name for p in problem.premises}
    names = {name: fresh_name(f"definition-of-{name}", taken) for name in found.definitions}
    core = (*names.values(), *found.core)
    if not found.definitions:
        return Fault(core, "the premises contradict each other: anything would follow from them")
    what = _equations(found.definitions, problem, theorem)
    if found.core:
        premises = ", ".join(found.core)
        return Fault(core, f"the definitions contradict the premises {premises}, so nothing satisfies them all: {what}")
    several = "these definitions contradict themselves" if len(names) > 1 else "this definition contradicts itself"
    return Fault(core, f"{several}, so the theorem is about nothing: {what}")


def _equations(names: tuple[str, ...], problem: Problem, theorem: bytes) -> str:
    lines = definition_lines(theorem)
    shown = []
    for name in names:
        definition = problem.signature.definition(name)
        equation = show(equation_of(definition)) if definition is not None else ""
        equation = equation if len(equation) <= MAX_SHOWN else f"{equation[: MAX_SHOWN - 3]}..."
        place = f" (line {lines[name]})" if name in lines else ""
        shown.append(f"{show_symbol(name)}{place}: {equation}")
    return "; ".join(shown)


def definition_lines(theorem: bytes) -> Mapping[str, int]:
    """In which line the name of each function stands where it is defined; those made from templates are not told."""
    source = Source(decode(theorem))
    found: dict[str, int] = {}
    for command in read(source):
        match command:
            case Group(items=[Atom(text="define-fun" | "define-fun-rec" | "define-const"), name, *_]):
                _enter(found, name, source)
            case Group(items=[Atom(text="define-funs-rec"), Group(items=heads), *_]):
                for head in heads:
                    if isinstance(head, Group) and head.items:
                        _enter(found, head.items[0], source)
    return found


def _enter(found: dict[str, int], name: SExpr, source: Source) -> None:
    if isinstance(name, Atom):
        found.setdefault(name.text, source.position(name.offset)[0])


# Which premises a proof needs

_PREMISE = re.compile(r"premise\.([0-9]+)")
RLIMIT = 300_000


def needed_premises(context: Context, obligations: Iterable[Obligation], solvers: Solvers) -> tuple[str, ...] | None:
    """Names of the premises that the obligations rest on, as far as z3's cores tell; None when it gives none."""
    premises = context.problem.premises
    found: set[int] = set()
    for obligation in obligations if premises else ():
        if not obligation.foundation:
            core = _core(_script_naming_premises(context, obligation), solvers)
            if core is None:
                return None
            found.update(core)
    return tuple(p.name for i, p in enumerate(premises) if i in found)


def _core(script: str, solvers: Solvers) -> set[int] | None:
    """Numbers of the premises in an unsat core; None when z3 gives none in any of its ways."""
    limits = Limits(RLIMIT, min(SECONDS, solvers.limits.seconds), solvers.limits.memory_mb)
    for options in Z3_OPTIONS:
        answer = solvers.first.ask(script, limits, "core", options)
        if answer.status == "unsat":
            return {int(n) for n in _PREMISE.findall(answer.output)}
    return None


def _script_naming_premises(context: Context, obligation: Obligation) -> str:
    """The query of a step with the premises by name, for an unsat core."""
    given = zip(named_premises(context), context.problem.premises, strict=True)
    named = [text for text, premise in given if obligation.quantified or not is_quantified(premise.formula)]
    prelude = context.prelude(obligation.equations, obligation.quantified)
    return "\n".join((*prelude[: len(prelude) - len(named)], *named, *obligation.lines))


DEFAULT_LIMITS = Limits(seconds=20.0)
VERDICTS = {
    "proved": Verdict.PROVED,
    "negation proved": Verdict.REFUTED,
    "counterexample": Verdict.REFUTED,
    "inconsistent": Verdict.INCONSISTENT,
}


class Refused(Exception):
    """The certificate does not show what it claims. ``args``: the reason."""


def check_certificate(
    path: Path,
    against: bytes | None = None,
    *,
    second_solver: bool = True,
    assume_definitions: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    second_seconds: float = math.inf,
    proofs: bool = False,
) -> CheckReport:
    """Check a certificate.

    The second solver gets a few seconds for an obligation, and `replay.PATIENCE` seconds for all that it cannot
    decide; an obligation that it leaves open costs the certificate a trust level, nothing else.

    Args:
        path: the certificate's folder.
        against: the bytes of the theorem that it has to be about; None accepts the theorem inside it.
        second_solver: also pose every obligation to cvc5.
        assume_definitions: accept definitions that cannot be shown to terminate, if the certificate says so, too.
        limits: on each single query.
        second_seconds: from now; later the second solver is not asked any more, and no Lean either.
        proofs: also check the proof objects.

    Returns:
        The report; it never raises on account of what the certificate contains.
    """
    began = time.monotonic()
    with Solvers.start(limits, second_solver, began + second_seconds) as solvers:
        report = _reported(path, against, assume_definitions, solvers, began + second_seconds, proofs)
    return replace(report, seconds=time.monotonic() - began)


def _reported(
    path: Path, against: bytes | None, assume: bool, solvers: Solvers, until: float, proofs: bool
) -> CheckReport:
    """The report, whatever becomes of the check. ``until``: on the monotonic clock, when a proof in Lean is left."""
    try:
        archive = read_archive(Path(path))
        if against is not None and archive.theorem != against:
            raise Refused("the certificate is about another text than the theorem given")
        problem = parse_problem(archive.theorem)
        report = with_reading(_check(archive, problem, assume, solvers), archive.theorem, problem, solvers)
        if proofs:
            from goedels_poetry.checker.smt.proof_objects import with_proofs  # only where they are asked for

            report = with_proofs(report, archive)
        if archive.lean_proof is None or not report.accepted:
            return report
        from goedels_poetry.checker.smt.lean_proof import with_lean  # only where there is a proof in Lean

        return with_lean(report, archive, problem, until)
    except (BadCertificate, BadProof, CodecError, Refused, EncodingError, GuardError, ObligationError) as error:
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(str(error),))
    except Undecided as error:
        return CheckReport(Verdict.UNKNOWN, reasons=(str(error),), retry=solvers.cut_off > 0)
    except SolverUnavailable as error:
        return CheckReport(Verdict.UNKNOWN, reasons=(f"not decided, to be tried again: {error}",), retry=True)
    except InvalidText as error:
        return CheckReport(Verdict.INVALID, refused=True, reasons=(f"the theorem is not valid: {error}",))
    except (RecursionError, MemoryError) as error:
        reason = f"the certificate is too deeply nested or too large ({type(error).__name__})"
        return CheckReport(Verdict.UNKNOWN, refused=True, reasons=(reason,))


def _check(archive: Archive, problem: Problem, assume: bool, solvers: Solvers) -> CheckReport:
    claim = archive.manifest["claim"]
    statement = show(problem.goal)
    if archive.manifest["statement"] != statement:
        raise Refused("the statement in the manifest is not the theorem's goal")
    evidence = read_canonical(archive.evidence, EVIDENCE)
    if claim == "counterexample":
        return _counterexample(archive, problem, evidence, solvers)
    shown: dict[str, str] = {}
    interpreted = claim == "negation proved" and isinstance(evidence, dict) and INTERPRETATION in evidence
    if interpreted:
        from goedels_poetry.kernel.refutation.interpretation import given_meaning  # a proof of the goal has none

        problem, shown = given_meaning(archive.theorem, problem, evidence[INTERPRETATION])
        evidence = {key: value for key, value in evidence.items() if key != INTERPRETATION}
    if isinstance(evidence, dict) and DEFINED in evidence:
        from goedels_poetry.kernel.reading import defining  # most theorems define functions by definitions

        evidence, problem = defining.split_evidence(evidence, problem)
    theorems: PremiseTheorems | None = None
    if isinstance(evidence, dict) and PREMISES in evidence:
        from goedels_poetry.checker.smt.premise_theorems import split_evidence  # most theorems prove no premise

        evidence, theorems = split_evidence(evidence, problem)
    derivation = derivation_from_json(evidence, problem.signature)
    context, ends, doubtful = _defined(problem, derivation)
    if open_ := sorted(problem.defined.keys() - ends.terminating):
        raise BadProof(f"premises define what is not shown to terminate: {', '.join(open_)}")
    if interpreted and (ends.doubts or derivation.measures):  # another meaning may be the only one left open
        raise BadProof(f"an interpretation beside definitions that may not terminate: {'; '.join(ends.doubts)}")
    _check_auxiliary(context, derivation, ends)
    assumptions = _assumed(ends, archive, assume)
    audited = audit(context, derivation, claim, ends)
    script = audited.script if theorems is None else theorems.after(audited.script, context.problem, ends)
    if script.encode() != archive.obligations:
        raise Refused(f"obligations.smt2 is not what the derivation gives: changed or left out{_age(archive)}")
    by_second = _replay(context, audited.obligations, solvers)
    posed, left_open = theorems.replay(context.problem, ends, solvers, foundations=False) if theorems else (0, ())
    if claim == "inconsistent":
        sound = replace(consistency(context, solvers, not assumptions, doubtful=doubtful), consistent=None, notes=())
    else:
        proved = theorems.names if theorems else ()
        steps_shown = [s.sequent for s in derivation.steps]
        sound = _consistency(context, solvers, not assumptions, steps_shown, proved, doubtful)
    notes = [*problem.warnings, *sound.notes, *_guarded(derivation), *_by_premises(problem)]
    if claim == "proved":
        with suppress(SolverUnavailable):  # they are for readers
            notes += goal_notes(context, solvers)
    # last: what it costs is taken from nothing else
    replayed = _confirm(context, audited.obligations, by_second, solvers)
    counted = _counted(replayed, posed, left_open, solvers.second is not None)
    notes += [MAY_RISE.format(f"{replayed.cut_off} obligations were not confirmed in time")] if replayed.cut_off else []
    needed = None
    if claim == "proved":
        with suppress(SolverUnavailable):
            needed = _with_defining(needed_premises(context, audited.obligations, solvers), context.problem)
    verdict = VERDICTS[claim]
    level = _level(verdict, sound, counted, bool(assumptions))
    if claim == "negation proved" and sound.consistent is None:
        raise Undecided("the negated goal follows, but the premises were not shown to be consistent")
    report = CheckReport(
        verdict,
        level,
        obligations=counted.counts,
        undecided_by_first=counted.undecided_by_first,
        undecided_by_second=counted.undecided_by_second,
        notes=tuple(notes),
        assumptions=assumptions,
        needed=needed,
        unneeded=tuple(p.name for p in problem.premises if needed is not None and p.name not in needed),
        statement=statement,
        counterexample=shown,
    )
    contradictory = sound.consistent is False or claim == "inconsistent"
    return _about_nothing(report, sound, problem, archive.theorem) if contradictory else report


def _counterexample(archive: Archive, problem: Problem, evidence: Any, solvers: Solvers) -> CheckReport:
    from goedels_poetry.checker.smt import counterexample  # a proof needs neither this nor an evaluator

    problem = counterexample.with_interpretation(archive.theorem, problem, evidence)
    derivation = Derivation((), termination=termination_from_json(evidence, problem.signature))
    context, ends, doubtful = _defined(problem, derivation)
    report = counterexample.check_counterexample(context, evidence, archive.obligations, solvers, ends)
    wrong = definitions_at_fault(context, solvers, doubtful) if doubtful and report.accepted else None
    if wrong is not None:  # then no values of anything make the goal false
        return _about_nothing(replace(report, counterexample={}), wrong, problem, archive.theorem)
    return replace(report, notes=(*report.notes, *_refutation_notes(report, solvers)))


def _defined(problem: Problem, derivation: Derivation) -> tuple[Context, TerminationObligations, list[str]]:
    """The problem with the definitions of a proof, what their ends rest on, and the names of those in doubt."""
    context = Context(with_auxiliaries(problem, derivation.auxiliary, derivation.measures))
    ends = termination_obligations(context.signature, derivation.termination, context.guards)
    return context, ends, [d.name for d in problem.signature.definitions if d.name not in ends.terminating]


def _about_nothing(report: CheckReport, found: Consistency, problem: Problem, theorem: bytes) -> CheckReport:
    """The report that premises or definitions contradict each other; what is disproved is not assumed."""
    fault = fault_of(found, problem, theorem)
    if found.consistent is None:  # what the certificate claims, and has shown; the core may not have been found
        return replace(report, core=fault.core, reasons=(fault.reason,) if fault.core else (), assumptions=())
    return replace(
        report,
        verdict=Verdict.INCONSISTENT,
        trust_level=TrustLevel.REBUILT,
        reasons=(fault.reason,),
        core=fault.core,
        assumptions=(),
        needed=None,
    )


def _writer(archive: Archive) -> str | None:
    """The version of this program that wrote the certificate, as that says."""
    versions = archive.manifest["versions"]
    return versions.get("goedels-poetry") if isinstance(versions, dict) else None


def _age(archive: Archive) -> str:
    """A hint when another version of this program wrote the certificate."""
    writer = _writer(archive)
    return "" if writer == __version__ else f" (written by version {writer!r}, checked by {__version__!r})"


def _level(verdict: Verdict, sound: Consistency, replayed: Replayed, assumed: bool) -> TrustLevel:
    if assumed or (verdict is not Verdict.INCONSISTENT and not sound.consistent):
        return TrustLevel.REBUILT
    if min(replayed.counts.first, replayed.counts.second) < replayed.counts.total:
        return TrustLevel.NOT_VACUOUS
    return TrustLevel.CONFIRMED


def _consistency(
    context: Context,
    solvers: Solvers,
    terminating: bool,
    derived: Iterable[Sequent],
    theorems: Iterable[str],
    doubtful: Iterable[str],
) -> Consistency:
    """As `consistency`, with a note where more time or a solver that can be run may show more."""
    before = solvers.cut_off
    try:
        sound = consistency(context, solvers, terminating, derived, theorems, doubtful)
    except SolverUnavailable as error:
        return Consistency(None, notes=(NOT_SHOWN, MAY_RISE.format(f"{error}, so nothing more was shown")))
    if sound.consistent is not None or solvers.cut_off == before:
        return sound
    return replace(sound, notes=(*sound.notes, MAY_RISE.format("the premises were not shown to be consistent in time")))


def _refutation_notes(report: CheckReport, solvers: Solvers) -> list[str]:
    low = report.trust_level is not None and report.trust_level < TrustLevel.CONFIRMED
    return [MAY_RISE.format("the solvers did not confirm all of it in time")] if low and solvers.cut_off else []


def _guarded(derivation: Derivation) -> list[str]:
    return [
        f"{name} is unfolded only where {' and then '.join(map(show, terms))} falls, as the proof has to show"
        for name, terms in derivation.measures.items()
    ]


def _with_defining(needed: tuple[str, ...] | None, problem: Problem) -> tuple[str, ...] | None:
    """The premises that a proof needs, with those that define what goal and premises speak of."""
    if needed is None or not problem.defined:
        return needed
    said = [problem.goal, *(p.formula for p in problem.premises if p.name in needed)]
    used = reached(problem.signature, said)
    return (*needed, *(p for name, premises in problem.defined.items() if name in used for p in premises))


def _by_premises(problem: Problem) -> list[str]:
    by = [f"{name} ({', '.join(premises)})" for name, premises in problem.defined.items()]
    return [f"premises are read as definitions: of {', '.join(by)}"] if by else []


def _check_auxiliary(context: Context, derivation: Derivation, ends: TerminationObligations) -> None:
    """Only the theorem's own definitions may be assumed to be consistent; those that a proof brings along, never."""
    sound = ends.terminating | context.guards.keys()
    doubtful = [d.name for d in derivation.auxiliary if d.name not in sound]
    if doubtful:
        raise Undecided(f"these auxiliary definitions were not shown to terminate: {', '.join(doubtful)}")


def _assumed(ends: TerminationObligations, archive: Archive, assume: bool) -> tuple[str, ...]:
    """What has to be taken on trust; an error unless both the certificate and the caller say so."""
    if ends.doubts and not (archive.manifest["assume_definitions"] and assume):
        what = f"{'; '.join(ends.doubts)}{_age(archive)}"
        raise Undecided(f"these definitions were not shown to terminate, so they may be contradictory: {what}")
    return tuple(f"the definition is consistent: {reason}" for reason in ends.doubts)


@dataclass(frozen=True)
class Replayed:
    """What the solvers said to the obligations; at least one of them agreed to each, and none disagreed."""

    counts: Counts
    undecided_by_first: tuple[str, ...]
    undecided_by_second: tuple[str, ...]
    cut_off: int
    """How many of them are undecided for want of time."""


def _counted(replayed: Replayed, posed: int, left_open: tuple[str, ...], second: bool) -> Replayed:
    """With the obligations of premises that are proved: the first solver agreed to all, the second but to those left
    open."""
    old = replayed.counts
    agreed = posed - len(left_open) if second else 0
    return Replayed(
        Counts(old.total + posed, old.first + posed, old.second + agreed),
        replayed.undecided_by_first,
        (*replayed.undecided_by_second, *left_open),
        replayed.cut_off,
    )


def _replay(context: Context, obligations: Iterable[Obligation], solvers: Solvers) -> frozenset[str]:
    """Have every obligation decided by one of the solvers; the names of those that the second one decided.

    Raises:
        Refused: one does not hold. Undecided: neither can tell.
    """
    by_second = set()
    for obligation in obligations:
        finish = solvers.decides(context.script(obligation))
        answer = finish.answer
        if answer.status == "sat":
            raise Refused(f"{obligation.name}: does not hold ({answer.status} {answer.reason})".rstrip())
        if answer.status != "unsat":
            who = "the first solver does" if solvers.second is None else "the solvers do"
            raise Undecided(f"{obligation.name}: {who} not decide it ({answer.reason})")
        if finish.winner:
            by_second.add(obligation.name)
    return frozenset(by_second)


def _confirm(
    context: Context, obligations: Iterable[Obligation], by_second: frozenset[str], solvers: Solvers
) -> Replayed:
    """Pose every obligation to the solver that has not decided it, if there is one.

    Raises:
        Refused: the solvers disagree.
    """
    total = cut_off = 0
    undecided: dict[bool, list[str]] = {False: [], True: []}
    for obligation in obligations:
        total += 1
        script, of_second = context.script(obligation), obligation.name in by_second
        answer = solvers.reconsiders(script) if of_second else solvers.confirms(script)
        if answer.status == "sat":
            raise Refused(f"ALARM: the solvers contradict each other on {obligation.name}; no verdict")
        if answer.status != "unsat":
            undecided[of_second].append(obligation.name)
            cut_off += for_want_of_time(answer)
    first, second = total - len(undecided[True]), total - len(undecided[False])
    without = solvers.second is None  # then nobody was asked
    by_second_open = () if without else tuple(undecided[False])
    return Replayed(Counts(total, first, second), tuple(undecided[True]), by_second_open, cut_off)
