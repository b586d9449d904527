"""SMT-LIB 2.6 as a proof language; the language itself is imported on first use, terms and printer need none of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goedels_poetry.languages.smt.language import SmtLanguage


def __getattr__(name: str) -> Any:
    if name != "SmtLanguage":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from goedels_poetry.languages.smt.language import SmtLanguage

    return SmtLanguage


__all__ = ["SmtLanguage"]
