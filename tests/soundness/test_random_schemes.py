"""No scheme lets a false goal through, whatever names are bound twice: the instances leave no counter-model.

Predicates are open. Inductions are asked about at small points, because no solver does the induction itself.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, MeasureInduction, StructuralInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.schemas import (
    CaseSplit,
    Conjuncts,
    ConstructorSplit,
    Contradiction,
    Intro,
    SkolemHypothesis,
    Witness,
    instances,
)
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, and_, implies, integer, substitute
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent, parse_term
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

PROBLEM = parse_problem(
    """(declare-datatypes ((N 0)) (((z) (s (p N)))))
    (declare-datatypes ((T 0)) (((leaf) (node (l T) (v Int) (r T)))))
    (declare-fun P (N) Bool) (declare-fun Q (N Int) Bool) (declare-fun I (Int) Bool) (declare-fun J (Int Int) Bool)
    (declare-fun U (T Int) Bool) (declare-fun B () Bool)
    (prove true)"""
)
SIGNATURE = PROBLEM.signature
CONTEXT = Context(PROBLEM)
NAMES = ["x", "x1", "n", "n1", "k", "t", "t_v"]
POINTS = {"N": ["(s z)", "z"], "Int": ["2", "0", "(- 2)"], "T": ["(node leaf 1 leaf)"]}
Env = dict[str, str]


class Writer:
    """Writes formulas in which names are shadowed as often as can be."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def term(self, sort: str, env: Env, depth: int) -> str:
        rng = self.rng
        inner = lambda s: self.term(s, env, depth - 1)  # noqa: E731
        known = [n for n, s in env.items() if s == sort]
        if sort == "Bool":
            return self.formula(env, depth)
        if known and rng.random() < 0.75:
            return rng.choice(known)
        if sort == "N":
            return "z" if depth <= 0 else f"(s {inner('N')})"
        if sort == "T":
            return "leaf" if depth <= 0 else f"(node {inner('T')} {inner('Int')} {inner('T')})"
        return rng.choice(["0", "1", "(- 1)"]) if depth <= 0 else f"({rng.choice('+-')} {inner('Int')} {inner('Int')})"

    def formula(self, env: Env, depth: int) -> str:
        rng = self.rng
        inner = lambda s: self.term(s, env, depth - 1)  # noqa: E731
        kind = rng.randrange(12)
        if depth <= 0 or kind < 5:
            name, sorts = rng.choice(
                [("P", ["N"]), ("Q", ["N", "Int"]), ("I", ["Int"]), ("J", ["Int", "Int"]), ("U", ["T", "Int"])]
            )
            return f"({name} {' '.join(map(inner, sorts))})"
        if kind < 8:
            bound = self.variables(2)
            binders = " ".join(f"({n} {s})" for n, s in bound.items())
            return f"({rng.choice(['forall', 'exists'])} ({binders}) {self.formula({**env, **bound}, depth - 1)})"
        if kind < 10:
            return f"({rng.choice(['and', 'or', '=>', '='])} {inner('Bool')} {inner('Bool')})"
        return f"(not {inner('Bool')})"

    def variables(self, most: int) -> Env:
        names = self.rng.sample(NAMES, self.rng.randint(1, most))
        return {n: self.rng.choice(["N", "Int", "T", "Int"]) for n in names}

    def sequent(self) -> tuple[Sequent, Env]:
        env = self.variables(3)
        hyps = " ".join(self.formula(env, 2) for _ in range(self.rng.randrange(3)))
        binders = " ".join(f"({n} {s})" for n, s in env.items())
        return parse_sequent(f"(sequent ({binders}) ({hyps}) {self.formula(env, 3)})", SIGNATURE), env

    def schemes(self, goal: Sequent, env: Env) -> Iterator[Any]:
        rng = self.rng
        read = lambda s, d: parse_term(self.term(s, env, d), SIGNATURE, goal.vars)  # noqa: E731
        for on, sort in env.items():
            general = tuple(n for n in env if n != on and rng.random() < 0.5)
            if sort != "Int":
                yield StructuralInduction(on, general, rng.choice([1, 1, 2]))
                yield ConstructorSplit(on)
                continue
            fixed = [v for v in goal.vars if v.sort.name == "Int" and v.name != on and v.name not in general]
            base = rng.choice([integer(rng.choice([-1, 0, 1])), *fixed])
            yield IntInduction(on, base, general, rng.random() < 0.6, rng.choice([1, 2]))
        yield MeasureInduction(read("Int", 1))
        yield MeasureInduction(read("Int", 1), (tuple(read(v.sort.name, 1) for v in goal.vars),))
        yield from (Conjuncts(), Contradiction(), Intro(), SkolemHypothesis(), CaseSplit(read("Bool", 2)))
        if goal.concl.kind is Kind.EXISTS:
            yield Witness(tuple(read(v.sort.name, 1) for v in goal.concl.binders))


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(4))
def test_the_instances_of_a_scheme_leave_no_counter_model_of_the_goal(seed: int) -> None:
    writer = Writer(seed)
    limits = Limits(rlimit=300_000, seconds=2.0)
    shown = 0
    with Z3Process() as z3:
        for _ in range(15):
            goal, env = writer.sequent()
            for scheme in writer.schemes(goal, env):
                try:
                    cases = instances(goal, scheme, SIGNATURE)
                except SchemeError:
                    continue
                for case in cases:
                    assert not case.formula.free and len({v.name for v in case.vars}) == len(case.vars)
                wanted = goal.formula
                if isinstance(scheme, StructuralInduction | IntInduction | MeasureInduction):
                    at = {v: parse_term(writer.rng.choice(POINTS[v.sort.name]), SIGNATURE) for v in goal.vars}
                    wanted = substitute(implies(and_(goal.hyps), goal.concl), at)
                facts = [f"(assert {CONTEXT.encoding.text(c.formula)})" for c in cases]
                denied = f"(assert (not {CONTEXT.encoding.text(wanted)}))"
                status = z3.ask("\n".join((*CONTEXT.declarations, *facts, denied)), limits).status
                assert status in ("unsat", "unknown"), (goal, scheme)
                shown += status == "unsat"
    assert shown > 50
