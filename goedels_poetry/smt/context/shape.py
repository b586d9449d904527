"""What a problem is made of, as far as that decides how its goals are attempted."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from goedels_poetry.kernel.obligations import Context
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.refutation.theory import with_definitions
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind, Term, subterms, symbols
from goedels_poetry.smt.context.sessions import SORTS, multiplies, suits


class ProblemShape:
    """Which functions recur on what, and which theories there are.

    ``defining``: names of the premises that the evaluator computes by, as if they were definitions.
    """

    def __init__(self, problem: Problem, obligations: Context, defining: Collection[str]) -> None:
        self._problem = problem
        self._signature = problem.signature
        self._obligations = obligations
        self._defining = defining
        self._recursive_positions = frozenset(
            (equation.function, position)
            for equation in obligations.equations
            for position, argument in enumerate(equation.lhs.args)
            if argument.kind is not Kind.VAR
        )
        self.unfolded = frozenset(
            d.name
            for d in problem.signature.definitions
            if d.recursive and not any(name == d.name for name, _ in self._recursive_positions)
        )
        """Functions that recur on numbers: no constructor says when, so their calls are unfolded by the instance."""

    def recurses_on(self, function: str, position: int) -> bool:
        """Whether a defining equation of ``function`` has a constructor pattern at ``position``."""
        return (function, position) in self._recursive_positions

    def mentions_unfolded(self, sequent: Sequent) -> bool:
        """Whether there are calls of `unfolded` functions."""
        return bool(self.unfolded) and any(
            t.kind is Kind.APP and t.name in self.unfolded
            for part in (sequent.concl, *sequent.hyps)
            for t in subterms(part)
        )

    def only_ground(self, sequent: Sequent) -> bool:
        """Whether equations, premises and hypotheses have nothing to say beyond what is given by the instance."""
        return self._ground_context and not any(t.binders for hyp in sequent.hyps for t in subterms(hyp))

    def suits_second(self, sequent: Sequent) -> bool:
        """Whether cvc5 is rather to be asked than z3, see `second_solver.suits`."""
        return suits(sequent, sorts=self._speaks_of_sorts, products=self._multiplies)

    def rests_on(self, term: Term) -> set[str]:
        """Symbols in ``term`` and in the definitions that it leads to."""
        reached: set[str] = set()
        pending = [term]
        while pending:
            for name in (symbols(pending.pop()) & self._signature.names) - reached:
                reached.add(name)
                definition = self._signature.definition(name)
                pending += [] if definition is None else [definition.body]
        return reached

    def reachable_functions(self, term: Term) -> list[str]:
        """Declared and defined functions in ``term`` and in what defines them, premises included, nearest first."""
        described = {
            name: premise.formula
            for premise in self._problem.premises
            if premise.name in self._defining
            for name in symbols(premise.formula)
        }
        level: dict[str, int] = {}
        queue: list[str] = []

        def enter(t: Term, depth: int) -> None:
            for s in subterms(t):
                if s.kind is Kind.APP and self._signature.type_of(s.name) and s.name not in level:
                    level[s.name] = depth
                    queue.append(s.name)

        enter(term, 0)
        while queue:
            name = queue.pop(0)
            definition = self._signature.definition(name)
            if definition is not None:
                enter(definition.body, level[name] + 1)
            elif name in described:
                enter(described[name], level[name] + 1)
        return sorted(level, key=lambda f: level[f])

    @cached_property
    def _speaks_of_sorts(self) -> bool:
        """Whether any of the sorts for which cvc5 is better is in the problem at all."""
        return any(name in line for line in with_definitions(self._obligations) for name in SORTS) or any(
            t.sort.name in SORTS for t in subterms(self._problem.goal)
        )

    @cached_property
    def _multiplies(self) -> bool:
        """Whether unknowns are multiplied anywhere in the problem."""
        return any(map(multiplies, (self._problem.goal, *[d.body for d in self._signature.definitions])))

    @cached_property
    def _ground_context(self) -> bool:
        return self._obligations.prelude(True, True) == self._obligations.prelude(False, False)
