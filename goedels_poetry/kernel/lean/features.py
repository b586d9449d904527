"""What of Lean's language a proof uses in places where kernels were at fault before."""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.lean.data import Declaration, Stream

NESTED = "nested inductive type"
PROJECTION = "projection out of what may be a proposition"


def features(stream: Stream, declarations: Iterable[Declaration], library: Stream) -> dict[str, str]:
    """The features that these declarations use, each with a constant that uses it."""
    found: dict[str, str] = {}
    for declaration in declarations:
        if any(constant.nested for constant in declaration.constants):
            found.setdefault(NESTED, declaration.name)
        if any(not _surely_data(name, stream, library) for name in _projected(stream, declaration)):
            found.setdefault(PROJECTION, declaration.name)
    return found


def _projected(stream: Stream, declaration: Declaration) -> set[str]:
    """Structures out of which a declaration projects."""
    todo = [c.type for c in declaration.constants] + [c.value for c in declaration.constants if c.value is not None]
    return {stream.names[e[1]] for e in stream.below(todo) if e[0] == "proj"}


def _surely_data(name: str, stream: Stream, library: Stream) -> bool:
    """Whether a structure's type ends in `Sort (u + 1)`, so that no instance of it is a proposition."""
    where = stream if name in stream.constants else library
    if name not in where.constants:
        return False
    e = where.exprs[where.constants[name][0].type]
    while e[0] == "forallE":
        e = where.exprs[e[3]]
    return bool(e[0] == "sort" and where.levels[e[1]][0] == "succ")


__all__ = ["NESTED", "PROJECTION", "features"]
