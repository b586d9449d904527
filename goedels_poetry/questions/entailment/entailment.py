"""Does a goal follow from premises? The three questions that decide it, and what their answers mean.

Premises, premises and goal, premises and the goal's negation are posed as they are; the program has no say in it.

* Only a literal ``unsat`` without any message shows anything; what was cut off, refused or garbled is ``unknown``.
* What is true in a world of premises and goal is true in a world of the premises: ``sat`` of the second or third
  question answers the first one, which is posed where neither is.
* The goal is true or false in every world: where both of the latter are ``unsat`` the premises contradict each other.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.findings import (
    MEMORY_MB,
    Checks,
    Entailment,
    Evidence,
    GoalAnswer,
    Queries,
    Solvers,
    Status,
)
from goedels_poetry.questions.entailment.models import Encoder, read_model
from goedels_poetry.questions.entailment.program import DEFINITION, LogicGoal, LogicPremise, LogicProgram, Place

CONSISTENCY = 2.0
"""Seconds, and half of the time that is left, to show that the premises of a proof are consistent."""
NOT_SHOWN = "consistency of the premises not shown"
CONTRADICTS_ITSELF = "the solver contradicts itself: premises sat, but neither the goal nor its negation is"


def decide(
    program: LogicProgram,
    *,
    solvers: Solvers,
    milliseconds: float = 10_000,
    optimize_milliseconds: float | None = None,
    semantics: Literal["entailment", "satisfiability"] = "entailment",
    world: Literal["open", "closed"] = "open",
    confirm: bool = False,
    minimal_cores: bool = False,
    memory_mb: int = MEMORY_MB,
    encoder: Encoder | None = None,
) -> Entailment:
    """Decide all goals and objectives of a program.

    Args:
        milliseconds: wall time for all goals together.
        optimize_milliseconds: wall time for all objectives together; None: what the goals left of ``milliseconds``.
        semantics: with "satisfiability" ``proved`` means that premises and query are consistent, ``refuted`` that they
            are not: the reading of a check-sat, which says nothing about what follows.
        world: "closed" adds premises of origin ``closure``, see `closed_world`.
        confirm: pose what shows a verdict again to a fresh z3 and to cvc5, for the trust level.
        minimal_cores: leave out of cores what can be left out, as far as time allows; done when confirming, too.
        memory_mb: for each solver process, MiB.
        encoder: that of this very program, where there is one already.

    Raises:
        EncodingError: the program cannot be handed to a solver faithfully.
    """
    began = time.monotonic()
    ways = _Ways(solvers, memory_mb, semantics, world, confirm, confirm or minimal_cores)
    found = _decided(encoder or Encoder(program), began + milliseconds / 1000, ways)
    if program.objectives:
        from goedels_poetry.questions.entailment.optimum import (
            optimize,  # an answer without objectives rests on none of it
        )

        seconds = milliseconds / 1000 - (time.monotonic() - began)
        if optimize_milliseconds is not None:
            seconds = optimize_milliseconds / 1000
        constrained = Encoder(program, (*program.premises, *program.constraints))
        optima, level = optimize(solvers.queries(constrained, seconds, memory_mb), confirm)
        found = replace(found, optima=optima, trust_level=found.trust_level if program.goals else level)
    return replace(found, seconds=time.monotonic() - began)


@dataclass(frozen=True)
class _Ways:
    """How goals are to be decided."""

    solvers: Solvers
    memory_mb: int
    semantics: str
    world: str
    confirm: bool
    minimal: bool

    def queries(self, encoder: Encoder, seconds: float) -> Queries:
        return self.solvers.queries(encoder, seconds, self.memory_mb, self.minimal)


def _decided(encoder: Encoder, until: float, ways: _Ways) -> Entailment:
    """The goals."""
    program = encoder.program
    if not program.goals:
        return Entailment(Verdict.UNKNOWN)
    left = until - time.monotonic()
    queries = ways.queries(encoder, left / 2 if ways.world == "closed" else left)
    found = _answers(queries, ways.semantics)
    if ways.world == "closed" and ways.semantics == "entailment" and _may_be_closed(found):
        # what follows in the open world rests on none of it
        from goedels_poetry.questions.entailment.closed_world import NO_WORLD, close, extended

        closure = close(program, queries.ask_for_values)
        if closure.reason:
            return replace(found, reason=closure.reason, warnings=(*found.warnings, *closure.warnings))
        queries = ways.queries(Encoder(extended(program, closure)), until - time.monotonic())
        closed = _answers(queries, ways.semantics)
        if any(goal.verdict is Verdict.INCONSISTENT for goal in closed.goals):  # not seen while it was closed
            reason = NO_WORLD.format("what the premises say")
            return replace(found, reason=reason, warnings=(*closure.warnings, *found.warnings))
        found = replace(closed, warnings=(*closure.warnings, *closed.warnings), closure=closure.premises)
    return _confirmed(queries, found) if ways.confirm and ways.semantics == "entailment" else found


def _may_be_closed(found: Entailment) -> bool:
    """Whether closing the world can tell more: among contradictions everything follows."""
    verdicts = [g.verdict for g in found.goals]
    return Verdict.UNKNOWN in verdicts and Verdict.INCONSISTENT not in verdicts


def _answers(queries: Queries, semantics: str) -> Entailment:
    goals, warnings = (_satisfiable(queries), ()) if semantics == "satisfiability" else _entailed(queries)
    return Entailment(_common([g.verdict for g in goals]), goals, reason=_reason(goals), warnings=warnings)


# ------------------------------------------------------------------------------------------------ three questions


@dataclass
class _Case:
    """A goal and what is known of it so far: True stands for the goal, False for its negation."""

    goal: LogicGoal
    texts: dict[bool, str]
    found: dict[bool, Evidence]
    premises: Status = "unknown"

    @property
    def checks(self) -> Checks:
        return Checks(self.premises, self.status(True), self.status(False))

    def status(self, side: bool) -> Status:
        return _status(self.found[side])


def _status(found: Evidence) -> Status:
    return found.answer.status if found.answer.status in ("sat", "unsat") else "unknown"


def _entailed(queries: Queries) -> tuple[tuple[GoalAnswer, ...], tuple[str, ...]]:
    encoder = queries.encoder
    cases = []
    for goal in encoder.program.goals:
        texts = {True: encoder.assertion(goal.formula), False: encoder.negation(goal.formula)}
        cases.append(_Case(goal, texts, {}))
    found = queries.quickly([case.texts[side] for case in cases for side in (True, False)])
    for number, case in enumerate(cases):
        case.found = {True: found[2 * number], False: found[2 * number + 1]}
    premises, core = _premises(queries, [e for case in cases for e in case.found.values()])
    answers: list[GoalAnswer] = []
    warnings: list[str] = []
    for number, case in enumerate(cases):
        case.premises = premises
        if premises != "unsat":
            premises = _insist(queries, case, queries.left / (len(cases) - number))
        if case.premises == "unsat" and not core:
            core = queries.core("")
        answers.append(_answer(queries, case, core, warnings))
    return tuple(answers), tuple(dict.fromkeys(warnings))


def _premises(queries: Queries, found: Sequence[Evidence]) -> tuple[Status, tuple[str, ...]]:
    """The premises alone, and the core of their contradiction: asked where the goals do not tell."""
    if any(e.answer.status == "sat" for e in found):
        return "sat", ()
    alone = queries.quickly([""])[0]
    return _status(alone), queries.core("", alone) if alone.answer.status == "unsat" else ()


def _insist(queries: Queries, case: _Case, seconds: float) -> Status:
    """Spend up to so many seconds on what is open about a goal; returns what is known of the premises."""
    until = time.monotonic() + seconds
    for side in (False, True):
        if case.status(side) == "unknown" and case.status(not side) != "unsat":
            both = side is False and case.status(True) == "unknown"
            case.found[side] = queries.insistently(case.texts[side], (until - time.monotonic()) / (2 if both else 1))
        if case.status(side) == "sat":
            case.premises = "sat"
    if case.premises == "unknown" and "unsat" in (case.status(True), case.status(False)):
        left = min(CONSISTENCY, (until - time.monotonic()) / 2)
        case.premises = _status(queries.insistently("", left))
    return case.premises


def _answer(queries: Queries, case: _Case, core: tuple[str, ...], warnings: list[str]) -> GoalAnswer:
    """The verdict on a goal, with its evidence."""
    name, checks = case.goal.name, case.checks
    if checks.with_goal == checks.with_negation == "unsat":
        if checks.premises == "sat":
            return GoalAnswer(name, Verdict.UNKNOWN, checks, reason=CONTRADICTS_ITSELF)
        checks = replace(checks, premises="unsat")
    if checks.premises == "unsat":
        core = core or _both(queries, case)
        return GoalAnswer(name, Verdict.INCONSISTENT, checks, core, reason=_clash(queries.encoder.premises, core))
    for side, verdict in ((False, Verdict.PROVED), (True, Verdict.REFUTED)):
        if case.status(side) == "unsat":
            needed = queries.core(case.texts[side], case.found[side])
            if checks.premises != "sat":
                if needed and _contradictory(queries, needed):
                    checks = replace(checks, premises="unsat")
                    clash = _clash(queries.encoder.premises, needed)
                    return GoalAnswer(name, Verdict.INCONSISTENT, checks, needed, reason=clash)
                warnings.append(NOT_SHOWN)
            what = "the goal's negation" if side else "the goal"
            reason = "" if needed else f"{what} is true whatever the premises say"
            return GoalAnswer(name, verdict, checks, needed, reason=reason)
    worlds = {side: read_model(e.model, queries.encoder) for side, e in case.found.items()}
    return GoalAnswer(
        name, Verdict.UNKNOWN, checks, witness=worlds[True], countermodel=worlds[False], reason=_why_open(case)
    )


def _contradictory(queries: Queries, core: tuple[str, ...]) -> bool:
    """Whether so few premises contradict each other alone, where nothing is known of all of them together."""
    program = queries.encoder.program
    few = Encoder(program, [p for p in queries.encoder.premises if p.name in core])
    return queries.ask_for_values(few, "", ()).status == "unsat"


def _clash(premises: Sequence[LogicPremise], core: Sequence[str]) -> str:
    """What contradicts what: a recursive definition that is not seen to end is a premise, and may be alone to blame."""
    definitions = [p for p in premises if p.name in core and p.words.startswith(DEFINITION)]
    if not definitions:
        return "the premises contradict each other"
    what = "; ".join(f"{p.words.removeprefix(DEFINITION)}{_line(p.place)}: {show(p.formula)}" for p in definitions)
    if len(definitions) < len(core):
        return f"recursive definitions contradict the premises: {what}"
    if len(definitions) == 1:
        return f"this definition contradicts itself: {what}"
    return f"these definitions contradict themselves: {what}"


def _line(place: Place) -> str:
    return "" if place.line is None else f" (line {place.line})"


def _both(queries: Queries, case: _Case) -> tuple[str, ...]:
    """A core of premises that imply the goal and its negation."""
    cores = {name for side, found in case.found.items() for name in queries.core(case.texts[side], found)}
    return tuple(p.name for p in queries.encoder.premises if p.name in cores)


def _why_open(case: _Case) -> str:
    if case.status(True) == case.status(False) == "sat":
        return "the premises leave it open: it is true in some of their worlds and false in others"
    words = {True: "whether it may be true", False: "whether it may be false"}
    return "; ".join(
        f"{words[side]} was not decided ({found.answer.reason or 'no answer'})"
        for side, found in case.found.items()
        if case.status(side) == "unknown"
    )


# ------------------------------------------------------------------------------------------------ satisfiability


def _satisfiable(queries: Queries) -> tuple[GoalAnswer, ...]:
    """The seed's reading: is the query consistent with the premises?"""
    answers = []
    goals = queries.encoder.program.goals
    texts = [queries.encoder.negation(g.formula) if g.negated else queries.encoder.assertion(g.formula) for g in goals]
    for number, (goal, text, found) in enumerate(zip(goals, texts, queries.quickly(texts), strict=True)):
        if found.answer.status == "unknown":
            found = queries.insistently(text, queries.left / (len(goals) - number))
        status = _status(found)
        checks = Checks("sat" if status == "sat" else "unknown", status, "unknown")
        if status == "sat":
            model = read_model(found.model, queries.encoder)
            words = "consistent with the premises, which is not to follow from them"
            answers.append(GoalAnswer(goal.name, Verdict.PROVED, checks, witness=model, reason=words))
        elif status == "unsat":
            core = queries.core(text, found)
            words = "not consistent with the premises"
            answers.append(GoalAnswer(goal.name, Verdict.REFUTED, checks, core, reason=words))
        else:
            answers.append(GoalAnswer(goal.name, Verdict.UNKNOWN, checks, reason=found.answer.reason))
    return tuple(answers)


# -------------------------------------------------------------------------------------------------- the whole


def _common(verdicts: Sequence[Verdict]) -> Verdict:
    return verdicts[0] if len(set(verdicts)) == 1 else Verdict.UNKNOWN


def _reason(goals: Sequence[GoalAnswer]) -> str:
    """Why; of several goals with different verdicts each."""
    if len(goals) == 1 or len({g.verdict for g in goals}) == 1:
        return goals[0].reason if goals else ""
    return ", ".join(f"{g.name} {g.verdict}" for g in goals) + ": ask one at a time"


def _confirmed(queries: Queries, found: Entailment) -> Entailment:
    """Pose again what shows the verdicts, and say how far they can be trusted."""
    levels = []
    goals = []
    for goal in found.goals:
        level, disagreement = _level(queries, goal)
        if disagreement:
            goal = replace(goal, verdict=Verdict.UNKNOWN, core=(), reason=disagreement)
        goals.append(goal)
        levels.append(level)
    verdict = _common([g.verdict for g in goals]) if goals else found.verdict
    reason = found.reason if tuple(goals) == found.goals else _reason(goals)
    known = [level for level in levels if level is not None]
    return replace(
        found,
        goals=tuple(goals),
        verdict=verdict,
        reason=reason,
        trust_level=min(known) if len(known) == len(levels) > 0 else None,
    )


def _level(queries: Queries, answer: GoalAnswer) -> tuple[str | None, str]:
    """The trust level of a verdict, or why there can be none."""
    encoder = queries.encoder
    goal = next(g for g in encoder.program.goals if g.name == answer.name)
    if answer.verdict is Verdict.PROVED:
        script = encoder.script(encoder.negation(goal.formula), only=answer.core)
    elif answer.verdict is Verdict.REFUTED:
        script = encoder.script(encoder.assertion(goal.formula), only=answer.core)
    elif answer.verdict is Verdict.INCONSISTENT:
        script = encoder.script(only=answer.core)
    else:
        return None, ""
    contradictory = answer.verdict is Verdict.INCONSISTENT
    return queries.trust(script, contradictory or answer.checks.premises == "sat" or not encoder.premises)
