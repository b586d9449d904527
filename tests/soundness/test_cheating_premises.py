"""Premises that contradict each other, and what would hide it: only an induction shows it, z3 says that they have a
model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.checker.smt.portfolio import Solvers
from goedels_poetry.checker.smt.vacuity import consistency
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.refutation.theory import named_premises, with_definitions
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.questions.query_runner import OPEN, Evidence, QueryRunner
from goedels_poetry.reasoning.backends import SMT2Backend
from goedels_poetry.smt.notation.text import parse_problem, parse_sequent
from goedels_poetry.solvers.limits import Limits

THEOREM = """(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))
(define-fun-rec len ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (len t))))))
(declare-const xs L)
(assert (! (< (len xs) 0) :named short))
(prove {})
"""


def proof(text: str) -> Derivation:
    """``len x >= 0`` by induction, then whatever the goal is from that and the premise."""
    problem = parse_problem(text)
    lemma = parse_sequent("(sequent ((x L)) () (>= (len x) 0))", problem.signature)
    scheme = StructuralInduction("x", ())
    cases = [Step(f"c{i}", s, Query()) for i, s in enumerate(instances(lemma, scheme, problem.signature))]
    goal = parse_sequent(f"(sequent () () {text.split('(prove ')[1].rpartition(')')[0]})", problem.signature)
    at = parse_sequent("(sequent () () (= xs xs))", problem.signature).concl.args[0]
    return Derivation(
        (
            *cases,
            Step("lemma", lemma, ByScheme(scheme, tuple(c.id for c in cases))),
            Step("goal", goal, Query(("lemma",), (Instance("step", "lemma", (at,)),))),
        )
    )


def test_anything_follows_from_premises_that_an_induction_refutes(tmp_path: Path) -> None:
    text = THEOREM.format("(= 0 1)")
    certificate = write_certificate(text.encode(), proof(text), tmp_path / "x.cert")
    report = check_certificate(certificate, text.encode())
    assert report.verdict is Verdict.INCONSISTENT
    assert report.core == ("short",)


def test_a_true_goal_from_such_premises_is_not_proved_either(tmp_path: Path) -> None:
    text = THEOREM.format("(>= (len xs) 0)")
    certificate = write_certificate(text.encode(), proof(text), tmp_path / "x.cert")
    assert check_certificate(certificate, text.encode()).verdict is Verdict.INCONSISTENT


AT_ONCE = """(declare-datatypes ((N 0)) (((z) (s (p N)))))
(declare-fun g (N) Int)
(define-fun-rec h ((x N)) Int (ite ((_ is z) x) (g z) (h (p x))))
(assert (forall ((x N)) (= (g x) (+ (h x) 1))))
(declare-const b Bool)
(assert b)
"""
"""``g z = h z + 1 = g z + 1``: z3 reads the premise as a definition of ``g`` and says that it has a model."""


def test_a_premise_that_looks_like_a_definition_is_not_consistent_because_z3_says_so() -> None:
    context = Context(parse_problem(AT_ONCE + "(prove b)\n"))
    with Solvers.start(Limits(seconds=2.0), second=True) as solvers:
        believed = "\n".join((*with_definitions(context), *named_premises(context)))
        assert solvers.first.ask(believed, Limits(seconds=2.0)).status == "sat", "z3 has been mended"
        assert not consistency(context, solvers, True).consistent


def test_nor_are_the_premises_of_a_question() -> None:
    result = SMT2Backend().execute(AT_ONCE + "(define-fun goal () Bool b)\n")
    assert result.verdict is not Verdict.PROVED or result.trust_level in (None, "L0", "L1"), result


@pytest.mark.parametrize("goal", ["b", "(> (g z) 5)"])
def test_of_premises_too_hard_as_a_whole_those_are_looked_at_that_the_answer_needs(
    goal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quickly = QueryRunner.quickly

    def too_hard(self: QueryRunner, extras: Sequence[str]) -> list[Evidence]:
        found = quickly(self, extras)
        return [OPEN if not extra or "not" in extra else e for extra, e in zip(extras, found, strict=True)]

    monkeypatch.setattr(QueryRunner, "quickly", too_hard)
    monkeypatch.setattr(QueryRunner, "insistently", lambda *_: OPEN)
    result = SMT2Backend().execute(AT_ONCE + f"(define-fun goal () Bool {goal})\n")
    assert result.verdict is Verdict.INCONSISTENT, result


def test_a_recursion_over_a_declared_function_leaves_premises_consistent() -> None:
    rule = "(forall ((x N)) (=> (= x z) (= (g x) 3)))"
    context = Context(parse_problem(AT_ONCE.replace("(forall ((x N)) (= (g x) (+ (h x) 1)))", rule) + "(prove b)\n"))
    with Solvers.start(Limits(seconds=2.0), second=False) as solvers:
        assert consistency(context, solvers, True).consistent
