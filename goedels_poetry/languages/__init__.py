"""Proof languages, found by name or file suffix. Modules are imported only when a language is asked for.

A package adds a language with an entry point of the group ``goedels_poetry.languages`` whose value is
the language's class (called without arguments), or a callable that returns an instance.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pathlib import PurePath
from typing import cast

from goedels_poetry.errors import UnknownLanguage
from goedels_poetry.languages.base import EXHAUSTED, Certificate, Goal, Language, Outcome, Theorem

GROUP = "goedels_poetry.languages"

BUILT_IN: dict[str, tuple[str, tuple[str, ...]]] = {
    "smt": ("goedels_poetry.languages.smt:SmtLanguage", (".smt2", ".smt")),
    "lean": ("goedels_poetry.languages.lean:LeanLanguage", (".lean",)),
    "logic": ("goedels_poetry.languages.logic.language:LogicLanguage", (".json",)),
}
"""name -> (``module:class``, suffixes): a table of strings, so that listing languages imports none."""


def names() -> tuple[str, ...]:
    """Names of every language that can be asked for, built-in ones first."""
    return (*BUILT_IN, *sorted({ep.name for ep in entry_points(group=GROUP)} - set(BUILT_IN)))


def get(name: str) -> Language:
    """A new instance of the language called ``name``; raises :class:`UnknownLanguage`."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name][0].partition(":")
        return cast(Language, getattr(import_module(module), attribute)())
    for entry_point in entry_points(group=GROUP, name=name):
        return cast(Language, entry_point.load()())
    raise UnknownLanguage(f"no proof language {name!r}; installed: {', '.join(names())}")


def for_file(path: str | PurePath) -> str:
    """Name of the language for a file, by its suffix; raises :class:`UnknownLanguage`."""
    suffix = PurePath(path).suffix.lower()
    for name, (_, suffixes) in BUILT_IN.items():
        if suffix in suffixes:
            return name
    for entry_point in entry_points(group=GROUP):
        if suffix in getattr(entry_point.load(), "suffixes", ()):
            return entry_point.name
    known = ", ".join(s for _, suffixes in BUILT_IN.values() for s in suffixes)
    raise UnknownLanguage(f"no proof language for {str(path)!r} (known suffixes: {known}); name one with --language")


__all__ = ["EXHAUSTED", "Certificate", "Goal", "Language", "Outcome", "Theorem", "for_file", "get", "names"]
