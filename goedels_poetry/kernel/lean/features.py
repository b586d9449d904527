"""What of Lean's language a proof uses in places where kernels were at fault before.

Seen in the terms themselves, and rather too often than too rarely: nothing is believed that a record says about them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from goedels_poetry.kernel.lean.stream import Constant, Declaration, Stream

PROJECTION = "projection out of what may be a proposition"
OWN_TYPE = "inductive type that is not the user's"


def features(
    stream: Stream, declarations: Iterable[Declaration], library: Stream, users: Collection[str]
) -> dict[str, str]:
    """The features that these declarations use, each with a constant that uses it.

    ``users``: constants of the user's own file; the types among them are what they were, the proofs are not.
    """
    found: dict[str, str] = {}
    for declaration in declarations:
        if declaration.kind == "inductive" and declaration.name not in users:
            found.setdefault(OWN_TYPE, declaration.name)
        if not all(_is_data(name, stream, library) for name in _projected(stream, declaration)):
            found.setdefault(PROJECTION, declaration.name)
    return found


def _projected(stream: Stream, declaration: Declaration) -> set[str]:
    """Structures out of which a declaration projects."""
    roots = [c.type for c in declaration.constants] + [c.value for c in declaration.constants if c.value is not None]
    roots += [rule for c in declaration.constants for rule in c.rules]
    return {stream.names[e[1]] for e in stream.below(roots) if e[0] == "proj"}


def _is_data(name: str, stream: Stream, library: Stream) -> bool:
    """Whether a structure's type ends in `Sort (u + 1)`, so that no instance of it is a proposition."""
    where = stream if name in stream.constants else library
    return name in where.constants and _universe(where, where.constants[name][0]) == "succ"


def _universe(stream: Stream, constant: Constant) -> str:
    """The kind of the level of the sort in which the type of a type ends; "" where it ends in no sort by its form."""
    e = stream.exprs[constant.type]
    while e[0] == "forallE":
        e = stream.exprs[e[3]]
    return str(stream.levels[e[1]][0]) if e[0] == "sort" else ""
