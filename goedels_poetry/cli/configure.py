"""Settings for a command: what the flags say goes above the environment and the configuration file."""

from __future__ import annotations

import tomllib
from typing import Any

from pydantic import ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.settings import Budgets, Settings


class BadSettings(Exception):
    """The flags, the environment or the configuration file say something impossible; the message says what."""


def settings(**flags: Any) -> Settings:
    """Settings with ``flags`` on top; None means not given. ``budgets`` may hold a part of the budgets.

    Raises:
        BadSettings: a value out of range, or a configuration file that does not parse.
    """
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        base = Settings()
        if "budgets" in given:
            given["budgets"] = Budgets(**(base.budgets.model_dump() | given["budgets"]))
        return Settings(**given) if given else base
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise BadSettings(f"settings: {problems}") from None
    except (SettingsError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"settings: {error}") from None
