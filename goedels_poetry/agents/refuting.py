"""A model says that a goal is false, or does not follow: the language finds out, and what holds ends the goal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.agents.deps import Deps
from goedels_poetry.languages.base import Goal, Outcome, Refutable
from goedels_poetry.tree.state import ProofNode
from goedels_poetry.tree.store import Txn

REFUTATION = "refutation"
"""Key of what `ModelGuided.read_candidate` and `read_sketch` give for such a reply."""


async def confirmed(deps: Deps, goal: Goal, refutation: Any) -> Outcome:
    """Whether the goal ends with it, and with what; see `Refutable.confirm_refutation`.

    Where it does not, the value says under `REFUTATION` what was claimed.
    """
    if not isinstance(deps.language, Refutable):
        return Outcome(False, {}, f"goals of the language {deps.language.name} are refuted by its own agents alone")
    found = await deps.language.confirm_refutation(goal, refutation)
    return found if found.ok else replace(found, value={**found.value, REFUTATION: refutation})


def settle_refutation(txn: Txn, deps: Deps, node: ProofNode, found: dict[str, Any]) -> str:
    """The goal is over, and the sketch above it rejected. ``found``: the value of `confirmed`."""
    moves = deps.moves(txn)
    if "refuted" in found:
        return moves.set_refuted(node, found["refuted"], found.get("detail"))
    return moves.set_underdetermined(node, str(found["open"]))


__all__ = ["REFUTATION", "confirmed", "settle_refutation"]
