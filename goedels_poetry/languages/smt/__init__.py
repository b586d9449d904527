"""SMT-LIB 2.6 as a proof language."""

from goedels_poetry.languages.smt.language import SmtLanguage

__all__ = ["SmtLanguage"]
