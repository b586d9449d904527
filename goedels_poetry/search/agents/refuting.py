"""A model says that a goal is false, or does not follow: the language finds out, and what holds ends the goal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from goedels_poetry.protocol.base import Goal, ModelGuided, Outcome, Refutable
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.store.state import ProofNode
from goedels_poetry.store.txn import Txn

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


_ASIDE = frozenset({"note", "ban", "lift", "decision"})
"""Entries of a history that may stand behind the news that a subgoal has failed."""


async def refuted_with_subgoal(deps: Deps, goal: Goal) -> Outcome | None:
    """What became of a goal whose last sketch failed by a false subgoal, when it is false at the same values.

    So it is where the subgoal was the goal itself in other words: after an introduction, or in one case of it. None
    when there is nothing of this kind to find out, or when the values do not refute the goal.
    """
    values = _values_of_subgoal(goal)
    language = deps.language
    if not values or not isinstance(language, ModelGuided):
        return None
    read = await language.read_sketch(goal, {"refuted": {"at": values}})
    if not read.ok or REFUTATION not in read.value:
        return None  # the subgoal has other variables
    found = deps.charge(await confirmed(deps, goal, read.value[REFUTATION]))
    return found if found.ok else None


def _values_of_subgoal(goal: Goal) -> dict[str, str]:
    """The values at which a subgoal was false, directly after that has ended the last sketch; else nothing."""
    last = next((entry for entry in reversed(goal.history) if entry["kind"] not in _ASIDE), None)
    report = last.get("report") if last is not None and last["kind"] == "backtrack" else None
    counterexample = report.get("counterexample") if isinstance(report, dict) else None
    values = counterexample.get("values") if isinstance(counterexample, dict) else None
    return {str(name): str(text) for name, text in values.items()} if isinstance(values, dict) else {}


def settle_refutation(txn: Txn, deps: Deps, node: ProofNode, found: dict[str, Any]) -> str:
    """The goal is over, and the sketch above it rejected. ``found``: the value of `confirmed`."""
    moves = deps.moves(txn)
    if "refuted" in found:
        return moves.set_refuted(node, found["refuted"], found.get("detail"))
    return moves.set_underdetermined(node, str(found["open"]))
