"""A goal as arithmetic: its numbers with their types, what is assumed, what is to be shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

from goedels_poetry.languages.lean.symbolic.arithmetic.expressions import Expr, NotArithmetic, conjuncts, read
from goedels_poetry.languages.lean.symbolic.theory import Goal

NUMBERS = {"Nat": "Nat", "ℕ": "Nat", "Int": "Int", "ℤ": "Int"}


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What of a goal is arithmetic."""

    types: dict[str, str]
    """`Nat` or `Int` of each number."""
    hypotheses: tuple[tuple[str, Expr], ...]
    """Name and formula; a conjunction has a name for each of its parts, such as ``h.1``."""
    target: Expr
    unread: tuple[str, ...] = ()
    """Hypotheses and other things that are none of this."""

    def about(self, name: str) -> list[Expr]:
        """The hypotheses about one number alone."""
        return [h for _, h in self.hypotheses if h.variables() == {name}]

    @property
    def names(self) -> list[str]:
        """The numbers."""
        return list(self.types)


def arithmetic_of(goal: Goal) -> Arithmetic | None:
    """None when the target is no arithmetic or no variable is needed for it that is a number."""
    types: dict[str, str] = {}
    hypotheses: list[tuple[str, Expr]] = []
    unread: list[str] = []
    for variable in goal.context:
        if variable.type in NUMBERS:
            types[variable.name] = NUMBERS[variable.type]
            continue
        try:
            parts = conjuncts(read(variable.type))
        except NotArithmetic:
            unread.append(variable.name)
            continue
        names = _parts(variable.name, len(parts))
        hypotheses += zip(names, parts, strict=True)
    try:
        target = read(goal.target)
    except NotArithmetic:
        return None
    known = set(types) | {"False", "True"}
    if not target.variables() <= known:
        return None
    sound = tuple((n, h) for n, h in hypotheses if h.variables() <= known and h.op not in ("var", "num"))
    return Arithmetic(types, sound, target, tuple(unread))


def _parts(name: str, count: int) -> list[str]:
    """How the parts of a conjunction (nested to the right) are called."""
    return [name] if count == 1 else [name + ".2" * k + (".1" if k < count - 1 else "") for k in range(count)]


def negated_into(problem: Arithmetic) -> Arithmetic | None:
    """The problem of a target ``¬ p`` or ``a ≠ b`` after its introduction as ``hn``; None for others."""
    target = problem.target
    if target.op == "≠":
        claim = replace(target, op="=")
    elif target.op == "¬":
        claim = target.args[0]
    else:
        return None
    false = Expr("var", (), "False")
    return replace(problem, hypotheses=(*problem.hypotheses, ("hn", claim)), target=false)


__all__ = ["NUMBERS", "Arithmetic", "arithmetic_of", "negated_into"]
