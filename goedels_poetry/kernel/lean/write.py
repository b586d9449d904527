"""Declarations of a stream, written anew: what goes on to the kernels was read, and nothing else goes on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from goedels_poetry.kernel.lean.stream import ANONYMOUS, Declaration, Stream, children

_NAMES = frozenset({"name", "induct", "ctor"})
_NAME_LISTS = frozenset({"levelParams", "all"})
_EXPRESSIONS = frozenset({"type", "value", "rhs"})
_RECORDS = frozenset({"types", "recs", "rules"})


def write(stream: Stream, declarations: Iterable[Declaration]) -> str:
    """These declarations, in this order, with all that they are made of, as a text of the format."""
    return "\n".join([*_Writer(stream).lines(declarations), ""])


class _Writer:
    """New ids for what is used."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
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
            new = self._names[each] = len(self._names)
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
            self._levels[here] = len(self._levels)
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
            self._exprs[here] = len(self._exprs)
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
