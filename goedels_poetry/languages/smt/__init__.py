"""SMT-LIB 2.6 as a proof language; the language itself is imported on first use, terms and printer need none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.plugins import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.languages.smt.language import SmtLanguage

__getattr__, __dir__ = on_first_use(__name__, {"SmtLanguage": "language"})


__all__ = ["SmtLanguage"]
