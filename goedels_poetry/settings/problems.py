"""Where a bad setting was said: the option, the variable of the environment, or the configuration file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from goedels_poetry.settings.declared import PREFIX

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
