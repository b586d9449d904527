"""The schemes are sound: their instances together imply the parent, and none of them is superfluous.

Predicates are left open, so what holds here holds for every goal. Induction is checked at given points: from the
instances, as assumed facts, a solver derives the parent there by plain instantiation.
"""

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
from goedels_poetry.kernel.terms import app, substitute
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent, parse_term
from goedels_poetry.solvers.limits import Limits
from goedels_poetry.solvers.z3_process import Z3Process

PROBLEM = parse_problem(
    """(declare-datatypes ((Nat 0)) (((zero) (succ (pred Nat)))))
    (declare-datatypes ((Tree 0)) (((leaf) (node (left Tree) (label Int) (right Tree)))))
    (declare-fun P (Nat) Bool) (declare-fun Q (Nat Int) Bool) (declare-fun T (Tree Int) Bool)
    (declare-fun I (Int) Bool) (declare-fun J (Int Int) Bool) (declare-fun A () Bool) (declare-fun B () Bool)
    (prove A)"""
)
CONTEXT = Context(PROBLEM)
SIGNATURE = PROBLEM.signature
INCREMENTAL = {"auto_config": "false", "smt.mbqi": "false"}


def sequent(text: str) -> Sequent:
    return parse_sequent(text, SIGNATURE)


def term(text: str, goal: Sequent) -> Any:
    return parse_term(text, SIGNATURE, goal.vars)


def implied(facts: tuple[Sequent, ...], goal: Sequent, at: tuple[str, ...] | None, options: Any = INCREMENTAL) -> bool:
    """Whether the facts imply the goal (at a point, given as one term for each of its variables)."""
    wanted = goal
    if at is not None:
        point = {v: term(t, goal) for v, t in zip(goal.vars, at, strict=True)}
        body = app("=>", (*goal.hyps, goal.concl), goal.concl.sort) if goal.hyps else goal.concl
        wanted = Sequent((), (), substitute(body, point))
    lines = [*CONTEXT.prelude(), *[f"(assert {CONTEXT.encoding.text(f.formula)})" for f in facts]]
    with Z3Process() as z3:
        answer = z3.ask("\n".join((*lines, *CONTEXT.check(wanted))), Limits(seconds=2.0), options=options)
    return answer.status == "unsat"


def one(number: int) -> str:
    return "(succ " * number + "zero" + ")" * number


NAT = "(sequent ((x Nat)) () (P x))"
PAIR = "(sequent ((x Nat) (k Int)) ((> k 0)) (Q x k))"
TREE = "(sequent ((t Tree) (k Int)) () (T t k))"
INT = "(sequent ((n Int)) () (I n))"
BOUNDED = "(sequent ((n Int) (b Int)) ((>= n b)) (J n b))"
BOTH = "(sequent ((n Int) (k Int)) ((>= n 0) A) (J n k))"

INDUCTIONS: list[tuple[str, Any, tuple[str, ...]]] = [
    (NAT, StructuralInduction("x", ()), (one(3),)),
    (NAT, StructuralInduction("x", (), 2), (one(4),)),
    (NAT, StructuralInduction("x", (), 3), (one(5),)),
    (PAIR, StructuralInduction("x", ("k",)), (one(2), "5")),
    (PAIR, StructuralInduction("x", ()), (one(2), "5")),
    (TREE, StructuralInduction("t", ("k",)), ("(node leaf 1 (node leaf 2 leaf))", "7")),
    (TREE, StructuralInduction("t", (), 2), ("(node (node leaf 3 leaf) 1 (node leaf 2 leaf))", "7")),
    (INT, IntInduction("n", parse_term("0", SIGNATURE), ()), ("3",)),
    (INT, IntInduction("n", parse_term("0", SIGNATURE), ()), ("(- 3)",)),
    (INT, IntInduction("n", parse_term("2", SIGNATURE), (), width=3), ("8",)),
    (INT, IntInduction("n", parse_term("0", SIGNATURE), (), upward=False), ("(- 4)",)),
    (INT, IntInduction("n", parse_term("0", SIGNATURE), (), upward=False, width=2), ("(- 5)",)),
    (INT, IntInduction("n", parse_term("0", SIGNATURE), (), upward=False), ("9",)),
    (BOTH, IntInduction("n", parse_term("0", SIGNATURE), ("k",)), ("3", "5")),
    (BOTH, IntInduction("n", parse_term("0", SIGNATURE), ()), ("3", "5")),
]


@pytest.mark.parametrize(("text", "scheme", "at"), INDUCTIONS)
def test_the_instances_of_an_induction_give_the_goal_at_each_point(text: str, scheme: Any, at: tuple[str, ...]) -> None:
    goal = sequent(text)
    cases = instances(goal, scheme, SIGNATURE)
    assert implied(cases, goal, at)


@pytest.mark.parametrize(("text", "scheme"), [row[:2] for row in INDUCTIONS if row[0] is not BOTH])
def test_no_induction_hypothesis_is_the_goal_itself(text: str, scheme: Any) -> None:
    """No instance follows from nothing: an open predicate cannot be proved."""
    for case in instances(sequent(text), scheme, SIGNATURE):
        assert not implied((), case, None)


def test_a_base_that_is_a_variable() -> None:
    goal = sequent(BOUNDED)
    cases = instances(goal, IntInduction("n", term("b", goal), ()), SIGNATURE)
    assert implied(cases, goal, ("6", "3"))
    with pytest.raises(SchemeError):
        instances(goal, IntInduction("n", term("b", goal), ("b",)), SIGNATURE)
    with pytest.raises(SchemeError):
        instances(goal, IntInduction("n", term("(+ n 1)", goal), ()), SIGNATURE)


@pytest.mark.parametrize("measure", ["n", "(- n 5)", "(* 2 n)"])
def test_measure_induction_gives_the_goal_at_each_point(measure: str) -> None:
    """By hand what well-foundedness says: below 0 no hypothesis applies, then each point follows from those below."""
    goal = sequent(INT)
    (case,) = instances(goal, MeasureInduction(term(measure, goal)), SIGNATURE)
    known: tuple[Sequent, ...] = ()
    least = {"n": -1, "(- n 5)": 4, "(* 2 n)": -1}[measure]
    for point in range(least, least + 4):
        here = f"(- {-point})" if point < 0 else str(point)
        assert not implied(known, goal, (here,))
        assert implied((case, *known), goal, (here,), {})
        known += (Sequent((), (), substitute(goal.concl, {goal.vars[0]: term(here, goal)})),)


def test_a_measure_that_does_not_fall_gives_nothing() -> None:
    goal = sequent(INT)
    same = MeasureInduction(term("n", goal), ((term("n", goal),),))
    up = MeasureInduction(term("n", goal), ((term("(+ n 1)", goal),),))
    constant = MeasureInduction(term("7", goal), ((term("(- n 1)", goal),),))
    for scheme in (same, up, constant):
        (case,) = instances(goal, scheme, SIGNATURE)
        bare = Sequent(case.vars, (), case.concl)
        assert implied((case,), bare, None)  # such a hypothesis is worth nothing: the case is as hard as the goal


LOGICAL: list[tuple[str, Any]] = [
    ("(sequent ((x Nat)) ((P x)) (Q x 1))", ConstructorSplit("x")),
    ("(sequent ((t Tree) (k Int)) () (T t k))", ConstructorSplit("t")),
    ("(sequent ((n Int)) (A) (and (I n) B (J n n)))", Conjuncts()),
    ("(sequent ((n Int)) (A) (= (I n) B))", Conjuncts()),
    ("(sequent ((n Int)) (A) (I n))", Contradiction()),
    ("(sequent ((n Int)) (A) (forall ((m Int)) (=> (I m) (forall ((k Int)) (not (J m k))))))", Intro()),
    ("(sequent ((n Int)) (A) (forall ((n Int) (m Int)) (J n m)))", Intro()),
    ("(sequent ((n Int)) ((exists ((n Int) (m Int)) (J n m)) (exists ((m Int)) (I m))) (I n))", SkolemHypothesis()),
]


@pytest.mark.parametrize(("text", "scheme"), LOGICAL)
def test_the_instances_of_a_logical_scheme_imply_the_goal_and_are_all_needed(text: str, scheme: Any) -> None:
    goal = sequent(text)
    cases = instances(goal, scheme, SIGNATURE)
    assert implied(cases, goal, None)
    for i in range(len(cases)):
        assert not implied(cases[:i] + cases[i + 1 :], goal, None)


def test_case_split_and_witness() -> None:
    goal = sequent("(sequent ((n Int)) (A) (I n))")
    cases = instances(goal, CaseSplit(term("(J n 3)", goal)), SIGNATURE)
    assert implied(cases, goal, None) and not implied(cases[:1], goal, None) and not implied(cases[1:], goal, None)
    goal = sequent("(sequent ((n Int)) (A) (exists ((m Int) (n Int)) (J m n)))")
    cases = instances(goal, Witness((term("(+ n 1)", goal), term("7", goal))), SIGNATURE)
    assert implied(cases, goal, None, {}) and not implied((), goal, None, {})


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        (NAT, StructuralInduction("y", ())),
        (NAT, StructuralInduction("x", ("x",))),
        (NAT, StructuralInduction("x", (), 0)),
        (NAT, StructuralInduction("x", (), 4)),
        (INT, StructuralInduction("n", ())),
        (PAIR, StructuralInduction("x", ("k", "k"))),
        (NAT, IntInduction("x", parse_term("0", SIGNATURE), ())),
        (INT, IntInduction("n", parse_term("zero", SIGNATURE), ())),
        (INT, IntInduction("n", parse_term("0", SIGNATURE), (), width=0)),
        (INT, IntInduction("n", parse_term("0", SIGNATURE), (), width=7)),
        (NAT, MeasureInduction(parse_term("zero", SIGNATURE))),
        (INT, MeasureInduction(parse_term("0", SIGNATURE), ((),))),
        (INT, MeasureInduction(parse_term("0", SIGNATURE), ((parse_term("zero", SIGNATURE),),))),
        (INT, CaseSplit(parse_term("0", SIGNATURE))),
        (INT, ConstructorSplit("n")),
        (INT, Conjuncts()),
        (INT, Intro()),
        (INT, SkolemHypothesis()),
        (INT, Witness(())),
        ("(sequent ((n Int)) () (exists ((m Int)) (J n m)))", Witness((parse_term("zero", SIGNATURE),))),
        ("(sequent ((n Int)) (A) false)", Contradiction()),
    ],
)
def test_a_scheme_that_does_not_apply_is_an_error(text: str, scheme: Any) -> None:
    with pytest.raises(SchemeError):
        instances(sequent(text), scheme, SIGNATURE)


def test_terms_of_another_scope_are_refused() -> None:
    goal = sequent(INT)
    stranger = sequent("(sequent ((m Int)) () (I m))").vars[0]
    for scheme in (
        IntInduction("n", stranger, ()),
        MeasureInduction(stranger),
        MeasureInduction(goal.vars[0], ((stranger,),)),
        CaseSplit(app("I", (stranger,), goal.concl.sort)),
    ):
        with pytest.raises(SchemeError):
            instances(goal, scheme, SIGNATURE)


def test_the_generalised_variable_is_bound_in_the_hypothesis_and_fixed_variables_are_not() -> None:
    goal = sequent("(sequent ((x Nat) (k Int) (m Int)) ((> k m)) (Q x k))")
    _, step = instances(goal, StructuralInduction("x", ("k",)), SIGNATURE)
    hypothesis = step.hyps[0]
    assert [v.name for v in hypothesis.binders] == ["k"]
    assert {v.name for v in hypothesis.free} == {"x1", "m"}
