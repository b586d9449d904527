"""The functions of a script under way: what they are in Lean, what defines them, and which calls which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.kernel.components import components
from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.lean.goals.expressions import Expr

# -- Names of SMT-LIB for what has names in Lean -------------------------------------------------------------------


_WORDS = RESERVED | {"true", "false"}
_OTHER = re.compile(r"[^A-Za-z0-9_.~!@$%^&*+<>?/-]")


class Names:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def give(self, wanted: str) -> str:
        """The last part of a name of Lean, or something like it."""
        stem = _OTHER.sub("_", wanted.rpartition(".")[2] or wanted)
        if not stem or stem[0].isdigit() or stem in _WORDS or stem[0] in ".@" or is_theory_symbol(stem):
            stem = f"x_{stem}"
        name, number = stem, self._taken.get(stem, 1)
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken[stem] = number
        self._taken[name] = 1
        return name


# -- What comes of reading a goal ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """A goal as the engine reads it, and how to say in Lean what the engine says."""

    text: str
    symbols: Mapping[str, Symbol]
    types: Mapping[str, Expr]
    """Of each sort."""
    variables: tuple[tuple[Expr, Expr, str], ...]
    """What the goal is about that is no value: types, instances, functions; with their types and binders."""
    numbers: frozenset[str]
    functions: tuple[str, ...]
    """Constants that have definitions in the script."""
    dropped: int = 0
    """Hypotheses that could not be read."""
    operations: Mapping[str, str] = field(default_factory=dict)
    """Functions of the script that are operations on natural numbers, with their signs."""
    places: Mapping[int, str] = field(default_factory=dict)
    """The variables of the script's goal, by their places among the variables and hypotheses of Lean's."""


# -- The functions of a script under way ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function of the script: what it is in Lean."""

    parameters: tuple[str, ...]
    """Names of free variables."""
    template: Expr
    """The application in Lean, over these."""
    prop: bool = False


@dataclass(slots=True)
class Script:
    """Functions that are declared or defined."""

    symbols: dict[str, Symbol] = field(default_factory=dict)
    declarations: dict[str, str] = field(default_factory=dict)
    """Text of each function that nothing is said about."""
    definitions: dict[str, str] = field(default_factory=dict)
    """Text of each defined function; "" while it is being made."""
    operations: dict[str, str] = field(default_factory=dict)
    """Functions that are operations on natural numbers, with their signs."""
    constants: dict[str, None] = field(default_factory=dict)
    """Of Lean, that have definitions here."""
    names: dict[tuple[str, tuple[Expr, ...]], str] = field(default_factory=dict)
    """Of a constant of Lean with the arguments that are part of the function."""
    _calls: dict[str, set[str]] = field(default_factory=dict)
    _stack: list[str] = field(default_factory=list)

    def tables(self) -> list[dict[Any, Any]]:
        """All that reading a term may add to."""
        return [
            self.symbols,
            self.declarations,
            self.definitions,
            self._calls,
            self.operations,
            self.constants,
            self.names,
        ]

    def call(self, name: str, caller: str = "") -> str:
        """The function, called by what is being defined, or by another one."""
        caller = caller or (self._stack[-1] if self._stack else "")
        if caller:
            self._calls.setdefault(caller, set()).add(name)
        return name

    @contextmanager
    def defining(self, name: str) -> Iterator[None]:
        """Inside, what is called is called by this function."""
        self.definitions[name] = ""
        self._stack.append(name)
        try:
            yield
        finally:
            self._stack.pop()

    def _below(self, name: str) -> list[str]:
        """The defined functions that a function calls."""
        return sorted(self._calls.get(name, set()) & self.definitions.keys())

    def defined(self) -> list[str]:
        """The definitions, what is called first; functions that call each other together."""
        lines = []
        for group in components(list(self.definitions), self._below):
            texts = [self.definitions[f] for f in group]
            if len(group) == 1 and (
                group[0] in self._calls.get(group[0], ()) or texts[0].startswith("(define-fun-rec")
            ):
                lines.append(texts[0].replace("(define-fun ", "(define-fun-rec ", 1))
            elif len(group) == 1:
                lines.append(texts[0])
            else:
                split = [_parts(text) for text in texts]
                heads, bodies = " ".join(f"({h})" for h, _ in split), " ".join(b for _, b in split)
                lines.append(f"(define-funs-rec ({heads}) ({bodies}))")
        return lines


def _parts(definition: str) -> tuple[str, str]:
    """Head and body of a definition."""
    inner = definition.removeprefix("(define-fun ").removeprefix("(define-fun-rec ").removesuffix(")")
    depth = 0
    spaces = []
    for at, sign in enumerate(inner):
        depth += (sign == "(") - (sign == ")")
        if sign == " " and depth == 0:
            spaces.append(at)
    return inner[: spaces[2]], inner[spaces[2] + 1 :]
