"""Fingerprints: stored runs know by their text which plans were tried, so it stays the same in every version."""

from __future__ import annotations

from pathlib import Path

from searches import sketched

from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.induction.integers import integer_plans
from goedels_poetry.smt.jobs.payloads import problem_of, root_sequent

THEOREMS = Path(__file__).parents[2] / "theorems" / "smt"


def test_an_induction_on_a_measure_is_named_by_the_measure_and_its_points() -> None:
    context = ProverContext(problem_of((THEOREMS / "fast_power.smt2").read_text()))
    plans = integer_plans(context, root_sequent(context.problem), 5_000)
    named = [plan.fingerprint for plan in plans]
    context.close()
    assert "measure-induction(b at 2: (((- b 1), n), ((- b 2), n)))" in named
    assert "integer-induction(n from 0 by 1)" in named


def test_a_proof_by_an_equation_is_named_by_the_equation() -> None:
    theorem = (THEOREMS / "gauss_sum.smt2").read_text()
    first = sketched(theorem)
    assert first["fingerprint"] == "recursion-induction(sum_to n / )"
    second = sketched(theorem, banned=[first["fingerprint"]])
    (lemma,) = second["children"]
    assert second["fingerprint"] == "equations-from-data((= (+ n (* n n)) (* 2 (sum_to n))))"
    assert lemma["sketch"]["fingerprint"] == "integer-induction(n from 0 by 1)"
