"""Gödel's Poetry: theorems in, honest verdicts with re-checkable evidence out.

The public names below are imported on first use, so that ``import goedels_poetry`` (and ``--help``) is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use
from goedels_poetry.version import __version__

if TYPE_CHECKING:
    from goedels_poetry.contracts import decreases, ensures, invariant, old, raises, requires, uses
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.kernel.verdict import Verdict
    from goedels_poetry.languages import Goal, Outcome, SimpleLanguage, Theorem
    from goedels_poetry.models.client import Models
    from goedels_poetry.plugins import RefusedPlugin
    from goedels_poetry.search.agents.deps import Deps
    from goedels_poetry.search.agents.failure import FailurePolicy
    from goedels_poetry.search.agents.registry import agent
    from goedels_poetry.search.agents.sketcher import SketchBacktrackAgent
    from goedels_poetry.search.machine.supervisor import SupervisorAgent
    from goedels_poetry.search.memory import ExecutionTrace, NodeState
    from goedels_poetry.search.strategies import Proposal, StrategyGoal, strategy
    from goedels_poetry.settings.declared import Budgets, Settings
    from goedels_poetry.store.proof_store import ProofStore
    from goedels_poetry.store.results import Event, OpenGoal, RunResult, RunSummary
    from goedels_poetry.store.state import GoedelsPoetryState, NodeStatus, ProofNode, Queue
    from goedels_poetry.store.state_manager import GoedelsPoetryStateManager

__getattr__, __dir__ = on_first_use(__name__)

__all__ = [
    "Budgets",
    "Deps",
    "Event",
    "ExecutionTrace",
    "FailurePolicy",
    "Goal",
    "GoedelsPoetryFramework",
    "GoedelsPoetryState",
    "GoedelsPoetryStateManager",
    "Models",
    "NodeState",
    "NodeStatus",
    "OpenGoal",
    "Outcome",
    "ProofNode",
    "ProofStore",
    "Proposal",
    "Queue",
    "RefusedPlugin",
    "RunResult",
    "RunSummary",
    "Settings",
    "SimpleLanguage",
    "SketchBacktrackAgent",
    "StrategyGoal",
    "SupervisorAgent",
    "Theorem",
    "Verdict",
    "__version__",
    "agent",
    "decreases",
    "ensures",
    "invariant",
    "old",
    "raises",
    "requires",
    "strategy",
    "uses",
]
