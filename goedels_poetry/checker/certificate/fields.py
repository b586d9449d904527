"""What each field of each kind of certificate is: a claim, a hint, or a note. The readers of archives use these tables.

A claim is computed from the user's text and compared; what differs refuses the certificate. A hint is what a prover had
to find: it is used, and what comes of it is verified. A note is for people; nothing that decides reads it. What may be
claimed besides (one of several theorems, a closed world, definitions that are assumed) is the caller's, see `Choices`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CLAIM, HINT, NOTE = "claim", "hint", "note"

_SEALED = {"schema": CLAIM, "language": CLAIM, "versions": NOTE, "info": NOTE, "manifest_sha256": CLAIM}
_STATED = {**_SEALED, "claim": CLAIM, "statement": CLAIM, "files": CLAIM}

SMT = {**_STATED, "assume_definitions": CLAIM}
LEAN = {**_STATED, "theorem": CLAIM, "witness": CLAIM}
LOGIC = {
    **_SEALED, "claim": CLAIM, "statement": CLAIM, "file": CLAIM, "dialect": CLAIM, "choice": CLAIM, "world": CLAIM,
    "milliseconds": HINT, "optimize_milliseconds": HINT,
}  # fmt: skip
PYTHON = {**_SEALED, "claim": CLAIM, "files": CLAIM, "function": CLAIM}
"""Entries of the manifests, by language."""

INTERPRETATION, PREMISES, DEFINED = "interpretation", "premises", "defined"
"""Keys of the evidence: what it says of all that the theorem leaves open, of premises that it proves, and which
declared functions premises define."""
_MORE = {"termination": HINT, "bounds": HINT, INTERPRETATION: HINT, PREMISES: HINT}
EVIDENCE: Mapping[str, Mapping[str, str]] = {
    "SMT proof": {"steps": HINT, "auxiliary": HINT, "measures": HINT, DEFINED: HINT, **_MORE},
    "SMT counterexample": {"values": HINT, "table": HINT, **_MORE},
    "Lean": {},
    "logic": {},
    "Python proof": {},
    "Python refutation": {"arguments": HINT},
    "Python tested": {"task": CLAIM, "change": CLAIM},
}
"""Keys of the evidence, by kind of certificate; those that have none are decided from the text alone."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What a caller chooses of what is claimed; a certificate that asks for something else is refused.

    Attributes:
        assume_definitions: definitions that are not shown to terminate count as consistent; SMT only.
        theorem: which one of several theorems of the original; "" accepts the one that the certificate names.
        world: ``closed``: what a program does not make true is false, and there is nothing that it does not name.
    """

    assume_definitions: bool = False
    theorem: str = ""
    world: str = "open"
