"""One term in the place of another."""

from __future__ import annotations

from goedels_poetry.kernel.terms import Term, rebuild


def replace_subterm(term: Term, old: Term, new: Term) -> Term:
    """Replace every occurrence of ``old`` outside binders that capture its variables."""
    memo = {old: new}

    def go(t: Term) -> Term:
        done = memo.get(t)
        if done is None:
            if not t.args or t.size < old.size or (t.binders and not old.free.isdisjoint(t.binders)):
                return t
            done = memo[t] = rebuild(t, tuple([go(a) for a in t.args]))
        return done

    return go(term)
