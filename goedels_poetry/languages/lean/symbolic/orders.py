"""Which way round equations rewrite, so that a set of them together comes to an end."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from goedels_poetry.languages.lean.symbolic.terms import Term, match
from goedels_poetry.languages.lean.symbolic.values import Equation


def ranks(names: Collection[str], equations: Mapping[str, list[Equation]]) -> dict[str, int]:
    """A number for each function: higher than those that it is defined by; what has none is below all."""
    used = {n: {h for e in equations.get(n, ()) for h in e.value.heads() if h in names} - {n} for n in names}

    def reach(name: str) -> set[str]:
        seen: set[str] = set()
        stack = [name]
        while stack:
            for below in used[stack.pop()] - seen:
                seen.add(below)
                stack.append(below)
        return seen

    order = list(names)
    ordered = sorted(order, key=lambda n: (len(reach(n)), -order.index(n)))
    return {name: at + 1 for at, name in enumerate(ordered)}


def greater(left: Term, right: Term, free: frozenset[str], rank: Mapping[str, int]) -> bool:
    """The lexicographic path order."""
    if right.head in free and not right.args:
        return left != right and any(p == right for p in left.parts())
    if left.head in free and not left.args:
        return False
    if any(a == right or greater(a, right, free, rank) for a in left.args):
        return True
    if not all(greater(left, a, free, rank) for a in right.args):
        return False
    if left.head != right.head:
        return rank.get(left.head, 0) > rank.get(right.head, 0)
    for a, b in zip(left.args, right.args, strict=False):
        if a != b:
            return greater(a, b, free, rank)
    return False


def permutes(left: Term, right: Term, free: frozenset[str]) -> bool:
    """Whether one side is the other with its variables exchanged: Lean's simplifier orders the instances."""
    return match(left, right, free, {}) and match(right, left, free, {})
