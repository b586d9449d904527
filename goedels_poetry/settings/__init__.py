"""Settings: defaults < configuration file < environment < arguments.

The file is ``config.toml`` in the data directory; environment variables are ``GOEDELS_POETRY__<NAME>``,
nested ones ``GOEDELS_POETRY__BUDGETS__WALL_SECONDS``.

What can be set stands in `declared`, which is loaded when one of its classes is called, looked into or derived from: it
brings pydantic, whose loading takes longer than a small proof. `plain` has the same defaults without it, for a command
line, an environment and a data directory that say nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goedels_poetry.settings.names import DECOMPOSER_AGENT_MAX_SELF_CORRECTIONS, DEFAULT_HOME
from goedels_poetry.settings.plain import DECLARED, Plain

if TYPE_CHECKING:
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
else:

    class _OnFirstUse(type):
        """A class of `declared` under its own name, not loaded yet."""

        def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
            """What is derived from such a class is derived from the one that it stands for."""
            if not bases:
                return super().__new__(cls, name, bases, space)
            meant = tuple(_meant(base) if isinstance(base, cls) else base for base in bases)
            return type(meant[0])(name, meant, space)

        def __call__(cls, *args: Any, **values: Any) -> Any:
            return _meant(cls)(*args, **values)

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("__") and "pydantic" not in name:
                raise AttributeError(name)
            return getattr(_meant(cls), name)

        def __instancecheck__(cls, thing: object) -> bool:
            return vars(thing)["_kind"] == cls.__name__ if isinstance(thing, Plain) else isinstance(thing, _meant(cls))

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(_meant(other) if isinstance(other, _OnFirstUse) else other, _meant(cls))

    def _meant(name: type) -> type:
        return getattr(import_module(DECLARED), name.__name__)

    def _later(name: str) -> type:
        return _OnFirstUse(name, (), {"__module__": __name__, "__doc__": f"See `{DECLARED}.{name}`."})

    Budgets = _later("Budgets")
    LeanSettings = _later("LeanSettings")
    ModelSettings = _later("ModelSettings")
    ModelsSettings = _later("ModelsSettings")
    RetrievalSettings = _later("RetrievalSettings")
    ScheduleSettings = _later("ScheduleSettings")
    Settings = _later("Settings")

    def __getattr__(name: str) -> Any:
        if name not in ("UnknownVariable", "checked_address", "is_address", "unknown_variables"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(DECLARED), name)


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
