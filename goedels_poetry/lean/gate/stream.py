"""What a text of the export format comes to: tables of names, levels and expressions, and declarations over them."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

# -- Declarations of a stream, written anew ------------------------------------------------------------------------


_NAMES = frozenset({"name", "induct", "ctor"})
_NAME_LISTS = frozenset({"levelParams", "all"})
_EXPRESSIONS = frozenset({"type", "value", "rhs"})
_RECORDS = frozenset({"types", "recs", "rules"})


def write(stream: Stream, declarations: Iterable[Declaration], after: tuple[int, int, int] = (0, 0, 0)) -> str:
    """These declarations, in this order, with all that they are made of, as a text of the format.

    ``after``: names, levels and expressions of a text that this one goes on.
    """
    return "\n".join([*_Writer(stream, after).lines(declarations), ""])


class _Writer:
    """New ids for what is used."""

    def __init__(self, stream: Stream, after: tuple[int, int, int]) -> None:
        self._stream = stream
        self._after = after
        self._names = {ANONYMOUS: 0}
        self._levels = {0: 0}
        self._exprs: dict[int, int] = {}
        self._out: list[str] = []

    def lines(self, declarations: Iterable[Declaration]) -> Iterator[str]:
        for declaration in declarations:
            record = self._record(declaration.record)
            self._put({declaration.kind: record})
            yield from self._out
            self._out.clear()

    def _put(self, row: dict[str, Any]) -> None:
        self._stream.clock.tick()
        self._out.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")))

    def _record(self, record: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in record.items():
            if key in _NAMES:
                made[key] = self._name(value)
            elif key in _NAME_LISTS or (key == "ctors" and all(type(v) is int for v in value)):
                made[key] = [self._name(v) for v in value]
            elif key in _EXPRESSIONS:
                made[key] = self._expr(value)
            elif key in _RECORDS or key == "ctors":
                made[key] = [self._record(v) for v in value]
            else:
                made[key] = value
        return made

    def _name(self, at: int) -> int:
        path = []
        while at not in self._names:
            path.append(at)
            at = self._stream.parts[at][0]
        for each in reversed(path):
            before, part = self._stream.parts[each]
            new = self._names[each] = self._after[0] + len(self._names)
            before = self._names[before]
            last = (
                {"num": {"pre": before, "i": part}} if isinstance(part, int) else {"str": {"pre": before, "str": part}}
            )
            self._put({"in": new, **last})
            at = each
        return self._names[at]

    def _level(self, at: int) -> int:
        todo = [at]
        while todo:
            here = todo[-1]
            if here in self._levels:
                todo.pop()
                continue
            kind, *rest = self._stream.levels[here]
            missing = [] if kind == "param" else [i for i in rest if i not in self._levels]
            if missing:
                todo.extend(missing)
                continue
            ids = [self._name(rest[0])] if kind == "param" else [self._levels[i] for i in rest]
            self._levels[here] = self._after[1] + len(self._levels)
            self._put({"il": self._levels[here], kind: ids if len(ids) > 1 else ids[0]})
        return self._levels[at]

    def _expr(self, at: int) -> int:
        todo = [at]
        while todo:
            here = todo[-1]
            if here in self._exprs:
                todo.pop()
                continue
            missing = [i for i in children(self._stream.exprs[here]) if i not in self._exprs]
            if missing:
                todo.extend(reversed(missing))
                continue
            body = self._body(here)
            self._exprs[here] = self._after[2] + len(self._exprs)
            self._put({"ie": self._exprs[here], **body})
        return self._exprs[at]

    def _body(self, at: int) -> dict[str, Any]:
        kind, *e = self._stream.exprs[at]
        old = self._exprs
        if kind == "sort":
            return {kind: self._level(e[0])}
        if kind == "const":
            return {kind: {"name": self._name(e[0]), "us": [self._level(u) for u in e[1]]}}
        if kind == "app":
            return {kind: {"fn": old[e[0]], "arg": old[e[1]]}}
        if kind in ("lam", "forallE"):
            return {kind: {"name": self._name(e[0]), "type": old[e[1]], "body": old[e[2]], "binderInfo": e[3]}}
        if kind == "letE":
            below = {"type": old[e[1]], "value": old[e[2]], "body": old[e[3]]}
            return {kind: {"name": self._name(e[0]), **below, "nondep": e[4]}}
        if kind == "proj":
            return {kind: {"typeName": self._name(e[0]), "idx": e[1], "struct": old[e[2]]}}
        return {kind: e[0]}


# -- What a text of the export format comes to ---------------------------------------------------------------------


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
