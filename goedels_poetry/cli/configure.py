"""Settings for a command: what the flags say goes above the environment and the configuration file; a cluster.

Also where a bad setting was said: the option, the variable of the environment, or the configuration file.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic_settings.exceptions import SettingsError

from goedels_poetry.cli.options import Search
from goedels_poetry.cli.run_errors import Unusable
from goedels_poetry.files import is_no_file
from goedels_poetry.models.requests import ROLES
from goedels_poetry.settings.declared import (
    PREFIX,
    Budgets,
    ModelSettings,
    ModelsSettings,
    Settings,
    configuration_file,
)

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


# Where a bad setting was said: the option, the variable of the environment, or the configuration file

Key = tuple[str | int, ...]
"""Where a value stands: ``("budgets", "depth")``, ``("schedule", "beam", 0)``."""

OPTIONS = {
    "seed": "--seed",
    "max_concurrency": "--max-concurrency",
    "symbolic_queries": "--symbolic-queries",
    "budgets.wall_seconds": "--timeout",
    "budgets.agent_steps": "--max-steps",
    "budgets.nodes": "--max-nodes",
    "budgets.depth": "--max-depth",
    "budgets.attempts_per_node": "--max-attempts",
    "budgets.solver_seconds": "--max-solver-seconds",
    "budgets.resource_units": "--budget",
    "budgets.model_calls": "--max-model-calls",
    "budgets.model_tokens": "--max-model-tokens",
    "budgets.money": "--max-money",
    "models.model": "--model",
    "models.base_url": "--base-url",
    "models.record": "--record",
    "models.replay": "--replay",
}
"""Setting -> the option of a command line that says it."""

_SECRET = ("key", "header", "body")
"""Parts of names whose values are not shown."""
_SHOWN = 60
"""Characters of a bad value."""
_FIELD = re.compile(r'field "(\w+)"')


def validation_problems(
    error: ValidationError,
    *,
    fields: type[BaseModel],
    environment: Mapping[str, str],
    file: Path,
    given: Sequence[str] = (),
    group: str = "",
) -> list[str]:
    """A line for each setting that is wrong: where it was said, its name, what is wrong with it.

    Args:
        error: What the settings' classes said.
        fields: The class of all settings, for the names that there are.
        file: The configuration file in force.
        given: Settings that the command line says, with dots, as in `OPTIONS`.
        group: The group that was validated by itself; then the places in ``error`` are inside it.
    """
    written = _written(file)
    lines = []
    for each in error.errors(include_url=False, include_context=False):
        key = (*([group] if group else []), *each["loc"])
        what = _unknown(key, fields) if each["type"] == "extra_forbidden" else _wrong(key, each)
        lines.append(f"{_place(key, environment, file, written, given)}: {what}")
    return lines


def variable_problem(error: Exception, environment: Mapping[str, str]) -> str:
    """A variable whose value was to be JSON and is none."""
    field = _FIELD.search(str(error))
    names = [v for v in environment if field and v.upper().startswith(f"{PREFIX}{field[1].upper()}")]
    why = f" ({error.__cause__})" if error.__cause__ is not None else ""
    return f"{names[0]}: not the JSON that is expected there{why}" if len(names) == 1 else f"{error}{why}"


def _wrong(key: Key, each: Any) -> str:
    value, words = each["input"], each["msg"].removeprefix("Value error, ")
    secret = any(part in str(name) for name in key for part in _SECRET)
    if secret or not isinstance(value, (str, int, float)) or repr(value) in words:
        return str(words)
    shown = repr(value)
    return f"{words}, not {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '...'}"


def _unknown(key: Key, fields: type[BaseModel]) -> str:
    """An entry that names no setting, with the nearest name that does."""
    kind: Any = fields
    for name in key[:-1]:
        field = getattr(kind, "model_fields", {}).get(name)
        kind = field.annotation if field is not None else None
    names = list(getattr(kind, "model_fields", {}))
    near = get_close_matches(str(key[-1]), names, 1)
    above = ".".join(map(str, key[:-1]))
    if near:
        return f"there is no such setting; did you mean {'.'.join(filter(None, (above, *near)))}?"
    return "there is no such setting" + (f"; {above} has {', '.join(names)}" if above and names else "")


def _place(key: Key, environment: Mapping[str, str], file: Path, written: Any, given: Sequence[str]) -> str:
    dotted = _dotted(key)
    if dotted in given:
        return OPTIONS.get(dotted, dotted)
    variable = _variable(key, environment)
    if variable is not None:
        inside = "__".join(map(str, key)).upper() != variable.upper()[len(PREFIX) :]
        return f"{variable}: {dotted}" if inside else variable
    return f"{file}: {dotted}" if _holds(written, key) else dotted


def _dotted(key: Key) -> str:
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in key).lstrip(".")


def _variable(key: Key, environment: Mapping[str, str]) -> str | None:
    """The variable that says the setting itself, or as JSON a group with it inside."""
    by_name = {variable.upper(): variable for variable in environment}
    for length in range(len(key), 0, -1):
        variable = by_name.get(PREFIX + "__".join(map(str, key[:length])).upper())
        if variable is not None and (length == len(key) or _holds(_json(environment[variable]), key[length:])):
            return variable
    return None


def _holds(value: Any, key: Key) -> bool:
    """Whether a value of JSON or TOML says the setting."""
    for name in key:
        if isinstance(name, int) or not isinstance(value, dict):
            return isinstance(value, list) or not isinstance(value, dict)
        if name not in value:
            return False
        value = value[name]
    return True


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _written(file: Path) -> Any:
    """The content of the configuration file; {} where it cannot be read, which is said elsewhere."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
