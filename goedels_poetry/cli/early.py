"""What starts before the command itself is loaded: the parent of the workers, which loads meanwhile, or Lean."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_AHEAD = "goedels_poetry.solvers.ahead"
_SEARCH = "goedels_poetry.languages.smt.engine.jobs.symbolic"
_CHECK = "goedels_poetry.checker.smt.jobs"
"""What the workers of a search and of a check need; that of a check is none that a search has used."""

_CVC5 = "goedels_poetry.solvers.cvc5_child"
_MODULES = {("prove", suffix): (_SEARCH, _CHECK, _CVC5) for suffix in (".smt2", ".smt")}
"""By command and suffix."""
_LEAN = ("prove", ".lean")
_ANOTHER_LEAN = ("GOEDELS_POETRY__LEAN__", "LEAN_PROJECT_PATH")
"""What names of variables begin with that may ask for another Lean than the embedded one."""


def load_ahead(line: Sequence[str]) -> None:
    """Load what the workers of a command line will need, as far as its first words tell."""
    if len(line) < 2:
        return
    name = next((word for word in line[1:] if not word.startswith("-")), "").lower()

    def is_for(command: str, suffix: str) -> bool:
        return line[0] == command and (name.endswith(suffix) or f"{suffix}:" in name)

    for of, modules in _MODULES.items():
        if is_for(*of):
            _begin(modules)
    if is_for(*_LEAN) and not any(variable.startswith(_ANOTHER_LEAN) for variable in os.environ):
        from goedels_poetry.languages.lean.runtime.embedded import start_ahead

        start_ahead()


def _begin(modules: Sequence[str]) -> None:
    ahead = sys.modules.get(_AHEAD)
    if ahead is not None:  # a command called by a program that has workers already
        ahead.load_ahead(*modules)
    else:
        from goedels_poetry.solvers import headstart  # and nothing more: that can wait

        headstart.begin(modules)
