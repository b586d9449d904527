"""The definitions of a translation: sorts of types, names, and functions that are defined once however often met."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goedels_poetry.kernel.terms import (
    BOOL,
    FALSE,
    INT,
    STRING,
    Kind,
    Sort,
    Term,
    and_,
    app,
    bottom_up,
    integer,
    is_app,
    lit,
    not_,
    rebuild,
    substitute,
    tester,
    var,
)
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.python.translate.build import OUTCOME, RETURNS, Effects
from goedels_poetry.python.translate.contracts import OutsideFragment
from goedels_poetry.python.translate.module import Module, Type

MAX_DEFINITIONS = 2_000
MAX_WORK = 40_000
"""Expressions and statements that are translated, repetitions counted."""
SELF = "@self"
MAX_NEGATED = 4


@dataclass(frozen=True, slots=True)
class Defined:
    """A definition of the script."""

    name: str
    params: tuple[Term, ...]
    sort: Sort
    body: Term


@dataclass(frozen=True, slots=True)
class Shape:
    """A datatype of the script: constructors with selectors and sorts."""

    sort: Sort
    constructors: tuple[tuple[str, tuple[tuple[str, Sort], ...]], ...]


def legal(name: str) -> str:
    """A Python name with letters that SMT-LIB has: no other Python name becomes the same."""
    made = "".join(c if c.isascii() else f"~{ord(c):x}~" for c in name)
    return f"{made}~" if is_theory_symbol(made) or made in ("true", "false", RETURNS, OUTCOME.name) else made


@dataclass(frozen=True, slots=True)
class HintedLoop:
    """What a body says of its loop, over the variables of its states: no theorem rests on it.

    ``functions``: those that run through the states, each with the positions of the states that are its first
    parameters. ``more``: that there is a round; ``again``: the states after it; ``counters``: states without a name of
    the program's; ``effects``, ``ends``: the calls that say how the loop goes, and where a variable ends.
    """

    function: str
    line: int
    text: str
    states: tuple[Term, ...]
    entry: tuple[Term, ...]
    more: Term
    again: tuple[Term, ...]
    invariant: Term
    measure: Term | None
    functions: Mapping[str, tuple[int, ...]]
    counters: tuple[Term, ...]
    effects: tuple[Term, ...]
    ends: Mapping[Term, Term]


@dataclass
class Registry:
    """What a script defines. ``expression`` functions of other files all work on one."""

    module: Module
    effects: Effects
    definitions: dict[str, Defined] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    work: int = 0
    digits: bool = False  # whether integers are written out, and a ValueError is caught: one may be raised by the other
    catches: bool = False
    states: bool = False  # objects are written by their fields, see `python_value`
    loops: list[HintedLoop] = field(default_factory=list)
    kept: dict[str, tuple[int, ...]] = field(default_factory=dict)  # states that are parameters, by function
    _same: dict[object, str] = field(default_factory=dict)
    _taken: dict[str, int] = field(default_factory=dict)
    _number: int = 0

    # ------------------------------------------------------------------------------------------ bounds

    def spend(self) -> None:
        """Count one step of the translation. Raises OutsideFragment: they are too many."""
        self.work += 1
        if self.work > MAX_WORK or len(self.definitions) > MAX_DEFINITIONS:
            raise OutsideFragment("this is too large to be translated", construct="size")

    # ----------------------------------------------------------------------------------------- symbols

    def fresh(self, base: str, sort: Sort) -> Term:
        """A variable that nothing else is called; `define` gives it a readable name."""
        self._number += 1
        return var(f"{base}@{self._number}", sort)

    def name(self, base: str) -> str:
        """A name for a definition. Names of definitions that belong to no Python function have a dot inside."""
        count = self._taken[base] = self._taken.get(base, 0) + 1
        return base if count == 1 else f"{base}.{count}"

    def define(self, base: str, params: Sequence[Term], sort: Sort, body: Term, exact: bool = False) -> str:
        """Define a function whose ``body`` calls itself as `SELF`; gives its name.

        The same function is not defined twice, unless ``exact`` says that the name counts.
        """
        key = (tuple(p.sort for p in params), sort, _canonical(body, params))
        if not exact and key in self._same:
            return self._same[key]
        name = base if exact else self.name(base)
        self._same.setdefault(key, name)
        named = readable(params, map(legal, self.module.program.functions))
        body = substitute(_renamed(body, {SELF: name}), dict(zip(params, named, strict=True)))
        self.definitions[name] = Defined(name, named, sort, body)
        return name

    def once(self, name: str, make: Callable[[], Defined]) -> str:
        """Define a function of the library, by its name."""
        if name not in self.definitions:
            self.definitions[name] = made = make()
            self._taken[name] = 1
            assert made.name == name
        return name

    # ------------------------------------------------------------------------------------------- sorts

    def sort(self, kind: Type) -> Sort:
        """The sort of a type, declared where that is needed."""
        if kind.kind in ("int", "bool", "str"):
            return {"int": INT, "bool": BOOL, "str": STRING}[kind.kind]
        if kind.kind in ("dict", "set"):
            return self.sort(Type("list", (kept_as(kind),)))
        if kind.kind == "class":
            union = self.module.union_of(kind.name)
            if union is not None:
                kind = self.module.unions[union]
        word = self.word(kind)
        name = "None." if kind.kind == "none" else word
        sort = Sort(name)
        if name not in self.shapes:
            self.shapes[name] = Shape(sort, ())  # a type may hold its like
            self.types[name] = kind
            self.shapes[name] = Shape(sort, tuple(self._constructors(kind, word)))
        return sort

    def _constructors(self, kind: Type, word: str) -> Iterable[tuple[str, tuple[tuple[str, Sort], ...]]]:
        if kind.kind == "list":
            element = self.word(kind.args[0])
            yield f"nil.{element}", ()
            head = (f"head.{element}", self.sort(kind.args[0]))
            yield f"cons.{element}", (head, (f"tail.{element}", self.sort(kind)))
        elif kind.kind == "optional":
            yield f"none.{self.word(kind.args[0])}", ()
            yield f"some.{self.word(kind.args[0])}", ((f"the.{self.word(kind.args[0])}", self.sort(kind.args[0])),)
        elif kind.kind == "tuple":
            parts = tuple((f"item{i}.{word}", self.sort(t)) for i, t in enumerate(kind.args))
            yield f"mk.{word}", parts
        elif kind.kind == "enum":
            for name, _ in self.module.members[kind.name]:
                yield f"{legal(kind.name)}!{legal(name)}", ()
        elif kind.kind == "none":
            yield "None.", ()
        else:
            for member in kind.args if kind.kind == "union" else (kind,):
                fields = self.module.fields[member.name]
                for f in fields:
                    if f.kind.kind in ("dict", "set") and member.name not in self.module.objects:
                        self.word(f.kind)  # says why not
                own = legal(member.name)
                yield f"{own}!", tuple((f"{own}!{legal(f.name)}", self.sort(f.kind)) for f in fields)

    def word(self, kind: Type) -> str:
        """A type as part of a name: different types give different words."""
        if kind.kind in ("class", "enum", "union"):
            return legal(kind.name)
        if kind.kind == "unknown":
            raise OutsideFragment("the element type of an empty list is not known here", construct="empty list")
        if kind.kind in ("never", "gone"):
            raise OutsideFragment("part of this has no value whenever it is reached", construct="types")
        if kind.kind in ("dict", "set"):
            raise OutsideFragment(f"a {kind.kind} inside of something else", construct=f"a {kind.kind}")
        if kind.args or kind.kind == "tuple":
            return f"{kind.kind}<{'-'.join(map(self.word, kind.args))}>"
        return kind.kind

    def default(self, kind: Type, seen: frozenset[str] = frozenset()) -> Term:
        """Some ground value, for where Python has none."""
        if kind.kind in ("int", "bool", "str"):
            return {"int": integer(0), "bool": FALSE, "str": lit("", STRING)}[kind.kind]
        sort = self.sort(kind)
        if kind.kind in ("dict", "set"):
            return self.nil(kept_as(kind))
        if kind.kind == "union":
            kind = next((m for m in kind.args if not self._leads(m, sort.name)), kind.args[0])
        for name, fields in self.shapes[sort.name].constructors:
            if kind.kind == "class" and name != f"{legal(kind.name)}!":
                continue
            if sort.name in seen and fields:
                raise OutsideFragment(f"`{kind}` has no smallest value", construct="dataclass")
            types = [f.kind for f in self.module.fields[kind.name]] if kind.kind == "class" else kind.args
            args = [self.default(t, seen | {sort.name}) for t in types] if fields else []
            return app(name, args, sort)
        raise OutsideFragment(f"`{kind}` has no values", construct="type")

    def _leads(self, kind: Type, sort: str) -> bool:
        return any(self.sort(f.kind).name == sort for f in self.module.fields[kind.name])

    # ------------------------------------------------------------------------------------ constructors

    def construct(self, kind: Type, args: Sequence[Term], which: int = 0) -> Term:
        """A constructor by its number (by its class, for members of unions), applied."""
        sort = self.sort(kind)
        constructors = self.shapes[sort.name].constructors
        own = f"{legal(kind.name)}!" if kind.kind == "class" else ""
        name = next((n for n, _ in constructors if n == own), constructors[which][0])
        return app(name, args, sort)

    def select(self, term: Term, constructor: str, position: int) -> Term:
        """A field; read off where the value is seen to be built, by this constructor or by branches."""
        memo: dict[Term, Term | None] = {}

        def read(t: Term) -> Term | None:
            if t not in memo:
                memo[t] = None
                if t.kind is Kind.APP and t.name == constructor:
                    memo[t] = t.args[position]
                elif is_app(t, "ite"):
                    a, b = read(t.args[1]), read(t.args[2])
                    memo[t] = None if a is None or b is None else a if a is b else app("ite", (t.args[0], a, b), a.sort)
            return memo[t]

        found = read(term)
        if found is not None:
            return found
        name, sort = dict(self.shapes[term.sort.name].constructors)[constructor][position]
        return app(name, (term,), sort)

    def item(self, term: Term, kind: Type, position: int) -> Term:
        """An element of a tuple."""
        return self.select(term, f"mk.{self.word(kind)}", position)

    def nil(self, element: Type) -> Term:
        """The empty list."""
        return app(f"nil.{self.word(element)}", (), self.sort(Type("list", (element,))))

    def cons(self, element: Type, head: Term, tail: Term) -> Term:
        """A list from its first element and the rest."""
        return app(f"cons.{self.word(element)}", (head, tail), self.sort(Type("list", (element,))))

    def is_nil(self, element: Type, term: Term) -> Term:
        """Whether a list is empty."""
        return self.test(term, f"nil.{self.word(element)}")

    def head(self, element: Type, term: Term) -> Term:
        """The first element."""
        return self.select(term, f"cons.{self.word(element)}", 0)

    def tail(self, element: Type, term: Term) -> Term:
        """All but the first."""
        return self.select(term, f"cons.{self.word(element)}", 1)

    def none(self, inner: Type) -> Term:
        """``None`` of an optional type."""
        return app(f"none.{self.word(inner)}", (), self.sort(Type("optional", (inner,))))

    def some(self, inner: Type, term: Term) -> Term:
        """A value of an optional type."""
        return app(f"some.{self.word(inner)}", (term,), self.sort(Type("optional", (inner,))))

    def is_none(self, inner: Type, term: Term) -> Term:
        """``is None``."""
        return self.test(term, f"none.{self.word(inner)}")

    def the(self, inner: Type, term: Term) -> Term:
        """The value of an optional type, where it is not None."""
        return self.select(term, f"some.{self.word(inner)}", 0)

    def test(self, term: Term, constructor: str) -> Term:
        """Whether a value is built by ``constructor``; decided where that is seen."""
        names = [n for n, _ in self.shapes[term.sort.name].constructors]
        if len(names) == 1:
            return tester(constructor, term) if constructor != names[0] else _TRUE
        if term.kind is Kind.APP and term.name in names:
            return _TRUE if term.name == constructor else FALSE
        if constructor == names[-1] and len(names) <= MAX_NEGATED:
            return and_([not_(tester(n, term)) for n in names[:-1]])  # decided where the others have been asked for
        return tester(constructor, term)


_TRUE = lit(True, BOOL)


def kept_as(kind: Type) -> Type:
    """Of what a dict or a set is a list: pairs, or elements."""
    return Type("tuple", kind.args) if kind.kind == "dict" else kind.args[0]


def readable(params: Sequence[Term], taken: Iterable[str] = ()) -> tuple[Term, ...]:
    """The variables under names without the number that `fresh` gave them."""
    used: set[str] = set(taken)
    made: list[Term] = []
    for p in params:
        base = name = legal(p.name.partition("@")[0])
        count = 1
        while name in used:
            count += 1
            name = f"{base}.{count}"
        used.add(name)
        made.append(var(name, p.sort))
    return tuple(made)


def _canonical(body: Term, params: Sequence[Term]) -> Term:
    return substitute(body, {p: var(f"@@{i}", p.sort) for i, p in enumerate(params)})


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    """The term with other functions."""

    def change(t: Term, args: tuple[Term, ...]) -> Term:
        return (
            app(names[t.name], args, t.sort, t.indices) if t.kind is Kind.APP and t.name in names else rebuild(t, args)
        )

    return bottom_up(term, change)
