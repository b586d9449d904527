"""Definitions as text: those that a theorem rests on, each after what it rests on."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.terms import Kind, Sort, Term, rebuild, substitute, subterms
from goedels_poetry.python.translate.build import INEXACT, OUTCOME, RETURNS, again
from goedels_poetry.python.translate.folding import Folder
from goedels_poetry.python.translate.registry import Defined, Registry, Shape

MAX_UNFOLDED = 300
MAX_GOAL = 5_000


def script(registry: Registry, goal: Term, title: str, unfold: bool = True) -> str:
    """The text that ends in ``(prove goal)``; with ``unfold`` without functions that are not recursive."""
    goal, definitions = _unfolded(registry, goal) if unfold else (goal, _reached(registry, goal))
    shapes = _shapes(registry, [goal, *(t for d in definitions.values() for t in (d.body, *d.params))])
    lines = [f"; {''.join(c if c.isascii() and c.isprintable() else '?' for c in title)}"]
    lines += [_datatypes(group) for group in shapes]
    graph = {name: [n for n in _called(d.body) if n in definitions] for name, d in definitions.items()}
    lines += [_definition([definitions[n] for n in group], graph) for group in components(graph, graph.__getitem__)]
    return "\n".join([*lines, f"(prove {show(goal)})", ""])


def _unfolded(registry: Registry, goal: Term) -> tuple[Term, dict[str, Defined]]:
    """The goal and the definitions with what is not recursive written out: the fewer names, the easier to prove."""
    all_of_them = _reached(registry, goal)
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
    return (goal, all_of_them) if expanded.size > MAX_GOAL else (expanded, kept)


def _expanded(term: Term, plain: dict[str, Defined]) -> Term:
    """The term with the bodies of these functions in place of their calls, folded."""
    memo: dict[Term, Term] = {}

    def go(t: Term) -> Term:
        if not t.args and t.name not in plain:
            return t
        done = memo.get(t)
        if done is None:
            args = tuple([go(a) for a in t.args])
            found = plain.get(t.name) if t.kind is Kind.APP else None
            if found is not None:
                done = substitute(found.body, dict(zip(found.params, args, strict=True)))
            elif t.binders:
                done = rebuild(t, args)
            else:
                done = t if args == t.args else again(t, args)
            memo[t] = done
        return done

    return go(term)


def _called(term: Term) -> list[str]:
    found: dict[str, None] = {}
    for part in subterms(term):
        if part.kind is Kind.APP:
            found.setdefault(part.name)
    return list(found)


def _tested(term: Term) -> list[str]:
    """The constructors that a term asks for."""
    return [str(name) for part in subterms(term) if part.kind is Kind.APP for name in part.indices]


def _reached(registry: Registry, goal: Term) -> dict[str, Defined]:
    names: dict[str, None] = {}
    waiting = [goal]
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
