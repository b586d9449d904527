"""A blind prover on false goals: random schemes, honest queries. It must never succeed; on true goals it often does."""

import random
from collections.abc import Iterator
from typing import Any

import proofs
import pytest

from goedels_poetry.kernel.derivation import Query
from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.schemas import CaseSplit, Conjuncts, ConstructorSplit, Contradiction, Intro, instances
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import BOOL, INT, Term, app, integer
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

EVEN = """(define-fun-rec even ((n Int)) Bool (ite (<= n 0) (= n 0) (not (even (- n 1)))))
"""
REVERSE = (
    proofs.LISTS
    + """(define-fun-rec rev ((xs List)) List
  (ite ((_ is nil) xs) nil (append (rev (tail xs)) (cons (head xs) nil))))
"""
)

FALSE = {
    "idempotent": proofs.ADD_IDEMPOTENT.decode(),
    "gauss with a wrong factor": proofs.GAUSS.decode().replace("(+ n 1))", "(+ n 2))"),
    "gauss without its bound": "".join(
        (proofs.GAUSS.decode().split("(prove")[0], "(prove (forall ((n Int)) (= (* 2 (sum n)) (* n (+ n 1)))))")
    ),
    "append commutes": proofs.LISTS + "(prove (forall ((xs List) (ys List)) (= (append xs ys) (append ys xs))))",
    "reverse does nothing": REVERSE + "(prove (forall ((xs List)) (= (rev xs) xs)))",
    "every length is even": EVEN + proofs.LISTS + "(prove (forall ((xs List)) (even (len xs))))",
    "even or odd the wrong way round": EVEN + "(prove (forall ((n Int)) (= (even (+ n 1)) (not (even n)))))",
    "a bound that is one too small": EVEN + "(prove (forall ((n Int)) (=> (> n 6) (not (even n)))))",
}


class Blind:
    """Proves what it can by random schemes, ``depth`` deep."""

    def __init__(self, text: str, seed: int, z3: Z3Process) -> None:
        self.context = Context(parse_problem(text))
        self.random = random.Random(seed)
        self.z3 = z3

    def proves(self, goal: Sequent, depth: int) -> bool:
        script = self.context.script_of(goal, Query(), {})
        options = {"auto_config": "false", "smt.mbqi": "false"}
        if self.z3.ask(script, Limits(rlimit=30_000, seconds=1.0), options=options).status == "unsat":
            return True
        for _ in range(2 if depth else 0):
            scheme = self.random.choice(list(self.schemes(goal)))
            try:
                cases = instances(goal, scheme, self.context.signature)
            except SchemeError:
                continue
            if len(cases) < 8 and all(self.proves(case, depth - 1) for case in cases):
                return True
        return False

    def schemes(self, goal: Sequent) -> Iterator[Any]:
        draw = self.random
        numbers = [v for v in goal.vars if v.sort is INT]
        for variable in goal.vars:
            others = [v.name for v in goal.vars if v is not variable]
            general = tuple(draw.sample(others, draw.randint(0, len(others))))
            if self.context.signature.datatype(variable.sort) is not None:
                yield StructuralInduction(variable.name, general, draw.randint(1, 2))
                yield ConstructorSplit(variable.name)
        for variable in numbers:
            base = draw.choice([integer(draw.randint(-2, 3)), *[v for v in numbers if v is not variable]])
            yield IntInduction(variable.name, base, (), draw.random() < 0.5, draw.randint(1, 3))
            yield MeasureInduction(self.shifted(variable), self.points(goal))
            yield CaseSplit(app("<", (variable, integer(draw.randint(-2, 3))), BOOL))
        for definition in self.context.signature.definitions:
            known = [[v for v in goal.vars if v.sort is p.sort] for p in definition.params]
            if all(known):
                at = tuple(draw.choice(options) for options in known)
                general = tuple(v.name for v in goal.vars if v not in at and draw.random() < 0.5)
                yield RecursionInduction(definition.name, at, general)
        yield from (Conjuncts(), Contradiction(), Intro())

    def points(self, goal: Sequent) -> tuple[tuple[Term, ...], ...]:
        return tuple(tuple(map(self.shifted, goal.vars)) for _ in range(self.random.randint(0, 2)))

    def shifted(self, variable: Term) -> Term:
        if variable.sort is not INT:
            return variable
        return app("-", (variable, integer(self.random.randint(-2, 3))), INT)


@pytest.fixture(scope="module")
def z3() -> Iterator[Z3Process]:
    with Z3Process() as process:
        yield process


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.sample(4)
def test_no_false_goal_is_proved(name: str, z3: Z3Process) -> None:
    for seed in range(8):
        blind = Blind(FALSE[name], seed, z3)
        assert not blind.proves(proofs.goal_of(blind.context.problem), 3), seed


def test_the_same_prover_finds_true_goals(z3: Z3Process) -> None:
    for text in (proofs.ADD_ASSOCIATIVE, proofs.LENGTH_OF_APPEND):
        found = False
        for seed in range(12):
            blind = Blind(text.decode(), seed, z3)
            found = found or blind.proves(proofs.goal_of(blind.context.problem), 2)
        assert found
