"""Rows of a data set in a file of JSON or JSON Lines, each with the line on which it begins."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.files import read_bytes

MAX_BYTES = 64_000_000


class BadRows(GoedelsPoetryError):
    """A file cannot be read as rows; the message begins with ``FILE:LINE``."""


def read_rows(path: Path, within: tuple[str, ...] = ("items",)) -> list[tuple[int, Any]]:
    """The rows as (line, value): the members of a list, or one value a line.

    ``.json`` stands for a list and any other name for lines; the content goes before the name.

    Args:
        within: keys under which an object may hold the list; an object without any of them is one row.

    Raises:
        BadRows: the file is missing, larger than `MAX_BYTES`, not UTF-8 or not JSON.
    """
    text = _text(path)
    if text.lstrip().startswith("[") or (path.suffix.lower() == ".json" and not _is_lines(text)):
        return list(_members(path, text, within))
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace())
    return [(number, _decode(path, line, number - 1)) for number, line in lines]


def each_row(path: Path) -> Iterator[tuple[int, Any]]:
    """The rows of a file of any size as (line, value), of JSON Lines one after the other.

    Raises:
        BadRows: as `read_rows`; of what is no regular file no more than `MAX_BYTES` are read, nor of one line.
    """
    if not os.path.isfile(path) or os.path.getsize(path) <= MAX_BYTES:
        yield from read_rows(path)
        return
    try:
        with open(path, "rb") as file:
            for number in itertools.count(1):
                line = file.readline(MAX_BYTES + 1)
                if not line:
                    return
                if len(line) > MAX_BYTES:
                    raise BadRows(f"{path}:{number}: a line larger than {MAX_BYTES // 1_000_000} MB")
                if not line.isspace():
                    yield number, _decode(path, line.decode("utf-8-sig"), number - 1)
    except OSError as problem:
        raise BadRows(f"{path}: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise BadRows(f"{path}:{number}: not text in UTF-8") from problem


def first_row(path: Path, within: tuple[str, ...] = ("items",)) -> Any:
    """The first row, whatever comes after it; None where there is none, or none that can be read."""
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig", "replace").lstrip()
        if text.startswith("["):
            return json.JSONDecoder().raw_decode(text[1:].lstrip())[0]
        value = json.JSONDecoder().raw_decode(text)[0]
    except (OSError, ValueError, RecursionError):
        return None
    key = None if _is_lines(text) else _key(value, within)
    rows = [value] if key is None else value[key]
    return rows[0] if isinstance(rows, list) and rows else None


def _key(value: Any, within: tuple[str, ...]) -> str | None:
    """Under which an object holds its rows; None where it is no object, or has none of these."""
    return next((key for key in within if isinstance(value, dict) and key in value), None)


def _is_lines(text: str) -> bool:
    """Whether the first line is an object of its own, and something comes after it."""
    first, _, rest = text.strip().partition("\n")
    try:
        return bool(rest) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _text(path: Path) -> str:
    try:
        data = read_bytes(path, MAX_BYTES)
        if len(data) > MAX_BYTES:
            raise BadRows(f"{path}: larger than {MAX_BYTES // 1_000_000} MB; split it")
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as problem:
        raise BadRows(f"{path}: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        line = problem.object[: problem.start].count(b"\n") + 1
        raise BadRows(f"{path}:{line}: not text in UTF-8") from problem


def _members(path: Path, text: str, within: tuple[str, ...]) -> Iterator[tuple[int, Any]]:
    value = _decode(path, text, 0)
    key = _key(value, within)
    rows = value if isinstance(value, list) else value[key] if key is not None else [value]
    if not isinstance(rows, list):
        names = " or ".join(f'"{name}"' for name in within)
        raise BadRows(f"{path}: it holds neither a list nor an object with {names}")
    at = text.find("[") + 1 if isinstance(value, list) or key is not None else 0
    for row in rows:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        line = text.count("\n", 0, at) + 1
        try:  # of an object with other keys before its items only the number of the item is known
            again, at = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            again = None
        yield (line if again == row else 1), row


def _decode(path: Path, text: str, lines_before: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise BadRows(f"{path}:{lines_before + problem.lineno}:{problem.colno}: not JSON: {problem.msg}") from problem
    except (ValueError, RecursionError) as problem:
        why = "nested too deeply" if isinstance(problem, RecursionError) else "a number of too many digits"
        raise BadRows(f"{path}:{lines_before + 1}: {why}") from problem
