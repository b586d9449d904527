"""Proof languages, found by name or file suffix. Modules are imported only when a language is asked for.

A package adds a language with an entry point of the group ``goedels_poetry.languages`` whose value is
the language's class (called without arguments), or a callable that returns an instance. A caller brings one as a class
or an instance (see `brought`). Either is looked at before it is used: what it lacks is named.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from goedels_poetry.errors import GoedelsPoetryError, UnknownLanguage, one_line
from goedels_poetry.plugins import RefusedPlugin, declared, foreign_code, origin_of
from goedels_poetry.protocol.base import EXHAUSTED, Goal, Incomplete, Language, Outcome, SimpleLanguage, Theorem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "goedels_poetry.languages"

BUILT_IN: dict[str, tuple[str, tuple[str, ...]]] = {
    "smt": ("goedels_poetry.smt.language:SmtLanguage", (".smt2", ".smt")),
    "lean": ("goedels_poetry.lean.language:LeanLanguage", (".lean",)),
    "python": ("goedels_poetry.python.language:PythonLanguage", (".py",)),
    "logic": ("goedels_poetry.questions.language:LogicLanguage", (".json",)),
}
"""name -> (``module:class``, suffixes): a table of strings, so that listing languages imports none."""
SEARCHED = tuple(suffix for name, (_, suffixes) in BUILT_IN.items() if name != "logic" for suffix in suffixes)
"""Suffixes that a folder is searched for; a .json file may be anything, and is a program when it is named."""


@dataclass(frozen=True, slots=True)
class BroughtLanguage:
    """A language that a caller has brought."""

    name: str
    suffixes: tuple[str, ...]
    make: Callable[[], Language]
    """A new instance; the one that was brought where it was one."""
    plugin: str
    """The module that it comes from."""


def brought(given: Iterable[Any]) -> tuple[BroughtLanguage, ...]:
    """What a caller brings: classes, which are called without arguments, or instances; raises RefusedPlugin."""
    found: dict[str, BroughtLanguage] = {}
    for each in given:
        lacking = lacks(each)
        name = str(getattr(each, "name", None) or getattr(each, "__name__", type(each).__name__))
        if lacking:
            raise RefusedPlugin(f"the language {name} is not used: {'; '.join(lacking)}")
        if name in names() or name in found:
            raise RefusedPlugin(f"the language {name} is not used: there is a language of this name already")
        taken = {s: other for other, (_, suffixes) in BUILT_IN.items() for s in suffixes}
        taken |= {s: other.name for other in found.values() for s in other.suffixes}
        doubled = [f"{suffix} is a suffix of {taken[suffix]}" for suffix in each.suffixes if suffix in taken]
        if doubled:
            raise RefusedPlugin(f"the language {name} is not used: {'; '.join(doubled)}")
        make = each if isinstance(each, type) else partial(_same, each)
        found[name] = BroughtLanguage(name, tuple(each.suffixes), make, origin_of(each))
    return tuple(found.values())


def _same(language: Language) -> Language:
    return language


METHODS = tuple(name for name, value in vars(Language).items() if inspect.isfunction(value) and name[0] != "_")
"""What a language must have, all of it coroutines."""


def lacks(language: Any) -> list[str]:
    """What a class or an instance lacks to be a `Language`; [] when it has everything."""
    found = []
    if not isinstance(getattr(language, "name", None), str):
        found.append("it has no `name`")
    suffixes = getattr(language, "suffixes", None)
    if not isinstance(suffixes, tuple | list) or not all(isinstance(s, str) and s[:1] == "." for s in suffixes):
        found.append('its `suffixes` are no tuple of texts like ".mine"')
    methods = {name: getattr(language, name, None) for name in METHODS}
    missing = [n for n, method in methods.items() if not callable(method) or hasattr(method, "__isabstractmethod__")]
    if missing:
        found.append(f"it has no {', '.join(missing)} (derive it from goedels_poetry.SimpleLanguage)")
    blocking = [name for name, method in methods.items() if _is_blocking(method)]
    if blocking:
        found.append(f"{', '.join(blocking)} must be `async def`")
    return found


def _is_blocking(method: Any) -> bool:
    return (inspect.isfunction(method) or inspect.ismethod(method)) and not inspect.iscoroutinefunction(method)


def names(more: Sequence[BroughtLanguage] = ()) -> tuple[str, ...]:
    """Names of every language that can be asked for, built-in ones first, those of a caller last."""
    installed = sorted({ep.name for ep in declared(GROUP)} - set(BUILT_IN))
    return (*BUILT_IN, *installed, *(each.name for each in more))


def problems() -> list[str]:
    """One line for each installed language that cannot be used."""
    found = []
    for entry_point in _installed():
        try:
            _plugin(entry_point)
        except UnknownLanguage as problem:
            found.append(str(problem))
    return found


def _installed() -> list[EntryPoint]:
    return [entry_point for entry_point in declared(GROUP) if entry_point.name not in BUILT_IN]


def get(name: str, more: Sequence[BroughtLanguage] = ()) -> Language:
    """A new instance of the language called ``name``; raises :class:`UnknownLanguage`."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name][0].partition(":")
        return cast(Language, getattr(import_module(module), attribute)())
    for entry_point in _installed():
        if entry_point.name == name:
            return _plugin(entry_point)
    for each in more:
        if each.name == name:
            with _refusing(f"the language {name} cannot be made"):
                made = each.make()
            return _of_its_name(made, name, f"the language {name}")
    raise UnknownLanguage(f"no proof language {name!r}; installed: {', '.join(names(more))}")


def for_file(path: str | os.PathLike[str], more: Sequence[BroughtLanguage] = ()) -> str:
    """Name of the language for a file, by its suffix; raises :class:`UnknownLanguage`."""
    suffix = PurePath(path).suffix.lower()
    ours, theirs = {name: known for name, (_, known) in BUILT_IN.items()}, {each.name: each.suffixes for each in more}
    for name, known in ours.items():
        if suffix in known:
            return name
    broken = []
    for entry_point in _installed():
        try:
            with _refusing(f"the language {_where(entry_point)} does not load"):
                if suffix in getattr(entry_point.load(), "suffixes", ()):
                    return entry_point.name
        except UnknownLanguage as problem:
            broken.append(str(problem))
    for name, known in theirs.items():
        if suffix in known:
            return name
    listed = ", ".join(each for known in (*ours.values(), *theirs.values()) for each in known)
    words = f"no proof language for {str(path)!r} (known suffixes: {listed}); name one with --language"
    raise UnknownLanguage("; ".join((words, *broken)))


_LEAN = re.compile(r"^\s*(@\[[^\]]*\]\s*)?(private\s+)?(theorem|lemma|example)\b", re.MULTILINE)
_PYTHON = re.compile(r"^\s*(async )?def \w+\(", re.MULTILINE)


def for_text(text: str) -> str:
    """Name of the built-in language that a text is written in; "" where nothing tells.

    A text of SMT-LIB begins with a parenthesis, a program of JSON with a brace; one of Lean states a theorem, one of
    Python has a function.
    """
    begin = re.sub(r"^\s*;.*$", "", text.lstrip("\ufeff"), flags=re.MULTILINE).lstrip()[:1]
    if begin in ("(", "{"):
        return "smt" if begin == "(" else "logic"
    lean, python = _LEAN.search(text) is not None, _PYTHON.search(text) is not None
    if lean and python:  # a docstring may begin a line with `theorem`, and Lean too has `def`
        return "lean" if ":=" in text else "python"
    return "lean" if lean else "python" if python else ""


@contextmanager
def blaming(language: Language, what: str) -> Iterator[None]:
    """Inside, whatever a language that is not ours raises says whose fault it is; raises RefusedPlugin."""
    try:
        yield
    except (GoedelsPoetryError, OSError):
        raise
    except (Exception, SystemExit) as exc:
        if language.name in BUILT_IN:
            raise
        raise RefusedPlugin(f"the language {language.name} failed to {what}: {one_line(exc)}") from exc


def _plugin(entry_point: EntryPoint) -> Language:
    """A new instance of a plug-in's language, which goes by no other name than the one it is registered under."""
    where = _where(entry_point)
    with _refusing(f"the language {where} does not load"):
        made = _of_its_name(entry_point.load()(), entry_point.name, f"the language {entry_point.name} of a plug-in")
    lacking = lacks(made)
    if lacking:
        raise UnknownLanguage(f"the language {where} is not used: {'; '.join(lacking)}")
    return made


def _where(entry_point: EntryPoint) -> str:
    return f"{entry_point.name} ({entry_point.value})"


def _of_its_name(made: Language, name: str, who: str) -> Language:
    if made.name != name:
        raise UnknownLanguage(f"{who} calls itself {made.name}: it is not used")
    return made


@contextmanager
def _refusing(words: str) -> Iterator[None]:
    """Inside, foreign code may raise anything: it becomes UnknownLanguage with these words."""
    try:
        with foreign_code():
            yield
    except UnknownLanguage:
        raise
    except Exception as exc:
        raise UnknownLanguage(f"{words}: {one_line(exc)}") from exc


__all__ = [
    "EXHAUSTED",
    "BroughtLanguage",
    "Goal",
    "Incomplete",
    "Language",
    "Outcome",
    "SimpleLanguage",
    "Theorem",
    "blaming",
    "brought",
    "for_file",
    "get",
    "lacks",
    "names",
    "problems",
]
