"""Stored statements as people write them, for the languages that we can word."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

LONGEST = 1_000
"""Characters of a statement in a tree for the terminal; a longer one is cut there. `trace --html` has more of it."""
_WORDINGS = {
    "(": "goedels_poetry.languages.smt.infix:render",
    "theorem gp_": "goedels_poetry.languages.lean.task:lemma_type",
}
"""How a stored statement begins, and what puts it into words; imported only where there is one."""


@lru_cache(maxsize=4_000)
def worded(statement: str) -> str:
    """The statement as people write it, where the language is one that we can word; else as it is."""
    for beginning, function in _WORDINGS.items():
        if statement.startswith(beginning):
            module, _, name = function.partition(":")
            return str(getattr(import_module(module), name)(statement))
    return statement


__all__ = ["LONGEST", "worded"]
