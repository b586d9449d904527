"""Well-typed terms over the functions of a goal, grouped by their values on samples."""

from __future__ import annotations

import itertools
import random
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goedels_poetry.languages.enumeration import compositions
from goedels_poetry.languages.lean.symbolic.terms import Term
from goedels_poetry.languages.lean.symbolic.types import BOOL, INT, NAT, PROP, Signature, Type
from goedels_poetry.languages.lean.symbolic.values import (
    TRUE,
    Equation,
    Evaluator,
    NoValue,
    Samples,
    Value,
    list_of,
    listed,
)

ENVIRONMENTS = 14
VARIABLES = 3
MOST_SIZE, MOST_TERMS, MOST_PAIRED = 5, 2_500, 40
_LETTERS = {"Nat": "mnk", "Int": "ijk", "List": ("xs", "ys", "zs"), "Bool": "bcd"}
_NEUTRAL = {"HAdd.hAdd": ("0",), "HMul.hMul": ("0", "1"), "HAppend.hAppend": ("List.nil",), "HPow.hPow": ("0", "1")}
"""Arguments with which an operation of the library is no news."""

Vector = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A universally quantified name of a conjecture."""

    name: str
    type: Type


@dataclass(slots=True)
class World:
    """What conjectures are made of."""

    functions: tuple[Signature, ...]
    """The most relevant first: those of the goal, then those that these are defined by."""
    constructors: dict[str, tuple[Signature, ...]]
    operations: tuple[Signature, ...]
    """Of the library, at the types at which they are used."""
    equations: dict[str, list[Equation]]
    evaluator: Evaluator
    samples: Samples
    goal: Term
    goal_variables: dict[str, Type]
    goal_functions: frozenset[str]
    types: list[Type] = field(default_factory=list)
    """Of the variables of a conjecture."""
    parameters: frozenset[str] = frozenset()
    """Names of the goal that stand for types."""

    @property
    def all_types(self) -> list[Type]:
        """With the types that these are made of."""
        return list(dict.fromkeys([*self.types, *(a for t in self.types for a in t.args if t.head != "→")]))


def unify(pattern: Type, type_: Type, free: Sequence[str], found: dict[str, Type]) -> bool:
    """Whether the parameters ``free`` of ``pattern`` can be chosen so that it is ``type_``."""
    if pattern.head in free and not pattern.args:
        return found.setdefault(pattern.head, type_) == type_
    if pattern.head != type_.head or len(pattern.args) != len(type_.args):
        return False
    return all(unify(p, t, free, found) for p, t in zip(pattern.args, type_.args, strict=True))


@dataclass(frozen=True, slots=True)
class Entry:
    """A term with its values in all environments."""

    term: Term
    type: Type
    vector: Vector
    names: frozenset[str]


class Pool:
    """Terms over the functions of a world, one or a few for each vector of values."""

    def __init__(self, world: World, seconds: float) -> None:
        self.world = world
        self.until = time.monotonic() + seconds
        self.variables = _variables(world)
        self.of_type = {v.name: v.type for v in self.variables}
        self.environments = [self.environment(i) for i in range(ENVIRONMENTS)]
        self.classes: dict[tuple[Type, Vector], list[Entry]] = {}
        self.entries: dict[int, dict[Type, list[Entry]]] = {}
        grown = [c for t in dict.fromkeys(t.head for t in world.types) for c in world.constructors.get(t, ())]
        self.symbols = [*world.functions, *world.operations, *grown]
        self._fill()

    def environment(self, i: int) -> dict[str, Value]:
        """Sample values of all variables, the same for the same number."""
        found = {}
        for v in self.variables:
            chance = random.Random(zlib.crc32(f"{v.name} {i}".encode()))
            try:
                found[v.name] = self.world.samples.draw(v.type, chance, 1 + i % 4)
            except NoValue:
                continue
        return found

    def entry(self, term: Term, type_: Type) -> Entry | None:
        """The term with its values; None when one of them cannot be computed."""
        try:
            vector = tuple(self.world.evaluator.value(term, env) for env in self.environments)
            if type_ == INT:  # a numeral alone does not say that it is one
                vector = tuple(("Int", v) if isinstance(v, int) else v for v in vector)
            hash(vector)
        except (NoValue, TypeError):
            return None
        return Entry(term, type_, vector, frozenset(h for h in term.heads() if h in self.of_type))

    def _fill(self) -> None:
        count = 0
        for term, type_ in self._atoms():
            count += self._add(term, type_, 1)
        for size in range(2, MOST_SIZE + 1):
            for symbol in self.symbols:
                if not symbol.arguments:
                    continue
                for args, type_ in self._applications(symbol, size - 1):
                    if count > MOST_TERMS or time.monotonic() > self.until:
                        return
                    count += self._add(Term(symbol.name, tuple(a.term for a in args)), type_, size)

    def _atoms(self) -> Iterator[tuple[Term, Type]]:
        for v in self.variables:
            yield Term(v.name), v.type
        yield from self._given_functions()
        for type_ in self.world.types:
            if type_ in (NAT, INT):
                yield Term("0"), type_
                yield Term("1"), type_
            for c in self.world.constructors.get(type_.head, ()):
                if not c.arguments:
                    yield Term(c.name), type_

    def _given_functions(self) -> Iterator[tuple[Term, Type]]:
        """Closed functions that the goal passes as arguments."""
        signatures = {s.name: s for s in self.world.functions}
        for part in self.world.goal.parts():
            s = signatures.get(part.head)
            if s is None or len(s.arguments) != len(part.args):
                continue
            for a, wanted in zip(part.args, s.arguments, strict=True):
                if wanted.head == "→" and a.head not in self.world.goal_variables:
                    for type_ in self.world.types:
                        if type_.head == "→" and unify(wanted, type_, s.parameters, {}):
                            yield a, type_

    def _add(self, term: Term, type_: Type, size: int) -> int:
        if term.head in _NEUTRAL and any(a.head in _NEUTRAL[term.head] for a in term.args):
            return 0
        made = self.entry(term, type_)
        if made is None:
            return 0
        known = self.classes.setdefault((type_, made.vector), [])
        if len(known) < 8 and all(k.term != term for k in known):
            known.append(made)
        if len(known) == 1:
            self.entries.setdefault(size, {}).setdefault(type_, []).append(made)
        return 1

    def _applications(self, symbol: Signature, size: int) -> Iterator[tuple[tuple[Entry, ...], Type]]:
        for sizes in compositions(size, len(symbol.arguments)):
            yield from self._chosen(symbol, sizes, (), {})

    def _chosen(
        self, symbol: Signature, sizes: Sequence[int], args: tuple[Entry, ...], found: dict[str, Type]
    ) -> Iterator[tuple[tuple[Entry, ...], Type]]:
        at = len(args)
        if at == len(sizes):
            yield args, symbol.result.put(found)
            return
        for type_, entries in list(self.entries.get(sizes[at], {}).items()):
            bound = dict(found)
            if unify(symbol.arguments[at], type_, symbol.parameters, bound):
                for entry in list(entries):
                    yield from self._chosen(symbol, sizes, (*args, entry), bound)

    def equal(self, target: Entry) -> Iterator[Entry]:
        """Terms over the target's variables with the same values, the simplest first."""
        every = self.classes.get((target.type, target.vector), ())
        found = [e for e in every if target.term not in e.term.parts() and e.names <= target.names]
        found += itertools.islice(self._composed(target, 1), 4)
        yield from found or self._paired(target)

    def _paired(self, target: Entry) -> Iterator[Entry]:
        """The functions with two arguments of the target's type, at pairs of simple terms."""
        simple = [e for e in self._simple(target.type, target.names) if e.vector != target.vector][:MOST_PAIRED]
        for symbol in self.world.functions:
            found: dict[str, Type] = {}
            if len(symbol.arguments) != 2 or not unify(symbol.result, target.type, symbol.parameters, found):
                continue
            if [a.put(found) for a in symbol.arguments] != [target.type] * 2:
                continue
            for a, b in itertools.product(simple, repeat=2):
                if time.monotonic() > self.until:
                    return
                if self._gives(symbol.name, a.vector, b.vector, target.vector):
                    term = Term(symbol.name, (a.term, b.term))
                    yield Entry(term, target.type, target.vector, a.names | b.names)
                    break

    def _gives(self, head: str, left: Vector, right: Vector, values: Vector) -> bool:
        try:
            every = zip(left, right, values, strict=True)
            return all(self.world.evaluator.apply(head, (a, b)) == value for a, b, value in every)
        except NoValue:
            return False

    def _simple(self, type_: Type, names: frozenset[str]) -> list[Entry]:
        return [e for size in sorted(self.entries) for e in self.entries[size].get(type_, ()) if e.names <= names]

    def _lookup(self, type_: Type, vector: Vector, names: frozenset[str], depth: int) -> Entry | None:
        for known in self.classes.get((type_, vector), ()):
            if known.names <= names:
                return known
        if depth > 0:
            return next(self._composed(Entry(Term("?"), type_, vector, names), depth - 1), None)
        return None

    def _composed(self, target: Entry, depth: int) -> Iterator[Entry]:
        type_, vector, names = target.type, target.vector, target.names
        heads = {s.name for s in self.symbols}
        inverses: list[str] = []
        if type_ == NAT:
            inverses = [h for h in ("HAdd.hAdd", "HMul.hMul") if h in heads]
        elif type_ == INT:
            inverses = ["HAdd.hAdd"]
        elif type_.head == "List" and ("HAppend.hAppend" in heads):
            inverses = ["HAppend.hAppend"]
        elif type_ in (PROP, BOOL):
            yield from self._logical(target)
        for head in inverses:
            for left in self._simple(type_, names):
                rest = _rest(head, left.vector, vector)
                if rest is None or rest == vector or left.vector == vector:
                    continue
                right = self._lookup(type_, rest, names, depth)
                if right is not None:
                    yield Entry(Term(head, (left.term, right.term)), type_, vector, left.names | right.names)
                    break
        yield from self._constructed(target, depth)

    def _constructed(self, target: Entry, depth: int) -> Iterator[Entry]:
        vector = target.vector
        if not all(isinstance(v, tuple) and v[0] == vector[0][0] and len(v) > 1 for v in vector):
            return
        for c in self.world.constructors.get(target.type.head, ()):
            found: dict[str, Type] = {}
            if c.name != vector[0][0] or not unify(c.result, target.type, c.parameters, found):
                continue
            args = []
            for i, a in enumerate(c.arguments):
                made = self._lookup(a.put(found), tuple(v[i + 1] for v in vector), target.names, depth)
                if made is None:
                    return
                args.append(made)
            names = frozenset(n for a in args for n in a.names)
            yield Entry(Term(c.name, tuple(a.term for a in args)), target.type, vector, names)

    def _logical(self, target: Entry) -> Iterator[Entry]:
        truth = True if target.type == PROP else TRUE
        wanted = [v == truth for v in target.vector]
        simple = [(e, [v == truth for v in e.vector]) for e in self._simple(target.type, target.names)][:120]
        for head, f in (("Or" if truth is True else "or", any), ("And" if truth is True else "and", all)):
            for (a, va), (b, vb) in itertools.combinations(simple, 2):
                if va != wanted and vb != wanted and [f(p) for p in zip(va, vb, strict=True)] == wanted:
                    yield Entry(Term(head, (a.term, b.term)), target.type, target.vector, a.names | b.names)
                    return


def _rest(head: str, left: Vector, whole: Vector) -> Vector | None:
    rest: list[Value] = []
    for a, w in zip(left, whole, strict=True):
        if head == "HAdd.hAdd" and isinstance(w, tuple):
            rest.append(("Int", w[1] - a[1]))
        elif head == "HAdd.hAdd":
            if a > w:
                return None
            rest.append(w - a)
        elif head == "HMul.hMul":
            if a == 0 or w % a:
                return None
            rest.append(w // a)
        else:
            try:
                first, every = listed(a), listed(w)
            except NoValue:
                return None
            if every[: len(first)] != first:
                return None
            rest.append(list_of(every[len(first) :]))
    return tuple(rest)


def _variables(world: World) -> tuple[Variable, ...]:
    """Up to three for each type, with names that the goal's functions do not use."""
    found: list[Variable] = []
    taken: set[str] = set()
    for number, type_ in enumerate(world.types):
        letters = _LETTERS.get(type_.head) or [f"{c}{number}" for c in ("x", "y", "z")]
        if type_.head == "→":
            letters = [f"f{number}"]
        for letter in letters[:VARIABLES]:
            name = letter if letter not in taken else f"{letter}{number}"
            taken.add(name)
            found.append(Variable(name, type_))
    return tuple(found)
