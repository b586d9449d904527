"""Gödel's Poetry: theorems in, honest verdicts with re-checkable evidence out.

The public names below are imported on first use, so that ``import goedels_poetry`` (and ``--help``) is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goedels_poetry.version import __version__

if TYPE_CHECKING:
    from goedels_poetry.agents import FailurePolicy, SketchBacktrackAgent, agent
    from goedels_poetry.contracts import ensures, raises, requires
    from goedels_poetry.framework import GoedelsPoetryFramework
    from goedels_poetry.machine.supervisor import SupervisorAgent
    from goedels_poetry.memory import ExecutionTrace, NodeState
    from goedels_poetry.settings import Budgets, Settings
    from goedels_poetry.strategies import strategy
    from goedels_poetry.tree.results import Event, OpenGoal, RunResult, RunSummary
    from goedels_poetry.tree.state import GoedelsPoetryState, NodeStatus, ProofNode, Queue, Verdict
    from goedels_poetry.tree.state_manager import GoedelsPoetryStateManager
    from goedels_poetry.tree.store import ProofStore

_HOME_OF = {
    "Budgets": "settings",
    "Event": "tree.results",
    "FailurePolicy": "agents",
    "GoedelsPoetryFramework": "framework",
    "ExecutionTrace": "memory",
    "GoedelsPoetryState": "tree.state",
    "GoedelsPoetryStateManager": "tree.state_manager",
    "NodeState": "memory",
    "NodeStatus": "tree.state",
    "OpenGoal": "tree.results",
    "ProofNode": "tree.state",
    "ProofStore": "tree.store",
    "Queue": "tree.state",
    "RunResult": "tree.results",
    "RunSummary": "tree.results",
    "Settings": "settings",
    "SketchBacktrackAgent": "agents",
    "SupervisorAgent": "machine.supervisor",
    "Verdict": "tree.state",
    "agent": "agents",
    "ensures": "contracts",
    "raises": "contracts",
    "requires": "contracts",
    "strategy": "strategies",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})


__all__ = [
    "Budgets",
    "Event",
    "ExecutionTrace",
    "FailurePolicy",
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
    "__version__",
    "agent",
    "ensures",
    "raises",
    "requires",
    "strategy",
]
