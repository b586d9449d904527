"""Lean, whichever way it is had: one protocol, and the pools that speak it."""

from goedels_poetry.languages.lean.runtime.at_hand import at_hand, lend
from goedels_poetry.languages.lean.runtime.driven import DrivenLean, LeanKilled, LeanUnavailable
from goedels_poetry.languages.lean.runtime.library import Constant, Library
from goedels_poetry.languages.lean.runtime.opening import kind_in_use, open_lean
from goedels_poetry.languages.lean.runtime.pool import LeanPool
from goedels_poetry.languages.lean.runtime.protocol import (
    BARRED,
    LOGIC_AXIOMS,
    PRIVATE,
    THEOREMS,
    Binder,
    CheckRequest,
    CheckResult,
    Command,
    Declaration,
    Hole,
    HoleGoal,
    LeanRuntime,
    Message,
    ReplayRequest,
    ReplayResult,
    constants_of,
    place,
)

__all__ = [
    "BARRED",
    "LOGIC_AXIOMS",
    "PRIVATE",
    "THEOREMS",
    "Binder",
    "CheckRequest",
    "CheckResult",
    "Command",
    "Constant",
    "Declaration",
    "DrivenLean",
    "Hole",
    "HoleGoal",
    "LeanKilled",
    "LeanPool",
    "LeanRuntime",
    "LeanUnavailable",
    "Library",
    "Message",
    "ReplayRequest",
    "ReplayResult",
    "at_hand",
    "constants_of",
    "kind_in_use",
    "lend",
    "open_lean",
    "place",
]
