"""Proven equations as ordered rewrite rules: what follows from them by rewriting need not be asked of a solver.

An instance of an equation is applied from its larger to its smaller side, so permutative laws such as
``plus x y = plus y x`` sort their arguments instead of going round (ordered completion; Martin and Nipkow, 1990).
Variables of the terms that are rewritten are treated as constants.
"""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.languages.smt.engine.rewrite import Rewriter, match
from goedels_poetry.languages.smt.equations import simplify
from goedels_poetry.languages.smt.problem import Premise, Signature
from goedels_poetry.languages.smt.sequent import Sequent, sequent_of
from goedels_poetry.languages.smt.terms import (
    FALSE,
    INT,
    TRUE,
    Kind,
    Term,
    app,
    is_app,
    rebuild,
    substitute,
    var,
)

FUEL = 80
"""Steps of one normalisation."""

MOST_RULES = 400


class Rules:
    """The defining equations and a growing number of proven ones, applied innermost first."""

    def __init__(self, signature: Signature, definitions: Rewriter) -> None:
        self._signature = signature
        self._definitions = definitions
        self._rank = {d.name: number for number, d in enumerate(signature.definitions, start=1)}
        self._rules: dict[str, list[tuple[Term, Term]]] = {}
        self._count = 0
        self._laws: dict[str, set[str]] = {}
        self._fuel = 0
        self._memo: dict[Term, Term] = {}
        x, y, z = (var(f"?{n}", INT) for n in "xyz")
        for name in ("+", "*"):
            self._permute(name, x, y, z)

    def add_premises(self, premises: Iterable[Premise], reserved: Iterable[str]) -> None:
        """The unconditional equations and facts among the premises."""
        for premise in premises:
            self.add(sequent_of(premise.formula, reserved))

    def add(self, fact: Sequent) -> None:
        """A proven sequent; one with hypotheses or quantifiers inside is left out."""
        concl = fact.concl
        if fact.hyps or concl.kind is not Kind.APP or self._count >= MOST_RULES:
            return
        self._memo.clear()
        if is_app(concl, "=") and len(concl.args) == 2:
            left, right = concl.args
            self._directed(left, right)
            self._directed(right, left)
            self._notice_permutations(left, right)
        elif is_app(concl, "not"):
            self._directed(concl.args[0], FALSE)
        else:
            self._directed(concl, TRUE)

    def joins(self, sequent: Sequent) -> bool:
        """Whether an equation without hypotheses follows by rewriting both sides."""
        return not sequent.hyps and self.normal(sequent.concl) is TRUE

    def normal(self, term: Term) -> Term:
        """``term`` rewritten as far as the fuel goes."""
        self._fuel = FUEL
        return self._go(term)

    def reducible(self, term: Term) -> bool:
        """Whether a proven equation makes ``term`` itself (not a part of it) smaller, whatever its variables are."""
        for left, right in self._rules.get(term.name, ()):
            binding = match(left, term)
            if binding is not None and substitute(right, binding).size < term.size:
                return True
        return False

    # ----------------------------------------------------------------------------------------- rules

    def _directed(self, left: Term, right: Term) -> None:
        if left.kind is Kind.APP and left.args and right.free <= left.free and left.name != "=":
            self._rules.setdefault(left.name, []).append((left, right))
            self._count += 1

    def _notice_permutations(self, left: Term, right: Term) -> None:
        """Once an operation is known to be commutative and associative it permutes freely."""
        if left.kind is not Kind.APP or len(left.args) != 2 or right.kind is not Kind.APP or right.name != left.name:
            return
        laws = self._laws.setdefault(left.name, set())
        (a, b), (c, d) = left.args, right.args
        before = len(laws)
        if a is d and b is c and a is not b and a.kind is b.kind is Kind.VAR:
            laws.add("commutative")
        elif {left.size, right.size} == {5} and len(left.free) == 3 and (a.args == () or b.args == ()):
            nested, flat = (left, right) if a.args else (right, left)
            if (
                is_app(nested.args[0], left.name)
                and is_app(flat.args[1], left.name)
                and (*nested.args[0].args, nested.args[1]) == (flat.args[0], *flat.args[1].args)
            ):
                laws.add("associative")
        if len(laws) == 2 and before < 2 and a.sort is b.sort is left.sort:
            self._permute(left.name, *(var(f"?{n}", left.sort) for n in "xyz"))

    def _permute(self, name: str, x: Term, y: Term, z: Term) -> None:
        def of(a: Term, b: Term) -> Term:
            return app(name, (a, b), x.sort)

        for left, right in (
            (of(x, y), of(y, x)),
            (of(of(x, y), z), of(x, of(y, z))),
            (of(x, of(y, z)), of(y, of(x, z))),
        ):
            self._rules.setdefault(name, []).append((left, right))

    # ------------------------------------------------------------------------------------- rewriting

    def _go(self, term: Term) -> Term:
        if term.kind is not Kind.APP or term.binders:
            return term
        done = self._memo.get(term)
        if done is None:
            done = self._rewritten(term)
            if self._fuel > 0:
                self._memo[term] = done
        return done

    def _rewritten(self, term: Term) -> Term:
        if term.name == "ite":
            test = self._go(term.args[0])
            if test is TRUE or test is FALSE:
                return self._go(term.args[1] if test is TRUE else term.args[2])
            return simplify(rebuild(term, (test, self._go(term.args[1]), self._go(term.args[2]))), self._signature)
        now = rebuild(term, tuple([self._go(a) for a in term.args])) if term.args else term
        if self._fuel <= 0:
            return now
        unfolded = self._definitions.step(now)
        if unfolded is not None:
            self._fuel -= 1
            return self._go(unfolded)
        for left, right in self._rules.get(now.name, ()):
            binding = match(left, now)
            if binding is not None:
                after = substitute(right, binding)
                if self._less(after, now):
                    self._fuel -= 1
                    return self._go(after)
        folded = simplify(now, self._signature)
        return folded if folded is now else self._go(folded)

    def _less(self, a: Term, b: Term) -> bool:
        """A total order on terms: by size, then by head, then by the arguments from left to right."""
        while a is not b:
            if a.size != b.size:
                return a.size < b.size
            one, other = self._head(a), self._head(b)
            if one != other:
                return one < other
            if len(a.args) != len(b.args):
                return len(a.args) < len(b.args)
            a, b = next(((x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y), (a, a))
        return False

    def _head(self, term: Term) -> tuple[int, int, str, str]:
        return (int(term.kind), self._rank.get(term.name, 0), term.name, repr(term.value) + repr(term.indices))
