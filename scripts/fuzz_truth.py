#!/usr/bin/env python3
"""Random theorems whose truth is computed by trying everything, to see that no verdict is wrong.

    python scripts/fuzz_truth.py --count 200 --seed 1
    python scripts/fuzz_truth.py --count 200 --seed 1 --write FOLDER    only write them, their truth in their names

All sorts are finite: Bool, narrow bit-vectors, enumerations, records with several constructors, instances of a
parametric datatype, arrays of all these. So what a formula comes to can be computed here, by an interpreter that shares
no line with the package: whatever SMT-LIB leaves open (declared functions, selectors at other constructors) is tried
with every value. Integers, reals and strings come in under quantifiers that name the few values that matter. Formulas
have nested quantifiers, let, match, definitions (some by recursion on bit-vectors, alone or two by each other), sorts
under other names, and names from a small pool, so that sorts, functions, constructors and variables are often called
the same.

Prints each wrong verdict and a summary; the exit code is 1 when a verdict was wrong.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

_NAMES = """a b x y f g S T |a/b| |x.1| x1 a1 is-a u.a ?x n.a goal at from sorry Int.add Nat Type mk e |ö| |~f6~| decide
    fun h k!0 value!0 premise-1 |(| |;| -x select1 Smt propext"""
POOL = [name.replace("/", " ") for name in _NAMES.split()]
TRIES = 6_000
"""Evaluations of one theorem; with more it is thrown away."""
MOST_VALUES = 16

Sort: TypeAlias = str
"""As it is written."""
Term: TypeAlias = tuple[Any, ...]
"""``("var", name, sort)``, ``("lit", text, value)``, ``("app", symbol, *args)`` and other forms, see `_value`."""
Env: TypeAlias = Mapping[str, Any]


class Open(Exception):
    """A value that SMT-LIB leaves open and nobody has chosen yet: ``args`` are what it is of and its sort."""


class TooMuch(Exception):
    """More than we are ready to try."""


@dataclass
class World:
    """What a theory declares. ``symbols``: parameters and result of every function, constructor and selector."""

    source: random.Random
    values: dict[Sort, list[Any]] = field(default_factory=dict)
    constructors: dict[Sort, list[tuple[str, list[tuple[str, Sort]]]]] = field(default_factory=dict)
    symbols: dict[str, tuple[tuple[Sort, ...], Sort]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    defined: dict[str, tuple[tuple[str, ...], Term]] = field(default_factory=dict)
    selectors: dict[str, tuple[str, int]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    sort_names: set[str] = field(default_factory=set)
    budget: int = TRIES

    def new_symbol(self) -> str:
        free = [n for n in POOL if n not in self.symbols]
        if not free:
            raise TooMuch
        return self.source.choice(free)

    def new_sort(self) -> str:
        return self.source.choice([n for n in POOL if n not in self.sort_names])


@dataclass(frozen=True)
class Theorem:
    """``holds`` is None where the premises contradict each other."""

    text: str
    holds: bool | None


# ------------------------------------------------------------------------------------------------- declarations


def world(source: random.Random) -> World:
    made = World(source)
    made.values["Bool"] = [False, True]
    for width in source.sample((1, 2, 3), source.randint(1, 2)):
        made.values[f"(_ BitVec {width})"] = list(range(2**width))
    for make in source.sample((_enumeration, _record, _parametric, _arrays, _record), source.randint(1, 3)):
        make(made)
    for _ in range(source.randint(1, 3)):
        name, result = made.new_symbol(), source.choice(list(made.values))
        params = tuple(source.choice(list(made.values)) for _ in range(source.choice((0, 0, 1, 1, 2))))
        made.symbols[name] = params, result
        made.declared.add(name)
        shown = [_renamed(made, sort) for sort in (*params, result)]
        made.commands.append(f"(declare-fun {name} ({' '.join(shown[:-1])}) {shown[-1]})")
    for _ in range(source.randint(0, 2)):
        source.choice((_definition, _recursion, _mutual))(made)
    return made


def _renamed(made: World, sort: Sort) -> str:
    """Now and then a sort under a name of its own, with a parameter or without."""
    if made.source.random() < 0.8 or len(made.sort_names) > len(POOL) - 4:
        return sort
    name = made.new_sort()
    made.sort_names.add(name)
    parameter = made.source.choice([n for n in POOL if n not in made.sort_names])
    if made.source.random() < 0.5:
        made.commands.append(f"(define-sort {name} () {sort})")
        return name
    made.commands.append(f"(define-sort {name} ({parameter}) {parameter})")
    return f"({name} ({name} {sort}))"


def _enumeration(made: World) -> None:
    name = made.new_sort()
    made.sort_names.add(name)
    members = []
    for _ in range(made.source.randint(1, 3)):
        member = made.new_symbol()
        made.symbols[member] = (), name
        members.append(member)
    made.constructors[name] = [(m, []) for m in members]
    made.values[name] = [(m,) for m in members]
    made.commands.append(f"(declare-datatypes (({name} 0)) (({' '.join(f'({m})' for m in members)})))")


def _built(made: World, sort: Sort, count: int) -> list[tuple[str, list[tuple[str, Sort]]]]:
    """Constructors with fields of sorts that are there already, entered."""
    found: list[tuple[str, list[tuple[str, Sort]]]] = []
    small = [s for s, v in made.values.items() if len(v) <= 4]
    for _ in range(count):
        constructor = made.new_symbol()
        fields: list[tuple[str, Sort]] = []
        made.symbols[constructor] = (), sort
        for _ in range(made.source.choice((0, 1, 1, 2))):
            selector, inner = made.new_symbol(), made.source.choice(small)
            made.symbols[selector] = (sort,), inner
            made.selectors[selector] = constructor, len(fields)
            fields.append((selector, inner))
        made.symbols[constructor] = tuple(s for _, s in fields), sort
        found.append((constructor, fields))
    return found


def _enter(made: World, sort: Sort, constructors: list[tuple[str, list[tuple[str, Sort]]]]) -> None:
    values = [(c, *v) for c, fields in constructors for v in itertools.product(*[made.values[s] for _, s in fields])]
    if len(values) > MOST_VALUES:
        raise TooMuch
    made.constructors[sort] = constructors
    made.values[sort] = values


def _record(made: World) -> None:
    name = made.new_sort()
    made.sort_names.add(name)
    constructors = _built(made, name, made.source.randint(1, 3))
    _enter(made, name, constructors)
    shown = " ".join(f"({c} {' '.join(f'({s} {sort})' for s, sort in fields)})" for c, fields in constructors)
    made.commands.append(f"(declare-datatypes (({name} 0)) (({shown})))")


def _parametric(made: World) -> None:
    """One instance of a parametric datatype: its only constructor with fields has one of the parameter's sort."""
    name = made.new_sort()
    made.sort_names.add(name)
    inner = made.source.choice([s for s, v in made.values.items() if len(v) <= 4])
    sort, none, some, content = f"({name} {inner})", made.new_symbol(), "", ""
    made.symbols[none] = (), sort
    some = made.new_symbol()
    made.symbols[some] = (inner,), sort
    content = made.new_symbol()
    made.symbols[content] = (sort,), inner
    made.selectors[content] = some, 0
    _enter(made, sort, [(none, []), (some, [(content, inner)])])
    parameter = made.source.choice([n for n in POOL if n not in made.sort_names])
    made.commands.append(
        f"(declare-datatypes (({name} 1)) ((par ({parameter}) (({none}) ({some} ({content} {parameter}))))))"
    )


def _arrays(made: World) -> None:
    index, element = (made.source.choice([s for s, v in made.values.items() if len(v) <= 4]) for _ in range(2))
    count = len(made.values[element]) ** len(made.values[index])
    if count > MOST_VALUES:
        raise TooMuch
    made.values[f"(Array {index} {element})"] = [
        ("array", *v) for v in itertools.product(made.values[element], repeat=len(made.values[index]))
    ]


def _params(made: World, first: Sequence[Sort] = ()) -> dict[str, Sort]:
    sorts = [*first, *[made.source.choice(list(made.values)) for _ in range(made.source.randint(0, 2))]]
    return dict(zip(made.source.sample(POOL, len(sorts)), sorts, strict=True))


def _definition(made: World) -> None:
    params, name, result = _params(made), made.new_symbol(), made.source.choice(list(made.values))
    body = _term(made, result, params, 3)
    _define(made, name, params, result, body, "define-fun")


def _recursion(made: World) -> None:
    """By a bit-vector that falls until it is 0."""
    widths = [s for s in made.values if s.startswith("(_ BitVec")]
    sort = made.source.choice(widths)
    params, name, result = _params(made, [sort]), made.new_symbol(), made.source.choice(list(made.values))
    first = next(iter(params))
    if name in params:
        return
    width = int(sort.split()[2][:-1])
    zero, one = (("lit", f"(_ bv{n} {width})", n) for n in (0, 1))
    call = ("app", name, ("bvsub", width, ("var", first, sort), one), *[("var", n, s) for n, s in params.items()][1:])
    step_name = made.source.choice([n for n in POOL if n not in params and n != name] or ["zz"])
    base, step = _term(made, result, params, 2), _term(made, result, {**params, step_name: result}, 3)
    body = ("ite", ("=", ("var", first, sort), zero), base, ("let", ((step_name, call),), step))
    _define(made, name, params, result, body, "define-fun-rec")


def _mutual(made: World) -> None:
    """Two functions by each other, and a bit-vector that falls until it is 0."""
    source = made.source
    sort = source.choice([s for s in made.values if s.startswith("(_ BitVec")])
    width = int(sort.split()[2][:-1])
    zero, one = (("lit", f"(_ bv{n} {width})", n) for n in (0, 1))
    names: list[str] = []
    for _ in range(2):
        names.append(made.new_symbol())
        made.symbols[names[-1]] = (sort,), "Bool"  # no other function may be called so
    heads, bodies = [], []
    for name, other in zip(names, reversed(names), strict=True):
        variable = source.choice([n for n in POOL if n not in names])
        env = {variable: sort}
        known = {n: made.symbols.pop(n) for n in names}  # the rest of a body calls neither
        base, step = _term(made, "Bool", env, 2), _term(made, "Bool", env, 2)
        made.symbols.update(known)
        call = ("app", other, ("bvsub", width, ("var", variable, sort), one))
        body = ("ite", ("=", ("var", variable, sort), zero), base, (source.choice(("and", "or", "xor")), call, step))
        heads.append(f"({name} (({variable} {sort})) Bool)")
        bodies.append(((variable,), body))
    made.defined.update(zip(names, bodies, strict=True))
    made.commands.append(f"(define-funs-rec ({' '.join(heads)}) ({' '.join(text(b) for _, b in bodies)}))")


def _define(made: World, name: str, params: dict[str, Sort], result: Sort, body: Term, word: str) -> None:
    made.symbols[name] = tuple(params.values()), result
    made.defined[name] = tuple(params), body
    binders = " ".join(f"({n} {s})" for n, s in params.items())
    made.commands.append(f"({word} {name} ({binders}) {result} {text(body)})")


# ------------------------------------------------------------------------------------------------------ formulas


def _term(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term:
    source = made.source
    if sort in INFINITE:
        return _unbounded(made, sort, env, depth)
    leaves = [("var", n, s) for n, s in env.items() if s == sort]
    if leaves and (depth <= 0 or source.random() < 0.2):
        return source.choice(leaves)
    if depth <= 0:
        return _literal(made, sort, env)
    forms: list[Callable[[], Term | None]] = [
        lambda: _application(made, sort, env, depth),
        lambda: _application(made, sort, env, depth),
        lambda: ("ite", _term(made, "Bool", env, depth - 1), *[_term(made, sort, env, depth - 1) for _ in "ab"]),
        lambda: _let(made, sort, env, depth),
        lambda: _match(made, sort, env, depth),
    ]
    if sort == "Bool":
        forms += [lambda: _formula(made, env, depth)] * 6
    if sort.startswith("(_ BitVec"):
        forms += [lambda: _bits(made, sort, env, depth)] * 3
    for _ in range(4):
        found = source.choice(forms)()
        if found is not None:
            return found
    return _literal(made, sort, env)


def _literal(made: World, sort: Sort, env: Mapping[str, Sort]) -> Term:
    value = made.source.choice(made.values[sort])
    return _written(made, sort, value, env)


def _written(made: World, sort: Sort, value: Any, env: Mapping[str, Sort]) -> Term:
    """A value as a term. A constant with the name of a variable is not to be had: then any variable is taken."""
    if isinstance(value, bool):
        return ("lit", str(value).lower(), value)
    if isinstance(value, int):
        width = int(sort.split()[2][:-1])
        return ("lit", f"#b{value:0{width}b}" if made.source.random() < 0.5 else f"(_ bv{value} {width})", value)
    if value[0] == "array":
        index, element = _array_sorts(made, sort)
        term: Term = ("const", sort, _written(made, element, value[1], env))
        for i, v in zip(made.values[index][1:], value[2:], strict=True):
            term = ("store", index, term, _written(made, index, i, env), _written(made, element, v, env))
        return term
    if value[0] in env:
        raise TooMuch
    sorts = made.symbols[value[0]][0]
    term = ("app", value[0], *[_written(made, s, v, env) for s, v in zip(sorts, value[1:], strict=True)])
    return ("as", sort, term) if sort.startswith("(") and len(value) == 1 else term


def _array_sorts(made: World, sort: Sort) -> tuple[Sort, Sort]:
    return next((i, e) for i in made.values for e in made.values if sort == f"(Array {i} {e})")


def _application(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term | None:
    known = [n for n, (_, r) in made.symbols.items() if r == sort and n not in env]
    arrays = [s for s in made.values if s.startswith("(Array")]
    if sort in arrays:
        known.append("store")
    known += [s for s in arrays if _array_sorts(made, s)[1] == sort]
    if not known:
        return None
    name = made.source.choice(known)
    if name == "store":
        index, element = _array_sorts(made, sort)
        parts = [_term(made, s, env, depth - 1) for s in (sort, index, element)]
        return ("store", index, *parts)
    if name in arrays:
        index = _array_sorts(made, name)[0]
        return ("select", index, _term(made, name, env, depth - 1), _term(made, index, env, depth - 1))
    args = [_term(made, s, env, depth - 1) for s in made.symbols[name][0]]
    term = ("app", name, *args)
    return (
        ("as", sort, term)
        if sort.startswith("(") and not args and name not in made.declared | set(made.defined)
        else term
    )


def _let(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term:
    names = made.source.sample(POOL, made.source.randint(1, 2))
    sorts = [made.source.choice(list(made.values)) for _ in names]
    bound = tuple((n, _term(made, s, env, depth - 1)) for n, s in zip(names, sorts, strict=True))
    return ("let", bound, _term(made, sort, {**env, **dict(zip(names, sorts, strict=True))}, depth - 1))


def _match(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term | None:
    data = list(made.constructors)
    if not data:
        return None
    over = made.source.choice(data)
    constructors = made.source.sample(made.constructors[over], len(made.constructors[over]))
    kept = made.source.randint(1, len(constructors))
    rows: list[tuple[str, tuple[str, ...], Term]] = []
    built = {c for several in made.constructors.values() for c, _ in several}  # these are patterns, not variables
    names = [n for n in POOL if n not in built]
    for constructor, fields in constructors[:kept]:
        if len(fields) > len(names):
            raise TooMuch
        bound = tuple(made.source.sample(names, len(fields)))
        inner = {**env, **{n: s for n, (_, s) in zip(bound, fields, strict=True)}}
        rows.append((constructor, bound, _term(made, sort, inner, depth - 1)))
    if kept < len(constructors):
        name = made.source.choice(names)
        rows.append(("", (name,), _term(made, sort, {**env, name: over}, depth - 1)))
    return ("match", _term(made, over, env, depth - 1), tuple(rows))


def _bits(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term:
    operator = made.source.choice(("bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod", "bvshl",
                                   "bvlshr", "bvashr", "bvxor", "bvnand"))  # fmt: skip
    width = int(sort.split()[2][:-1])
    return (operator, width, _term(made, sort, env, depth - 1), _term(made, sort, env, depth - 1))


def _unbounded(made: World, sort: Sort, env: Mapping[str, Sort], depth: int) -> Term:
    """An integer, a real or a string."""
    source = made.source
    leaves = [("var", n, s) for n, s in env.items() if s == sort]
    if depth <= 0 or source.random() < 0.2:
        return source.choice([*leaves, ("lit", *source.choice(INFINITE[sort]))])
    name, _, params = source.choice([o for o in OPERATIONS if o[1] == sort])
    if name in ("div", "mod", "/"):
        divisor = source.choice([v for v in INFINITE[sort] if v[1] != 0])
        return ("op", name, _unbounded(made, sort, env, depth - 1), ("lit", *divisor))
    if name == "ite":
        return ("ite", _term(made, "Bool", env, depth - 1), *[_unbounded(made, sort, env, depth - 1) for _ in "ab"])
    return ("op", name, *[_unbounded(made, s, env, depth - 1) for s in params])


def _compared(made: World, env: Mapping[str, Sort], depth: int) -> Term:
    name, _, params = made.source.choice([o for o in OPERATIONS if o[1] == "Bool"])
    return ("op", name, *[_unbounded(made, s, env, depth - 1) for s in params])


def _within(made: World, env: Mapping[str, Sort], depth: int) -> Term:
    """A quantifier over the few values that are named."""
    source = made.source
    sort, name = source.choice(list(INFINITE)), source.choice(POOL)
    values = tuple(source.sample(INFINITE[sort], source.randint(1, 3)))
    inner = {**env, name: sort}
    body = _compared(made, inner, depth) if source.random() < 0.6 else _term(made, "Bool", inner, depth - 1)
    return ("within", source.choice(("forall", "exists")), name, sort, values, body)


_KINDS = ("quantifier", "quantifier", "within", "within", "=", "distinct", "and", "or", "=>", "not", "xor", "is",
          "bvult", "bvsle")  # fmt: skip


def _formula(made: World, env: Mapping[str, Sort], depth: int) -> Term:
    source = made.source

    def inner(sort: Sort = "Bool") -> Term:
        return _term(made, sort, env, depth - 1)

    if source.random() < (0.5 if any(sort in INFINITE for sort in env.values()) else 0.0):
        return _compared(made, env, depth)
    kind = source.choice(_KINDS)
    if kind == "within":
        return _within(made, env, depth)
    if kind == "quantifier":
        names = source.sample(POOL, source.randint(1, 2))
        sorts = [source.choice(list(made.values)) for _ in names]
        bound = dict(zip(names, sorts, strict=True))
        return (
            source.choice(("forall", "exists")),
            tuple(bound.items()),
            _term(made, "Bool", {**env, **bound}, depth - 1),
        )
    if kind in ("=", "distinct"):
        sort = source.choice(list(made.values))
        return (kind, *[inner(sort) for _ in range(source.choice((2, 2, 3)))])
    if kind == "not":
        return ("not", inner())
    if kind == "is" and made.constructors:
        sort = source.choice(list(made.constructors))
        return ("is", source.choice(made.constructors[sort])[0], inner(sort))
    if kind in ("bvult", "bvsle"):
        sort = source.choice([s for s in made.values if s.startswith("(_ BitVec")])
        return (kind, int(sort.split()[2][:-1]), inner(sort), inner(sort))
    kind = "and" if kind == "is" else kind
    return (kind, *[inner() for _ in range(source.choice((2, 2, 3)))])


# ---------------------------------------------------------------------------------------------------------- text


def text(term: Term) -> str:
    """The term as SMT-LIB."""
    match term:
        case ("var", name, _):
            return str(name)
        case ("lit", shown, _):
            return str(shown)
        case ("app", name):
            return str(name)
        case ("app", name, *args):
            return f"({name} {' '.join(map(text, args))})"
        case ("as", sort, inner):
            return f"(as {text(inner)} {sort})"
        case ("const", sort, inner):
            return f"((as const {sort}) {text(inner)})"
        case ("select" | "store" as name, _, *args):
            return f"({name} {' '.join(map(text, args))})"
        case ("is", name, inner):
            return f"((_ is {name}) {text(inner)})"
        case ("op", name, *args):
            return f"({name} {' '.join(map(text, args))})"
        case ("within", word, name, sort, values, body):
            cases = [f"(= {name} {shown})" for shown, _ in values]
            range_ = cases[0] if len(cases) == 1 else f"(or {' '.join(cases)})"
            return f"({word} (({name} {sort})) ({'=>' if word == 'forall' else 'and'} {range_} {text(body)}))"
        case ("let", bound, body):
            return f"(let ({' '.join(f'({n} {text(t)})' for n, t in bound)}) {text(body)})"
        case ("match", subject, rows):
            cases = []
            for constructor, names, body in rows:
                pattern = (
                    names[0] if not constructor else f"({constructor} {' '.join(names)})" if names else constructor
                )
                cases.append(f"({pattern} {text(body)})")
            return f"(match {text(subject)} ({' '.join(cases)}))"
        case ("forall" | "exists" as word, bound, body):
            return f"({word} ({' '.join(f'({n} {s})' for n, s in bound)}) {text(body)})"
        case (name, *args):
            return f"({name} {' '.join(text(a) for a in args if not isinstance(a, int))})"
    raise AssertionError(term)


# --------------------------------------------------------------------------------------------------------- truth


def _value(made: World, term: Term, env: Env, chosen: Mapping[Any, Any]) -> Any:
    """What a term comes to, given what was chosen for all that is open."""
    made.budget -= 1
    if made.budget < 0:
        raise TooMuch

    def of(part: Term) -> Any:
        return _value(made, part, env, chosen)

    match term:
        case ("var", name, _):
            return env[name]
        case ("lit", _, value):
            return value
        case ("as", _, inner):
            return of(inner)
        case ("app", name, *args):
            return _applied(made, name, tuple(of(a) for a in args), chosen)
        case ("ite", test, then, other):
            return of(then) if of(test) else of(other)
        case ("let", bound, body):
            return _value(made, body, {**env, **{n: of(t) for n, t in bound}}, chosen)
        case ("match", subject, rows):
            value = of(subject)
            for constructor, names, body in rows:
                if not constructor:
                    return _value(made, body, {**env, names[0]: value}, chosen)
                if value[0] == constructor:
                    return _value(made, body, {**env, **dict(zip(names, value[1:], strict=True))}, chosen)
        case ("forall" | "exists" as word, bound, body):
            names = [n for n, _ in bound]
            every = itertools.product(*[made.values[s] for _, s in bound])
            found = (_value(made, body, {**env, **dict(zip(names, v, strict=True))}, chosen) for v in every)
            return all(found) if word == "forall" else any(found)
        case ("op", name, *args):
            return _computed(name, [of(a) for a in args])
        case ("within", word, name, _, values, body):
            found = (_value(made, body, {**env, name: v}, chosen) for _, v in values)
            return all(found) if word == "forall" else any(found)
        case ("const", sort, inner):
            return ("array", *[of(inner)] * len(made.values[_array_sorts(made, sort)[0]]))
        case ("select", index, array, at):
            return of(array)[1 + made.values[index].index(of(at))]
        case ("store", index, array, at, element):
            place, value = made.values[index].index(of(at)), list(of(array))
            value[1 + place] = of(element)
            return tuple(value)
        case ("is", constructor, inner):
            return of(inner)[0] == constructor
        case (operator, int(width), left, right):
            return _bit_value(operator, width, of(left), of(right))
        case (operator, *parts):
            return _CONNECTIVES[operator]([of(p) for p in parts])
    raise AssertionError(term)


def _applied(made: World, name: str, args: tuple[Any, ...], chosen: Mapping[Any, Any]) -> Any:
    if name in made.defined:
        params, body = made.defined[name]
        return _value(made, body, dict(zip(params, args, strict=True)), chosen)
    if name in made.selectors:
        constructor, place = made.selectors[name]
        if args[0][0] == constructor:
            return args[0][1 + place]
    elif name not in made.declared:
        return (name, *args)
    if (name, args) not in chosen:
        raise Open((name, args), made.symbols[name][1])
    return chosen[name, args]


_CONNECTIVES: dict[str, Callable[[list[Any]], bool]] = {
    "not": lambda v: not v[0],
    "and": all,
    "or": any,
    "xor": lambda v: sum(v) % 2 == 1,
    "=>": lambda v: not all(v[:-1]) or v[-1],
    "=": lambda v: all(a == b for a, b in itertools.pairwise(v)),
    "distinct": lambda v: all(a != b for a, b in itertools.combinations(v, 2)),
}


_I, _R, _S, _B = "Int", "Real", "String", "Bool"
INFINITE: dict[Sort, list[tuple[str, Any]]] = {
    _I: [("0", 0), ("1", 1), ("(- 1)", -1), ("3", 3), ("(- 7)", -7), ("48", 48), ("200000", 200_000)],
    _R: [("0.0", Fraction(0)), ("0.5", Fraction(1, 2)), ("(- 1.5)", Fraction(-3, 2)), ("(/ 1 3)", Fraction(1, 3)),
         ("2.0", Fraction(2))],
    _S: [('""', ""), ('"a"', "a"), ('"ab"', "ab"), (r'"\u{41}"', "A"), ('"07"', "07"), ('""""', '"'), ('"aXa"', "aXa"),
         (r'"\u{1F600}\u0061"', "\U0001f600a"), (r'"\n"', r"\n")],
}  # fmt: skip
"""Values that matter, as they are written and what they are."""
OPERATIONS: list[tuple[str, Sort, tuple[Sort, ...]]] = [
    ("+", _I, (_I, _I)), ("-", _I, (_I, _I)), ("*", _I, (_I, _I)), ("div", _I, (_I, _I)), ("mod", _I, (_I, _I)),
    ("abs", _I, (_I,)), ("-", _I, (_I,)), ("to_int", _I, (_R,)), ("str.len", _I, (_S,)), ("ite", _I, ()),
    ("str.indexof", _I, (_S, _S, _I)), ("str.to_code", _I, (_S,)), ("str.to_int", _I, (_S,)),
    ("+", _R, (_R, _R)), ("-", _R, (_R, _R)), ("*", _R, (_R, _R)), ("/", _R, (_R, _R)), ("-", _R, (_R,)),
    ("to_real", _R, (_I,)), ("ite", _R, ()),
    ("str.++", _S, (_S, _S)), ("str.at", _S, (_S, _I)), ("str.substr", _S, (_S, _I, _I)), ("ite", _S, ()),
    ("str.replace", _S, (_S, _S, _S)), ("str.from_code", _S, (_I,)), ("str.from_int", _S, (_I,)),
    ("=", _B, (_I, _I)), ("<", _B, (_I, _I)), ("<=", _B, (_I, _I)), ("=", _B, (_R, _R)), ("<", _B, (_R, _R)),
    (">=", _B, (_R, _R)), ("is_int", _B, (_R,)), ("=", _B, (_S, _S)), ("str.<", _B, (_S, _S)), ("str.<=", _B, (_S, _S)),
    ("str.prefixof", _B, (_S, _S)), ("str.suffixof", _B, (_S, _S)), ("str.contains", _B, (_S, _S)),
    ("str.is_digit", _B, (_S,)), ("distinct", _B, (_S, _S)), ("distinct", _B, (_I, _I)),
]  # fmt: skip


def _computed(name: str, v: list[Any]) -> Any:
    """What an operation on integers, reals or strings gives, by the text of the standard."""
    if name in _PLAIN:
        return _PLAIN[name](*v)
    if name == "-":
        return -v[0] if len(v) == 1 else v[0] - v[1]
    if name == "str.indexof":
        return -1 if not 0 <= v[2] <= len(v[0]) else v[0].find(v[1], v[2])
    if name == "str.substr":
        return v[0][v[1] : v[1] + v[2]] if 0 <= v[1] < len(v[0]) and v[2] > 0 else ""
    if name == "str.from_code":
        return chr(v[0]) if 0 <= v[0] < 0x30000 else ""
    digits = bool(v[0]) and all("0" <= c <= "9" for c in v[0])  # what is left is of one string
    if name == "str.to_int":
        return int(v[0]) if digits else -1
    if name == "str.is_digit":
        return digits and len(v[0]) == 1
    raise AssertionError(name)


def _modulo(a: int, b: int) -> int:
    return a % abs(b)


_PLAIN: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "mod": _modulo,
    "div": lambda a, b: (a - _modulo(a, b)) // b,
    "abs": abs,
    "to_int": lambda a: a.numerator // a.denominator,
    "to_real": Fraction,
    "is_int": lambda a: a.denominator == 1,
    "=": lambda a, b: a == b,
    "distinct": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "str.len": len,
    "str.++": lambda a, b: a + b,
    "str.at": lambda a, i: a[i] if 0 <= i < len(a) else "",
    "str.replace": lambda a, b, c: a.replace(b, c, 1),
    "str.from_int": lambda i: str(i) if i >= 0 else "",
    "str.to_code": lambda a: ord(a) if len(a) == 1 else -1,
    "str.<": lambda a, b: a < b,
    "str.<=": lambda a, b: a <= b,
    "str.prefixof": lambda a, b: b.startswith(a),
    "str.suffixof": lambda a, b: b.endswith(a),
    "str.contains": lambda a, b: b in a,
}


def _signed(value: int, width: int) -> int:
    return value - 2**width if value >= 2 ** (width - 1) else value


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _bit_value(operator: str, width: int, a: int, b: int) -> int | bool:
    s, t, full = _signed(a, width), _signed(b, width), 2**width
    match operator:
        case "bvult":
            return a < b
        case "bvsle":
            return s <= t
        case "bvsdiv":
            return ((1 if s < 0 else -1) if t == 0 else _quotient(s, t)) % full
        case "bvsrem":
            return (s if t == 0 else s - _quotient(s, t) * t) % full
        case "bvsmod":
            return (s if t == 0 else s - s // t * t) % full
        case "bvudiv":
            return full - 1 if b == 0 else a // b
        case "bvurem":
            return a if b == 0 else a % b
        case "bvnand":
            return full - 1 - (a & b)
        case "bvashr":
            return (s >> b) % full
    simple = {"bvadd": a + b, "bvsub": a - b, "bvmul": a * b, "bvshl": a << b, "bvlshr": a >> b, "bvxor": a ^ b}
    return simple[operator] % full


def _models(made: World, formulas: Sequence[Term], chosen: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    """All choices, as far as they matter, under which the formulas hold."""
    try:
        if all(_value(made, f, {}, chosen) for f in formulas):
            yield chosen
    except Open as missing:
        key, sort = missing.args
        for value in made.values[sort]:
            yield from _models(made, formulas, {**chosen, key: value})


def theorem(source: random.Random) -> Theorem | None:
    """A theorem, or None when this one is too large."""
    try:
        made = world(source)
        premises = [_term(made, "Bool", {}, 3) for _ in range(source.choice((0, 0, 0, 1, 1, 2)))]
        goal = _term(made, "Bool", {}, source.choice((3, 4, 5)))
        consistent = next(_models(made, premises, {}), None) is not None
        if not consistent and source.random() < 0.8:
            return None
        made.budget = TRIES
        false_at = next(_models(made, [*premises, ("not", goal)], {}), None)
    except (TooMuch, RecursionError):
        return None
    if goal[0] in ("lit", "var"):
        return None
    stated = [*made.commands, *[f"(assert {text(p)})" for p in premises], f"(prove {text(goal)})"]
    return Theorem("\n".join(stated) + "\n", (false_at is None) if consistent else None)


def theorems(count: int, seed: int) -> Iterator[Theorem]:
    """So many theorems, the same for the same seed; as many that hold as that do not, as far as there are any."""
    made, tried, balance = 0, 0, 0
    while made < count:
        found = theorem(random.Random(f"{seed} {tried}"))
        tried += 1
        if found is None or (found.holds is not None and balance * (1 if found.holds else -1) > 5):
            continue
        balance += 0 if found.holds is None else 1 if found.holds else -1
        made += 1
        yield found


# ------------------------------------------------------------------------------------------------------- running


def fault(holds: bool | None, verdict: str, level: str | None) -> str:
    """What is wrong with a verdict; "" when nothing is."""
    if verdict == "invalid" or verdict.startswith("traceback"):
        return verdict
    if holds is None:
        return "a verdict on contradictory premises" if verdict == "proved" and level not in (None, "L0", "L1") else ""
    wrong = {"inconsistent", "refuted" if holds else "proved"}
    return f"{verdict}, and it {'holds' if holds else 'does not hold'}" if verdict in wrong else ""


def main() -> int:
    """Run; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1.0, help="for the search of each")
    parser.add_argument("--write", type=Path, help="write the theorems into this folder, and prove nothing")
    arguments = parser.parse_args()
    if arguments.write is not None:
        arguments.write.mkdir(parents=True, exist_ok=True)
        for number, made in enumerate(theorems(arguments.count, arguments.seed)):
            kind = {True: "true", False: "false", None: "inconsistent"}[made.holds]
            (arguments.write / f"{kind}-{number:04d}.smt2").write_text(made.text, encoding="utf-8")
        return 0
    from drive import verdict

    seen: Counter[str] = Counter()
    wrong = 0
    for number, made in enumerate(theorems(arguments.count, arguments.seed)):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = verdict(made.text, Path(folder), seconds=arguments.seconds)
            except Exception as error:  # noqa: BLE001  a defect of the program, to be told with the theorem
                result = {"verdict": f"traceback: {error!r}"}
        seconds = time.monotonic() - began
        problem = fault(made.holds, result["verdict"], result.get("trust_level")) or ("no end" if seconds > 20 else "")
        seen[f"{made.holds}: {result['verdict']}"] += 1
        if problem:
            wrong += 1
            print(f"WRONG: {number}: {problem} ({result.get('reason')}), {seconds:.1f} s\n{made.text}", flush=True)
    for what, many in sorted(seen.items()):
        print(f"{what} {many}")
    print(f"wrong: {wrong} of {arguments.count}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
