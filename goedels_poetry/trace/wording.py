"""Stored statements as people write them, for the languages that we can word."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib import import_module

LONGEST = 1_000
"""Characters of a statement in a tree for the terminal; a longer one is cut there. `trace --html` has more of it."""
Worded = Callable[[str, str], str]
"""Statement and the run's language -> what people read."""
_WORDINGS = {
    "(": "goedels_poetry.languages.smt.infix:render",
    "theorem gp_": "goedels_poetry.languages.lean.task:lemma_type",
}
"""How a stored statement begins, and what puts it into words; imported only where there is one."""
_OF_LANGUAGES = {("python", "("): "goedels_poetry.languages.python.wording:render"}
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
        from goedels_poetry.languages.python.wording import named  # only where there are such runs

        return named(name)
    bare = name[1:-1]
    return bare if name[:1] == "|" and bare.isidentifier() and not bare.isascii() else name


def worded_definition(name: str, language: str = "") -> str:
    """What the definition of a function tells, in words."""
    if language == "python":
        from goedels_poetry.languages.python.wording import definition  # only where there are such runs

        return definition(name)
    return f"the definition of {worded_name(name)}"
