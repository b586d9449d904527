"""Settings: defaults < configuration file < environment < arguments.

The file is ``config.toml`` in the data directory; environment variables are ``GOEDELS_POETRY__<NAME>``,
nested ones ``GOEDELS_POETRY__BUDGETS__WALL_SECONDS``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

DEFAULT_HOME = Path("~/.goedels_poetry")
DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS = 16
"""Default of the setting of that name: how often one node may be sketched again after its first sketch."""


class Budgets(BaseModel):
    """Finite limits of one run; all counters only go up. None means no limit of that kind.

    ``depth`` and ``attempts_per_node`` bound the search tree, the others bound what the whole run spends.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    wall_seconds: float | None = Field(default=None, gt=0, description="seconds of running, over all resumes")
    agent_steps: int | None = Field(
        default=1_000_000, ge=0, description="committed agent steps; the default only guarantees an end"
    )
    solver_seconds: float | None = Field(default=None, gt=0, description="seconds spent inside solvers")
    nodes: int | None = Field(default=100_000, ge=1, description="nodes ever created, cut ones included")
    depth: int = Field(default=20, ge=0, description="deepest level; the root is level 0")
    attempts_per_node: int | None = Field(default=None, ge=1, description="proof attempts on one node, over all passes")


class Settings(BaseSettings):
    """How runs behave. Frozen; ``Settings(**flags)`` puts flags above environment and file."""

    model_config = SettingsConfigDict(
        env_prefix="GOEDELS_POETRY__", env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    home: Path = Field(default=DEFAULT_HOME, description="data directory: runs, lemma bank, statistics")
    max_concurrency: int = Field(default=8, ge=1, description="agents' jobs under way at the same time")
    seed: int = 0
    budgets: Budgets = Budgets()

    prover_agent_max_self_corrections: int = Field(
        default=2, ge=0, description="corrections after the first try of a pass"
    )
    prover_agent_max_pass: int = Field(
        default=2, ge=1, description="passes of proof attempts before a goal is sketched"
    )
    decomposer_agent_max_self_corrections: int = Field(
        default=DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS,
        ge=0,
        description="re-sketches of one node after its first sketch",
    )
    ban_after_failures: int = Field(default=2, ge=1, description="failures after which a model-made strategy is banned")
    ban_deterministic_after_failures: int = Field(default=1, ge=1, description="the same for deterministic strategies")
    when_hopeless: Literal["keep", "give_up"] = Field(
        default="keep", description="when no ancestor can be sketched again: finish the other goals, or stop at once"
    )
    agent_timeout: float | None = Field(
        default=None, gt=0, description="seconds for one agent's job, None: the agent's own"
    )
    use_memory: bool = Field(default=True, description="use lemmas and statistics of earlier runs, and add this run's")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """First wins: arguments, environment, then ``config.toml`` of the data directory in force."""
        home = init_settings().get("home") or os.environ.get("GOEDELS_POETRY__HOME") or DEFAULT_HOME
        file = Path(home).expanduser() / "config.toml"
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file))

    @property
    def data_dir(self) -> Path:
        """The data directory with ``~`` expanded."""
        return self.home.expanduser()

    @property
    def max_attempts(self) -> int:
        """Proof attempts one node may spend: passes times (first try + corrections), capped by the budget."""
        scheduled = self.prover_agent_max_pass * (1 + self.prover_agent_max_self_corrections)
        return min(scheduled, self.budgets.attempts_per_node or scheduled)


__all__ = ["DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS", "Budgets", "Settings"]
