"""Proof languages, found by name or file suffix. Modules are imported only when a language is asked for.

A package adds a language with an entry point of the group ``goedels_poetry.languages`` whose value is
the language's class (called without arguments), or a callable that returns an instance.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from goedels_poetry.errors import UnknownLanguage, one_line
from goedels_poetry.languages.base import EXHAUSTED, Goal, Incomplete, Language, Outcome, Theorem
from goedels_poetry.plugins import declared

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "goedels_poetry.languages"

BUILT_IN: dict[str, tuple[str, tuple[str, ...]]] = {
    "smt": ("goedels_poetry.languages.smt:SmtLanguage", (".smt2", ".smt")),
    "lean": ("goedels_poetry.languages.lean:LeanLanguage", (".lean",)),
    "python": ("goedels_poetry.languages.python.language:PythonLanguage", (".py",)),
    "logic": ("goedels_poetry.languages.logic.language:LogicLanguage", (".json",)),
}
"""name -> (``module:class``, suffixes): a table of strings, so that listing languages imports none."""


def names() -> tuple[str, ...]:
    """Names of every language that can be asked for, built-in ones first."""
    return (*BUILT_IN, *sorted({ep.name for ep in declared(GROUP)} - set(BUILT_IN)))


def get(name: str) -> Language:
    """A new instance of the language called ``name``; raises :class:`UnknownLanguage`."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name][0].partition(":")
        return cast(Language, getattr(import_module(module), attribute)())
    for entry_point in declared(GROUP):
        if entry_point.name == name:
            return _plugin(entry_point)
    raise UnknownLanguage(f"no proof language {name!r}; installed: {', '.join(names())}")


def for_file(path: str | PurePath) -> str:
    """Name of the language for a file, by its suffix; raises :class:`UnknownLanguage`."""
    suffix = PurePath(path).suffix.lower()
    for name, (_, suffixes) in BUILT_IN.items():
        if suffix in suffixes:
            return name
    broken = []
    for entry_point in declared(GROUP):
        try:
            if suffix in getattr(_tried(entry_point, entry_point.load), "suffixes", ()):
                return entry_point.name
        except UnknownLanguage as problem:
            broken.append(str(problem))
    known = ", ".join(s for _, suffixes in BUILT_IN.values() for s in suffixes)
    words = f"no proof language for {str(path)!r} (known suffixes: {known}); name one with --language"
    raise UnknownLanguage("; ".join((words, *broken)))


def _plugin(entry_point: EntryPoint) -> Language:
    """A new instance of a plug-in's language, which goes by no other name than the one it is registered under."""
    made = _tried(entry_point, _tried(entry_point, entry_point.load))
    name = _tried(entry_point, lambda: made.name)
    if name != entry_point.name:
        raise UnknownLanguage(f"the language {entry_point.name} of a plug-in calls itself {name}: it is not used")
    return cast(Language, made)


def _tried(entry_point: EntryPoint, work: Callable[[], Any]) -> Any:
    """What foreign code gives, which may raise anything."""
    try:
        return work()
    except (Exception, SystemExit) as exc:
        where = f"{entry_point.name} ({entry_point.value})"
        raise UnknownLanguage(f"the language {where} does not load: {one_line(exc)}") from exc


__all__ = ["EXHAUSTED", "Goal", "Incomplete", "Language", "Outcome", "Theorem", "for_file", "get", "names"]
