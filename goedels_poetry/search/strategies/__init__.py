"""Named decomposition strategies. Languages bring their own; a package adds more by entry point, a caller by hand.

Declare one with :func:`strategy` and name it in the entry-point group ``goedels_poetry.strategies``, or give it to
``GoedelsPoetryFramework(strategies=[...])``. The sketcher asks these first (by past success), then the language.
Whatever they propose is verified like every other sketch. `goals` has the goal that they are asked about, `proposals`
what they may make of it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from inspect import signature
from typing import Any, TypeVar

from goedels_poetry import plugins
from goedels_poetry.search.strategies.goals import Proposal, StrategyGoal, UnusableSketch
from goedels_poetry.store.state import UNNAMED

GROUP = "goedels_poetry.strategies"

Propose = Callable[[StrategyGoal], Awaitable[Proposal | dict[str, Any] | None]]
"""A coroutine function from a goal to a proposal or a sketch (see ``Language.sketch``); None: it has nothing to say."""
ProposeT = TypeVar("ProposeT", bound=Propose)


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


def strategy(*, name: str, languages: str | tuple[str, ...] = ()) -> Callable[[ProposeT], ProposeT]:
    """Declare a coroutine function ``(goal) -> proposal | sketch | None`` as a strategy.

    Args:
        name: under which it stands in the tree, in statistics and among bans.
        languages: that it speaks, or the one; (): all.

    Raises:
        TypeError: it is no coroutine function, or takes something else than the goal.
    """

    def declare(propose: ProposeT) -> ProposeT:
        plugins.must_be_async(propose, f"strategy {name}")
        try:
            signature(propose).bind(None)
        except TypeError as exc:
            raise TypeError(f"strategy {name} takes one argument, the goal: {exc}") from exc
        spoken = (languages,) if isinstance(languages, str) else tuple(languages)
        propose.__strategy__ = Strategy(name, propose, spoken)  # type: ignore[attr-defined]
        return propose

    return declare


def given(found: Iterable[Any]) -> tuple[Strategy, ...]:
    """The strategies that a caller brings: functions with ``@strategy``, or modules of some.

    Raises:
        RefusedPlugin: one is no strategy.
    """
    how = "@strategy(name=...)"
    marked = plugins.marked(found, "__strategy__", "strategy", how)
    return tuple(replace(each, plugin=origin) for each, origin in marked)


def load() -> tuple[tuple[Strategy, ...], list[str]]:
    """Every strategy declared by an installed plug-in, and a line for each plug-in that was left out."""
    found, problems = plugins.load(GROUP, "__strategy__")
    strategies = [replace(d.__strategy__, plugin=plugin.name) for plugin in found for d in plugin.declared]
    return tuple(strategies), problems


def fingerprint(name: str, sketch: dict[str, Any]) -> str:
    """Fingerprint of a sketch that brings none: the strategy's name, the subgoals that it leads to, and its rule."""
    statements = sorted(str(child.get("statement", "")) for child in sketch.get("children", ()))
    rule = [sketch[key] for key in _RULES if key in sketch]
    return f"{name}:{sha256(json.dumps([*statements, *rule], sort_keys=True).encode()).hexdigest()[:16]}"


_RULES = ("scheme", "query", "proof", "helpers")
"""Keys of what makes the subgoals of a sketch imply the goal, in our languages."""


__all__ = [
    "GROUP",
    "UNNAMED",
    "Proposal",
    "Propose",
    "Strategy",
    "StrategyGoal",
    "UnusableSketch",
    "fingerprint",
    "given",
    "load",
    "strategy",
]
