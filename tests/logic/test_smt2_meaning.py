"""SMT-LIB programs mean what the solver reads in them: premises and query together, scopes, threads."""

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import z3
from named_texts import tables
from smt2_texts import BIRDS

from goedels_poetry.kernel.encoding import Encoding
from goedels_poetry.kernel.refutation.theory import declarations_and_definitions
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.questions.program.smt2 import read_smt2

TABLES = tables(__file__)

AS_MODELS_WRITE = TABLES["AS_MODELS_WRITE"]


CONTEXT = z3.Context()


def as_read(text: str) -> str:
    """Premises and what is asserted last, as solvers get them."""
    program = read_smt2(text)
    encoding = Encoding(program.signature)
    (goal,) = program.goals
    query = encoding.text(goal.formula)
    lines = [
        *declarations_and_definitions(encoding.signature()),
        *(f"(assert {encoding.text(premise.formula)})" for premise in program.premises),
        f"(assert (not {query}))" if goal.negated else f"(assert {query})",
        "(check-sat)",
    ]
    return "\n".join(lines)


def last_answer(text: str) -> str:
    said: str = z3.Z3_eval_smtlib2_string(CONTEXT.ref(), f"(reset){text}")
    assert "error" not in said
    return said.split()[-1]


@pytest.mark.parametrize("text", AS_MODELS_WRITE)
def test_premises_and_query_together_mean_what_the_solver_reads(text: str) -> None:
    assert last_answer(as_read(text + "(check-sat)")) == last_answer(text + "(check-sat)")


def test_random_scopes_mean_what_the_solver_reads() -> None:
    answers = set()
    for seed in range(40):
        text = "\n".join(_scopes(random.Random(seed)))
        answer = last_answer(text)
        assert (last_answer(as_read(text)), text) == (answer, text)
        answers.add(answer)
    assert answers == {"sat", "unsat"}


def _scopes(choose: random.Random) -> Iterator[str]:
    """Commands that declare, assert, check, and leave scopes whose names are then declared anew."""
    scopes: list[dict[str, str]] = [{}]
    for _ in range(choose.randint(5, 20)):
        visible = {name: sort for scope in scopes for name, sort in scope.items()}
        match choose.randint(0, 5):
            case 0 | 1:
                name, sort = choose.choice("pqrs"), choose.choice(["Bool", "Int"])
                if name not in visible:
                    scopes[-1][name] = sort
                    value = choose.choice(["", "(> 2 1)" if sort == "Bool" else "1"])
                    yield f"(define-fun {name} () {sort} {value})" if value else f"(declare-const {name} {sort})"
            case 2:
                yield "(push)"
                scopes.append({})
            case 3 if len(scopes) > 1:
                yield "(check-sat)\n(pop)"
                scopes.pop()
            case _:
                yield f"(assert {_formula(choose, visible)})"
    yield "(assert true)\n(check-sat)"


def _formula(choose: random.Random, visible: dict[str, str]) -> str:
    name, sort = choose.choice(list(visible.items()) or [("true", "Bool")])
    atom = name if sort == "Bool" else f"(= {name} {choose.randint(0, 2)})"
    return choose.choice([atom, f"(not {atom})"])


# ---------------------------------------------------------------------------------------------- threads


def test_threads_that_read_the_same_program_get_the_same_terms() -> None:
    start, texts = Barrier(8), [BIRDS.replace("bird", f"bird{i}") + "(assert (flies tweety))" for i in range(150)]

    def read_all(_: int) -> list[LogicProgram]:
        programs = []
        for text in texts:
            start.wait(timeout=30)
            programs.append(read_smt2(text))
        return programs

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(read_all, range(8)))
    finally:
        sys.setswitchinterval(interval)
    for programs in zip(*found, strict=True):
        assert len({tuple(premise.formula for premise in program.premises) for program in programs}) == 1
