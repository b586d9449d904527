"""Gödel's Poetry: theorems in, honest verdicts with re-checkable evidence out.

The public names below are imported on first use, so that ``import goedels_poetry`` (and ``--help``) is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.lazy import on_first_use
from goedels_poetry.version import __version__

if TYPE_CHECKING:
    from goedels_poetry.agents.backtracker import SketchBacktrackAgent
    from goedels_poetry.agents.deps import Deps
    from goedels_poetry.agents.failure import FailurePolicy
    from goedels_poetry.agents.registry import agent
    from goedels_poetry.contracts import ensures, raises, requires
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.kernel.verdict import Verdict
    from goedels_poetry.languages import Goal, Outcome, SimpleLanguage, Theorem
    from goedels_poetry.machine.supervisor import SupervisorAgent
    from goedels_poetry.memory import ExecutionTrace, NodeState
    from goedels_poetry.models.client import Models
    from goedels_poetry.plugins import RefusedPlugin
    from goedels_poetry.settings.declared import Budgets, Settings
    from goedels_poetry.strategies import Proposal, StrategyGoal, strategy
    from goedels_poetry.tree.results import Event, OpenGoal, RunResult, RunSummary
    from goedels_poetry.tree.state import GoedelsPoetryState, NodeStatus, ProofNode, Queue
    from goedels_poetry.tree.state_manager import GoedelsPoetryStateManager
    from goedels_poetry.tree.store.proof_store import ProofStore

_HOME_OF = {
    "Budgets": "settings.declared",
    "Deps": "agents.deps",
    "Event": "tree.results",
    "FailurePolicy": "agents.failure",
    "GoedelsPoetryFramework": "framework",
    "ExecutionTrace": "memory",
    "GoedelsPoetryState": "tree.state",
    "GoedelsPoetryStateManager": "tree.state_manager",
    "Goal": "languages",
    "Models": "models.client",
    "NodeState": "memory",
    "NodeStatus": "tree.state",
    "OpenGoal": "tree.results",
    "Outcome": "languages",
    "Proposal": "strategies",
    "ProofNode": "tree.state",
    "ProofStore": "tree.store.proof_store",
    "Queue": "tree.state",
    "RefusedPlugin": "plugins",
    "RunResult": "tree.results",
    "RunSummary": "tree.results",
    "Settings": "settings.declared",
    "SimpleLanguage": "languages",
    "SketchBacktrackAgent": "agents.backtracker",
    "StrategyGoal": "strategies",
    "SupervisorAgent": "machine.supervisor",
    "Theorem": "languages",
    "Verdict": "tree.state",
    "agent": "agents.registry",
    "ensures": "contracts",
    "raises": "contracts",
    "requires": "contracts",
    "strategy": "strategies",
}


__getattr__, __dir__ = on_first_use(__name__, _HOME_OF)


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
    "ensures",
    "raises",
    "requires",
    "strategy",
]
