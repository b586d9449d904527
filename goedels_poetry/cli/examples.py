"""The commands `examples` and `schema`: what comes with the program, written out where a person can use it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from goedels_poetry.files import shipped


def files_below(folder: Path) -> list[Path]:
    """Its files, sorted, relative to it; nothing hidden and nothing compiled."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(file for file in found if not any(part.startswith((".", "__")) for part in file.parts))


KEPT = 1
"""Exit code when a file of another content stands where an example belongs."""
NOT_THERE = 2
"""Exit code when there is no such example or schema, or nothing can be written there."""


def examples(folder: Path, *, listed: bool, show: str | None) -> int:
    """Write, list or print them; returns the exit code."""

    def work() -> int:
        source = shipped("theorems")
        names = files_below(source)
        if listed:
            _print("".join(f"theorems/{name.as_posix()}\n" for name in names))
            return 0
        return _write(source, names, folder / "theorems") if show is None else _show(source, names, show)

    return _written(work)


def schema(name: str | None) -> int:
    """Print one, or their names; returns the exit code."""

    def work() -> int:
        folder = shipped("schema")
        names = [file.name.removesuffix(".json") for file in files_below(folder)]
        if name is None:
            _print("".join(f"{each}\n" for each in names))
        elif (wanted := name.removesuffix(".json")) in names:
            _print((folder / f"{wanted}.json").read_text("utf-8"))
        else:
            _say(f"there is no schema {name!r}; there are {', '.join(names)}")
            return NOT_THERE
        return 0

    return _written(work)


def _written(work: Callable[[], int]) -> int:
    try:
        return work()
    except BrokenPipeError:
        raise  # nobody reads any more: no fault of the folder
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        _say(f"{place}{problem.strerror or problem}")
        return NOT_THERE


def _show(source: Path, names: list[Path], wanted: str) -> int:
    """The example of that name, or path with or without ``theorems/``."""
    path = wanted.removeprefix("theorems/")
    found = [name for name in names if path in (name.as_posix(), name.name, name.stem)]
    if len(found) != 1:
        which = ", ".join(name.as_posix() for name in found)
        _say(f"{wanted!r} is one of {which}: name which" if found else f"no example {wanted!r}; --list lists them")
        return NOT_THERE
    _print((source / found[0]).read_text("utf-8"))
    return 0


def _write(source: Path, names: list[Path], target: Path) -> int:
    """Those that are missing; what stands there stays."""
    kept = []
    for name in names:
        data, file = (source / name).read_bytes(), target / name
        if os.path.lexists(file):
            if not file.is_file() or file.read_bytes() != data:
                kept.append(file)
            else:
                _print(f"there     {file}\n")
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("xb") as new:  # fails where one has appeared meanwhile
            new.write(data)
        _print(f"written   {file}\n")
    for file in kept:
        _say(f"{file}: kept as it is; it differs from the example (move it away to have that)")
    return KEPT if kept else 0


def _print(text: str) -> None:
    sys.stdout.write(text)


def _say(words: str) -> None:
    typer.echo(words, err=True)
