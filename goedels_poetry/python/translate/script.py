"""Definitions as text: those that a theorem rests on, each after what it rests on, the plain ones unfolded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.problem import components
from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Sort, Term, bottom_up, is_app, rebuild, substitute, subterms
from goedels_poetry.python.translate.build import INEXACT, OUTCOME, RETURNS, again, assume, cond
from goedels_poetry.python.translate.registry import Defined, Registry, Shape

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


MAX_UNFOLDED = 300
MAX_GOAL = 5_000


def script(registry: Registry, goal: Term, title: str, unfold: bool = True, also: Sequence[Term] = ()) -> str:
    """The text that ends in ``(prove goal)``; with ``unfold`` without functions that are not recursive.

    ``also``: other terms, the definitions of whose functions are in the text.
    """
    goal, definitions, _ = unfolded(registry, goal, also) if unfold else (goal, _reached(registry, goal, *also), None)
    shapes = _shapes(registry, [goal, *(t for d in definitions.values() for t in (d.body, *d.params))])
    lines = [f"; {''.join(c if c.isascii() and c.isprintable() else '?' for c in title)}"]
    lines += [_datatypes(group) for group in shapes]
    graph = {name: [n for n in _called(d.body) if n in definitions] for name, d in definitions.items()}
    lines += [_definition([definitions[n] for n in group], graph) for group in components(graph, graph.__getitem__)]
    return "\n".join([*lines, f"(prove {show(goal)})", ""])


def unfolded(registry: Registry, goal: Term, also: Sequence[Term] = ()) -> tuple[Term, dict[str, Defined], Change]:
    """The goal and the definitions with what is not recursive written out: the fewer names, the easier to prove.

    With what does the same to other terms.
    """
    all_of_them = _reached(registry, goal, *also)
    graph = {name: [n for n in _called(d.body) if n in all_of_them] for name, d in all_of_them.items()}
    plain: dict[str, Defined] = {}
    kept: dict[str, Defined] = {}
    for group in components(graph, graph.__getitem__):
        for name in group:
            old = all_of_them[name]
            new = Defined(name, old.params, old.sort, Folder(registry).fold(_expanded(old.body, plain)))
            recursive = len(group) > 1 or name in graph[name]
            (kept if recursive or new.body.size > MAX_UNFOLDED else plain)[name] = new
    folder = Folder(registry)
    expanded = folder.fold(_expanded(goal, plain))
    if expanded.size > MAX_GOAL:
        return goal, all_of_them, lambda term: term
    return expanded, kept, lambda term: folder.fold(_expanded(term, plain))


def _expanded(term: Term, plain: dict[str, Defined]) -> Term:
    """The term with the bodies of these functions in place of their calls, folded."""

    def change(t: Term, args: tuple[Term, ...]) -> Term:
        found = plain.get(t.name) if t.kind is Kind.APP else None
        if found is not None:
            return substitute(found.body, dict(zip(found.params, args, strict=True)))
        return rebuild(t, args) if t.binders or args == t.args else again(t, args)

    return bottom_up(term, change)


def _called(term: Term) -> list[str]:
    found: dict[str, None] = {}
    for part in subterms(term):
        if part.kind is Kind.APP:
            found.setdefault(part.name)
    return list(found)


def _tested(term: Term) -> list[str]:
    """The constructors that a term asks for."""
    return [str(name) for part in subterms(term) if part.kind is Kind.APP for name in part.indices]


def _reached(registry: Registry, *terms: Term) -> dict[str, Defined]:
    names: dict[str, None] = {}
    waiting = list(terms)
    while waiting:
        for name in _called(waiting.pop()):
            if name in registry.definitions and name not in names:
                names.setdefault(name)
                waiting.append(registry.definitions[name].body)
    return {name: registry.definitions[name] for name in registry.definitions if name in names}


def mentioned(registry: Registry, term: Term) -> frozenset[str]:
    """The symbols that a term rests on."""
    return frozenset(n for t in (term, *(d.body for d in _reached(registry, term).values())) for n in _called(t))


def _shapes(registry: Registry, terms: Iterable[Term]) -> list[list[Shape]]:
    """The datatypes that are used, in groups that depend on one another."""
    known = dict(registry.shapes)
    terms = list(terms)
    met = {name for term in terms for name in (*_called(term), *_tested(term))}
    outcomes = [
        n
        for n in (RETURNS, INEXACT, *(f"raises.{c}" for c in registry.effects.classes or ()))
        if n in met or n == RETURNS
    ]
    known[OUTCOME.name] = Shape(OUTCOME, tuple((n, ()) for n in outcomes))
    names: dict[str, None] = {}
    seen: set[Term] = set()
    waiting: list[Sort] = []
    for term in terms:
        for part in subterms(term, seen):
            waiting += [part.sort, *(b.sort for b in part.binders)]
    while waiting:
        sort = waiting.pop()
        if sort.name in known and sort.name not in names:
            names.setdefault(sort.name)
            waiting += [s for _, fields in known[sort.name].constructors for _, s in fields]
    graph = {
        name: [s.name for _, fields in known[name].constructors for _, s in fields if s.name in names]
        for name in known
        if name in names
    }
    return [[known[name] for name in group] for group in components(graph, graph.__getitem__)]


def _datatypes(group: list[Shape]) -> str:
    heads = " ".join(f"({show_sort(s.sort)} 0)" for s in group)
    bodies = " ".join(f"({' '.join(_constructor(*c) for c in s.constructors)})" for s in group)
    return f"(declare-datatypes ({heads}) ({bodies}))"


def _constructor(name: str, fields: tuple[tuple[str, Sort], ...]) -> str:
    parts = "".join(f" ({show_symbol(n)} {show_sort(s)})" for n, s in fields)
    return f"({show_symbol(name)}{parts})"


def _definition(group: list[Defined], graph: dict[str, list[str]]) -> str:
    heads = [
        f"{show_symbol(d.name)} ({' '.join(f'({show_symbol(p.name)} {show_sort(p.sort)})' for p in d.params)}) "
        f"{show_sort(d.sort)}"
        for d in group
    ]
    bodies = [show(d.body) for d in group]
    if len(group) > 1:
        return f"(define-funs-rec ({' '.join(f'({h})' for h in heads)}) ({' '.join(bodies)}))"
    word = "define-fun-rec" if group[0].name in graph[group[0].name] else "define-fun"
    return f"({word} {heads[0]}\n  {bodies[0]})"
