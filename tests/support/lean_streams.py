"""Streams of declarations in Lean's export format: written from terms, read back, and changed.

A term is a tuple: ``("const", name, levels)``, ``("app", f, a)`` and so on; the functions below make them, and `lam`,
`pi` and `let` take their bodies as functions of the variable. A level is a number, the name of a parameter, or
``("succ", l)``, ``("max", a, b)``, ``("imax", a, b)``. A name is written with dots, or as a tuple of its parts.
`Tables` keeps names, levels and terms by their ids, equal things once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

Level = Any
Term = tuple[Any, ...]
Name = str | tuple[str | int, ...]
Record = dict[str, Any]
Body = Term | Callable[[Term], Term]

META = json.dumps({"meta": {"format": {"version": "3.1.0"}}})
CANDIDATE = json.dumps({"section": "candidate"})
BELOW = {
    "app": ("fn", "arg"),
    "lam": ("type", "body"),
    "forallE": ("type", "body"),
    "letE": ("type", "value", "body"),
    "proj": ("struct",),
}
_fresh = count()


# Terms


def const(name: Name, *levels: Level) -> Term:
    return ("const", name, levels)


def app(f: Term, *arguments: Term) -> Term:
    for a in arguments:
        f = ("app", f, a)
    return f


def sort(level: Level = 0) -> Term:
    return ("sort", level)


def bvar(i: int) -> Term:
    return ("bvar", i)


def number(n: int) -> Term:
    return ("natVal", n)


def text(s: str) -> Term:
    return ("strVal", s)


def proj(structure: Name, i: int, of: Term) -> Term:
    return ("proj", structure, i, of)


def lam(name: str, type: Term, body: Body, info: str = "default") -> Term:
    return ("lam", name, type, _bound(body), info)


def pi(name: str, type: Term, body: Body, info: str = "default") -> Term:
    return ("forallE", name, type, _bound(body), info)


def let(name: str, type: Term, value: Term, body: Body) -> Term:
    return ("letE", name, type, value, _bound(body))


def arrow(*types: Term) -> Term:
    """From the first ones to the last; none depends on another."""
    *domains, result = types
    for d in reversed(domains):
        result = ("forallE", "a", d, lift(result), "default")
    return result


NAT, BOOL, TRUE, FALSE = const("Nat"), const("Bool"), const("True"), const("False")
PROP, TYPE = sort(0), sort(1)
TRIVIAL = const("True.intro")


def eq(type: Term, a: Term, b: Term, level: Level = 1) -> Term:
    return app(const("Eq", level), type, a, b)


def refl(type: Term, a: Term, level: Level = 1) -> Term:
    return app(const("Eq.refl", level), type, a)


def _bound(body: Body) -> Term:
    if not callable(body):
        return body
    variable = ("local", next(_fresh))
    return abstract(body(variable), [variable])


def _map(term: Term, leaf: Callable[[Term, int], Term | None], depth: int = 0) -> Term:
    """Terms are replaced where `leaf` gives one; `depth` counts the binders above."""
    found = leaf(term, depth)
    if found is not None:
        return found
    match term:
        case ("app", f, a):
            return ("app", _map(f, leaf, depth), _map(a, leaf, depth))
        case ("lam" | "forallE" as kind, name, type, body, info):
            return (kind, name, _map(type, leaf, depth), _map(body, leaf, depth + 1), info)
        case ("letE", name, type, value, body):
            return ("letE", name, _map(type, leaf, depth), _map(value, leaf, depth), _map(body, leaf, depth + 1))
        case ("proj", structure, i, of):
            return ("proj", structure, i, _map(of, leaf, depth))
    return term


def lift(term: Term, by: int = 1) -> Term:
    """The term below `by` binders more."""
    return _map(term, lambda t, d: ("bvar", t[1] + by) if t[0] == "bvar" and t[1] >= d else None)


def abstract(term: Term, variables: Sequence[Term]) -> Term:
    """Variables become those of binders, the last one that of the innermost."""
    places = {v: len(variables) - 1 - i for i, v in enumerate(variables)}

    def leaf(t: Term, depth: int) -> Term | None:
        if t in places:
            return ("bvar", places[t] + depth)
        return ("bvar", t[1] + len(variables)) if t[0] == "bvar" and t[1] >= depth else None

    return _map(term, leaf)


def instantiate(body: Term, value: Term) -> Term:
    """The body of a binder with a value for its variable."""

    def leaf(t: Term, depth: int) -> Term | None:
        if t[0] != "bvar" or t[1] < depth:
            return None
        return lift(value, depth) if t[1] == depth else ("bvar", t[1] - 1)

    return _map(body, leaf)


def binders(kind: str, variables: Iterable[tuple[str, Term, Term]], body: Term) -> Term:
    """`body` below binders of (name, type, variable)."""
    for name, type, variable in reversed(list(variables)):
        body = (kind, name, type, abstract(body, [variable]), "default")
    return body


def telescope(type: Term, most: int | None = None) -> tuple[list[tuple[str, Term, Term]], Term]:
    """The binders of a function type as (name, type, variable), and what is below them."""
    found: list[tuple[str, Term, Term]] = []
    while type[0] == "forallE" and (most is None or len(found) < most):
        variable = ("local", next(_fresh))
        found.append((type[1], type[2], variable))
        type = instantiate(type[3], variable)
    return found, type


def spine(term: Term) -> tuple[Term, list[Term]]:
    """Head and arguments."""
    arguments: list[Term] = []
    while term[0] == "app":
        arguments.append(term[2])
        term = term[1]
    return term, arguments[::-1]


# Streams


@dataclass
class Tables:
    """What a stream speaks of, by ids; and its records, which hold ids."""

    names: list[Record] = field(default_factory=lambda: [{}])
    levels: list[Record] = field(default_factory=lambda: [{}])
    terms: list[Record] = field(default_factory=list)
    records: list[tuple[str, Record]] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def put(self, table: list[Record], body: Record) -> int:
        """The id of what `body` says, new or known."""
        key = json.dumps(body, sort_keys=True)
        if key not in self._known:
            self._known[key] = len(table)
            table.append(body)
        return self._known[key]

    def name(self, name: Name) -> int:
        parts = name.split(".") if isinstance(name, str) else name
        at = 0
        for part in parts:
            if part == "" and len(parts) == 1:
                continue
            inner = {"str": {"pre": at, "str": part}} if isinstance(part, str) else {"num": {"pre": at, "i": part}}
            at = self.put(self.names, inner)
        return at

    def level(self, level: Level) -> int:
        match level:
            case int():
                return 0 if level == 0 else self.put(self.levels, {"succ": self.level(level - 1)})
            case str():
                return self.put(self.levels, {"param": self.name(level)})
            case ("succ", inner):
                return self.put(self.levels, {"succ": self.level(inner)})
            case (kind, a, b):
                return self.put(self.levels, {kind: [self.level(a), self.level(b)]})
        raise ValueError(f"no level: {level!r}")

    def term(self, term: Term) -> int:
        return self.put(self.terms, self._body(term))

    def _body(self, term: Term) -> Record:
        match term:
            case ("bvar", i):
                return {"bvar": i}
            case ("sort", level):
                return {"sort": self.level(level)}
            case ("const", name, levels):
                return {"const": {"name": self.name(name), "us": [self.level(u) for u in levels]}}
            case ("app", f, a):
                return {"app": {"fn": self.term(f), "arg": self.term(a)}}
            case ("lam" | "forallE" as kind, name, type, body, info):
                inner = {"name": self.name(name), "type": self.term(type), "body": self.term(body), "binderInfo": info}
                return {kind: inner}
            case ("letE", name, type, value, body):
                parts = {"type": self.term(type), "value": self.term(value), "body": self.term(body)}
                return {"letE": {"name": self.name(name), **parts, "nondep": False}}
            case ("natVal", n):
                return {"natVal": str(n)}
            case ("strVal", s):
                return {"strVal": s}
            case ("proj", structure, i, of):
                return {"proj": {"typeName": self.name(structure), "idx": i, "struct": self.term(of)}}
        raise ValueError(f"no term: {term!r}")

    # Declarations

    def head(self, name: Name, levels: Sequence[str], type: Term) -> Record:
        return {
            "name": self.name(name),
            "levelParams": [self.name(u) for u in levels],
            "type": self.term(type),
        }

    def define(
        self, name: Name, type: Term, value: Term, levels: Sequence[str] = (), hints: Any = "abbrev", **more: Any
    ) -> None:
        d = {**self.head(name, levels, type), "value": self.term(value), "hints": hints, "safety": "safe"}
        self.records.append(("def", {**d, "all": [self.name(name)], **more}))

    def prove(self, name: Name, type: Term, value: Term, levels: Sequence[str] = (), **more: Any) -> None:
        d = {**self.head(name, levels, type), "value": self.term(value), "all": [self.name(name)]}
        self.records.append(("thm", {**d, **more}))

    def assume(self, name: Name, type: Term, levels: Sequence[str] = ()) -> None:
        self.records.append(("axiom", {**self.head(name, levels, type), "isUnsafe": False}))

    def hide(self, name: Name, type: Term, value: Term, levels: Sequence[str] = ()) -> None:
        d = {**self.head(name, levels, type), "value": self.term(value), "isUnsafe": False}
        self.records.append(("opaque", {**d, "all": [self.name(name)]}))

    def inductive(
        self,
        name: Name,
        type: Term,
        constructors: Sequence[tuple[Name, Term]],
        parameters: int = 0,
        levels: Sequence[str] = (),
        large: bool = True,
        k: bool = False,
    ) -> Record:
        """One type that is no nested one, with the recursor that a kernel would make which finds nothing wrong."""
        made = Recursor(name, type, list(constructors), parameters, list(levels), large)
        fields = [len(telescope(t)[0]) - parameters for _, t in constructors]
        d: Record = {
            "types": [
                {
                    **self.head(name, levels, type),
                    "numParams": parameters,
                    "numIndices": len(made.indices),
                    "all": [self.name(name)],
                    "ctors": [self.name(c) for c, _ in constructors],
                    "numNested": 0,
                    "isRec": made.recursive,
                    "isUnsafe": False,
                    "isReflexive": made.reflexive,
                }
            ],
            "ctors": [
                {
                    **self.head(c, levels, t),
                    "induct": self.name(name),
                    "cidx": i,
                    "numParams": parameters,
                    "numFields": fields[i],
                    "isUnsafe": False,
                }
                for i, (c, t) in enumerate(constructors)
            ],
            "recs": [
                {
                    **self.head(recursor_name(name), made.levels, made.type),
                    "all": [self.name(name)],
                    "numParams": parameters,
                    "numIndices": len(made.indices),
                    "numMotives": 1,
                    "numMinors": len(constructors),
                    "rules": [
                        {"ctor": self.name(c), "nfields": fields[i], "rhs": self.term(made.rules[i])}
                        for i, (c, _) in enumerate(constructors)
                    ],
                    "k": k,
                    "isUnsafe": False,
                }
            ],
        }
        self.records.append(("inductive", d))
        return d

    # Reading and writing

    def rows(self) -> Iterator[Record]:
        """Every table, then the records."""
        for key, table, first in (("in", self.names, 1), ("il", self.levels, 1), ("ie", self.terms, 0)):
            for i in range(first, len(table)):
                yield {key: i, **table[i]}
        for kind, record in self.records:
            yield {kind: record}

    def stream(self) -> str:
        return "".join(json.dumps(row) + "\n" for row in self.rows())

    @classmethod
    def read(cls, stream: str) -> Tables:
        """Of a stream with consecutive ids."""
        tables = cls()
        for line in filter(None, stream.split("\n")):
            row = json.loads(line)
            for key, table in (("in", tables.names), ("il", tables.levels), ("ie", tables.terms)):
                if key in row:
                    if row.pop(key) != len(table):
                        raise ValueError("ids are not consecutive")
                    tables._known.setdefault(json.dumps(row, sort_keys=True), len(table))
                    table.append(row)
                    break
            else:
                [(kind, record)] = row.items()
                if kind != "meta":
                    tables.records.append((kind, record))
        return tables

    def name_text(self, i: int) -> str:
        parts: list[str] = []
        while i:
            [(kind, inner)] = self.names[i].items()
            parts.append(inner["str"] if kind == "str" else str(inner["i"]))
            i = inner["pre"]
        return ".".join(reversed(parts))

    def record(self, name: str) -> Record:
        """The record that declares a name."""
        return next(d for kind, d in self.records if name in self.declared(kind, d))

    def declared(self, kind: str, d: Record) -> list[str]:
        parts = [*d["types"], *d["ctors"], *d["recs"]] if kind == "inductive" else [d]
        return [self.name_text(p["name"]) for p in parts]

    def keep(self, names: Iterable[str]) -> None:
        """Only the records that declare these names, and what these need."""
        by_name = {n: i for i, (kind, d) in enumerate(self.records) for n in self.declared(kind, d)}
        wanted, seen, todo = set(), set(), list(names)
        while todo:
            name = todo.pop()
            if name in seen or name not in by_name:
                continue
            seen.add(name)
            i = by_name[name]
            if i not in wanted:
                wanted.add(i)
                todo.extend(self.mentioned(self.roots(*self.records[i])))
        self.records = [r for i, r in enumerate(self.records) if i in wanted]
        self._forget()

    def _forget(self) -> None:
        """Only the names, levels and terms that the records need."""
        old = Tables(self.names, self.levels, self.terms, self.records)
        self.names, self.levels, self.terms, self.records, self._known = [{}], [{}], [], [], {}
        self.take(old)

    def take(self, old: Tables) -> None:
        """The records of other tables too."""
        names: dict[int, int] = {0: 0}
        levels: dict[int, int] = {0: 0}
        terms: dict[int, int] = {}

        def name(i: int) -> int:
            if i not in names:
                [(kind, inner)] = old.names[i].items()
                names[i] = self.put(self.names, {kind: {**inner, "pre": name(inner["pre"])}})
            return names[i]

        def level(i: int) -> int:
            if i not in levels:
                [(kind, v)] = old.levels[i].items()
                new = name(v) if kind == "param" else [level(u) for u in v] if isinstance(v, list) else level(v)
                levels[i] = self.put(self.levels, {kind: new})
            return levels[i]

        def term(i: int) -> int:
            todo = [i]
            while todo:
                missing = [b for b in old.below(todo[-1]) if b not in terms]
                if missing:
                    todo.extend(missing)
                    continue
                at = todo.pop()
                [(kind, v)] = old.terms[at].items()
                if kind == "sort":
                    v = level(v)
                elif isinstance(v, dict):
                    v = {key: name(x) if key in ("name", "typeName") else x for key, x in v.items()}
                    v |= {key: terms[v[key]] for key in BELOW.get(kind, ())}
                    if kind == "const":
                        v["us"] = [level(u) for u in v["us"]]
                terms[at] = self.put(self.terms, {kind: v})
            return terms[i]

        makers = {"type": term, "value": term, "rhs": term, "name": name, "induct": name, "ctor": name}
        lists = {"levelParams", "all"}

        def record(d: Record) -> Record:
            new: Record = {}
            for key, x in d.items():
                if key in lists or (key == "ctors" and all(isinstance(c, int) for c in x)):
                    new[key] = [name(i) for i in x]
                elif isinstance(x, list):
                    new[key] = [record(y) for y in x]
                else:
                    new[key] = makers[key](x) if key in makers else x
            return new

        self.records += [(kind, record(d)) for kind, d in old.records]

    @staticmethod
    def roots(kind: str, d: Record) -> list[int]:
        """The terms of a record."""
        if kind != "inductive":
            return [d[key] for key in ("type", "value") if key in d]
        rules = [rule["rhs"] for r in d["recs"] for rule in r["rules"]]
        return [p["type"] for p in (*d["types"], *d["ctors"], *d["recs"])] + rules

    def below(self, i: int) -> list[int]:
        """The terms right below a term."""
        [(kind, v)] = self.terms[i].items()
        return [v[key] for key in BELOW.get(kind, ())]

    def mentioned(self, roots: Iterable[int]) -> set[str]:
        """The constants that terms speak of."""
        found, seen, todo = set(), set(), list(roots)
        while todo:
            i = todo.pop()
            if i in seen:
                continue
            seen.add(i)
            [(kind, v)] = self.terms[i].items()
            if kind in ("const", "proj"):
                found.add(self.name_text(v["name" if kind == "const" else "typeName"]))
            todo.extend(self.below(i))
        return found

    def renamed(self, root: int, names: dict[int, int], memo: dict[int, int] | None = None) -> int:
        """A term with other constants, both by the ids of their names."""
        memo = {} if memo is None else memo
        todo = [root]
        while todo:
            i = todo[-1]
            missing = [b for b in self.below(i) if b not in memo]
            if missing:
                todo.extend(missing)
                continue
            todo.pop()
            if i not in memo:
                memo[i] = self.rebuilt(i, [memo[b] for b in self.below(i)], names)
        return memo[root]

    def rebuilt(self, i: int, below: Sequence[int], names: dict[int, int] | None = None) -> int:
        """A term with other terms right below it."""
        [(kind, v)] = self.terms[i].items()
        if kind in ("const", "proj"):
            key = "name" if kind == "const" else "typeName"
            v = {**v, key: (names or {}).get(v[key], v[key])}
        if kind in BELOW:
            v = {**v, **dict(zip(BELOW[kind], below, strict=True))}
        return self.put(self.terms, {kind: v})

    def unfolded(self, i: int) -> Term:
        """A term as a tuple; only for small ones."""
        [(kind, v)] = self.terms[i].items()
        sub = [self.unfolded(b) for b in self.below(i)]
        match kind:
            case "const":
                return ("const", self.name_parts(v["name"]), tuple(self._level(u) for u in v["us"]))
            case "sort":
                return ("sort", self._level(v))
            case "lam" | "forallE":
                return (kind, self.name_parts(v["name"]), *sub, v["binderInfo"])
            case "letE":
                return (kind, self.name_parts(v["name"]), *sub)
            case "proj":
                return (kind, self.name_parts(v["typeName"]), v["idx"], *sub)
            case "natVal":
                return (kind, int(v))
            case "bvar" | "strVal":
                return (kind, v)
        return (kind, *sub)

    def name_parts(self, i: int) -> tuple[str | int, ...]:
        if not i:
            return ()
        [(kind, inner)] = self.names[i].items()
        return (*self.name_parts(inner["pre"]), inner["str" if kind == "str" else "i"])

    def _level(self, i: int) -> Level:
        if not i:
            return 0
        [(kind, v)] = self.levels[i].items()
        if kind == "param":
            return self.name_text(v)
        return ("succ", self._level(v)) if kind == "succ" else (kind, self._level(v[0]), self._level(v[1]))


def recursor_name(type: Name) -> Name:
    return f"{type}.rec" if isinstance(type, str) else (*type, "rec")


class Recursor:
    """The recursor of one inductive type without nested occurrences, from its type and its constructors."""

    def __init__(
        self,
        name: Name,
        type: Term,
        constructors: list[tuple[Name, Term]],
        parameters: int,
        levels: list[str],
        large: bool,
    ) -> None:
        self._name, self._large = name, large
        own = [*levels]
        target = "u"
        while target in own:
            target += "_1"
        self.levels = [target, *own] if large else own
        self._whole = const(name, *own)
        self._params, rest = telescope(type, parameters)
        self.indices, _ = telescope(rest)
        self.recursive = self.reflexive = False
        given = [v for _, _, v in self._params]
        major = ("t", app(self._whole, *given, *(v for _, _, v in self.indices)), ("local", next(_fresh)))
        motive_type = binders("forallE", [*self.indices, major], sort(target if large else 0))
        self._motive = ("motive", motive_type, ("local", next(_fresh)))
        minors = []
        for c, t in constructors:
            minors.append((str(c).split(".")[-1], self._minor(const(c, *own), t)[0], ("local", next(_fresh))))
        result = app(self._motive[2], *(v for _, _, v in self.indices), major[2])
        self.type = binders("forallE", [*self._params, self._motive, *minors, *self.indices, major], result)
        self.rules = []
        for (c, t), minor in zip(constructors, minors, strict=True):
            _, fields, hypotheses = self._minor(const(c, *own), t, [v for _, _, v in minors])
            body = app(minor[2], *(v for _, _, v in fields), *hypotheses)
            self.rules.append(binders("lam", [*self._params, self._motive, *minors, *fields], body))

    def _minor(
        self, constructor: Term, type: Term, minors: Sequence[Term] = ()
    ) -> tuple[Term, list[tuple[str, Term, Term]], list[Term]]:
        given = [v for _, _, v in self._params]
        for v in given:
            type = instantiate(type[3], v) if type[0] == "forallE" else type
        fields, result = telescope(type)
        rec = const(recursor_name(self._name), *self.levels)
        assumed, hypotheses = [], []
        for name, t, v in fields:
            above, below = telescope(t)
            head, arguments = spine(below)
            if head != self._whole:
                continue
            self.recursive, self.reflexive = True, self.reflexive or bool(above)
            at, whole = arguments[len(given) :], app(v, *(x for _, _, x in above))
            assumed_type = binders("forallE", above, app(self._motive[2], *at, whole))
            assumed.append((f"{name}_ih", assumed_type, ("local", next(_fresh))))
            call = app(rec, *given, self._motive[2], *minors, *at, whole)
            hypotheses.append(binders("lam", above, call))
        at = spine(result)[1][len(given) :]
        end = app(self._motive[2], *at, app(constructor, *given, *(v for _, _, v in fields)))
        return binders("forallE", [*fields, *assumed], end), fields, hypotheses


def without_records(stream: str) -> str:
    """Only what a stream speaks of, declared or not: a kernel that adds it says what of it the library has."""
    keys = ({"in"}, {"il"}, {"ie"})
    return "\n".join(line for line in stream.split("\n") if line and any(k <= json.loads(line).keys() for k in keys))


def sections(library: str, candidate: str) -> str:
    """What the second kernel reads: what is believed, and what a stranger declares."""
    return "\n".join([META, library.strip("\n"), CANDIDATE, candidate])


# Cases

Verdict = str
"""`"accept"`, `"refuse"`; of the second kernel also `"either"`: both are right; and `"unasked"`: Lean's is never given
what a strict reader has not let through, and ours is not asked of every spelling of one fault."""


@dataclass(frozen=True)
class Case:
    """Declarations, what they probe, and what the kernels are to say of them."""

    name: str
    fault: str
    lean: Verdict
    second: Verdict
    write: Callable[[Tables], str | None]
    """Adds records to tables, or gives a stream."""
    modules: tuple[str, ...] = ("Init",)
    alone: bool = False
    """Other cases cannot stand in the same stream."""

    def stream(self) -> str:
        tables = Tables()
        return self.write(tables) or tables.stream()


@dataclass
class Collection:
    """Cases with the fault in words: rows, or functions that have it as their docstring."""

    lean: Verdict = "refuse"
    second: Verdict = "refuse"
    alone: bool = False
    cases: list[Case] = field(default_factory=list)

    def add(
        self,
        fault: str,
        write: Callable[[Tables], object],
        lean: Verdict = "",
        second: Verdict = "",
        modules: tuple[str, ...] = ("Init",),
        alone: bool = False,
        name: str = "",
    ) -> None:
        def written(tables: Tables) -> str | None:
            stream = write(tables)
            return stream if isinstance(stream, str) else None

        alone = alone or self.alone or modules != ("Init",)
        self.cases.append(Case(name or fault, fault, lean or self.lean, second or self.second, written, modules, alone))

    def case(
        self, lean: Verdict, second: Verdict, modules: tuple[str, ...] = ("Init",), alone: bool = False
    ) -> Callable[[Callable[[Tables], str | None]], None]:
        return lambda write: self.add(
            (write.__doc__ or "").strip(), write, lean, second, modules, alone, write.__name__
        )

    def refuse(self, alone: bool = False) -> Callable[[Callable[[Tables], str | None]], None]:
        """Both refuse it."""
        return self.case("refuse", "refuse", alone=alone)

    def accept(self) -> Callable[[Callable[[Tables], str | None]], None]:
        """Both accept it."""
        return self.case("accept", "accept")
