"""Premises that contradict each other in a way that only an induction shows."""

from __future__ import annotations

from pathlib import Path

from goedels_poetry.checker import check_certificate, write_certificate
from goedels_poetry.kernel.derivation import ByScheme, Derivation, Instance, Query, Step
from goedels_poetry.kernel.inductions import StructuralInduction
from goedels_poetry.kernel.schemas import instances
from goedels_poetry.languages.smt.text import parse_problem, parse_sequent
from goedels_poetry.tree.state import Verdict

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
