"""The commands ``examples`` and ``schema``: what comes with the program, written out where a person can use it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from goedels_poetry.cli.shipped import files_below, shipped

KEPT = 1
"""Exit code when a file of another content stands where an example belongs."""
NOT_THERE = 2
"""Exit code when there is no such example or schema, or nothing can be written there."""


def examples(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where the folder `theorems` goes. [default: here]")
    ] = Path(),
    listed: Annotated[bool, typer.Option("--list", help="Only list them.")] = False,
    show: Annotated[
        str | None, typer.Option(metavar="NAME", help="Print one, e.g. gauss_sum.smt2, instead of writing.")
    ] = None,
) -> None:
    """Write the examples that README and documentation use: theorems in SMT-LIB 2, Lean 4, Python and JSON.

    A file that is there already is never overwritten. Exit code: 0 all are there, 1 some were kept as they differ,
    2 nothing can be written, or there is no such example.
    """
    try:
        source = shipped("theorems")
        names = files_below(source)
        if listed:
            _print("".join(f"theorems/{name.as_posix()}\n" for name in names))
            raise typer.Exit(0)
        if show is not None:
            raise typer.Exit(_show(source, names, show))
        code = _write(source, names, folder / "theorems")
    except BrokenPipeError:
        raise  # nobody reads any more: no fault of the folder
    except OSError as problem:
        place = f"{problem.filename}: " if problem.filename else ""
        _say(f"{place}{problem.strerror or problem}")
        code = NOT_THERE
    raise typer.Exit(code)


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Which one, e.g. result-v1; without it they are listed.")
    ] = None,
) -> None:
    """Print a JSON schema of what the program prints and reads."""
    try:
        folder = shipped("schema")
        names = [file.name for file in files_below(folder)]
        if name is None:
            _print("".join(f"{each.removesuffix('.json')}\n" for each in names))
            raise typer.Exit(0)
        wanted = f"{name.removesuffix('.json')}.json"
        if wanted not in names:
            _say(f"there is no schema {name!r}; there are {', '.join(n.removesuffix('.json') for n in names)}")
            raise typer.Exit(NOT_THERE)
        _print((folder / wanted).read_text("utf-8"))
    except BrokenPipeError:
        raise
    except OSError as problem:
        _say(problem.strerror or str(problem))
        raise typer.Exit(NOT_THERE) from None


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


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(examples)
    app.command()(schema)
