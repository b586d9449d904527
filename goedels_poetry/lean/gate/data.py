"""Lean declarations as data: a strict reader of the export format.

The format is that of lean4export, version 3.1.0: one JSON object a line, ids consecutive (names and levels from 1,
expressions from 0), each referring to earlier ones only. Free variables and metavariables cannot be said in it. One
record is ours: ``assumed``, a constant of the library whose value nobody has.

What is read comes from a process that has run a stranger's program, so nothing is taken for granted: every record has
exactly the entries that its kind has, of the right types and within limits, and every expression is closed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from goedels_poetry.lean.gate.stream import (
    ANONYMOUS,
    SAFE,
    BadData,
    Clock,
    Constant,
    Declaration,
    Expr,
    Level,
    Name,
    Stream,
    children,
    render,
)

# -- What of Lean's language a proof uses in places where kernels were at fault before -----------------------------


PROJECTION = "projection out of what may be a proposition"
OWN_TYPE = "inductive type that is not the user's"


def features(
    stream: Stream, declarations: Iterable[Declaration], library: Stream, users: Collection[str]
) -> dict[str, str]:
    """The features that these declarations use, each with a constant that uses it.

    ``users``: constants of the user's own file; the types among them are what they were, the proofs are not.
    """
    found: dict[str, str] = {}
    for declaration in declarations:
        if declaration.kind == "inductive" and declaration.name not in users:
            found.setdefault(OWN_TYPE, declaration.name)
        if not all(_is_data(name, stream, library) for name in _projected(stream, declaration)):
            found.setdefault(PROJECTION, declaration.name)
    return found


def _projected(stream: Stream, declaration: Declaration) -> set[str]:
    """Structures out of which a declaration projects."""
    roots = [c.type for c in declaration.constants] + [c.value for c in declaration.constants if c.value is not None]
    roots += [rule for c in declaration.constants for rule in c.rules]
    return {stream.names[e[1]] for e in stream.below(roots) if e[0] == "proj"}


def _is_data(name: str, stream: Stream, library: Stream) -> bool:
    """Whether a structure's type ends in `Sort (u + 1)`, so that no instance of it is a proposition."""
    where = stream if name in stream.constants else library
    return name in where.constants and _universe(where, where.constants[name][0]) == "succ"


def _universe(stream: Stream, constant: Constant) -> str:
    """The kind of the level of the sort in which the type of a type ends; "" where it ends in no sort by its form."""
    e = stream.exprs[constant.type]
    while e[0] == "forallE":
        e = stream.exprs[e[3]]
    return str(stream.levels[e[1]][0]) if e[0] == "sort" else ""


# -- Lean declarations as data -------------------------------------------------------------------------------------


MAX_BYTES = 64_000_000
"""Of a text; the reading takes some 4 s for 20 MB."""
MAX_DIGITS = 100_000
"""Of one numeral."""
MAX_STRING = 1_000_000
MAX_NUMBER = 2**53 - 1
"""In a name: what every reader of JSON reads exactly."""
MAX_LINES = 5_000_000
MAX_SMALL = 1_000_000
"""Numbers of parameters, indices, fields; indices of variables and projections."""
MAX_DEPTH = 50_000
"""Of expressions below each other: kernels are recursive programs."""
MAX_LEVEL_DEPTH = 1_000
MAX_HEIGHT = 2**32 - 1
MAX_NAMES = 32_000_000
"""Characters of all names together, each written out."""


def read(text: str, until: float = math.inf) -> Stream:
    """The declarations of a text. ``until``: on the monotonic clock, in seconds.

    Raises:
        BadData: anything that is not exactly the format, or beyond a limit.
        TimeoutError: not read in time.
    """
    if len(text) > MAX_BYTES:
        raise BadData(f"more than {MAX_BYTES} characters of declarations")
    if text.count("\n") > MAX_LINES:
        raise BadData(f"more than {MAX_LINES} lines of declarations")
    stream = Stream(Clock(until))
    try:
        for stream.line, line in enumerate(text.split("\n"), 1):
            stream.clock.tick()
            if line:
                _line(stream, json.loads(line, object_pairs_hook=_object, parse_float=_refuse, parse_constant=_refuse))
    except BadData as fault:
        raise BadData(f"{fault} (line {stream.line} of the declarations)") from fault
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, UnicodeError) as fault:
        raise BadData(f"line {stream.line} of the declarations is malformed: {type(fault).__name__}") from fault
    return stream


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BadData("an entry twice in one record")
    return made


def _refuse(text: str) -> None:
    raise BadData(f"a number that is none of the format's: {text[:20]}")


def _line(stream: Stream, row: Any) -> None:
    if not isinstance(row, dict):
        raise BadData("a record that is no object")
    if "in" in row:
        _name(stream, row)
    elif "il" in row:
        _level(stream, row)
    elif "ie" in row:
        _expr(stream, row)
    elif len(row) == 1:
        ((kind, record),) = row.items()
        if kind == "meta" and not stream.declarations:
            return
        _declare(stream, kind, record)
    else:
        raise BadData("a record of an unknown kind")


def _keys(record: Any, *keys: str) -> list[Any]:
    if not isinstance(record, dict) or record.keys() != set(keys):
        raise BadData(f"a record without exactly the entries {', '.join(keys)}")
    return [record[key] for key in keys]


def _int(value: Any, limit: int = MAX_SMALL) -> int:
    if type(value) is not int or not 0 <= value <= limit:
        raise BadData("a number out of its range")
    return value


def _bool(value: Any) -> bool:
    if type(value) is not bool:
        raise BadData("not true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > MAX_STRING:
        raise BadData("no text, or too long a one")
    value.encode()  # a lone surrogate is no character
    return value


def _ids(values: Any, table: list[Any]) -> tuple[int, ...]:
    if not isinstance(values, list):
        raise BadData("no list of ids")
    return tuple(_id(value, table) for value in values)


def _id(value: Any, table: list[Any]) -> int:
    if type(value) is not int or not 0 <= value < len(table):
        raise BadData("an id that was not given before")
    return value


def _next(value: Any, table: list[Any]) -> None:
    if value != len(table) or type(value) is not int:
        raise BadData("ids are not consecutive")


# ---------------------------------------------------------------- names, levels, expressions


def _name(stream: Stream, row: dict[str, Any]) -> None:
    _next(row["in"], stream.names)
    part: str | int
    if "str" in row:
        given = _keys(row, "in", "str")[1]
        before, last = _keys(given, "pre", "str")
        part = _text(last)
    else:
        given = _keys(row, "in", "num")[1]
        before, last = _keys(given, "pre", "i")
        part = _int(last, MAX_NUMBER)
    prefix = stream.names[_id(before, stream.names)]
    whole = f"{prefix}.{render(part)}" if before != ANONYMOUS else render(part)
    stream.characters += len(whole)
    if stream.characters > MAX_NAMES:
        raise BadData(f"names of more than {MAX_NAMES} characters")
    stream.names.append(whole)
    stream.parts.append((before, part))


def _level(stream: Stream, row: dict[str, Any]) -> None:
    _next(row["il"], stream.levels)
    (kind,) = row.keys() - {"il"}
    value = row[kind]
    if kind == "param":
        level: Level = ("param", _id(value, stream.names))
    elif kind == "succ":
        level = ("succ", _id(value, stream.levels))
    elif kind in ("max", "imax") and isinstance(value, list) and len(value) == 2:
        level = (kind, *_ids(value, stream.levels))
    else:
        raise BadData("a level of an unknown kind")
    depth = 1 + max((stream.level_depths[i] for i in level[1:] if kind != "param"), default=0)
    if depth > MAX_LEVEL_DEPTH:
        raise BadData(f"a universe level of more than {MAX_LEVEL_DEPTH} levels below each other")
    stream.level_depths.append(depth)
    stream.levels.append(level)


_BINDERS = frozenset({"default", "implicit", "strictImplicit", "instImplicit"})


def _binding(stream: Stream, kind: str, value: Any) -> tuple[Expr, int]:
    name, type_, body, info = _keys(value, "name", "type", "body", "binderInfo")
    if info not in _BINDERS:
        raise BadData("an unknown kind of binder")
    type_, body = _id(type_, stream.exprs), _id(body, stream.exprs)
    return (kind, _id(name, stream.names), type_, body, info), max(stream.loose[type_], stream.loose[body] - 1)


def _let(stream: Stream, value: Any) -> tuple[Expr, int]:
    name, *below, nondep = _keys(value, "name", "type", "value", "body", "nondep")
    type_, of, body = _ids(below, stream.exprs)
    loose = max(stream.loose[type_], stream.loose[of], stream.loose[body] - 1)
    return ("letE", _id(name, stream.names), type_, of, body, _bool(nondep)), loose


def _application(stream: Stream, value: Any) -> tuple[Expr, int]:
    f, a = _ids(_keys(value, "fn", "arg"), stream.exprs)
    return ("app", f, a), max(stream.loose[f], stream.loose[a])


def _projection(stream: Stream, value: Any) -> tuple[Expr, int]:
    structure, index, of = _keys(value, "typeName", "idx", "struct")
    of = _id(of, stream.exprs)
    return ("proj", _id(structure, stream.names), _int(index), of), stream.loose[of]


def _constant(stream: Stream, value: Any) -> tuple[Expr, int]:
    name, levels = _keys(value, "name", "us")
    return ("const", _id(name, stream.names), _ids(levels, stream.levels)), 0


def _numeral(value: Any) -> tuple[Expr, int]:
    if not isinstance(value, str) or len(value) > MAX_DIGITS or not re.fullmatch("0|[1-9][0-9]*", value):
        raise BadData("no numeral, or too long a one")
    return ("natVal", value), 0


_EXPRESSIONS: dict[str, Callable[[Stream, Any], tuple[Expr, int]]] = {
    "bvar": lambda s, v: (("bvar", _int(v)), v + 1),
    "sort": lambda s, v: (("sort", _id(v, s.levels)), 0),
    "const": _constant,
    "app": _application,
    "lam": lambda s, v: _binding(s, "lam", v),
    "forallE": lambda s, v: _binding(s, "forallE", v),
    "letE": _let,
    "proj": _projection,
    "natVal": lambda s, v: _numeral(v),
    "strVal": lambda s, v: (("strVal", _text(v)), 0),
}


def _expr(stream: Stream, row: dict[str, Any]) -> None:
    _next(row["ie"], stream.exprs)
    (kind,) = row.keys() - {"ie"}
    if kind not in _EXPRESSIONS:
        raise BadData("an expression of an unknown kind")
    made, loose = _EXPRESSIONS[kind](stream, row[kind])
    depth = 1 + max((stream.depths[i] for i in children(made)), default=0)
    if depth > MAX_DEPTH:
        raise BadData(f"an expression of more than {MAX_DEPTH} levels below each other")
    stream.depths.append(depth)
    stream.exprs.append(made)
    stream.loose.append(loose)


# ---------------------------------------------------------------- declarations


def _closed(stream: Stream, value: Any) -> int:
    at = _id(value, stream.exprs)
    if stream.loose[at]:
        raise BadData("a variable without its binder")
    return at


def _head(stream: Stream, name: Any, levels: Any, type_: Any) -> tuple[Name, tuple[Name, ...], int]:
    if _id(name, stream.names) == ANONYMOUS:
        raise BadData("a constant without a name")
    parameters = tuple(stream.names[i] for i in _ids(levels, stream.names))
    if len(set(parameters)) != len(parameters):
        raise BadData("a universe parameter twice")
    return stream.names[name], parameters, _closed(stream, type_)


def _all(stream: Stream, names: Any) -> tuple[Name, ...]:
    return tuple(stream.names[i] for i in _ids(names, stream.names))


_SAFETY = {SAFE: True, "unsafe": False, "partial": False}


def _axiom(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, unsafe = _keys(record, "name", "levelParams", "type", "isUnsafe")
    name, levels, type_ = _head(stream, *head)
    yield Constant(name, "axiom", levels, type_, safe=not _bool(unsafe))


def _assumed(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, kind = _keys(record, "name", "levelParams", "type", "kind")
    name, levels, type_ = _head(stream, *head)
    if kind not in ("thm", "def", "opaque"):
        raise BadData("an unknown kind of assumed constant")
    yield Constant(name, "assumed", levels, type_, facts=(kind,))


def _definition(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, value, hints, safety, all_ = _keys(record, "name", "levelParams", "type", "value", "hints", "safety", "all")
    name, levels, type_ = _head(stream, *head)
    _all(stream, all_)
    if hints not in ("opaque", "abbrev"):
        (height,) = _keys(hints, "regular")
        _int(height, MAX_HEIGHT)
    yield Constant(name, "def", levels, type_, _closed(stream, value), _SAFETY[safety])


def _theorem(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, value, all_ = _keys(record, "name", "levelParams", "type", "value", "all")
    name, levels, type_ = _head(stream, *head)
    _all(stream, all_)
    yield Constant(name, "thm", levels, type_, _closed(stream, value))


def _opaque(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, value, unsafe, all_ = _keys(record, "name", "levelParams", "type", "value", "isUnsafe", "all")
    name, levels, type_ = _head(stream, *head)
    _all(stream, all_)
    yield Constant(name, "opaque", levels, type_, _closed(stream, value), not _bool(unsafe))


def _quotient(stream: Stream, record: Any) -> Iterator[Constant]:
    *head, kind = _keys(record, "name", "levelParams", "type", "kind")
    name, levels, type_ = _head(stream, *head)
    if kind not in ("type", "ctor", "lift", "ind"):
        raise BadData("an unknown part of the quotients")
    yield Constant(name, "quot", levels, type_, facts=(kind,))


def _inductive(stream: Stream, record: Any) -> Iterator[Constant]:
    groups = _keys(record, "types", "ctors", "recs")
    if not groups[0] or not all(isinstance(given, list) for given in groups):
        raise BadData("an inductive family without its parts")
    readers = (_type, _constructor, _recursor)
    types, constructors, recursors = (
        [reader(stream, given) for given in group] for reader, group in zip(readers, groups, strict=True)
    )
    if not _is_family(types, constructors, recursors):
        raise BadData(f"the parts of the inductive family of {types[0].name} do not belong together")
    yield from (*types, *constructors, *recursors)


def _is_family(types: list[Constant], constructors: list[Constant], recursors: list[Constant]) -> bool:
    """Whether these are the types' own constructors and recursors, no more and no fewer, as Lean names them.

    Kernels are told of the types and constructors only: what else a record declared would never be looked at.
    """
    first, names = types[0], tuple(t.name for t in types)
    parameters, nested = first.facts[0], first.facts[4]
    listed = [(name, t.name, i) for t in types for i, name in enumerate(t.facts[3])]
    made = {r.name for r in recursors}
    return (
        all((t.facts[0], t.facts[2], t.facts[4]) == (parameters, names, nested) for t in types)
        and [(c.name, c.facts[0], c.facts[1]) for c in constructors] == listed
        and all(c.facts[2] == parameters for c in constructors)
        and all(c.levels == first.levels for c in (*types, *constructors))
        and len(recursors) == len(made) == len(types) + nested
        and all(f"{name}.rec" in made for name in names)
        and all(f"{first.name}.rec_{i}" in made for i in range(1, nested + 1))
        and all(r.facts[0] == names for r in recursors)
    )


_INDUCTIVE = ("numParams", "numIndices", "all", "ctors", "numNested", "isRec", "isUnsafe", "isReflexive")


def _type(stream: Stream, record: Any) -> Constant:
    name, levels, type_, parameters, indices, all_, constructors, nested, recursive, unsafe, reflexive = _keys(
        record, "name", "levelParams", "type", *_INDUCTIVE
    )
    facts = (
        _int(parameters),
        _int(indices),
        _all(stream, all_),
        _all(stream, constructors),
        _int(nested),
        _bool(recursive),
        _bool(reflexive),
    )
    head = _head(stream, name, levels, type_)
    return Constant(head[0], "inductive", *head[1:], safe=not _bool(unsafe), facts=facts)


def _constructor(stream: Stream, record: Any) -> Constant:
    *head, of, index, parameters, fields, unsafe = _keys(
        record, "name", "levelParams", "type", "induct", "cidx", "numParams", "numFields", "isUnsafe"
    )
    name, levels, type_ = _head(stream, *head)
    facts = (stream.names[_id(of, stream.names)], _int(index), _int(parameters), _int(fields))
    return Constant(name, "constructor", levels, type_, safe=not _bool(unsafe), facts=facts)


_RECURSOR = ("all", "numParams", "numIndices", "numMotives", "numMinors", "rules", "k", "isUnsafe")


def _recursor(stream: Stream, record: Any) -> Constant:
    name, levels, type_, all_, parameters, indices, motives, minors, rules, k, unsafe = _keys(
        record, "name", "levelParams", "type", *_RECURSOR
    )
    if not isinstance(rules, list):
        raise BadData("no list of rules")
    heads, sides = [], []
    for rule in rules:
        of, fields, side = _keys(rule, "ctor", "nfields", "rhs")
        heads.append((stream.names[_id(of, stream.names)], _int(fields)))
        sides.append(_closed(stream, side))
    counts = (_int(parameters), _int(indices), _int(motives), _int(minors))
    facts = (_all(stream, all_), *counts, tuple(heads), _bool(k))
    head = _head(stream, name, levels, type_)
    return Constant(head[0], "recursor", *head[1:], safe=not _bool(unsafe), facts=facts, rules=tuple(sides))


_DECLARATIONS: dict[str, Callable[[Stream, Any], Iterator[Constant]]] = {
    "axiom": _axiom,
    "assumed": _assumed,
    "def": _definition,
    "thm": _theorem,
    "opaque": _opaque,
    "quot": _quotient,
    "inductive": _inductive,
}


def _declare(stream: Stream, kind: str, record: Any) -> None:
    if kind not in _DECLARATIONS:
        raise BadData("a record of an unknown kind")
    constants = tuple(_DECLARATIONS[kind](stream, record))
    made = Declaration(kind, constants, record, len(stream.declarations))
    for constant in constants:
        if constant.name in stream.constants:
            raise BadData(f"{constant.name} is declared twice")
        stream.constants[constant.name] = constant, made
    stream.declarations.append(made)
