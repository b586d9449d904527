"""Terms rewritten by the defining equations of a problem."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import LARGE, Kind, Term, rebuild, substitute
from goedels_poetry.smt.rewriting.matching import match


class Rewriter:
    """Unfolds definitions on constructor patterns, innermost first, at most ``fuel`` times a term."""

    def __init__(self, signature: Signature, equations: Iterable[Equation]) -> None:
        self._signature = signature
        self._rules: dict[str, list[Equation]] = {}
        for equation in equations:
            definition = signature.definition(equation.function)
            patterned = any(a.kind is not Kind.VAR for a in equation.lhs.args)
            split = equation.function in self._rules
            if patterned or (definition is not None and not definition.recursive and not split):
                self._rules.setdefault(equation.function, []).append(equation)

    def normal(self, term: Term, fuel: int = 60) -> Term:
        """``term`` with definitions unfolded where a constructor pattern matches."""
        self._fuel = fuel
        self._done: dict[Term, Term] | None = {} if term.size > LARGE else None
        return self._go(term)

    def step(self, term: Term) -> Term | None:
        """``term`` with its outermost call unfolded once, or None where no pattern matches."""
        for equation in self._rules.get(term.name, ()):
            binding = match(equation.lhs, term)
            if binding is not None:
                return substitute(equation.rhs, binding)
        return None

    def _go(self, term: Term) -> Term:
        if self._done is None:
            return self._anew(term)
        if term not in self._done:
            self._done[term] = self._anew(term)
        return self._done[term]

    def _anew(self, term: Term) -> Term:
        if term.kind is not Kind.APP or not term.args:
            return self._unfold(term) if term.kind is Kind.APP else term
        if term.name == "ite":
            test = self._go(term.args[0])
            folded = simplify(rebuild(term, (test, *term.args[1:])), self._signature)
            if folded.kind is not Kind.APP or folded.name != "ite":
                return self._go(folded)
            return rebuild(folded, (folded.args[0], self._go(folded.args[1]), self._go(folded.args[2])))
        return self._unfold(rebuild(term, tuple([self._go(a) for a in term.args])))

    def _unfold(self, term: Term) -> Term:
        if self._fuel > 0:
            for equation in self._rules.get(term.name, ()):
                binding = match(equation.lhs, term)
                if binding is not None:
                    self._fuel -= 1
                    return self._go(substitute(equation.rhs, binding))
        return simplify(term, self._signature)
