"""Stored statements and strategies as people write them, for the languages that we can word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from goedels_poetry.trace.terminal import one_line

LONGEST = 1_000
"""Characters of a statement in a tree for the terminal; a longer one is cut there. `trace --html` has more of it."""
Worded = Callable[[str, str], str]
"""Statement and the run's language -> what people read."""
_WORDINGS = {
    "(": "goedels_poetry.smt.notation.infix:render",
    "theorem gp_": "goedels_poetry.lean.text.task:lemma_type",
}
"""How a stored statement begins, and what puts it into words; imported only where there is one."""
_OF_LANGUAGES = {("python", "("): "goedels_poetry.python.wording:render"}
"""Of a language, where its own words are others than those of the statements that it is translated to."""

MOST_WORDED = 500
"""Statements whose words are kept: those of a tree are asked for again and again, those of another theorem never."""


@lru_cache(maxsize=MOST_WORDED)
def worded(statement: str, language: str = "") -> str:
    """The statement as people write it, where it is one that we can word; else as it is.

    ``language``: the run's, where it is known: a stored formula does not say what it was translated from.
    """
    for beginning, general in _WORDINGS.items():
        if statement.startswith(beginning):
            function = _OF_LANGUAGES.get((language, beginning), general)
            module, _, name = function.partition(":")
            return str(getattr(import_module(module), name)(statement))
    return statement


def wording_of(language: str) -> Callable[[str], str]:
    """`worded` for the statements of runs in one language."""
    return partial(worded, language=language)


@lru_cache(maxsize=MOST_WORDED)
def worded_name(name: str, language: str = "") -> str:
    """The name of a function or a variable as people write it."""
    if language == "python":
        from goedels_poetry.python.wording import named  # only where there are such runs

        return named(name)
    bare = name[1:-1]
    return bare if name[:1] == "|" and bare.isidentifier() and not bare.isascii() else name


def worded_definition(name: str, language: str = "") -> str:
    """What the definition of a function tells, in words."""
    if language == "python":
        from goedels_poetry.python.wording import definition  # only where there are such runs

        return definition(name)
    return f"the definition of {worded_name(name)}"


# -- strategies: their fingerprints are text for programs, and stay as they are ----------------------------------------

MOST_CHARACTERS = 2_000
"""A longer fingerprint is shown as it is."""
_POINTS = re.compile(r"(.*) at \d+: (\(.*\))", re.DOTALL)
"""A measure, and the points at which the goal is assumed: one tuple for each, in a tuple."""
_CALL = re.compile(r"(.*?) /(?: (.*))?", re.DOTALL)
"""A function with its arguments, and the variables for whose every value the goal is assumed."""
_ALONG = "recursion-induction"
"""The strategy whose detail is such a call."""
_SCHEME = re.compile(r"RecursionInduction\(function='([^']*)', at=\((.*?),?\), general=\((.*?),?\)\)", re.DOTALL)


def worded_method(fingerprint: str, language: str = "") -> str:
    """``witness((* n n))`` as ``witness(n * n)``; what is of no form that is known stays as it is."""
    name, bracket, rest = fingerprint.partition("(")
    if not bracket or not rest.endswith(")") or len(rest) > MOST_CHARACTERS:
        return fingerprint
    return f"{name}({_applied(name, rest[:-1].strip(), language)})"


def worded_detail(strategy: str, detail: str, language: str = "") -> str:
    """What a strategy was applied to, likewise: a formula, or what stands in brackets in its fingerprint."""
    if _is_formula(detail) or len(detail) > MOST_CHARACTERS:
        return worded(detail, language)
    return _applied(strategy, detail.strip(), language)


def worded_points(strategy: str, detail: str, language: str = "") -> str:
    """The detail of an induction on a measure or along a function in words; anything else as it is."""
    called = strategy == _ALONG and _CALL.fullmatch(detail)
    return worded_detail(strategy, detail, language) if called or _POINTS.fullmatch(detail) else detail


def _is_formula(text: str) -> bool:
    return text.startswith("(") and _POINTS.fullmatch(text) is None


def _applied(strategy: str, text: str, language: str) -> str:
    if found := _SCHEME.fullmatch(text):
        return _called([found[1], *_elements(found[2])], _elements(found[3]), language)
    if found := _POINTS.fullmatch(text):
        points = [_point(part, language) for part in _elements(found[2][1:-1])]
        measure = in_words(found[1], language)
        return f"{measure} at {' and '.join(points)}" if points else measure
    found = _CALL.fullmatch(text) if strategy == _ALONG else None
    if found and not found[1].startswith("("):
        return _called(list(_parts(found[1])), list(_parts(found[2] or "")), language)
    return " ".join(in_words(part, language) for part in _parts(text))


def _called(call: list[str], general: list[str], language: str) -> str:
    """``f(x, y + 1) for all z``."""
    function, *arguments = (in_words(part, language) for part in call)
    words = f"{function}({', '.join(arguments)})" if arguments else function
    return f"{words} for all {' '.join(in_words(part, language) for part in general)}" if general else words


def _point(text: str, language: str) -> str:
    """A tuple of values of the goal's variables; of one alone, that."""
    parts = _elements(text[1:-1]) if text.startswith("(") else [text]
    values = [in_words(part, language) for part in parts]
    return values[0] if len(values) == 1 else f"({', '.join(values)})"


def _elements(text: str) -> list[str]:
    """What commas separate, outside of parentheses and quotation."""
    return [part.strip() for part in _split(text, ",") if part.strip()]


def _parts(text: str) -> Iterator[str]:
    """What spaces separate, likewise."""
    return (part for part in _split(text, " ") if part)


def _split(text: str, at: str) -> Iterator[str]:
    depth, quote, start = 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in '|"':
            quote = character
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif character == at and depth == 0:
            yield text[start:place]
            start = place + 1
    yield text[start:]


def in_words(text: str, language: str) -> str:
    """A term as people write it; names lose the bars that only their letters need."""
    return worded(text, language) if text.startswith("(") else worded_name(text, language)


def counterexample_lines(counterexample: dict[str, Any]) -> list[str]:
    """``name = value`` for each variable; an instance in Lean's words as it is, another form as JSON."""
    if isinstance(counterexample.get("instance"), str):
        return [one_line(counterexample["instance"])]
    values = counterexample.get("values", counterexample)
    if not isinstance(values, dict):
        return [one_line(json.dumps(counterexample, default=str))]
    short = counterexample.get("short", {})
    return [
        f"{one_line(str(name))} = {one_line(worded(value) if isinstance(value, str) else json.dumps(value))}"
        + (f", {one_line(short[name])}" if name in short else "")
        for name, value in values.items()
    ]
