"""Two solvers at the obligations: either may decide one, each confirms the other, and none may disagree."""

from __future__ import annotations

from pathlib import Path

import proofs
import pytest

from goedels_poetry.checker import TrustLevel, check_certificate, write_certificate
from goedels_poetry.checker.smt import portfolio
from goedels_poetry.checker.smt.check import Refused, Undecided, _confirm, _replay
from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.smt.notation.text import parse_problem
from goedels_poetry.solvers.limits import Answer, Limits
from goedels_poetry.solvers.z3_process import Z3Process

SUM_OF_BITS = b"""(declare-fun f (Int (_ BitVec 64)) (_ BitVec 64))
(prove (forall ((n Int) (x (_ BitVec 64)) (y (_ BitVec 64))) (=>
  (= (f n x) (ite (<= n 0) (_ bv0 64) (bvadd x (f (- n 1) x))))
  (= (f n y) (ite (<= n 0) (_ bv0 64) (bvadd y (f (- n 1) y))))
  (= (f n (bvadd x y)) (ite (<= n 0) (_ bv0 64) (bvadd (bvadd x y) (f (- n 1) (bvadd x y)))))
  (= (f (- n 1) (bvadd x y)) (bvadd (f (- n 1) x) (f (- n 1) y)))
  (= (f n (bvadd x y)) (bvadd (f n x) (f n y))))))
"""
"""Bit by bit this takes z3 many seconds; as a sum of integers it takes cvc5 none."""

FALSE = b"(declare-fun f (Int) Int)\n(prove (forall ((x Int)) (< (f x) 3)))\n"


class Silent(Z3Process):
    """A first solver that cannot tell; the process behind it is never started."""

    def _start(self, memory_mb: int):  # type: ignore[no-untyped-def]
        raise AssertionError("nobody should be asked")

    def ask(self, *_: object, **__: object) -> Answer:
        return Answer("unknown", "silent")

    def session(self, *_: object, **__: object) -> Silent:  # type: ignore[override]
        return self

    check = ask


def _obligations(text: bytes) -> tuple[Context, list]:  # type: ignore[type-arg]
    context = Context(parse_problem(text.decode()))
    return context, [context.obligation(step, {}) for step in proofs.direct(text).steps]


def test_what_only_the_second_solver_decides_is_proved_but_not_confirmed(tmp_path: Path) -> None:
    path = write_certificate(SUM_OF_BITS, proofs.direct(SUM_OF_BITS), tmp_path / "bits")
    report = check_certificate(path, SUM_OF_BITS, limits=Limits(seconds=3.0), second_seconds=2.0)
    assert (report.verdict, report.trust_level) == (Verdict.PROVED, TrustLevel.NOT_VACUOUS)
    assert report.undecided_by_first == ("step goal",)
    assert (report.obligations.total, report.obligations.first, report.obligations.second) == (1, 0, 1)
    assert not report.undecided_by_second
    alone = check_certificate(path, SUM_OF_BITS, limits=Limits(seconds=0.2), second_solver=False)
    assert (alone.verdict, alone.trust_level) == (Verdict.UNKNOWN, None)


def test_what_the_second_solver_finds_false_is_refused_though_the_first_cannot_tell() -> None:
    context, obligations = _obligations(FALSE)
    with portfolio.Solvers.start(Limits(seconds=5.0), second=True) as solvers:
        solvers.first = Silent()
        with pytest.raises(Refused, match="does not hold"):
            _replay(context, obligations, solvers)


def test_nothing_is_proved_when_neither_solver_can_tell() -> None:
    context, obligations = _obligations(
        b"(prove (forall ((x Int) (y Int) (z Int)) (distinct 114 (+ (* x x x) (* y y y) (* z z z)))))"
    )
    with (
        portfolio.Solvers.start(Limits(seconds=0.3), second=True) as solvers,
        pytest.raises(Undecided, match="solvers do not"),
    ):
        _replay(context, obligations, solvers)


def test_solvers_that_contradict_each_other_raise_the_alarm_whoever_was_first() -> None:
    context, obligations = _obligations(FALSE)
    with portfolio.Solvers.start(Limits(seconds=5.0), second=True) as solvers:
        for first_decided in (frozenset(), frozenset({"step goal"})):  # as if one of them had said ``unsat``
            with pytest.raises(Refused, match="ALARM"):
                _confirm(context, obligations, first_decided, solvers)
