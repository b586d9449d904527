"""Lean 4 as a proof language."""

from goedels_poetry.languages.lean.language import LeanLanguage

__all__ = ["LeanLanguage"]
