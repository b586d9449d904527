"""What runs in a worker process about a logic program: read it, decide it, hold it against its question."""

from __future__ import annotations

import atexit
import time
from dataclasses import replace
from functools import lru_cache
from typing import Any

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.questions.confidence.case import Case
from goedels_poetry.questions.confidence.doubts import doubts
from goedels_poetry.questions.confidence.model_tests import stated_facts, view_of
from goedels_poetry.questions.confidence.sanity_tests import sanity_tests
from goedels_poetry.questions.confidence.score import Solve
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.program import LogicProgram, statement_of
from goedels_poetry.questions.program_requirements import ProgramRequirements, assumed, check_form, findings
from goedels_poetry.questions.query_runner import SolverPair
from goedels_poetry.questions.reading import decided_by, read_program
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
    except (InvalidInput, EncodingError) as error:
        value: Json = _fault(error) if isinstance(error, InvalidInput) else {}
        return {"ok": False, "value": value, "reason": value.get("message") or str(error), "cost": _cost(began)}
    result = result_of(program, entailment, semantics=options["semantics"], world=options["world"]).to_json()
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
