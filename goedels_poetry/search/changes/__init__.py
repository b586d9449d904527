"""The agents of a change to a file: survey -> propose -> verify -> decide -> (propose again ...) -> the checker.

They work on the same machine as the search for proofs, with a table of their own. Nothing is rolled back before the
decider has said so, and nothing that breaks what worked is ever kept, whoever says so.
"""

from __future__ import annotations

from goedels_poetry.search.agents.registry import Registry, load_registry

GROUP = "goedels_poetry.change_agents"
"""Entry points of plug-ins for changes."""

BUILT_IN = (
    "changes.changer:surveyor",
    "changes.changer:changer",
    "changes.changer:verifier",
    "changes.decider:decider",
)
"""``module:attribute`` below ``goedels_poetry.search``."""


def change_registry() -> Registry:
    """The agents of changes, then those of installed plug-ins."""
    from goedels_poetry.search.changes.decider import CHANGE_FAILURES

    return load_registry(BUILT_IN, GROUP, CHANGE_FAILURES)


__all__ = ["BUILT_IN", "GROUP", "change_registry"]
