"""Builds streams for the second Lean kernel: terms as tuples, declarations as records, recursors made from the types.

A bound variable is written as a Python function of it: ``pi(NAT, lambda n: ...)``. While a term is being built the
variable is ``("local", number)``; closing the binder turns it into an index. Levels are numbers, names of parameters,
or ``("max", a, b)``, ``("imax", a, b)``, ``("succ", a)``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lean_streams import Level, Record, Term, app, const, proj, sort, spine
from lean_streams import number as nat

_numbers = itertools.count()


def new_local() -> Term:
    return ("local", next(_numbers))


def close(kind: str, variable: Term, domain: Term, body: Term) -> Term:
    return (kind, domain, _to_index(body, variable, 0))


def pi(domain: Term, body: Callable[[Term], Term] | Term) -> Term:
    x = new_local()
    return close("pi", x, domain, body(x) if callable(body) else body)


def lam(domain: Term, body: Callable[[Term], Term] | Term) -> Term:
    x = new_local()
    return close("lam", x, domain, body(x) if callable(body) else body)


def let(type: Term, value: Term, body: Callable[[Term], Term]) -> Term:
    x = new_local()
    return ("let", type, value, _to_index(body(x), x, 0))


def arrow(*types: Term) -> Term:
    *domains, result = types
    for domain in reversed(domains):
        result = pi(domain, result)
    return result


def _children(t: Term, visit: Callable[[Term, int], Term], under: int) -> Term:
    match t[0]:
        case "app":
            return ("app", visit(t[1], under), visit(t[2], under))
        case "pi" | "lam":
            return (t[0], visit(t[1], under), visit(t[2], under + 1))
        case "let":
            return ("let", visit(t[1], under), visit(t[2], under), visit(t[3], under + 1))
        case "proj":
            return (*t[:3], visit(t[3], under))
        case _:
            return t


def _to_index(t: Term, variable: Term, under: int) -> Term:
    if t == variable:
        return ("bvar", under)
    return _children(t, lambda s, u: _to_index(s, variable, u), under)


def instantiate(body: Term, x: Term, under: int = 0) -> Term:
    if body[0] == "bvar":
        return x if body[1] == under else body
    return _children(body, lambda s, u: instantiate(s, x, u), under)


def at_levels(t: Term, names: Sequence[str], levels: Sequence[Level]) -> Term:
    """The term with levels for parameters."""

    def level(lv: Level) -> Level:
        if isinstance(lv, str):
            return levels[names.index(lv)] if lv in names else lv
        return lv if isinstance(lv, int) else (lv[0], *map(level, lv[1:]))

    if t[0] == "sort":
        return sort(level(t[1]))
    if t[0] == "const":
        return const(t[1], *map(level, t[2]))
    return _children(t, lambda s, _: at_levels(s, names, levels), 0)


def opened(type: Term, given: Sequence[Term]) -> Term:
    """What is left of a function type for these arguments."""
    for x in given:
        type = instantiate(type[2], x)
    return type


def telescope(type: Term) -> tuple[list[tuple[Term, Term]], Term]:
    """The variables with their types, and the result."""
    found = []
    while type[0] == "pi":
        x = new_local()
        found.append((x, type[1]))
        type = instantiate(type[2], x)
    return found, type


def over(kind: str, variables: Sequence[tuple[Term, Term]], body: Term) -> Term:
    for x, domain in reversed(variables):
        body = close(kind, x, domain, body)
    return body


# ---------------------------------------------------------------------------------------- inductive types


@dataclass
class Type:
    """An inductive type as its declaration has it: closed types of the former and of the constructors."""

    name: str
    type: Term
    ctors: list[tuple[str, Term]]
    params: int = 0
    levels: tuple[str, ...] = ()

    @property
    def const(self) -> Term:
        return const(self.name, *self.levels)


@dataclass
class _Member:
    stands: Term
    indices: list[tuple[Term, Term]]
    ctors: list[tuple[str, Term, Term]]  # name, applied to the parameters, type of that
    rec: str
    motive: Term = field(default_factory=new_local)


def inductive(
    *types: Type,
    large: bool = True,
    k: bool = False,
    nested: Sequence[tuple[Type, Sequence[Level], Callable[..., list[Term]]]] = (),
    universe: str = "u",
) -> Record:
    """The record of a mutual declaration. ``nested``: a type, its levels, and its parameters as functions of ours."""
    first = types[0]
    params = telescope(first.type)[0][: first.params]
    given = [x for x, _ in params]
    members = [
        _Member(
            app(t.const, *given),
            telescope(opened(t.type, given))[0],
            [(c, app(const(c, *t.levels), *given), opened(ct, given)) for c, ct in t.ctors],
            f"{t.name}.rec",
        )
        for t in types
    ]
    for number, (t, levels, ds) in enumerate(nested, 1):
        actual = ds(*given)
        members.append(
            _Member(
                app(const(t.name, *levels), *actual),
                telescope(opened(at_levels(t.type, t.levels, levels), actual))[0],
                [
                    (c, app(const(c, *levels), *actual), opened(at_levels(ct, t.levels, levels), actual))
                    for c, ct in t.ctors
                ],
                f"{first.name}.rec_{number}",
            )
        )
    rec_levels = (universe, *first.levels) if large else first.levels

    def occurrence(t: Term) -> tuple[_Member, list[Term]] | None:
        head, xs = spine(t)
        for m in members:
            m_head, m_xs = spine(m.stands)
            if head == m_head and xs[: len(m_xs)] == m_xs:
                return m, xs[len(m_xs) :]
        return None

    motives, minors, minor_of, fields_of = [], [], {}, {}
    for m in members:
        major = new_local()
        whole = [*m.indices, (major, app(m.stands, *(x for x, _ in m.indices)))]
        motives.append((m.motive, over("pi", whole, sort(universe if large else 0))))
    is_rec = is_reflexive = False
    for m in members:
        for name, applied, type in m.ctors:
            fields, result = telescope(type)
            hypotheses, calls = [], []
            for x, domain in fields:
                xs, end = telescope(domain)
                found = occurrence(end)
                if found is not None:
                    target, indices = found
                    value = app(x, *(y for y, _ in xs))
                    is_rec, is_reflexive = True, is_reflexive or bool(xs)
                    hypotheses.append((new_local(), over("pi", xs, app(target.motive, *indices, value))))
                    calls.append((target, xs, indices, value))
            ends = occurrence(result)
            indices = ends[1] if ends else []
            conclusion = app(m.motive, *indices, app(applied, *(x for x, _ in fields)))
            minor = new_local()
            minors.append((minor, over("pi", [*fields, *hypotheses], conclusion)))
            minor_of[m.rec, name], fields_of[m.rec, name] = minor, (fields, calls)

    def rule(m: _Member, name: str) -> Record:
        fields, calls = fields_of[m.rec, name]
        before = [*given, *(x for x, _ in motives), *(x for x, _ in minors)]
        ih = [over("lam", xs, app(const(t.rec, *rec_levels), *before, *idx, v)) for t, xs, idx, v in calls]
        body = app(minor_of[m.rec, name], *(x for x, _ in fields), *ih)
        return {
            "ctor": name,
            "nfields": len(fields),
            "rhs": over("lam", [*params, *motives, *minors, *fields], body),
        }

    def recursor(m: _Member) -> Record:
        major = new_local()
        at = app(m.stands, *(x for x, _ in m.indices))
        result = app(m.motive, *(x for x, _ in m.indices), major)
        return {
            "name": m.rec,
            "levelParams": list(rec_levels),
            "type": over("pi", [*params, *motives, *minors, *m.indices, (major, at)], result),
            "all": [t.name for t in types],
            "numParams": first.params,
            "numIndices": len(m.indices),
            "numMotives": len(motives),
            "numMinors": len(minors),
            "rules": [rule(m, name) for name, _, _ in m.ctors],
            "k": k,
            "isUnsafe": False,
        }

    return {
        "types": [
            {
                "name": t.name,
                "levelParams": list(t.levels),
                "type": t.type,
                "numParams": first.params,
                "numIndices": len(m.indices),
                "all": [o.name for o in types],
                "ctors": [c for c, _ in t.ctors],
                "numNested": len(nested),
                "isRec": is_rec,
                "isUnsafe": False,
                "isReflexive": is_reflexive,
            }
            for t, m in zip(types, members, strict=False)
        ],
        "ctors": [
            {
                "name": c,
                "levelParams": list(t.levels),
                "type": ct,
                "induct": t.name,
                "cidx": i,
                "numParams": first.params,
                "numFields": len(telescope(ct)[0]) - first.params,
                "isUnsafe": False,
            }
            for t in types
            for i, (c, ct) in enumerate(t.ctors)
        ],
        "recs": [recursor(m) for m in members],
    }


# ---------------------------------------------------------------------------------------- streams


class Stream:
    """Lines of a stream, with the tables of ids of the section that is being written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.raw({"meta": {"format": {"version": "3.1.0"}}})
        self._restart()

    def _restart(self) -> None:
        self._ids: dict[str, dict[Any, int]] = {"in": {"": 0}, "il": {0: 0}, "ie": {}}

    def raw(self, row: Any) -> None:
        self.lines.append(row if isinstance(row, str) else json.dumps(row))

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def candidate(self) -> Stream:
        self.raw({"section": "candidate"})
        self._restart()
        return self

    def _id(self, table: str, key: Any, row: Callable[[], Record]) -> int:
        ids = self._ids[table]
        if key not in ids:
            made = row()
            self.raw({table: len(ids), **made})
            ids[key] = len(ids)
        return ids[key]

    def name(self, dotted: str) -> int:
        pre, _, last = dotted.rpartition(".")
        return self._id("in", dotted, lambda: {"str": {"pre": self.name(pre), "str": last}})

    def level(self, lv: Level) -> int:
        if isinstance(lv, int) and lv > 0:
            return self._id("il", lv, lambda: {"succ": self.level(lv - 1)})
        if isinstance(lv, str):
            return self._id("il", lv, lambda: {"param": self.name(lv)})
        if isinstance(lv, tuple) and lv[0] == "succ":
            return self._id("il", lv, lambda: {"succ": self.level(lv[1])})
        if isinstance(lv, tuple):
            return self._id("il", lv, lambda: {lv[0]: [self.level(lv[1]), self.level(lv[2])]})
        return 0

    def term(self, t: Term) -> int:
        return self._id("ie", t, lambda: self._term(t))

    def _term(self, t: Term) -> Record:
        match t:
            case ("bvar", i):
                return {"bvar": i}
            case ("sort", lv):
                return {"sort": self.level(lv)}
            case ("const", name, levels):
                return {"const": {"name": self.name(name), "us": [self.level(lv) for lv in levels]}}
            case ("app", f, x):
                return {"app": {"fn": self.term(f), "arg": self.term(x)}}
            case ("pi" | "lam" as kind, domain, body):
                parts = {"type": self.term(domain), "body": self.term(body)}
                return {
                    "forallE" if kind == "pi" else "lam": {"name": self.name("x"), **parts, "binderInfo": "default"}
                }
            case ("let", type, value, body):
                parts = {"type": self.term(type), "value": self.term(value), "body": self.term(body)}
                return {"letE": {"name": self.name("x"), **parts, "nondep": False}}
            case ("proj", struct, index, value):
                return {"proj": {"typeName": self.name(struct), "idx": index, "struct": self.term(value)}}
            case ("natVal", n):
                return {"natVal": str(n)}
            case ("strVal", s):
                return {"strVal": s}
        raise ValueError(f"not a closed term: {t}")

    def _coded(self, key: str, value: Any) -> Any:
        """Names and terms of a record as ids."""
        if key in ("name", "induct", "ctor"):
            return self.name(value)
        if key in ("levelParams", "all") or (key == "ctors" and value and isinstance(value[0], str)):
            return [self.name(v) for v in value]
        if key in ("type", "value", "rhs"):
            return self.term(value)
        if key in ("types", "ctors", "recs", "rules"):
            return [{k: self._coded(k, v) for k, v in part.items()} for part in value]
        return value

    def record(self, kind: str, record: Record) -> Stream:
        self.raw({kind: {k: self._coded(k, v) for k, v in record.items()}})
        return self

    def define(
        self, name: str, type: Term, value: Term, *levels: str, hints: Any = "abbrev", safety: str = "safe"
    ) -> Stream:
        more = {"value": value, "hints": hints, "safety": safety, "all": [name]}
        return self.record("def", {"name": name, "levelParams": levels, "type": type, **more})

    def theorem(self, name: str, type: Term, value: Term, *levels: str) -> Stream:
        more = {"value": value, "all": [name]}
        return self.record("thm", {"name": name, "levelParams": levels, "type": type, **more})

    def opaque(self, name: str, type: Term, value: Term, *levels: str) -> Stream:
        more = {"value": value, "isUnsafe": False, "all": [name]}
        return self.record("opaque", {"name": name, "levelParams": levels, "type": type, **more})

    def axiom(self, name: str, type: Term, *levels: str, unsafe: bool = False) -> Stream:
        return self.record("axiom", {"name": name, "levelParams": levels, "type": type, "isUnsafe": unsafe})

    def assume(self, name: str, type: Term, *levels: str, kind: str = "def") -> Stream:
        return self.record("assumed", {"name": name, "levelParams": levels, "type": type, "kind": kind})

    def quot(self, name: str, type: Term, kind: str, *levels: str) -> Stream:
        return self.record("quot", {"name": name, "levelParams": levels, "type": type, "kind": kind})

    def inductive(self, *types: Type, **how: Any) -> Stream:
        return self.record("inductive", inductive(*types, **how))


__all__ = [
    "Stream",
    "Term",
    "Type",
    "app",
    "arrow",
    "const",
    "inductive",
    "lam",
    "let",
    "nat",
    "new_local",
    "over",
    "pi",
    "proj",
    "sort",
]
