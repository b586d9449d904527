"""What can be read off a term when bodies have been written out: fields and constructors of values that are built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, is_app, rebuild
from goedels_poetry.python.translate.build import OUTCOME, RETURNS, again, assume, cond
from goedels_poetry.python.translate.registry import Registry

Change: TypeAlias = Callable[[Term], Term]
MAX_LEAVES = 16
MAX_PARTS = 6
MAX_SIZE = 400
"""Of a connective whose parts are folded in the light of those before them."""


class Folder:
    """Folds terms over the datatypes of a registry. Equivalent terms, by the theory of datatypes alone."""

    def __init__(self, registry: Registry) -> None:
        self._constructors: set[str] = {RETURNS}
        self._selectors: dict[str, tuple[str, int]] = {}
        for shape in registry.shapes.values():
            for name, fields in shape.constructors:
                self._constructors.add(name)
                for i, (selector, _) in enumerate(fields):
                    self._selectors[selector] = name, i
        self._memo: dict[Term, Term] = {}

    def fold(self, term: Term) -> Term:
        """The term, folded from the inside out."""
        if not term.args:
            return term
        done = self._memo.get(term)
        if done is None:
            args = tuple([self.fold(a) for a in term.args])
            done = self._memo[term] = rebuild(term, args) if term.binders else self._node(term, args)
        return done

    def _node(self, term: Term, args: tuple[Term, ...]) -> Term:
        if term.name in self._selectors and len(args) == 1:
            constructor, position = self._selectors[term.name]
            leaves = self._leaves(args[0])
            if leaves is not None and all(leaf.name == constructor for leaf in leaves):
                return self._at_leaves(args[0], lambda leaf: leaf.args[position])
        if term.name == "is":
            leaves = self._leaves(args[0])
            if leaves is not None:
                return self._at_leaves(args[0], lambda leaf: TRUE if leaf.name == term.indices[0] else FALSE)
        if term.name == "=" and len(args) == 2:
            for one, other in (args, args[::-1]):
                leaves = self._leaves(one) if is_app(one, "ite") and self._is_constant(other) else None
                if leaves is not None and all(map(self._is_constant, leaves)):
                    return self._at_leaves(one, _is(other))
        if term.name in ("and", "or", "=>") and 1 < len(args) <= MAX_PARTS and term.size <= MAX_SIZE:
            return again(term, self._in_turn(args, term.name != "or"))
        return again(term, args)

    def _in_turn(self, args: tuple[Term, ...], holds: bool) -> tuple[Term, ...]:
        """Parts of a connective, each where those before it hold, or do not: only there it matters what it says."""
        done: list[Term] = []
        for part in args:
            new = part
            for before in done:
                new = assume(new, before, holds) if before.kind is Kind.APP else new
            done.append(part if new is part else self.fold(new))
        return tuple(done)

    def _is_constant(self, term: Term) -> bool:
        return self._is_built(term) and not term.args

    def _is_built(self, term: Term) -> bool:
        return term.kind is Kind.APP and (term.name in self._constructors or (term.sort is OUTCOME and not term.args))

    def _leaves(self, term: Term) -> list[Term] | None:
        """The values between which the term chooses, if all of them are seen to be built."""
        found: dict[Term, None] = {}
        stack = [term]
        while stack:
            t = stack.pop()
            if is_app(t, "ite"):
                stack += [t.args[1], t.args[2]]
            elif self._is_built(t):
                found.setdefault(t)
            else:
                return None
            if len(found) + len(stack) > MAX_LEAVES:
                return None
        return list(found)

    def _at_leaves(self, term: Term, change: Change) -> Term:
        if is_app(term, "ite"):
            return cond(term.args[0], self._at_leaves(term.args[1], change), self._at_leaves(term.args[2], change))
        return change(term)


def _is(value: Term) -> Change:
    return lambda leaf: TRUE if leaf is value else FALSE
