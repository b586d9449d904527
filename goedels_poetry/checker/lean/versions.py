"""Versions of Lean whose kernel or run time is known to have accepted a proof of `False`, and how.

Each fault is public and repaired; a version before ``fixed`` has it. ``blocked`` says how a report shows that an
accepted proof is not one of those.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from goedels_poetry.lean.gate.data import OWN_TYPE, PROJECTION

Version = tuple[int, int, int]


Shown = Literal["data", "size", "second kernel"]
"""How a fault is shown to be blocked: it needs what the data cannot say; more of them than the gate reads; or the
second kernel, which does not have it, has checked the same declarations."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One known way to a proof of `False`."""

    since: Version
    fixed: Version
    where: str
    """The report or repair in Lean's repository."""
    text: str
    blocked: Shown
    features: frozenset[str] = frozenset()
    """What a proof has to use for it, one of these, where that can be seen in the data."""


_SECOND: Shown = "second kernel"
_TYPES, _OUT = frozenset({OWN_TYPE}), frozenset({OWN_TYPE, PROJECTION})
FAULTS = (
    Fault((4, 14, 0), (4, 20, 0), "lean4#8060", "Nat.pow reduces what is no numeral", _SECOND),
    Fault((4, 0, 0), (4, 32, 1), "lean4#14484", "values of opaque constants are not closed", "data"),
    Fault(
        (4, 0, 0), (4, 32, 2), "lean4#14576", "parameters of nested inductive types are not checked", _SECOND, _TYPES
    ),
    Fault((4, 0, 0), (4, 33, 0), "lean4#14613", "`Sort (imax 1 0)` is not taken for Prop", _SECOND, _OUT),
    Fault((4, 0, 0), (4, 33, 0), "lean4#14616", "names of auxiliary nested types clash", _SECOND, _TYPES),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14806", "a recursor and its rules disagree, by a cache", _SECOND, _TYPES),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14807", "a projection out of a proposition", _SECOND, _OUT),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14838", "reference counts overflow in 18 GB of memory", "size"),
    Fault((4, 0, 0), (4, 34, 1), "lean4#15289", "reference counts overflow with 100 GB of input", "size"),
)


def parse(version: str) -> Version | None:
    """`4.28.0-pre` as numbers; None when it is not a version."""
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def faults_of(version: str) -> tuple[Fault, ...]:
    """The known faults of a version; all of them when it cannot be read. A release candidate counts as its release."""
    number = parse(version)
    return tuple(f for f in FAULTS if number is None or f.since <= number < f.fixed)


def usable(version: str, features: Collection[str]) -> Fault | None:
    """A fault that declarations with these features may use where the second kernel has not confirmed them."""
    open_ = (f for f in faults_of(version) if f.blocked == "second kernel")
    return next((f for f in open_ if not f.features or f.features & set(features)), None)


def notes(version: str, confirmed: bool) -> tuple[str, ...]:
    """For the report: the known faults of this version, and how each was shown to be blocked.

    ``confirmed``: the second kernel has accepted the declarations. Where it has not, a proof that uses a feature with a
    fault is refused, so that the others are blocked by not being used.
    """
    found = faults_of(version)
    if not found:
        return ()
    how = {
        "data": "the data cannot say what they need",
        "size": "the data are smaller than they need",
        "second kernel": "the second kernel does not have them"
        if confirmed
        else "the proof does not use what they need",
    }
    ways = [(reason, [f.where for f in found if f.blocked == way]) for way, reason in how.items()]
    blocked = "; ".join(f"{', '.join(where)}: {reason}" for reason, where in ways if where)
    return (f"known faults of Lean {version} that were shown to be blocked: {blocked}",)
