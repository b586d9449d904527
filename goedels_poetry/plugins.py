"""What is imported when somebody asks for it: plug-ins by entry point, and the public names of our own packages.

A plug-in that does not load is named and left out; it never stops the program.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from goedels_poetry.errors import GoedelsPoetryError, one_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


OURS = __name__.partition(".")[0] + "."
"""How the names of our groups of entry points begin."""


class RefusedPlugin(GoedelsPoetryError):
    """What a caller has brought as an agent, a strategy or a language is none; the words say what to change."""


class ForeignFault(GoedelsPoetryError):
    """What code of others has raised that is no error: only the user ends the program."""


@contextmanager
def foreign_code() -> Iterator[None]:
    """Inside, where nothing is awaited, whatever code of others raises is an Exception, unless the user has pressed ^C.

    Raises:
        ForeignFault: for SystemExit, GeneratorExit, CancelledError and classes of their own.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as exc:
        raise ForeignFault(one_line(exc)) from exc


class Plugin(NamedTuple):
    """What one entry point gave: the objects in it that carry the mark looked for."""

    name: str
    declared: tuple[Any, ...]


def declared(group: str) -> tuple[EntryPoint, ...]:
    """What installed packages register in a group of entry points, e.g. ``goedels_poetry.agents``."""
    return _declared(tuple(sys.path)).get(group, ())


@cache
def _declared(path: tuple[str, ...]) -> dict[str, tuple[EntryPoint, ...]]:
    """All our groups, looked for once: loading what reads every package's list costs as much as a small proof."""
    if not any(map(_may_have_plugins, path)):
        return {}
    from importlib.metadata import entry_points

    found = entry_points()
    return {group: tuple(found.select(group=group)) for group in found.groups if group.startswith(OURS)}


def _may_have_plugins(place: str) -> bool:
    """Whether a place on the path holds a package that names one of our groups; all that is no folder may."""
    folder = Path(place or ".")
    if not folder.is_dir():
        return folder.exists()
    lists = (listed for kind in ("dist", "egg") for listed in folder.glob(f"*.{kind}-info/entry_points.txt"))
    return any(f"[{OURS}".encode() in listed.read_bytes() for listed in lists)


def load(group: str, mark: str) -> tuple[list[Plugin], list[str]]:
    """Load a group of entry points.

    Args:
        group: e.g. ``goedels_poetry.agents``.
        mark: attribute that a declaration (``@agent``, ``@strategy``) has put on a function or class. The entry
            point may name that object, or a module that holds several.

    Returns:
        The plug-ins in order of their names, and one line for each that was left out.
    """
    plugins: list[Plugin] = []
    problems: list[str] = []
    for entry_point in sorted(declared(group), key=lambda ep: ep.name):
        try:
            with foreign_code():
                found = entry_point.load()
        except Exception as exc:  # noqa: BLE001  foreign code may raise anything when it is imported
            problems.append(f"plug-in {entry_point.name!r} ({entry_point.value}) left out: {one_line(exc)}")
            continue
        candidates = (
            [found] if hasattr(found, mark) else list(vars(found).values() if hasattr(found, "__dict__") else ())
        )
        marked = tuple(value for value in candidates if hasattr(value, mark))
        if marked:
            plugins.append(Plugin(entry_point.name, marked))
        else:
            problems.append(f"plug-in {entry_point.name!r} ({entry_point.value}) left out: it declares nothing")
    return plugins, problems


def origin_of(brought: Any) -> str:
    """Where what a caller has brought comes from, e.g. ``__main__``: it stands where packages have their name."""
    of = brought if hasattr(brought, "__module__") else type(brought)
    return str(of.__module__ or "") or "Python"


def marked(given: Iterable[Any], mark: str, what: str, how: str) -> list[tuple[Any, str]]:
    """What a caller has brought, functions with the mark or modules that hold some, each with where it comes from.

    ``what`` (such as "agent") and ``how`` (such as ``@agent(queue=...)``) are for messages.

    Raises:
        RefusedPlugin: one is not marked.
    """
    found: list[tuple[Any, str]] = []
    for each in given:
        if hasattr(each, mark):
            found.append((getattr(each, mark), origin_of(each)))
            continue
        inside = vars(each).values() if isinstance(each, ModuleType) else ()
        declared = [value for value in inside if hasattr(value, mark)]
        if not declared:
            name = getattr(each, "__name__", repr(each)[:60])
            raise RefusedPlugin(f"{name} is declared as no {what}: write {how} above it")
        found += [(getattr(value, mark), origin_of(value)) for value in declared]
    return found


def must_be_async(function: Any, what: str) -> None:
    """Raise TypeError for a function that is none of a coroutine: what it returns could not be awaited.

    Args:
        function: what is declared.
        what: e.g. "agent librarian".
    """
    if (inspect.isfunction(function) or inspect.ismethod(function)) and not inspect.iscoroutinefunction(function):
        raise TypeError(f"{what} must be a coroutine function: write `async def {function.__name__}`")
