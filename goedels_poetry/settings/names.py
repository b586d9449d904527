"""Names and places of settings, and defaults that others speak of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PREFIX = "GOEDELS_POETRY__"
"""How the names of all our variables of the environment begin."""
NEARLY = PREFIX[:-1]
"""How they begin where one underscore was typed instead of two; so do a few variables that are no settings."""
OTHERS = ("GOEDELS_POETRY_LEAN", "GOEDELS_POETRY_CONTRACTS")
"""Those."""
CONFIGURATION = "config.toml"
"""In the data directory."""
DEFAULT_HOME = Path("~/.goedels_poetry")
DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS = 16
"""Default of the setting of that name: how often one node may be sketched again after its first sketch."""


def configuration_file(environment: Mapping[str, str], home: Path | None = None) -> Path:
    """The file that is read: in ``home``, else in the data directory that the environment names."""
    return Path(home or environment.get(f"{PREFIX}HOME") or DEFAULT_HOME).expanduser() / CONFIGURATION
