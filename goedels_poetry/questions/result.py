"""What was decided about a program, as plain, frozen, JSON-able data and in words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import Term
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.entailment.findings import Condition, Entailment, GoalAnswer, Optimum
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram
from goedels_poetry.smt.notation.infix import render

# Formulas and worlds of a logic program in words, for people and prompts; nothing reads this text back

MAX_ITEMS = 12
"""Of one function; the rest is only counted."""


def render_formula(formula: Term) -> str:
    """A formula in infix notation: ``for all x: human(x) => mortal(x)``."""
    return render(show(formula))


def countermodel_of(goals: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Of goals as a result lists them: a world of the premises in which one is false."""
    return next((goal["countermodel"] for goal in goals if goal.get("countermodel")), None)


def render_model(model: Mapping[str, Any] | None) -> list[str]:
    """What a world is like, one line for each constant and function, as ``read_model`` describes them.

    ``human holds of: socrates; not of: zeus``, ``age(ann) = 30, age(anything else) = 0``, ``x = 3``. That a constant
    denotes what is called after it goes without saying.
    """
    return [_line(name, value) for name, value in (model or {}).items() if value != name]


def _line(name: str, value: Any) -> str:
    if not isinstance(value, Mapping):
        return f"{name} = {_shown(value)}"
    if value and all(isinstance(v, bool) for v in value.values()):
        return _predicate(name, value)
    several = "anything else" if len(value) > 1 else "anything"
    parts = [f"{name}({several if k == 'else' else k}) = {_shown(v)}" for k, v in value.items()]
    return _listed(parts)


def _predicate(name: str, value: Mapping[str, bool]) -> str:
    true = [_who(k) for k, v in value.items() if v]
    false = [_who(k) for k, v in value.items() if not v]
    if not false:
        return f"{name} holds of everything" if "else" in value else f"{name} holds of: {_listed(true)}"
    if not true:
        return f"{name} holds of nothing"
    return f"{name} holds of: {_listed(true)}; not of: {_listed(false)}"


def _who(key: str) -> str:
    if key == "else":
        return "all others"
    return f"({key})" if ", " in key else key


def _listed(parts: list[str]) -> str:
    more = len(parts) - MAX_ITEMS
    return ", ".join(parts[:MAX_ITEMS]) + (f" and {more} more" if more > 0 else "")


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):  # an array as the value of a function
        return "{" + ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value)


Answer = bool | int | str | None
"""True, False, the optimum or the option's letter; None: no answer."""

Grade = Literal["proved", "refuted", "reading", "likely", "open"]
"""How an answer is founded, the best first: the program or its negation follows; it follows under a reading of the text
that is named; a model says so (only on request, and of questions alone); there is none."""


def grade_of(answer: Answer, verdict: Verdict, under_a_reading: Answer, said: Answer = None) -> Grade:
    """The grade; an answer counts only with a verdict, and no other verdict is a grade."""
    if answer is not None and verdict in (Verdict.PROVED, Verdict.REFUTED):
        return "proved" if verdict is Verdict.PROVED else "refuted"
    if verdict is not Verdict.UNKNOWN:
        return "open"
    return "reading" if under_a_reading is not None else "likely" if said is not None else "open"


Semantics = Literal["entailment", "satisfiability"]
World = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What a backend found out about one program. Never an exception for a bad program: then ``invalid``."""

    answer: Answer
    verdict: Verdict
    reason: str = ""
    """One line for people; of an invalid program with line and column or JSON path, and what to change."""
    location: dict[str, Any] | None = None
    """``{"line", "column", "path", "hint"}`` of what is wrong in an invalid program."""
    goals: tuple[dict[str, Any], ...] = ()
    """Each ``{"name", "formula", "words", "verdict", "checks", "core", "witness", "countermodel", "reason"}``."""
    core: tuple[dict[str, Any], ...] | None = None
    """Premises that the verdict rests on: ``{"name", "formula", "origin", "sentences", "words", "line", "path"}``."""
    model: dict[str, Any] | None = None
    """Of a verdict ``unknown``: the countermodel, or the witness where there is none; the other way round where an
    assertion is the query, so that it is a world of the program as it stands. Of an optimum: where it is."""
    model_words: str = ""
    """The model in words."""
    conditions: tuple[dict[str, Any], ...] = ()
    """Of an open goal: each ``{"answer": "yes" | "no", "facts": [formulas], "words", "sentences": [numbers]}``, with
    which it would follow."""
    optimum: int | str | None = None
    """Of the first objective."""
    optima: tuple[dict[str, Any], ...] = ()
    sat_count: int = 0
    unsat_count: int = 0
    """How often each is what premises and a goal together are: the seed's counts."""
    semantics: Semantics = "entailment"
    world: World = "open"
    trust_level: str | None = None
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    reading_answer: Answer = None
    """What follows under the weakest reading of the text that decides, where the program itself decides nothing."""
    reading_assumptions: tuple[str, ...] = ()
    """What that reading takes the text to say."""
    readings: tuple[dict[str, Any], ...] = ()
    """Readings with another answer, as `Graded.readings`."""

    @property
    def grade(self) -> Grade:
        """How well founded the best answer is."""
        return grade_of(self.answer, self.verdict, self.reading_answer)

    @property
    def success(self) -> bool:
        """Whether there is an answer."""
        return self.answer is not None

    def to_json(self) -> dict[str, Any]:
        """The object that ``ask --program --json`` prints."""
        return {**asdict(self), "verdict": str(self.verdict), "grade": self.grade}


_LETTER = re.compile(r"[A-Za-z]")
_ANSWERS: dict[Verdict, Answer] = {Verdict.PROVED: True, Verdict.REFUTED: False}


def result_of(
    program: LogicProgram, entailment: Entailment, *, semantics: Semantics = "entailment", world: World = "open"
) -> VerificationResult:
    """The result of a program that was decided."""
    premises = (*program.premises, *entailment.closure)
    answer, verdict, reason = answer_of(program, entailment)
    model = next(filter(None, (_world(program, goal) for goal in entailment.goals)), None)
    used = {name for g in entailment.goals if not isinstance(answer, str) or g.name == answer for name in g.core}
    settled = bool(entailment.goals) and verdict is not Verdict.UNKNOWN
    if not entailment.goals and entailment.optima:
        model = entailment.optima[0].model or None
    return VerificationResult(
        answer=answer,
        verdict=verdict,
        reason=reason,
        goals=tuple(_goal(program, goal) for goal in entailment.goals),
        core=tuple(_premise(p) for p in premises if p.name in used) if settled else None,
        model=model if not settled else None,
        model_words="; ".join(render_model(model)) if not settled else "",
        conditions=tuple(map(_condition, entailment.conditions)),
        optimum=entailment.optima[0].value if entailment.optima else None,
        optima=tuple(_optimum(program, number, optimum) for number, optimum in enumerate(entailment.optima)),
        sat_count=sum(g.checks.with_goal == "sat" for g in entailment.goals),
        unsat_count=sum(g.checks.with_goal == "unsat" for g in entailment.goals),
        semantics=semantics,
        world=world,
        trust_level=entailment.trust_level,
        warnings=tuple(dict.fromkeys((*program.warnings, *entailment.warnings))),
        seconds=round(entailment.seconds, 6),
    )


def invalid_result(
    error: Exception, *, semantics: Semantics = "entailment", world: World = "open"
) -> VerificationResult:
    """The result of a text that is no program."""
    location: dict[str, Any] | None = None
    reason = str(error)
    if isinstance(error, InvalidInput):
        path = getattr(error, "path", "")
        location = error.location | {"path": path, "hint": error.hint or None}
        reason = f"{path}: {error}" if path and path not in reason else reason
    return VerificationResult(None, Verdict.INVALID, reason, location, semantics=semantics, world=world)


def answer_of(program: LogicProgram, entailment: Entailment) -> tuple[Answer, Verdict, str]:
    """The answer, the verdict and why."""
    goals = entailment.goals
    if not goals:
        return _optimal(entailment.optima)
    proved = [g.name for g in goals if g.verdict is Verdict.PROVED]
    if len(goals) > 1 and _is_choice(program, goals):
        if len(proved) == 1:
            others = ", ".join(f"{g.name} {g.verdict}" for g in goals if g.name != proved[0])
            return proved[0], Verdict.PROVED, f"of the choices only {proved[0]} follows ({others})"
        if len(proved) > 1:
            return None, Verdict.UNKNOWN, f"more than one choice follows: {', '.join(proved)}"
    return _ANSWERS.get(entailment.verdict), entailment.verdict, entailment.reason


def _world(program: LogicProgram, answer: GoalAnswer) -> dict[str, Any] | None:
    """A world in which the goal is false; where the query is an assertion, one in which what is asserted holds."""
    goal = next(g for g in program.goals if g.name == answer.name)
    as_asserted = not goal.marked and not goal.negated
    first, second = (answer.witness, answer.countermodel) if as_asserted else (answer.countermodel, answer.witness)
    return first or second


def _condition(condition: Condition) -> dict[str, Any]:
    words = " and ".join(map(render_formula, condition.facts))
    facts, sentences = [*map(show, condition.facts)], list(condition.sentences)
    return {"answer": "yes" if condition.holds else "no", "facts": facts, "words": words, "sentences": sentences}


def _is_choice(program: LogicProgram, goals: Sequence[GoalAnswer]) -> bool:
    """Options of a multiple-choice question, in contrast to several verifications."""
    return program.dialect == "smt2" or all(_LETTER.fullmatch(g.name) for g in goals)


def _optimal(optima: Sequence[Optimum]) -> tuple[Answer, Verdict, str]:
    if not optima:
        return None, Verdict.UNKNOWN, "nothing was asked"
    if all(o.attained for o in optima):
        several = " (in this order: each under the optimum of those before it)" if len(optima) > 1 else ""
        return optima[0].value, Verdict.PROVED, f"the optimum is reached and cannot be exceeded{several}"
    reason = next(o.reason for o in optima if not o.attained)
    return None, Verdict.INCONSISTENT if reason == "inconsistent" else Verdict.UNKNOWN, reason


def _goal(program: LogicProgram, answer: GoalAnswer) -> dict[str, Any]:
    goal = next(g for g in program.goals if g.name == answer.name)
    checks = answer.checks
    return {
        "name": answer.name,
        "formula": show(goal.formula),
        "words": goal.words or render_formula(goal.formula),
        "verdict": str(answer.verdict),
        "checks": {
            "premises": checks.premises,
            "with_goal": checks.with_goal,
            "with_negation": checks.with_negation,
        },
        "core": list(answer.core),
        "witness": answer.witness,
        "countermodel": answer.countermodel,
        "reason": answer.reason,
        "line": goal.place.line,
        "path": goal.place.path,
    }


def _premise(premise: LogicPremise) -> dict[str, Any]:
    return {
        "name": premise.name,
        "formula": show(premise.formula),
        "origin": str(premise.origin),
        "sentences": list(premise.sentences),
        "words": premise.words or render_formula(premise.formula),
        "line": premise.place.line,
        "path": premise.place.path,
    }


def _optimum(program: LogicProgram, number: int, optimum: Optimum) -> dict[str, Any]:
    return {
        "type": "maximize" if optimum.maximize else "minimize",
        "expression": show(program.objectives[number].term),
        "value": optimum.value,
        "attained": optimum.attained,
        "reason": optimum.reason,
        "model": optimum.model,
    }
