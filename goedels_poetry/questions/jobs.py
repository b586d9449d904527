"""What runs in a worker process about a logic program: read it, decide it, hold it against its question."""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.terms import FALSE, TRUE, Term, is_app, not_
from goedels_poetry.protocol.base import REFUSED, VACUOUS
from goedels_poetry.questions.abduction import with_conditions
from goedels_poetry.questions.confidence.model_tests import stated_facts, view_of
from goedels_poetry.questions.confidence.sanity_tests import connected, sanity_tests
from goedels_poetry.questions.confidence.score import Case, FormalizationTest, Solve
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.program import LogicGoal, LogicPremise, LogicProgram, Origin, statement_of
from goedels_poetry.questions.query_runner import SolverPair, decided_by, read_program
from goedels_poetry.questions.readings import with_readings
from goedels_poetry.questions.result import countermodel_of, render_model, result_of

Json = dict[str, Any]

TEST_MILLISECONDS = 2_000
"""For one query of a test of the formalisation."""


def read(payload: Json) -> Json:
    """``text`` and ``options`` (see `LogicLanguage.read`) to ``{"ok", "statement", "warnings", "seconds"}``."""
    began = time.process_time()
    try:
        program = _read(payload)
    except InvalidInput as error:
        return {"ok": False, **_fault(error)}
    seconds = time.process_time() - began
    return {"ok": True, "statement": statement_of(program), "warnings": list(program.warnings), "seconds": seconds}


def decided(payload: Json) -> Json:
    """``text`` and ``options`` to ``{"result": VerificationResult}``."""
    return _decided(payload, None)


def answer(payload: Json) -> Json:
    """The same for a program that a model wrote, with the ``requirements`` of its question (`ProgramRequirements`).

    ``{"result", "findings", "world"}``; the result has besides ``assumed``: what the program takes for true without a
    premise; ``world``: a world of the premises in which the goal is false.
    """
    return _decided(payload, ProgramRequirements.of(payload["requirements"]))


def examined(payload: Json) -> Json:
    """Tests, without a model, of a program as a rendering of its text; and what models may be shown of it.

    ``text``, ``options``, ``question``, ``sentences`` to ``{"tests": [FormalizationTest, ...], "doubts": lines for the
    author of the program, "shown": ProgramView}``, as JSON.
    """
    began = time.monotonic()
    program = _read(payload)
    # Whatever is made of the answer, the tests are about what follows.
    entailment = decided_by(program, payload["options"] | {"semantics": "entailment"}, _solvers())
    question, sentences = payload["question"], payload["sentences"]
    solve = _briefly(payload)
    tests = sanity_tests(program, entailment, question, sentences, solve)
    value = {
        "tests": [test.to_json() for test in tests],
        "doubts": doubts(Case(program, entailment, question, tuple(sentences)), tests),
        "shown": view_of(program, question, sentences).to_json(),
    }
    return {"ok": True, "value": value, "reason": "", "cost": _cost(began)}


def stated(payload: Json) -> Json:
    """Whether facts that a model has read in the text follow: see `stated_facts`.

    ``text``, ``options``, ``sentences`` (their number), ``facts`` to ``{"test": FormalizationTest as JSON}``.
    """
    began = time.monotonic()
    program, solve = _read(payload), _briefly(payload)
    test = stated_facts(program, payload["sentences"], payload["facts"], solve)
    return {"ok": True, "value": {"test": test.to_json()}, "reason": "", "cost": _cost(began)}


def _briefly(payload: Json) -> Solve:
    """The solver for the queries of tests."""
    world = payload["options"]["world"]
    return lambda program: decide(program, milliseconds=TEST_MILLISECONDS, solvers=_solvers(), world=world)


def _decided(payload: Json, requirements: ProgramRequirements | None) -> Json:
    options = payload["options"]
    began = time.monotonic()
    try:
        program = _read(payload)
        if requirements is not None:
            check_form(program, requirements)
        entailment = decided_by(program, options, _solvers())
        if requirements is not None:
            entailment = with_conditions(program, entailment, _solvers())
    except (InvalidInput, EncodingError) as error:
        value: Json = _fault(error) if isinstance(error, InvalidInput) else {}
        return {"ok": False, "value": value, "reason": value.get("message") or str(error), "cost": _cost(began)}
    found = result_of(program, entailment, semantics=options["semantics"], world=options["world"])
    completes = requirements is None or not requirements.may_stay_open
    read = program if requirements is None else replace(program, readings=_plausible(program, requirements))
    limit = options["verify_timeout"]
    result = with_readings(read, entailment, found, _solvers(), milliseconds=limit, completes=completes).to_json()
    value = {"result": result}
    if requirements is not None:
        with_closure = replace(program, premises=(*program.premises, *entailment.closure))
        value = {
            "result": {**result, "assumed": assumed(program)},
            "findings": findings(with_closure, result, requirements),
            "world": render_model(countermodel_of(result["goals"])),
        }
    return {"ok": True, "value": value, "reason": "", "cost": _cost(began)}


def _read(payload: Json) -> LogicProgram:
    return read_program(payload["text"], payload["options"]["dialect"])


@lru_cache(maxsize=1)
def _solvers() -> SolverPair:
    """The processes that all programs of this worker share."""
    pair = SolverPair()
    atexit.register(pair.close)
    return pair


def _fault(error: InvalidInput) -> Json:
    place = {"line": error.line, "column": error.column, "path": error.path, "hint": error.hint}
    return {"message": error.message, **place}


def _cost(began: float) -> dict[str, float]:
    return {"solver_seconds": round(time.monotonic() - began, 6), "solver_calls": 1.0}


OF_PREMISES = {
    "premise polarity": "it negates something where its words do not, or the other way round",
    "guards": "it has an implication under `exists`, or a conjunction of conditions under `forall`",
}
"""Tests that name premises, and what they found about each; even a warning of theirs seldom cries wolf."""
OF_THE_GOAL = {"polarity": ("warning", "failed"), "goal connected": ("failed",)}
"""Tests about the program as a whole -> outcomes that are told."""
MAX_QUOTED = 200


def doubts(case: Case, tests: Iterable[FormalizationTest]) -> list[str]:
    """One line for each fault, for the model that wrote the program: which place, its words, what is amiss."""
    used = _used(case)
    found = list[str]()
    for test in tests:
        if test.outcome in OF_THE_GOAL.get(test.name, ()):
            found.append(test.text)
        elif test.name in OF_PREMISES and test.outcome in ("warning", "failed"):
            for name in test.about:
                if name in used:
                    found.append(f"{_place(case, name)}: {OF_PREMISES[test.name]}")
    return found


def _used(case: Case) -> frozenset[str]:
    """Names of goals, and of premises that a proof needs; where there is none, of those that are linked with a goal."""
    goals = {goal.name for goal in case.program.goals}
    if case.decided:
        return frozenset(goals | {premise.name for premise in case.core})
    return frozenset(goals) | connected(case)


def _place(case: Case, name: str) -> str:
    for premise in case.program.premises:
        if premise.name == name:
            said = " ".join(filter(None, map(case.sentence, premise.sentences)))
            numbers = ", ".join(map(str, premise.sentences))
            quoted = said if len(said) <= MAX_QUOTED else f"{said[:MAX_QUOTED]}…"
            return f'premise {name} (sentence {numbers}: "{quoted}")' if said else f"premise {name}"
    return "the goal" if name == "goal" else f"goal {name}"


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
    may_stay_open: bool = False
    """Whether the question offers a third answer, so that what is not said is not false."""

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
            bool(payload.get("may_stay_open")),
        )


def check_form(program: LogicProgram, requirements: ProgramRequirements) -> None:
    """Raise InvalidInput, with place and what to change, for a program that cannot answer the question."""
    _check_goals(program, requirements)
    for premise in (*program.premises, *program.readings):
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


def _plausible(program: LogicProgram, requirements: ProgramRequirements) -> tuple[LogicPremise, ...]:
    """Readings that are no further facts: where there is a text, each renders a sentence of a premise that it replaces.

    None says the goal, or its negation, and none rests on the sentence that asks.
    """
    told = {premise.name: set(premise.sentences) - requirements.asked for premise in program.premises}
    return tuple(
        reading
        for reading in program.readings
        if not _says_goal(program, reading)
        and (not requirements.text or told.get(reading.instead, set()) & set(reading.sentences))
    )


def _says_goal(program: LogicProgram, premise: LogicPremise) -> bool:
    """Whether it says what is asked, or its opposite."""
    asked = {form for goal in program.goals for form in (_core_of(goal.formula), _core_of(not_(goal.formula)))}
    return not asked.isdisjoint(_core_of(part) for part in _conjuncts(premise.formula))


def _assumed_goals(program: LogicProgram, requirements: ProgramRequirements) -> Iterator[Finding]:
    """Premises that say what is asked, or its opposite, and that the text does not state."""
    for premise in program.premises:
        if _says_goal(program, premise) and not _is_stated(premise, requirements):
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
