"""Settings of which nobody has said anything, without the library that validates what was said.

To load that library takes longer than to prove a small theorem. What stands here are the defaults of `declared`: a test
holds them equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from goedels_poetry.settings.names import (
    CONFIGURATION,
    DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS,
    DEFAULT_HOME,
    NEARLY,
    OTHERS,
    PREFIX,
)

DECLARED = "goedels_poetry.settings.declared"

Values = dict[str, Any]


class Plain:
    """A group of settings, frozen. What it does not know itself it asks the validated group that it stands for."""

    def __init__(self, kind: str, defaults: Values, given: Mapping[str, Any]) -> None:
        """``kind``: the class of `declared` that has these fields; ``given``: instead of some defaults, valid."""
        vars(self).update(defaults, **given, _kind=kind, _given=dict(given))

    def validated(self) -> Any:
        """The same as an instance of the class of `declared`."""
        given = {name: v.validated() if isinstance(v, Plain) else v for name, v in self._given.items()}
        return getattr(import_module(DECLARED), self._kind)(**given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.validated(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.validated(), name, value)  # says why not

    def __eq__(self, other: object) -> bool:
        return bool(self.validated() == (other.validated() if isinstance(other, Plain) else other))

    def __hash__(self) -> int:
        return hash(self.validated())

    def __repr__(self) -> str:
        return repr(self.validated())


class PlainModels(Plain):
    """The models of the roles: none is named."""

    def role(self, name: str) -> Any:
        """See `declared.ModelsSettings.role`."""
        return self.default


class PlainSettings(Plain):
    """All settings."""

    @property
    def data_dir(self) -> Path:
        """See `declared.Settings.data_dir`."""
        home: Path = self.home
        return home.expanduser()

    @property
    def max_attempts(self) -> int:
        """See `declared.Settings.max_attempts`."""
        scheduled: int = self.prover_agent_max_pass * (1 + self.prover_agent_max_self_corrections)
        return min(scheduled, self.budgets.attempts_per_node or scheduled)


def unsaid(environment: Mapping[str, str]) -> Path | None:
    """The data directory, if the environment says nothing else and no configuration file is in it; else None."""
    home = f"{PREFIX}HOME"
    ours = [name for name in environment if name.upper().startswith(NEARLY)]
    if any(name != home and name not in OTHERS for name in ours) or environment.get(home) == "":
        return None
    place = Path(environment.get(home, DEFAULT_HOME))
    try:
        (place.expanduser() / CONFIGURATION).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return place
    except (OSError, RuntimeError, ValueError):  # whatever it is, the validated settings say it
        return None
    return None


def plain_settings(environment: Mapping[str, str], given: Mapping[str, Any]) -> PlainSettings | None:
    """What `declared.Settings` would be with ``given`` above the environment, if that can be told without it.

    None where somebody has said something else, or something that has to be looked at.
    """
    home = unsaid(environment)
    values = dict(given)
    budgets, models = values.pop("budgets", {}), values.pop("models", {})
    if home is None or any(value is not None for value in models.values()):
        return None
    if any(not _VALID[name](value) if name in _VALID else True for name, value in values.items()):
        return None
    if not budgets.keys() <= {"wall_seconds"} or not all(map(_is_a_limit, budgets.values())):
        return None
    seconds = {name: value if value is None else float(value) for name, value in budgets.items()}
    values |= {"home": home} if f"{PREFIX}HOME" in environment else {}
    values |= {"budgets": Plain("Budgets", BUDGETS, seconds)} if seconds else {}
    return PlainSettings("Settings", SETTINGS, values)


def _is_a_limit(value: object) -> bool:
    return value is None or (type(value) in (int, float) and 0 < value < float("inf"))  # type: ignore[operator]


_VALID = {
    "seed": lambda value: type(value) is int and abs(value) < 1 << 62,
    "max_concurrency": lambda value: type(value) is int and 1 <= value < 1 << 62,
    "symbolic_queries": lambda value: type(value) is int and 0 <= value < 1 << 62,
    "use_memory": lambda value: type(value) is bool,
    "model_first": lambda value: type(value) is bool,
}
"""Flags that need no library to be looked at."""

BUDGETS: Values = {
    "wall_seconds": None,
    "agent_steps": 1_000_000,
    "solver_seconds": None,
    "nodes": 100_000,
    "depth": 20,
    "attempts_per_node": None,
    "model_calls": None,
    "model_tokens": None,
    "money": None,
}
MODEL: Values = {
    "model": None,
    "base_url": None,
    "api_key": None,
    "temperature": None,
    "max_tokens": None,
    "reasoning_effort": None,
    "context": None,
    "extra_body": {},
    "extra_headers": {},
    "retries": 2,
    "requests_per_second": None,
    "timeout_seconds": 300.0,
    "max_reply_bytes": 2_000_000,
    "structured": "auto",
}
_NO_MODEL = Plain("ModelSettings", MODEL, {})
MODELS: Values = {
    "default": _NO_MODEL,
    "formalizer": _NO_MODEL,
    "judge": _NO_MODEL,
    "prover": _NO_MODEL,
    "corrector": _NO_MODEL,
    "sketcher": _NO_MODEL,
    "decider": _NO_MODEL,
    "search_query": _NO_MODEL,
    "record": None,
    "record_note": "",
    "replay": None,
    "cache": True,
    "prices": None,
}
SCHEDULE: Values = {
    "max_attempts": 5,
    "beam": (1, 3, 3, 5, 5),
    "temperature": (0.3, 0.5, 0.5, 0.7, 0.7),
    "max_tokens": None,
}
RETRIEVAL: Values = {
    "premises": 16,
    "seconds": 20.0,
    "loogle_url": None,
    "leanexplore_url": None,
    "leanexplore_api_key": None,
    "embedding_model": None,
    "embedding_base_url": None,
    "embedding_api_key": None,
}
LEAN: Values = {
    "kind": "auto",
    "project": None,
    "kimina_url": None,
    "kimina_api_key": None,
    "memory_mb": None,
    "workers": None,
    "proofs": False,
}
SETTINGS: Values = {
    "home": DEFAULT_HOME,
    "max_concurrency": 8,
    "seed": 0,
    "budgets": Plain("Budgets", BUDGETS, {}),
    "prover_agent_max_self_corrections": 2,
    "prover_agent_max_pass": 2,
    "decomposer_agent_max_self_corrections": DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS,
    "ban_after_failures": 2,
    "ban_deterministic_after_failures": 1,
    "when_hopeless": "keep",
    "agent_timeout": None,
    "use_memory": True,
    "models": PlainModels("ModelsSettings", MODELS, {}),
    "schedule": Plain("ScheduleSettings", SCHEDULE, {}),
    "symbolic_queries": 300,
    "retrieval": Plain("RetrievalSettings", RETRIEVAL, {}),
    "lean": Plain("LeanSettings", LEAN, {}),
    "model_first": False,
    "prompts_dir": None,
    "store_url": None,
}


__all__ = ["DECLARED", "Plain", "PlainSettings", "plain_settings"]
