"""Leaves full of conditions are decided from the inside out, and Lean accepts what comes of it."""

from __future__ import annotations

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Query, Step
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import sequent_of
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.smt_proofs.conditions import conditions, decided, nested
from goedels_poetry.lean.smt_proofs.export import opened
from goedels_poetry.smt.notation.proof_json import derivation_to_json

MAX = """
(declare-datatypes ((N 0)) (((z) (s (p N)))))
(define-fun-rec leq ((x N) (y N)) Bool
  (match x ((z true) ((s k) (match y ((z false) ((s m) (leq k m))))))))
(assert (not (forall ((x N) (y N) (w N))
  (= (ite (leq x (ite (leq y w) w y)) (ite (leq y w) w y) x)
     (ite (leq (ite (leq x y) y x) w) w (ite (leq x y) y x))))))
(check-sat)
"""


def test_conditions_come_without_others_inside_and_the_inner_ones_first() -> None:
    goal = sequent_of(parse_problem(MAX).goal).concl
    assert [show(c) for c in conditions([goal])] == ["(leq y w)", "(leq x w)", "(leq x y)"]


def test_only_what_is_decided_inside_of_a_condition_is_nested() -> None:
    assert nested(sequent_of(parse_problem(MAX).goal))
    plain = "(declare-const a Int)\n(assert (not (= (ite (> a 0) 1 2) 1)))\n(check-sat)\n"
    assert not nested(sequent_of(parse_problem(plain).goal))


async def test_the_step_of_an_induction_over_nested_conditions_is_accepted_by_lean(lean: LeanPool) -> None:
    problem = parse_problem(MAX)
    whole = sequent_of(problem.goal)
    scheme = StructuralInduction("x", ("y", "w"))
    base, step = instances(whole, scheme, problem.signature)
    steps = (Step("1", base, Query()), Step("2", step, Query()), Step("3", whole, ByScheme(scheme, ("1", "2"))))
    _, theory, writing = opened(MAX.encode(), derivation_to_json(Derivation(steps)))
    proof = next(decided(writing, step, writing.definitions(step.concl)))
    body = "\n".join(f"  {line}" for line in proof.splitlines())
    text = f"{theory.header}\nset_option maxHeartbeats 4000 in\n{writing.theorem('t', step)} := by\n{body}\n"
    result = await lean.check(CheckRequest(text))
    assert result.ok, result.errors[:1]
