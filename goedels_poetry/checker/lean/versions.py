"""Versions of Lean whose kernel or run time is known to have accepted a proof of `False`, and how.

Each fault is public and repaired; a version before ``fixed`` has it. ``needs`` says what a text must do to use it, so
that a reader can see why a proof that passed the gate is not one of those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Fault:
    """One known way to a proof of `False`."""

    since: Version
    fixed: Version
    where: str
    """The report or repair in Lean's repository."""
    words: str
    needs: str
    feature: str = ""
    """What the gate can see of it in a file; "" when what it needs is kept out by the allow-list or by size."""


NESTED = "nested inductive type"
FAULTS = (
    Fault(
        (4, 14, 0),
        (4, 20, 0),
        "lean4#8060",
        "Nat.pow reduces what is no numeral",
        "a `Nat.pow` that the kernel reduces",
    ),
    Fault((4, 0, 0), (4, 32, 1), "lean4#14484", "values of opaque constants are not closed", "a metaprogram"),
    Fault((4, 0, 0), (4, 32, 2), "lean4#14576", "parameters of nested inductive types are not checked", NESTED, NESTED),
    Fault(
        (4, 0, 0), (4, 33, 1), "lean4#14807", "a projection out of a proposition", "an ill-typed term of a metaprogram"
    ),
    Fault((4, 0, 0), (4, 33, 1), "lean4#14838", "reference counts overflow", "18 GB of memory"),
    Fault((4, 0, 0), (4, 34, 1), "lean4#15289", "reference counts overflow when terms are shared", "100 GB of input"),
)


def parse(version: str) -> Version | None:
    """`4.28.0-pre` as numbers; None when it is not a version."""
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def faults_of(version: str) -> tuple[Fault, ...]:
    """The known faults of a version; all of them when it cannot be read. A release candidate counts as its release."""
    number = parse(version)
    return tuple(f for f in FAULTS if number is None or f.since <= number < f.fixed)


def refused_feature(version: str, features: Iterable[str]) -> Fault | None:
    """The fault that something in a file, not the user's, may use."""
    seen = set(features)
    return next((f for f in faults_of(version) if f.feature and f.feature in seen), None)


def words(version: str) -> tuple[str, ...]:
    """For the report: what is known of this version."""
    found = faults_of(version)
    if not found:
        return ()
    where = ", ".join(f.where for f in found)
    return (f"Lean {version} has known faults, repaired in later versions: {where}; the gate keeps out what they need",)


__all__ = ["FAULTS", "NESTED", "Fault", "faults_of", "parse", "refused_feature", "words"]
