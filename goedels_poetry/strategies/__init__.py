"""Named decomposition strategies. Languages bring their own; a package adds more by entry point.

Declare one with :func:`strategy` and name it in the entry-point group ``goedels_poetry.strategies``. The
sketcher asks plug-in strategies first (by past success), then the language. Whatever they propose is
verified like every other sketch.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from goedels_poetry import plugins
from goedels_poetry.languages.base import Goal
from goedels_poetry.tree.state import UNNAMED

GROUP = "goedels_poetry.strategies"

Propose = Callable[[Goal], Awaitable[dict[str, Any] | None]]
"""A coroutine function from a goal to a sketch (see ``Language.sketch``), or None when it has nothing to say."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One named way to decompose goals."""

    name: str
    propose: Propose
    languages: tuple[str, ...] = ()
    """Languages that it speaks; empty: all."""
    plugin: str = ""

    def speaks(self, language: str) -> bool:
        """Whether it can sketch goals of this language."""
        return not self.languages or language in self.languages


def strategy(*, name: str, languages: tuple[str, ...] = ()) -> Callable[[Propose], Propose]:
    """Declare a coroutine function ``(goal) -> sketch | None`` as a strategy."""

    def declare(propose: Propose) -> Propose:
        propose.__strategy__ = Strategy(name, propose, languages)  # type: ignore[attr-defined]
        return propose

    return declare


def load() -> tuple[tuple[Strategy, ...], list[str]]:
    """Every strategy declared by an installed plug-in, and a line for each plug-in that was left out."""
    found, problems = plugins.load(GROUP, "__strategy__")
    strategies = [replace(d.__strategy__, plugin=plugin.name) for plugin in found for d in plugin.declared]
    return tuple(strategies), problems


def fingerprint(name: str, sketch: dict[str, Any]) -> str:
    """Fingerprint of a sketch that brings none: the strategy's name and the subgoals that it leads to."""
    statements = sorted(str(child.get("statement", "")) for child in sketch.get("children", ()))
    return f"{name}:{sha256(json.dumps(statements).encode()).hexdigest()[:16]}"


__all__ = ["GROUP", "UNNAMED", "Propose", "Strategy", "fingerprint", "load", "strategy"]
