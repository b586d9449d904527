"""Where a bad setting was said: the option, the variable of the environment, or the line of the configuration file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from goedels_poetry.settings.names import PREFIX

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
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_FIELD = re.compile(r'field "(\w+)"')
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_ENTRY = re.compile(rf"\s*({_DOTTED})\s*=")


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
        environment: Its variables.
        file: The configuration file in force.
        given: Settings that the command line says, with dots, as in `OPTIONS`.
        group: The group that was validated by itself; then the places in ``error`` are inside it.
    """
    said = _text(file)
    lines = []
    for each in error.errors(include_url=False, include_context=False):
        key = (*([group] if group else []), *each["loc"])
        what = _unknown(key, fields) if each["type"] == "extra_forbidden" else _wrong(key, each)
        lines.append(f"{_place(key, environment, file, said, given)}: {what}")
    return lines


def syntax_problem(error: ValueError, file: Path) -> str:
    """A configuration file that is no TOML, or no text, in a line that begins with the place."""
    if isinstance(error, UnicodeDecodeError):
        return f"{file}: not text in UTF-8 (byte {error.object[error.start]:#04x} at {error.start})"
    words = str(error)
    at = _AT.search(words)
    if at is None:
        return f"{file}: {words}"
    where = f":{at[1]}:{at[2]}" if at[1] else ""
    return f"{file}{where}: {words[: at.start()]}" + ("" if at[1] else " at the end of the file")


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


def _place(key: Key, environment: Mapping[str, str], file: Path, said: str, given: Sequence[str]) -> str:
    dotted = _dotted(key)
    if dotted in given:
        return OPTIONS.get(dotted, dotted)
    variable = _variable(key, environment)
    if variable is not None:
        inside = "__".join(map(str, key)).upper() != variable.upper()[len(PREFIX) :]
        return f"{variable}: {dotted}" if inside else variable
    line = line_of(said, key)
    return f"{file}:{line}: {dotted}" if line is not None else dotted


def _dotted(key: Key) -> str:
    return "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in key).lstrip(".")


def _variable(key: Key, environment: Mapping[str, str]) -> str | None:
    """The variable that says the setting itself, or as JSON a group with it inside."""
    by_name = {variable.upper(): variable for variable in environment}
    for length in range(len(key), 0, -1):
        variable = by_name.get(PREFIX + "__".join(map(str, key[:length])).upper())
        if variable is not None and _holds(environment[variable], key[length:]):
            return variable
    return None


def _holds(text: str, rest: Key) -> bool:
    if not rest:
        return True
    try:
        value = json.loads(text)
    except ValueError:
        return False
    for name in rest:
        if isinstance(name, int):
            return isinstance(value, list)
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, ValueError):
        return ""


def line_of(text: str, key: Key) -> int | None:
    """The line (from 1) of a TOML text that says the setting, or else the nearest group around it; None: none does."""
    found: tuple[int, int] | None = None
    for number, names in _entries(text):
        if names == key[: len(names)] and (found is None or len(names) > found[0]):
            found = (len(names), number)
    return found[1] if found is not None else None


def _entries(text: str) -> Iterator[tuple[int, Key]]:
    """Of each line that begins an entry or a table: its number and the names; long strings are stepped over."""
    table: Key = ()
    closing = ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        header, entry = _HEADER.match(line), _ENTRY.match(line)
        if header:
            table = _names(header[1])
            yield number, table
        elif entry:
            yield number, (*table, *_names(entry[1]))
        closing = next((quotes for quotes in ('"""', "'''") if line.count(quotes) % 2), "")


def _names(dotted: str) -> Key:
    return tuple(name.strip("\"'") for name in re.findall(_NAME, dotted))
