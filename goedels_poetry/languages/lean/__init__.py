"""Lean 4 as a proof language; a checker of Lean proofs needs nothing of it but the runtime and the reading of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.plugins import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.languages.lean.language import LeanLanguage

__getattr__, __dir__ = on_first_use(__name__, {"LeanLanguage": "language"})

__all__ = ["LeanLanguage"]
