"""Rewriting with the defining equations, and small operations on terms that strategies share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import count

from goedels_poetry.kernel.equations import Equation, simplify
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import LARGE, Kind, Term, rebuild, substitute, var


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


def match(pattern: Term, term: Term) -> dict[Term, Term] | None:
    """The substitution for the variables of ``pattern`` that makes it ``term``, or None (no binders inside)."""
    binding: dict[Term, Term] = {}
    stack = [(pattern, term)]
    while stack:
        p, t = stack.pop()
        if p.kind is Kind.VAR:
            if binding.setdefault(p, t) is not t or p.sort is not t.sort:
                return None
        elif p.kind is not t.kind or p.name != t.name or p.indices != t.indices or len(p.args) != len(t.args):
            return None
        elif p.binders or p.value != t.value:
            if p is not t:
                return None
        else:
            stack.extend(zip(p.args, t.args, strict=True))
    return binding


def occurrences(term: Term) -> dict[Term, int]:
    """How often each non-variable subterm occurs outside quantifiers, as a tree."""
    above: dict[Term, int] = {}  # how many of the terms right above each are still to be counted
    stack = [term] if term.kind is Kind.APP else []
    while stack:
        t = stack.pop()
        if t not in above:
            above[t] = 0
            stack.extend(a for a in reversed(t.args) if a.kind is Kind.APP)
    counts = dict.fromkeys(above, 0)
    for t in above:
        for a in t.args:
            if a in above:
                above[a] += 1
    ready = [term] if above else []
    counts.update(dict.fromkeys(ready, 1))
    while ready:
        t = ready.pop()
        for a in t.args:
            if a in above:
                counts[a] += counts[t]
                above[a] -= 1
                if not above[a]:
                    ready.append(a)
    return counts


def ordered_variables(term: Term) -> list[Term]:
    """Free variables in order of first occurrence."""
    found: dict[Term, None] = {}
    seen: set[tuple[Term, frozenset[Term]]] = set()

    def go(t: Term, bound: frozenset[Term]) -> None:
        if (t, bound) in seen:
            return
        seen.add((t, bound))
        if t.kind is Kind.VAR:
            if t not in bound:
                found.setdefault(t)
        else:
            inner = bound | frozenset(t.binders) if t.binders else bound
            for a in t.args:
                if a.free:
                    go(a, inner)

    go(term, frozenset())
    return list(found)


def standard_names(term: Term, avoid: Iterable[str] = ()) -> Term:
    """Rename free variables by order of occurrence, so that equal lemmas get equal text."""
    taken = set(avoid)
    renaming: Mapping[Term, Term] = {}
    fresh: dict[Term, Term] = {}
    for variable in ordered_variables(term):
        stem = re.sub(r"[^A-Za-z]", "", variable.name)[:3].lower() or "v"
        for number in count():
            name = f"{stem}{number}"
            if name not in taken:
                break
        taken.add(name)
        fresh[variable] = var(name, variable.sort)
    renaming = fresh
    return substitute(term, renaming)
