"""Settings for a command: what the flags say goes above the environment and the configuration file."""

from __future__ import annotations

import tomllib
from typing import Any

from pydantic import ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.models import ROLES
from goedels_poetry.settings import Budgets, ModelSettings, ModelsSettings, Settings


class BadSettings(Exception):
    """The flags, the environment or the configuration file say something impossible; the message says what."""


def settings(**flags: Any) -> Settings:
    """Settings with ``flags`` on top; None means not given. ``budgets`` may hold a part of the budgets.

    ``models`` may hold ``model`` and ``base_url``, for all roles, and ``record`` and ``replay``.

    Raises:
        BadSettings: a value out of range, or a configuration file that does not parse.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        base = Settings()
        if "budgets" in given:
            given["budgets"] = Budgets(**(base.budgets.model_dump() | given["budgets"]))
        if "models" in given:
            given["models"] = _models(base.models, **given["models"])
        return Settings(**given) if given else base
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise BadSettings(f"settings: {problems}") from None
    except (SettingsError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"settings: {error}") from None


def _models(base: ModelsSettings, **given: Any) -> ModelsSettings:
    """The models' settings with what was given on top, in every role."""
    own = {name: given[name] for name in ("model", "base_url") if given.get(name) is not None}
    files = {name: given[name] for name in ("record", "replay") if given.get(name) is not None}
    roles = {
        role: ModelSettings(**({name: getattr(s, name) for name in s.model_fields_set} | own))
        for role in ("default", *ROLES)
        for s in (getattr(base, role),)
    }
    return base.model_copy(update={**roles, **files})
