"""Settings for a command: what the flags say goes above the environment and the configuration file; a cluster."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goedels_poetry.cli.options import Search
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.files import is_no_file
from goedels_poetry.models.requests import ROLES
from goedels_poetry.settings.declared import Budgets, ModelSettings, ModelsSettings, Settings, configuration_file

if TYPE_CHECKING:
    from goedels_poetry.cluster.seats import Seats


class BadSettings(Unusable):
    """The flags, the environment or the configuration file say something impossible; the message says what."""


def settings_of(flags: Search, *, timeout: float | None, **more: Any) -> Settings:
    """Settings of a command.

    Args:
        flags: What its line says.
        timeout: Seconds for an input where the line does not say; None: what environment and file say.
        more: Further settings; None means not given.

    Raises:
        BadSettings: as of `settings`, or the recording to answer from is a pipe out of which something else comes.
    """
    budgets: dict[str, float | None] = {} if timeout is None else {"wall_seconds": timeout}
    budgets |= flags.budgets
    if budgets.get("wall_seconds") == 0:
        budgets["wall_seconds"] = None
    models = {"model": flags.model, "base_url": flags.base_url, "record": flags.record, "replay": flags.replay}
    found = settings(seed=flags.seed, budgets=budgets, models=models, **more)
    if found.models.replay is not None and is_no_file(found.models.replay):
        _wait_for(found.models.replay)
    return found


def _wait_for(recording: Path) -> None:
    """Read what comes out of a pipe before there is a loop, which would keep Ctrl-C waiting for as long."""
    from goedels_poetry.models.record import Recording, RecordingError

    try:
        Recording.load(recording)
    except RecordingError as problem:
        raise BadSettings(str(problem)) from None


def settings(**flags: Any) -> Settings:
    """Settings with ``flags`` on top; None means not given. ``budgets`` may hold a part of the budgets.

    ``models`` may hold ``model`` and ``base_url``, for all roles, and ``record`` and ``replay``.

    Raises:
        BadSettings: a value out of range, or a configuration file that does not parse.
    """
    import tomllib

    from pydantic import ValidationError
    from pydantic_settings.exceptions import SettingsError

    from goedels_poetry.settings.problems import validation_problems, variable_problem

    given = {name: value for name, value in flags.items() if value is not None}
    file, said, group = configuration_file(os.environ), _said(given), ""
    try:
        if is_no_file(file):
            raise BadSettings(f"{file}: is no file")
        base = Settings()
        if "budgets" in given:
            group = "budgets"
            given["budgets"] = Budgets(**(base.budgets.model_dump() | given["budgets"]))
        if "models" in given:
            group = "models"
            given["models"] = _models(base.models, **given["models"])
        group = ""
        return Settings(**given) if given else base
    except ValidationError as error:
        problems = validation_problems(
            error, fields=Settings, environment=os.environ, file=file, given=said, group=group
        )
        raise BadSettings("; ".join(problems)) from None
    except SettingsError as error:
        raise BadSettings(variable_problem(error, os.environ)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(f"{file}: {error}") from None
    except OSError as error:
        raise BadSettings(f"{file}: {error.strerror or error}") from None


def _said(given: dict[str, Any]) -> list[str]:
    """What the flags say, by the names of the settings."""
    inside = [(group, given.get(group)) for group in ("budgets", "models")]
    return [
        *given,
        *(f"{group}.{name}" for group, values in inside for name, v in (values or {}).items() if v is not None),
    ]


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


SPARE_MB = 1024
"""Memory beside a Lean: our own process, its solvers."""


@contextmanager
def connected(where: str | None) -> Iterator[Any]:
    """Ray, connected while inside; None where no cluster is asked for. Raises `ClusterError`."""
    if where is None:
        yield None
        return
    from goedels_poetry.cluster.seats import opened

    with opened(where) as ray:
        yield ray


@asynccontextmanager
async def seats_of(
    ray: Any, settings: Settings, jobs: int, on_note: Callable[[str], None]
) -> AsyncIterator[Seats | None]:
    """Seats on the nodes while inside, at most ``jobs``, 0: as there is room for; None without a cluster."""
    if ray is None:
        yield None
        return
    from goedels_poetry.cluster.seats import LEAN, Seats

    async with Seats(ray, {LEAN: lean_memory(settings)}, most=jobs or None, on_note=on_note) as seats:
        yield seats


def lean_memory(settings: Settings) -> int:
    """Bytes that a seat with one Lean takes."""
    from goedels_poetry.lean.runtime.embedded import MEMORY_MB as EMBEDDED_MB
    from goedels_poetry.lean.runtime.native import MEMORY_MB as NATIVE_MB
    from goedels_poetry.lean.runtime.opening import kind_in_use

    native = kind_in_use(settings.lean) == "native"
    return (settings.lean.memory_mb or (NATIVE_MB if native else EMBEDDED_MB)) + SPARE_MB << 20
