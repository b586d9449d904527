"""Patterns of Lean, numerals among them, as constructors and what they are applied to."""

from __future__ import annotations

from goedels_poetry.languages.bridge.goals.expressions import Expr, apply, const, joined
from goedels_poetry.languages.bridge.goals.matching import Unreadable
from goedels_poetry.languages.bridge.goals.numbers import MOST_UNARY
from goedels_poetry.languages.bridge.goals.sorts import Sorts, literal


def constructor_of(pattern: Expr, sorts: Sorts) -> tuple[str, tuple[Expr, ...]] | None:
    """The constructor of a pattern and what it is applied to, None for a variable; raises :class:`Unreadable`."""
    pattern = apply(pattern, ())
    if pattern.kind == "free":
        return None
    number = literal(pattern)
    if pattern.kind == "nat" or pattern.head in ("OfNat.ofNat", "Nat.zero"):
        if number is None:
            raise Unreadable("a pattern that is a numeral of another type")
        if pattern.head == "OfNat.ofNat" and pattern.operands[0].head == "Int":
            return f"={number}", ()
        if number > MOST_UNARY:
            raise Unreadable("a pattern that is a large number")
        return ("Nat.succ", (Expr("nat", number=number - 1),)) if number else ("Nat.zero", ())
    if pattern.head == "HAdd.hAdd" and (added := literal(pattern.operands[5])):
        below = pattern.operands[4]
        for _ in range(added - 1):
            below = joined(const("Nat.succ"), (below,))
        return "Nat.succ", (below,)
    if pattern.head in ("Bool.true", "Bool.false"):
        return pattern.head, ()
    if pattern.head in ("Nat.succ", "Int.ofNat", "Int.negSucc"):
        return pattern.head, pattern.operands
    if pattern.head == "namedPattern":
        raise Unreadable("a named pattern")
    built = sorts.constructor(pattern.head, pattern.operands)
    if built is None:
        raise Unreadable(f"the pattern {pattern.head or pattern.kind}")
    fields = len(built[1].selectors)
    return pattern.head, pattern.operands[len(pattern.operands) - fields :] if fields else ()
