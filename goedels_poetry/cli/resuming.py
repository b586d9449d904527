"""The command that goes on with a stopped run: the flags that it was begun with, and more of what ran out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Protocol

from goedels_poetry.cli.inputs import STDIN
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Budgets
from goedels_poetry.trace.terminal import printable
from goedels_poetry.tree.results import RunResult

GOES_ON = "the same command{} goes on where the run stopped"


class _Begun(Protocol):
    """What the command line of a run said that belongs to its identity, or that it needs to go on the same way."""

    @property
    def informal(self) -> bool: ...
    @property
    def confirm(self) -> bool: ...
    @property
    def round_trip(self) -> bool: ...
    @property
    def assume_definitions(self) -> bool: ...
    @property
    def model_first(self) -> bool: ...
    @property
    def seed(self) -> int | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def context(self) -> Path | None: ...
    @property
    def model(self) -> str | None: ...
    @property
    def base_url(self) -> str | None: ...
    @property
    def symbolic_queries(self) -> int | None: ...
    @property
    def record(self) -> Path | None: ...
    @property
    def replay(self) -> Path | None: ...


_RAN_OUT = {
    "--timeout": ("wall_seconds", "wall time"),
    "--max-steps": ("agent_steps", "agent steps"),
    "--max-nodes": ("nodes", "nodes"),
    "--max-depth": ("depth", "depth budget"),
    "--max-attempts": ("attempts_per_node", "attempts budget"),
    "--max-solver-seconds": ("solver_seconds", "solver time"),
    "--max-model-calls": ("model_calls", "model calls"),
    "--max-model-tokens": ("model_tokens", "model tokens"),
    "--max-money": ("money", "money for models"),
}
"""By flag: the budget, and how a result says that it ran out."""


def resume_of(request: _Begun, budgets: Budgets, name: str, result: RunResult) -> str | None:
    """The command line that goes on, with twice of each budget that ran out; None where nothing is left to do.

    ``name``: of the theorem, as the user gave it.
    """
    if result.verdict is not Verdict.OUT_OF_BUDGET or not result.run_id:
        return None
    source = STDIN if name == STDIN else shlex.quote(printable(name))
    larger = []
    for flag, (budget, words) in _RAN_OUT.items():
        value = getattr(budgets, budget)
        if value is not None and words in result.reason:
            larger.append(f"{flag} {value * 2:g}" if isinstance(value, float) else f"{flag} {value * 2}")
    return " ".join(["goedels-poetry prove", source, "--resume", *_flags(request), *larger])


def _flags(request: _Begun) -> list[str]:
    flags = ["--informal"] if request.informal else []
    flags += ["--confirm"] if request.confirm else []
    flags += [] if request.round_trip else ["--no-round-trip"]
    flags += ["--assume-definitions"] if request.assume_definitions else []
    flags += ["--model-first"] if request.model_first else []
    for flag, value in (
        ("--seed", request.seed),
        ("--language", request.language),
        ("--context", request.context),
        ("--model", request.model),
        ("--base-url", request.base_url),
        ("--symbolic-queries", request.symbolic_queries),
        ("--record", request.record),
        ("--replay", request.replay),
    ):
        if value is not None:
            flags.append(f"{flag} {shlex.quote(str(value))}")
    return flags
