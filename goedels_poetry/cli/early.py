"""What is started before the command itself is loaded: the parent of the workers, which loads at the same time."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_AHEAD = "goedels_poetry.solvers.ahead"
_SEARCH = "goedels_poetry.languages.smt.engine.jobs.symbolic"
_CHECK = "goedels_poetry.checker.smt.jobs"
"""What the workers of a search and of a check need; that of a check is none that a search has used."""

_CVC5 = "goedels_poetry.solvers.cvc5_child"
_MODULES = {("prove", suffix): (_SEARCH, _CHECK, _CVC5) for suffix in (".smt2", ".smt")}
"""By command and suffix."""


def load_ahead(line: Sequence[str]) -> None:
    """Load what the workers of a command line will need, as far as its first words tell."""
    if len(line) < 2:
        return
    name = next((word for word in line[1:] if not word.startswith("-")), "").lower()
    for (command, suffix), modules in _MODULES.items():
        if line[0] == command and (name.endswith(suffix) or f"{suffix}:" in name):
            _begin(modules)


def _begin(modules: Sequence[str]) -> None:
    ahead = sys.modules.get(_AHEAD)
    if ahead is not None:  # a command called by a program that has workers already
        ahead.load_ahead(*modules)
    else:
        from goedels_poetry.solvers import headstart  # and nothing more: that can wait

        headstart.begin(modules)


__all__ = ["load_ahead"]
