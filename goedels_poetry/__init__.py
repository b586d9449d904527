"""Gödel's Poetry: theorems in, honest verdicts with re-checkable evidence out.

The public names below are imported on first use, so that ``import goedels_poetry`` (and ``--help``) is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goedels_poetry.on_first_use import on_first_use

if TYPE_CHECKING:
    from goedels_poetry.agents import SketchBacktrackAgent, agent
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.memory import ExecutionTrace, NodeState
    from goedels_poetry.results import Event, OpenGoal, RunResult, RunSummary
    from goedels_poetry.settings import Budgets, Settings
    from goedels_poetry.state import GoedelsPoetryState, NodeStatus, ProofNode, Queue, Verdict
    from goedels_poetry.state_manager import GoedelsPoetryStateManager
    from goedels_poetry.store import ProofStore
    from goedels_poetry.strategies import strategy
    from goedels_poetry.supervisor import SupervisorAgent

__version__ = "0.1.0"

_HOME_OF = {
    "Budgets": "settings",
    "Event": "results",
    "GoedelsPoetryFramework": "framework",
    "ExecutionTrace": "memory",
    "GoedelsPoetryState": "state",
    "GoedelsPoetryStateManager": "state_manager",
    "NodeState": "memory",
    "NodeStatus": "state",
    "OpenGoal": "results",
    "ProofNode": "state",
    "ProofStore": "store",
    "Queue": "state",
    "RunResult": "results",
    "RunSummary": "results",
    "Settings": "settings",
    "SketchBacktrackAgent": "agents",
    "SupervisorAgent": "supervisor",
    "Verdict": "state",
    "agent": "agents",
    "strategy": "strategies",
}

__getattr__, __dir__ = on_first_use(__name__, _HOME_OF)


__all__ = [
    "Budgets",
    "Event",
    "ExecutionTrace",
    "GoedelsPoetryFramework",
    "GoedelsPoetryState",
    "GoedelsPoetryStateManager",
    "NodeState",
    "NodeStatus",
    "OpenGoal",
    "ProofNode",
    "ProofStore",
    "Queue",
    "RunResult",
    "RunSummary",
    "Settings",
    "SketchBacktrackAgent",
    "SupervisorAgent",
    "Verdict",
    "agent",
    "strategy",
]
