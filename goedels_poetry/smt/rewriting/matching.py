"""Where a pattern fits a term, and how often terms occur.

Terms in the place of others.
"""

from __future__ import annotations

from collections.abc import Mapping

from goedels_poetry.kernel.terms import Kind, Term, rebuild


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


def replace_subterm(term: Term, old: Term, new: Term) -> Term:
    """Replace every occurrence of ``old`` outside binders that capture its variables."""
    return replace_subterms(term, {old: new})


def replace_subterms(term: Term, replacements: Mapping[Term, Term]) -> Term:
    """Replace the largest of these subterms, outside binders that capture a variable of one of them."""
    memo = dict(replacements)
    least = min(old.size for old in replacements)
    free = frozenset[Term]().union(*[old.free for old in replacements])

    def go(t: Term) -> Term:
        done = memo.get(t)
        if done is None:
            if t.size < least or not t.args or (t.binders and not free.isdisjoint(t.binders)):
                return t
            done = memo[t] = rebuild(t, tuple([go(a) for a in t.args]))
        return done

    return go(term)
