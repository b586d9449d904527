"""Goals and candidates tested on values (see `refutation.refute`) before anybody tries to prove them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.evaluator import Evaluator
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import Term, subterms
from goedels_poetry.smt.context.shape import ProblemShape
from goedels_poetry.smt.refutation.refute import Refuter

MISREADING_TESTS = 60


class ValueTests:
    """Tests sequents of one problem with its evaluator."""

    def __init__(self, problem: Problem, evaluator: Evaluator, shape: ProblemShape, seed: int) -> None:
        self._problem = problem
        self._evaluator = evaluator
        self._shape = shape
        self._refuter = Refuter(problem.signature, evaluator, seed)

    def counterexample(self, sequent: Sequent, tests: int) -> dict[Term, Any] | None:
        """A counterexample found by testing, or None.

        Goals with quantified hypotheses are not tested, nor those that rest on functions for which the tests have
        found values that the premises forbid.
        """
        if any(t.binders for hyp in sequent.hyps for t in subterms(hyp)):
            return None
        if self._misread and not self._misread.isdisjoint(self._shape.rests_on(sequent.formula)):
            return None
        return self._refuter.counterexample(sequent, tests)

    @cached_property
    def _misread(self) -> frozenset[str]:
        """Declared functions whose values in tests make a premise false, or that a premise ties to such a one."""
        misread: set[str] = set()
        groups: list[set[str]] = []
        signature = self._problem.signature
        for premise in self._problem.premises:
            if premise.name not in self._evaluator.defining:
                declared = {f for f in self._shape.rests_on(premise.formula) if signature.definition(f) is None}
                groups.append(declared)
                fact = sequent_of(premise.formula, signature.names)
                if declared and self._refuter.counterexample(fact, MISREADING_TESTS) is not None:
                    misread |= declared
        # With the right values of a misread function a premise may ask for other values of those beside it.
        pending = groups
        while spreading := [group for group in pending if not group.isdisjoint(misread)]:
            misread.update(*spreading)
            pending = [group for group in pending if group.isdisjoint(misread)]
        return frozenset(misread)
