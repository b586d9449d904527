"""Terms in the place of others."""

from __future__ import annotations

from collections.abc import Mapping

from goedels_poetry.kernel.terms import Term, rebuild


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
