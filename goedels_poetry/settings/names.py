"""Names and places of settings, and defaults that others speak of."""

from __future__ import annotations

from pathlib import Path

PREFIX = "GOEDELS_POETRY__"
"""How the names of all our variables of the environment begin."""
CONFIGURATION = "config.toml"
"""In the data directory."""
DEFAULT_HOME = Path("~/.goedels_poetry")
DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS = 16
"""Default of the setting of that name: how often one node may be sketched again after its first sketch."""


__all__ = ["CONFIGURATION", "DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS", "DEFAULT_HOME", "PREFIX"]
