"""What the agents of a change read in a run: the task, the baseline, who could still propose something."""

from __future__ import annotations

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes import Baseline
from goedels_poetry.search.agents.deps import Deps
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.search.tasks.change_moves import BASELINE
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ROOT, ProofNode

ROLE = "corrector"
"""The role that writes changes."""
MORE = "patches"
"""Fact of a run: changes that a person has added when it had ended."""
PATCH, MODEL = "patch", "model"
"""How the source of a step begins."""


def change_of(deps: Deps) -> Change:
    """The change that this run is about."""
    if not isinstance(deps.task, Change):
        raise InvalidInput("there is no file to change")
    return deps.task


async def baseline_in(deps: Deps, node: ProofNode) -> Baseline:
    """What was before any change."""
    return Baseline.from_json(await deps.load(node, BASELINE))


def patches_of(store: StoreReader, task: Change) -> tuple[str, ...]:
    """Changes that were given, those that came later included."""
    return (*task.patches, *map(str, store.meta(MORE) or ()))


def used(store: StoreReader, source: str) -> int:
    """How many changes of a source the run has seen."""
    return sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(source) for e in store.history(ROOT))


def goes_on(store: StoreReader, deps: Deps, task: Change) -> bool:
    """Whether anybody can propose another change."""
    if used(store, PATCH) < len(patches_of(store, task)):
        return True
    if deps.has_model(ROLE):
        return store.root().attempts - _patches_since_back(store) < task.max_attempts
    return False


def _patches_since_back(store: StoreReader) -> int:
    """Attempts of the present count that were changes given by a person."""
    entries = store.history(ROOT)
    back = max((n for n, e in enumerate(entries) if e.kind == "decision" and e.entry.get("by") == "person"), default=-1)
    later = entries[back + 1 :]
    return sum(e.kind == "change" and str(e.entry.get("source", "")).startswith(PATCH) for e in later)
