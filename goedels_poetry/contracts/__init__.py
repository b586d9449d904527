"""Contracts that Python itself checks at run time, and that our prover and tester read.

    from goedels_poetry.contracts import ensures, raises, requires

    @requires(lambda xs: len(xs) > 0)
    @ensures(lambda xs, result: result in xs and all(x <= result for x in xs))
    def largest(xs: list[int]) -> int: ...

What a contract says: for each input on which every ``requires`` holds, the function returns and every ``ensures``
holds, unless it raises an exception that a ``raises`` allows. Standard library only; importing this loads nothing
else of ours.

``invariant`` and ``decreases`` in a body and ``uses`` above a function help a proof; nothing is believed of them.

``checking`` has what users write, what runs around a call, and the text of a clause for a message.
"""

from __future__ import annotations

from goedels_poetry.contracts.checking import (
    SWITCH,
    ContractViolation,
    decreases,
    enabled,
    ensures,
    invariant,
    old,
    raises,
    requires,
    uses,
)

__all__ = [
    "SWITCH",
    "ContractViolation",
    "decreases",
    "enabled",
    "ensures",
    "invariant",
    "old",
    "raises",
    "requires",
    "uses",
]
