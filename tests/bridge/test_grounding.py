"""Leaves by the facts that z3 has used: what is read from its proofs, what these suppose, and that Lean accepts it."""

from __future__ import annotations

import asyncio

import pytest

from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import app, integer, subterms
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest
from goedels_poetry.lean.smt_proofs import leaves
from goedels_poetry.lean.smt_proofs.casework import Casework, shapes
from goedels_poetry.lean.smt_proofs.export import export, opened
from goedels_poetry.lean.smt_proofs.grounding import Ground, grounded, instantiations
from goedels_poetry.lean.smt_proofs.writing import indented
from goedels_poetry.smt.notation.proof_json import derivation_to_json
from goedels_poetry.solvers.limits import Answer, SolverUnavailable
from goedels_poetry.solvers.z3_process import Z3Process

DROPS = """
(declare-sort E 0)
(declare-datatypes ((N 0)) (((z) (s (p N)))))
(declare-datatypes ((L 0)) (((nil) (cons (hd E) (tl L)))))
(define-fun-rec skip ((n N) (x L)) L
  (match n ((z x) ((s k) (match x ((nil nil) ((cons h t) (skip k t))))))))
(assert (not (forall ((a N) (b N) (x L)) (= (skip a (skip b x)) (skip b (skip a x))))))
"""
LEAF = 1
"""The case of a list with a head, of an induction on x that is general in a and b."""


def derivation() -> Derivation:
    problem = parse_problem(DROPS.encode())
    goal, scheme = sequent_of(problem.goal), StructuralInduction("x", ("a", "b"), 1)
    cases = instances(goal, scheme, problem.signature)
    steps = [Step(str(i), case, Query()) for i, case in enumerate(cases, 1)]
    return Derivation((*steps, Step("goal", goal, ByScheme(scheme, tuple(s.id for s in steps)))))


@pytest.fixture
def z3() -> Z3Process:
    return Z3Process()


def test_instantiations_are_read_from_a_proof_with_all_its_names() -> None:
    proof = """((proof
      (let ((?x1 (u.f ?a)))
      (let (($x2 (forall ((?v u.S) (?w u.S) )(! (= ?v ?w) :pattern ( (u.f ?v) ) :qid q7))))
      (let (($x3 (or (not $x2) (= ?x1 u.c))))
      (unit-resolution ((_ quant-inst ?x1 u.c) $x3) (asserted $x2) false))))))"""
    assert list(instantiations(proof)) == [("q7", {"?v": "( u.f ?a )", "?w": "u.c"})]
    assert list(instantiations(proof.replace(" :qid q7", ""))) == []
    assert list(instantiations("(broken")) == []


def test_z3_says_at_which_terms_a_leaf_needs_its_equations_and_hypotheses(z3: Z3Process) -> None:
    problem, leaf = parse_problem(DROPS.encode()), derivation().steps[LEAF]
    with z3:
        ground = grounded(Context(problem), leaf.sequent, Query(), {}, z3)
        assert ground is not None
        assert {i.of for i in ground.instances} == {"def", "hyp"}
        assert all(i.name == "skip" for i in ground.instances if i.of == "def")
        context = Context(problem)
        query = Query(instances=ground.instances, equations=False, quantified=False)
        assert z3.ask(context.script_of(leaf.sequent, query, {})).status == "unsat"
        for one in ground.instances:  # none of them is there for nothing
            fewer = tuple(i for i in ground.instances if i is not one)
            script = context.script_of(leaf.sequent, Query(instances=fewer, equations=False, quantified=False), {})
            assert z3.ask(script).status != "unsat"


def test_what_does_not_follow_has_no_facts(z3: Z3Process) -> None:
    problem, leaf = parse_problem(DROPS.encode()), derivation().steps[LEAF]
    with z3:
        assert grounded(Context(problem), Sequent(leaf.sequent.vars, (), leaf.sequent.concl), Query(), {}, z3) is None


def test_facts_are_told_without_selectors(z3: Z3Process) -> None:
    evidence = derivation_to_json(derivation())
    found, _, writing = opened(DROPS.encode(), evidence)
    leaf = found.steps[LEAF]
    with z3:
        ground = grounded(Context(writing.problem), leaf.sequent, Query(), {}, z3)
    assert ground is not None
    told = shapes(writing, leaf.sequent, ground)
    selectors = {"p", "hd", "tl"}
    assert any(t.name in selectors for i in ground.instances for a in i.args for t in subterms(a))
    assert not any(t.name in selectors for i in told.instances for a in i.args for t in subterms(a))
    assert told.subjects and "∨" in told.text


@pytest.mark.whole("test_values_of_three_shapes_are_told_so_that_lean_accepts_it")
def test_a_leaf_whose_cases_nobody_has_named_becomes_a_lean_file(lean: LeanPool) -> None:
    done = asyncio.run(export(DROPS.encode(), derivation_to_json(derivation()), lean, 300.0))
    assert done.text is not None, done.reason


def test_a_leaf_is_told_what_the_functions_of_its_premises_are() -> None:
    text = """
    (declare-datatypes ((P 0)) (((pair (left Int) (right Int)))))
    (declare-fun apply (P) Int)
    (define-fun first ((q P)) Int (left q))
    (assert (! (forall ((q P)) (= (apply q) (first q))) :named law))
    (assert (not (forall ((a Int) (b Int)) (= (apply (pair a b)) a))))
    """
    goal = sequent_of(parse_problem(text.encode()).goal)
    evidence = derivation_to_json(Derivation((Step("goal", goal, Query()),)))
    _, _, writing = opened(text.encode(), evidence)
    assert "law" in writing.suppositions("goal")
    texts = list(leaves.proofs(writing, goal, Query(), writing.needs["goal"]))
    assert "Smt.first" in texts[0]


def test_an_equation_of_a_function_that_lean_does_not_define_is_taken_from_its_hypotheses() -> None:
    text = """
    (define-fun-rec half ((n Int)) Int (ite (= n 0) 0 (ite (= n 1) 0 (+ 1 (half (- n 2))))))
    (assert (not (= (half 0) 0)))
    """
    goal = sequent_of(parse_problem(text.encode()).goal)
    _, theory, writing = opened(text.encode(), derivation_to_json(Derivation((Step("goal", goal, Query()),))))
    assert "half" in theory.equations
    told = leaves.instances_of(writing, [Instance("def", "half", (integer(0),))])
    assert "exact half_eq_1" in told and "grind" in told


def test_values_of_three_shapes_are_told_so_that_lean_accepts_it(lean: LeanPool) -> None:
    text = """
    (declare-datatypes ((B 0)) (((one) (even (half B)) (odd (rest B)))))
    (assert (not (forall ((x B)) (or (= x one) (= x (even (half x))) (= x (odd (rest x)))))))
    """
    goal = sequent_of(parse_problem(text.encode()).goal)
    _, theory, writing = opened(text.encode(), derivation_to_json(Derivation((Step("goal", goal, Query()),))))
    (x,) = goal.vars
    selected = Instance("hyp", "0", (app("half", (x,), x.sort),))
    told = shapes(writing, goal, Ground((selected,), (), ()))
    stated = f"theorem three {theory.binders([x])} : True := by\n{indented(told.text)}\n  trivial\n"
    result = asyncio.run(lean.check(CheckRequest(f"{theory.header}\n{stated}", seconds=60.0)))
    assert result.ok, result.messages
    assert told.subjects == (x,) and "one" in told.text and "odd" in told.text


def test_without_a_z3_a_leaf_is_not_taken_to_pieces_and_nothing_breaks() -> None:
    found, _, writing = opened(DROPS.encode(), derivation_to_json(derivation()))

    class Missing(Z3Process):
        def ask(self, *args: object, **others: object) -> Answer:
            raise SolverUnavailable("z3: not installed")

    async def accepted(sequent: Sequent, text: str) -> bool:
        raise AssertionError("nothing is tried")

    async def searched() -> str | None:
        context, leaf = Context(writing.problem), found.steps[LEAF]
        return await Casework(writing, context, leaf, Query(), Missing(), asyncio.Lock(), accepted).proof()

    assert asyncio.run(searched()) is None
