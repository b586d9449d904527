"""What a text of the export format comes to: tables of names, levels and expressions, and declarations over them."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

_STEPS_A_LOOK = 1024
"""After so many steps somebody looks at the clock."""
ANONYMOUS = 0
SAFE = "safe"

Name = str
Level = tuple[Any, ...]
"""("zero",), ("succ", l), ("max", l, m), ("imax", l, m), ("param", name)."""
Expr = tuple[Any, ...]
"""("bvar", i), ("sort", l), ("const", name, levels), ("app", f, a), ("lam" | "forallE", name, type, body, binder info),
("letE", name, type, value, body, nondep), ("proj", structure, index, e), ("natVal", digits), ("strVal", text)."""


class BadData(Exception):
    """The data are not declarations in the format; the message says what and on which line."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One constant. Expressions and levels are ids of its stream."""

    name: Name
    kind: str
    """"axiom", "def", "thm", "opaque", "quot", "assumed", "inductive", "constructor", "recursor"."""
    levels: tuple[Name, ...]
    type: int
    value: int | None = None
    safe: bool = True
    facts: tuple[Any, ...] = ()
    """What else the record says of it: hints are left out, for they change nothing that is provable."""
    rules: tuple[int, ...] = ()
    """Right sides of a recursor's rules."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One record: a constant, or an inductive family with its constructors and recursors."""

    kind: str
    constants: tuple[Constant, ...]
    record: dict[str, Any]
    """As it was written, ids included."""
    place: int
    """How many declarations stand before it."""

    @property
    def name(self) -> Name:
        """Of its first constant."""
        return self.constants[0].name


class Clock:
    """Every walk over declarations passes through here, so that each ends in time."""

    def __init__(self, until: float = math.inf) -> None:
        """``until``: on the monotonic clock, in seconds."""
        self._until = until
        self._steps = 0

    def tick(self) -> None:
        """One step more; raises :class:`TimeoutError` when the time is over."""
        self._steps += 1
        if self._steps % _STEPS_A_LOOK == 0 and time.monotonic() > self._until:
            raise TimeoutError("there was no time to go through all declarations")


@dataclass(slots=True)
class Stream:
    """What a text declares. Ids index the tables; 0 is the anonymous name and the level zero."""

    clock: Clock = field(default_factory=Clock)

    names: list[Name] = field(default_factory=lambda: [""])
    parts: list[tuple[int, str | int]] = field(default_factory=lambda: [(0, "")])
    """Of each name: the id of what stands before its last component, and that component."""
    levels: list[Level] = field(default_factory=lambda: [("zero",)])
    exprs: list[Expr] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    """Of each expression: expressions below each other in it."""
    level_depths: list[int] = field(default_factory=lambda: [0])
    loose: list[int] = field(default_factory=list)
    """Of each expression: how many binders it needs around it to be closed."""
    line: int = 0
    """The last one that was read, from 1."""
    characters: int = 0
    """Of all names."""
    declarations: list[Declaration] = field(default_factory=list)
    constants: dict[Name, tuple[Constant, Declaration]] = field(default_factory=dict)

    def below(self, roots: Iterable[int]) -> Iterator[Expr]:
        """Every expression in these, each once."""
        seen: set[int] = set()
        todo = list(roots)
        while todo:
            at = todo.pop()
            if at not in seen:
                self.clock.tick()
                seen.add(at)
                yield self.exprs[at]
                todo.extend(children(self.exprs[at]))

    def mentioned(self, roots: Iterable[int]) -> frozenset[Name]:
        """Constants in these expressions, those that literals stand for included."""
        found: set[Name] = set()
        for e in self.below(roots):
            if e[0] == "const" or e[0] == "proj":
                found.add(self.names[e[1]])
            elif e[0] in LITERALS:
                found.update(LITERALS[e[0]])
        return frozenset(found)

    def needs(self, declaration: Declaration) -> frozenset[Name]:
        """Constants that a declaration mentions and does not itself declare."""
        self.clock.tick()
        roots = [c.type for c in declaration.constants]
        roots += [c.value for c in declaration.constants if c.value is not None]
        roots += [rule for c in declaration.constants for rule in c.rules]
        found = self.mentioned(roots) | (QUOTIENT if declaration.kind == "quot" else frozenset())
        return found - {c.name for c in declaration.constants}


LITERALS = {"natVal": ("Nat",), "strVal": ("String", "String.ofList", "Char.ofNat", "List.nil", "List.cons", "Nat")}
"""Constants that a literal stands for."""
QUOTIENT = frozenset({"Eq"})
"""What the quotients rest on without mentioning it."""
_BELOW = {"app": (1, 2), "lam": (2, 3), "forallE": (2, 3), "letE": (2, 3, 4), "proj": (3,)}


def children(e: Expr) -> tuple[int, ...]:
    """The expressions directly below one."""
    return tuple(e[i] for i in _BELOW.get(e[0], ()))


def render(component: str | int) -> str:
    """A component of a name, so that different names have different texts."""
    if isinstance(component, int):
        return str(component)
    if re.search('["«»]', component):
        return json.dumps(component, ensure_ascii=False)
    return f"«{component}»" if re.fullmatch(r"[0-9]*", component) or re.search(r"[\s.]", component) else component
