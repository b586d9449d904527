"""Settings: defaults < configuration file < environment < arguments.

The file is ``config.toml`` in the data directory; environment variables are ``GOEDELS_POETRY__<NAME>``,
nested ones ``GOEDELS_POETRY__BUDGETS__WALL_SECONDS``.
"""

from __future__ import annotations

from goedels_poetry.settings.declared import (
    Budgets,
    LeanSettings,
    ModelSettings,
    ModelsSettings,
    RetrievalSettings,
    ScheduleSettings,
    Settings,
    UnknownVariable,
    checked_address,
    is_address,
    unknown_variables,
)
from goedels_poetry.settings.names import DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS, DEFAULT_HOME

__all__ = [
    "DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS",
    "DEFAULT_HOME",
    "Budgets",
    "LeanSettings",
    "ModelSettings",
    "ModelsSettings",
    "RetrievalSettings",
    "ScheduleSettings",
    "Settings",
    "UnknownVariable",
    "checked_address",
    "is_address",
    "unknown_variables",
]
