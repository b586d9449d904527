"""Which measures might fall: guesses from parameters and guards. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from goedels_poetry.kernel.calls import Call
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    Kind,
    Sort,
    Term,
    app,
    bitvec,
    integer,
    is_app,
    ite,
    subterms,
)

MAX_CANDIDATES = 24
MAX_SUMS = 6
"""Sums of two gaps, besides the candidates before."""

_ORDERS = {"<", "<=", ">", ">=", "=", "distinct", "bvult", "bvule", "bvugt", "bvuge"}


def candidates(params: Sequence[Term], calls: Iterable[Call], width: int | None) -> list[Term]:
    """Measures over ``params``, the most plausible first: Int ones, or bit-vectors of ``width``.

    From the guards of the calls come the gaps between the two sides of comparisons; then the parameters, their
    differences, sums and absolute values; last what is left of two gaps together.
    """
    sort = INT if width is None else bitvec(width)
    minus, plus = ("-", "+") if width is None else ("bvsub", "bvadd")
    mine = [p for p in params if p.sort is sort]
    allowed = frozenset(params)
    changing = _changing(mine, params, calls := list(calls))
    found: dict[Term, None] = dict.fromkeys(p for p in mine if p in changing)
    gaps: dict[Term, None] = {}
    for left, right in _guards(calls, sort):
        for one, other in ((left, right), (right, left)):
            gap = _minus(one, other, minus, sort)
            if gap.free and gap.free <= allowed and not gap.free.isdisjoint(changing):
                found[gap] = gaps[gap] = None
    for i, one in enumerate(mine):
        for other in mine[:i] if len(found) < MAX_CANDIDATES else ():
            if one in changing or other in changing:
                found[app(plus, (other, one), sort)] = None
                found[app(minus, (one, other), sort)] = None
                found[app(minus, (other, one), sort)] = None
    if width is None:
        found.update(dict.fromkeys(app("abs", (p,), INT) for p in mine if p in changing))
        if len(mine) > 1:
            found[app("+", [app("abs", (p,), INT) for p in mine], INT)] = None
        if len(mine) > 2:
            found[app("+", mine, INT)] = None
    found.update(dict.fromkeys(p for p in mine if p not in changing))
    sums = _left_together(gaps, changing) if width is None else ()
    return list(dict.fromkeys((*list(found)[:MAX_CANDIDATES], *islice(sums, MAX_SUMS))))


def _left_together(gaps: Iterable[Term], changing: set[Term]) -> Iterator[Term]:
    """What is left of two gaps that different parameters close: of two lists that one loop walks along, say.

    Each counts as 0 where it is closed, since a loop may go on until the last of them is.
    """
    for one, other in combinations(gaps, 2):
        if one.free.isdisjoint(other.free & changing):
            yield app("+", [ite(app("<", (g, integer(0)), BOOL), integer(0), g) for g in (one, other)], INT)


def _changing(mine: Iterable[Term], params: Sequence[Term], calls: Iterable[Call]) -> set[Term]:
    """Parameters that some call (to whichever function) does not pass on as they are."""
    position = {p: i for i, p in enumerate(params)}
    return {
        p
        for p in mine
        for c in calls
        if c.callee != c.caller or position[p] >= len(c.args) or c.args[position[p]] is not p
    }


def _guards(calls: Iterable[Call], sort: Sort) -> Iterator[tuple[Term, Term]]:
    """The two sides of each comparison on the paths."""
    seen: set[Term] = set()
    for call in calls:
        for fact in call.path:
            for t in subterms(fact, seen):
                if t.kind is Kind.APP and t.name in _ORDERS and len(t.args) == 2 and t.args[0].sort is sort:
                    yield t.args[0], t.args[1]


def _minus(one: Term, other: Term, minus: str, sort: Sort) -> Term:
    if other.kind is Kind.LIT and other.value == 0:
        return one
    if one.kind is Kind.LIT and one.value == 0 and is_app(other, minus) and len(other.args) == 2:
        return app(minus, other.args[::-1], sort)
    return app(minus, (one, other), sort)
