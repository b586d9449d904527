"""The agents of the state machine, one file each, and the registry that finds them."""

from __future__ import annotations

from goedels_poetry.agents.backtracker import SketchBacktrackAgent
from goedels_poetry.agents.registry import AgentSpec, Apply, Deps, Registry, agent, load_registry

__all__ = ["AgentSpec", "Apply", "Deps", "Registry", "SketchBacktrackAgent", "agent", "load_registry"]
