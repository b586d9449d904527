"""Commutativity and its like, as pairs of sides."""

from __future__ import annotations

from goedels_poetry.languages.lean.symbolic.terms import Term, match

XYZ = frozenset("xyz")


def names(pair: tuple[Term, Term]) -> frozenset[str]:
    """What may stand for a variable in a pair of sides."""
    return frozenset(p.head for t in pair for p in t.parts() if not p.args)


def laws_of(f: str, law: str) -> list[tuple[Term, Term]]:
    """What a law says about ``f``, either way round."""
    x, y, z = Term("x"), Term("y"), Term("z")
    if law == "commutative":
        return [(Term(f, (x, y)), Term(f, (y, x)))]
    sides = (Term(f, (Term(f, (x, y)), z)), Term(f, (x, Term(f, (y, z)))))
    return [sides, (sides[1], sides[0])]


def moves(left: Term, right: Term) -> bool:
    """``f x (f y z) = f y (f x z)``: with it, and commutativity, Lean's simplifier sorts."""
    f, (x, y, z) = left.head, (Term("x"), Term("y"), Term("z"))
    law = (Term(f, (x, Term(f, (y, z)))), Term(f, (y, Term(f, (x, z)))))
    every = [*laws_of(f, "associative"), *laws_of(f, "commutative"), law]
    return any(matches(w, (left, right), XYZ) and matches((left, right), w, names((left, right))) for w in every)


def matches(pattern: tuple[Term, Term], pair: tuple[Term, Term], free: frozenset[str]) -> bool:
    """Whether both sides of ``pattern`` become those of ``pair`` with the same terms for its ``free`` names."""
    found: dict[str, Term] = {}
    return all(match(p, t, free, found) for p, t in zip(pattern, pair, strict=True))
