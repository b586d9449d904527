"""What a question requires of the program that a model writes for it, beyond that it can be read.

The solver decides what follows; whether the question's text or the model's own assumptions decide it is looked at here.
All of it is plain comparison of formulas, so it finds what stands there openly; what it lets pass is tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import FALSE, TRUE, Term, is_app, not_
from goedels_poetry.protocol.base import REFUSED, VACUOUS
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram, Origin

Finding = dict[str, str]
"""``{"kind": REFUSED | VACUOUS, "words" (for the model), "reason" (one line for people)}``."""


@dataclass(frozen=True, slots=True)
class ProgramRequirements:
    """What a program may rest on."""

    numbers: frozenset[int] = frozenset()
    """Of sentences that may be cited."""
    asked: frozenset[int] = frozenset()
    """Those of them that ask: a premise that cites nothing else may not be what is asked."""
    text: bool = False
    """Whether there is a text to rely on; without one, knowledge of the world is all that there is."""
    world_knowledge: bool = True
    choices: tuple[str, ...] = ()
    known: tuple[str, ...] = field(default=())
    """Answers to earlier questions that premises marked as derived may render."""

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> ProgramRequirements:
        """From JSON."""
        return cls(
            frozenset(payload["numbers"]),
            frozenset(payload["asked"]),
            bool(payload["text"]),
            bool(payload["world_knowledge"]),
            tuple(payload["choices"]),
            tuple(payload["known"]),
        )


def check_form(program: LogicProgram, requirements: ProgramRequirements) -> None:
    """Raise InvalidInput, with place and what to change, for a program that cannot answer the question."""
    _check_goals(program, requirements)
    for premise in program.premises:
        wrong = [n for n in premise.sentences if n not in requirements.numbers]
        if wrong:
            known = (
                f"the numbers are 1 to {max(requirements.numbers)}"
                if requirements.numbers
                else "no sentence has a number"
            )
            _refuse(f"premise {premise.name} cites sentence {wrong[0]}, which does not exist", premise, known)
        if premise.origin is Origin.WORLD and not requirements.world_knowledge:
            _refuse(
                f"premise {premise.name} is knowledge of the world, which this question does not allow",
                premise,
                "render the sentences of the text, nothing else",
            )
        if premise.origin is Origin.DERIVED and premise.words not in requirements.known:
            _refuse(
                f"premise {premise.name} is marked as derived, but it renders no answer to an earlier question",
                premise,
                "mark it with the sentences that it renders, or as knowledge of the world",
            )


def _check_goals(program: LogicProgram, requirements: ProgramRequirements) -> None:
    if program.objectives and not program.goals:
        raise InvalidInput("the program asks for an optimum, but the question for a yes or no", hint=_MARK)
    for goal in program.goals:
        if not goal.marked:
            place = goal.place
            raise InvalidInput("the goal is not marked", place.line, place.column, _MARK, place.path)
        if goal.formula in (TRUE, FALSE):
            _refuse(f"the goal is just `{show(goal.formula)}`", goal, "the goal has to say what is asked")
    names = sorted(goal.name for goal in program.goals)
    if requirements.choices:
        if names != sorted(requirements.choices):
            prefix = "goal-" if program.dialect == "smt2" else ""
            wanted = ", ".join(f"{prefix}{letter}" for letter in requirements.choices)
            raise InvalidInput(f"the goals are {', '.join(names)}", hint=f"define exactly these goals: {wanted}")
    elif len(names) > 1:
        goal = program.goals[1]
        _refuse(f"there are {len(names)} goals: {', '.join(names)}", goal, "ask one thing: join them into one goal")


_MARK = "mark what is asked: (define-fun goal () Bool formula), in JSON one verification"


def _refuse(message: str, what: LogicPremise | LogicGoal, hint: str) -> None:
    raise InvalidInput(message, what.place.line, what.place.column, hint, what.place.path)


def findings(program: LogicProgram, result: Mapping[str, Any], requirements: ProgramRequirements) -> list[Finding]:
    """What is wrong with the way in which a program comes to its answer."""
    return [*_assumed_goals(program, requirements), *_without_text(program, result, requirements)]


def _assumed_goals(program: LogicProgram, requirements: ProgramRequirements) -> Iterator[Finding]:
    """Premises that say what is asked, or its opposite, and that the text does not state."""
    asked = {form for goal in program.goals for form in (_core_of(goal.formula), _core_of(not_(goal.formula)))}
    for premise in program.premises:
        stated = {_core_of(part) for part in _conjuncts(premise.formula)}
        if not stated.isdisjoint(asked) and not _is_stated(premise, requirements):
            where = "the text" if requirements.text else "other facts"
            yield {
                "kind": REFUSED if requirements.text else VACUOUS,
                "reason": f"premise {premise.name} assumes what is asked",
                "words": (
                    f"Premise {premise.name} says the goal itself or its negation, and no sentence of the text "
                    f"states it. That begs the question. Leave it out: the answer has to follow from {where}."
                    + (" Or, if a sentence does state it, say which." if premise.origin is Origin.UNSAID else "")
                ),
            }


def _is_stated(premise: LogicPremise, requirements: ProgramRequirements) -> bool:
    """Whether a premise renders a sentence that tells, not one that asks, or is not the program's own."""
    if premise.origin in (Origin.DERIVED, Origin.CLOSURE):
        return True
    return premise.origin is Origin.TEXT and bool(set(premise.sentences) - requirements.asked)


def _without_text(
    program: LogicProgram, result: Mapping[str, Any], requirements: ProgramRequirements
) -> Iterator[Finding]:
    """An answer for which the text is not needed at all."""
    if result["verdict"] not in ("proved", "refuted"):
        return
    core = {premise["name"] for premise in result.get("core") or ()}
    used = [premise for premise in program.premises if premise.name in core]
    if not core:
        yield {
            "kind": VACUOUS,
            "reason": "the goal does not depend on any premise",
            "words": (
                "The goal is decided by itself, whatever the premises say: no premise is used. Does it say what is "
                "asked, with the predicates of the premises and not with definitions or lists of your own? If it does, "
                "answer with the one word UNCHANGED."
            ),
        }
    elif (
        requirements.text and _says_origins(program) and not any(_is_stated(premise, requirements) for premise in used)
    ):
        names = ", ".join(premise.name for premise in used)
        yield {
            "kind": REFUSED,
            "reason": f"the answer rests on assumptions only ({names}), not on the text",
            "words": (
                f"The answer follows from assumptions that are not in the text ({names}) and from nothing else. Render "
                "the sentences of the text that bear on the question, and let the answer follow from them."
            ),
        }


def _says_origins(program: LogicProgram) -> bool:
    """Whether any premise says where it comes from: of a program without any such mark nothing can be said."""
    return any(premise.origin is not Origin.UNSAID for premise in program.premises)


def assumed(program: LogicProgram) -> list[str]:
    """What a program takes for true without saying so in a premise: closed lists of things, and its own definitions."""
    goals = {goal.name for goal in program.goals}
    lists = []
    for datatype in program.signature.datatypes:
        names = [constructor.name for constructor in datatype.constructors]
        if not any(constructor.fields for constructor in datatype.constructors):
            what = (
                f"there is only one {datatype.sort.name}"
                if len(names) == 1
                else f"every {datatype.sort.name} is one of"
            )
            different = ", and they are different" if len(names) > 1 else ""
            lists.append(f"{what}: {', '.join(names)}{different}")
    defined = [
        f"by definition, {d.name}({', '.join(p.name for p in d.params)}) is {show(d.body)}"
        if d.params
        else f"by definition, {d.name} is {show(d.body)}"
        for d in program.signature.definitions
        if d.name != "goal" and d.name.removeprefix("goal-").removeprefix("goal_") not in goals
    ]
    return [*lists, *defined]


def _conjuncts(term: Term) -> Iterator[Term]:
    """The term, and where it is a conjunction its parts, and theirs."""
    waiting = [term]
    while waiting:
        term = waiting.pop()
        yield term
        if is_app(term, "and"):
            waiting += term.args


def _core_of(term: Term) -> Term:
    """The term without double negations."""
    while is_app(term, "not") and is_app(term.args[0], "not"):
        term = term.args[0].args[0]
    return term
