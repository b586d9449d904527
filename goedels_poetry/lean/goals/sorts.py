"""Types of Lean as sorts: inductive types for each choice of their parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from goedels_poetry.kernel.printer import RESERVED
from goedels_poetry.kernel.problem import components
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.lean.goals.facts import CONSTRUCTORS, FIELDS, Expr, Facts, apply, const, joined, opened, telescope

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


# -- Types as sorts ------------------------------------------------------------------------------------------------


class Unreadable(Exception):
    """What cannot be said in SMT-LIB; the message says what."""


@dataclass(frozen=True, slots=True)
class Case:
    """A constructor as a test on a value."""

    key: str
    test: str
    """Whether the value is built by it; "" where nothing else is left."""
    fields: tuple[tuple[str, Expr], ...]
    """Terms for its fields, with their types."""


MOST_SORTS = 40
NAT = const("Nat")


@dataclass(frozen=True, slots=True)
class Made:
    """A constructor of a sort."""

    name: str
    constant: str
    selectors: tuple[tuple[str, Expr], ...]
    """Names, with the types of the fields."""


@dataclass(slots=True)
class Sorts:
    """The sorts of one problem."""

    facts: Facts
    names: Names
    unary: bool
    """Natural numbers are a datatype; else they are integers."""
    types: dict[str, Expr] = field(default_factory=dict)
    """Of each sort, the type it stands for."""
    declared: dict[str, str] = field(default_factory=dict)
    """Sorts of types that are variables, by the variable's name, and of those that are not taken apart."""
    _known: dict[Expr, str] = field(default_factory=dict)
    _made: dict[str, tuple[Made, ...]] = field(default_factory=dict)
    integers: set[str] = field(default_factory=set)
    """"Nat" and "Int", those that are spoken of."""

    def sort(self, type_: Expr) -> str:
        """The sort of a type; raises :class:`Unreadable`."""
        type_ = self.unfolded(type_)
        head = type_.head
        if type_ == Expr("sort") or head == "Bool":
            return "Bool"
        if head in ("Nat", "Int") and not (head == "Nat" and self.unary):
            self.integers.add(head)
            self.types.setdefault("Int", type_)
            return "Int"
        if head == "BitVec" and (width := literal(type_.operands[0])) is not None and width > 0:
            self.types.setdefault(f"(_ BitVec {width})", type_)
            return f"(_ BitVec {width})"
        if type_.kind == "free" and type_.name in self.declared:
            return self.declared[type_.name]
        if type_ in self._known:
            return self._known[type_]
        return self._inductive(type_, head)

    def unfolded(self, type_: Expr) -> Expr:
        """Abbreviations of types carried out."""
        type_ = apply(type_, ())
        for _ in range(10):
            value = self.facts.values.get(type_.head)
            if value is None or type_.head in self.facts.constructors:
                break
            type_ = apply(value, type_.operands)
        return type_

    def declare(self, variable: Expr, name: str) -> None:
        """A type that is a variable."""
        sort = self.names.give(name)
        self.declared[variable.name] = sort
        self.types[sort] = variable

    def _inductive(self, type_: Expr, head: str) -> str:
        constructors = self._constructors(head)
        if not head or len(self._known) >= MOST_SORTS:
            raise Unreadable(f"the type {head or type_.kind}")
        name = self.names.give(head if head != "PUnit" else "Unit")
        if constructors is None:
            return self._opaque(type_, name)
        self._known[type_] = name
        self.types[name] = type_
        made = []
        for constructor in constructors:
            called = self.names.give(constructor)
            fields = self._fields(constructor, head, type_)
            made.append(
                Made(called, constructor, tuple((self.names.give(f"{called}_{i}"), t) for i, t in enumerate(fields)))
            )
        self._made[name] = tuple(made)
        for m in made:
            for _, t in m.selectors:
                self.sort(t)
        return name

    def _opaque(self, type_: Expr, name: str) -> str:
        """A type that is read as one about whose values nothing is known: characters, strings, families of types.

        What the engine proves for any such type holds for this one.
        """
        if not self._of_data(type_.head) or set(type_.free()) - self.declared.keys():
            raise Unreadable(f"the type {type_.head}")
        self._known[type_] = self.declared[f"\0{name}"] = name
        self.types[name] = type_
        return name

    def is_opaque(self, type_: Expr) -> bool:
        """Whether it is such a type."""
        return self._known.get(self.unfolded(type_)) in self.declared.values()

    def _constructors(self, head: str) -> tuple[str, ...] | None:
        if head == "Nat" and self.unary:
            return ("Nat.zero", "Nat.succ")
        if head in self.facts.constructors:
            _, names, indexed = self.facts.constructors[head]
            return None if indexed or not self._of_data(head) else names
        return CONSTRUCTORS.get(head)

    def _of_data(self, head: str) -> bool:
        type_ = self.facts.types.get(head)
        return type_ is not None and telescope(type_)[1].kind == "sort" and telescope(type_)[1] != Expr("sort")

    def _fields(self, constructor: str, head: str, type_: Expr) -> list[Expr]:
        if constructor in ("Nat.zero", "Nat.succ"):
            return [NAT] * (constructor == "Nat.succ")
        if constructor in FIELDS:
            return [type_.operands[f[0]] if f else type_ for f in FIELDS[constructor]]
        rest = self.facts.types[constructor]
        for operand in type_.operands[: self.facts.constructors[head][0]]:
            rest = opened(rest.args[1], operand)
        found = []
        while rest.kind == "pi":
            if any(p.kind == "bound" and p.number == 0 for p in rest.args[1].args):
                raise Unreadable(f"a dependent constructor, {constructor}")
            found.append(rest.args[0])
            rest = opened(rest.args[1], const("_"))
        return found

    def tables(self) -> list[dict[Any, Any]]:
        """What grows with every type that is read."""
        return [self.types, self.declared, self._known, self._made]

    def made(self, type_: Expr) -> tuple[Made, ...]:
        """The constructors of an inductive type."""
        return self._made.get(self.sort(type_), ())

    def constructor(self, constant: str, operands: tuple[Expr, ...]) -> tuple[Expr, Made] | None:
        """The type and the form of a constructor that is applied; None when it is none."""
        head = next(
            (
                h
                for h, cs in (*CONSTRUCTORS.items(), *((h, c[1]) for h, c in self.facts.constructors.items()))
                if constant in cs
            ),
            None,
        )
        if head is None:
            return None
        count = self.parameters(constant, head)
        type_ = joined(const(head), operands[:count])
        found = next((m for m in self.made(type_) if m.constant == constant), None)
        if found is None:
            raise Unreadable(f"the constructor {constant}")
        return type_, found

    def parameters(self, constructor: str, head: str) -> int:
        """How many of a constructor's arguments are the type's."""
        if head in self.facts.constructors:
            return self.facts.constructors[head][0]
        return {"List": 1, "Option": 1, "Prod": 2, "Sum": 2}.get(head, 0)

    def cases(self, value: str, type_: Expr) -> tuple[Case, ...]:
        """The constructors of a type, applied to a value."""
        type_ = self.unfolded(type_)
        if type_.head == "Bool":
            return (Case("Bool.true", value, ()), Case("Bool.false", f"(not {value})", ()))
        if type_.head == "Nat" and not self.unary:
            return (
                Case("Nat.zero", f"(<= {value} 0)", ()),
                Case("Nat.succ", f"(> {value} 0)", ((f"(- {value} 1)", NAT),)),
            )
        if type_.head == "Int":
            fields = ((value, NAT),), ((f"(- (- {value}) 1)", NAT),)
            return (Case("Int.ofNat", f"(>= {value} 0)", fields[0]), Case("Int.negSucc", f"(< {value} 0)", fields[1]))
        return tuple(
            Case(m.constant, f"((_ is {m.name}) {value})", tuple((f"({s} {value})", t) for s, t in m.selectors))
            for m in self._taken_apart(type_)
        )

    def _taken_apart(self, type_: Expr) -> tuple[Made, ...]:
        made = self.made(type_)
        if not made:
            raise Unreadable(f"a match on a value of the type {type_.head}")
        return made

    def declarations(self) -> list[str]:
        """The commands that declare them, in order."""
        lines = [f"(declare-sort {s} 0)" for s in self.declared.values()]

        def below(name: str) -> list[str]:
            return [s for m in self._made[name] for _, t in m.selectors if (s := self.sort(t)) in self._made]

        for group in components(list(self._made), below):
            heads = " ".join(f"({name} 0)" for name in group)
            bodies = " ".join(f"({' '.join(map(self._shown, self._made[name]))})" for name in group)
            lines.append(f"(declare-datatypes ({heads}) ({bodies}))")
        return lines

    def _shown(self, made: Made) -> str:
        fields = "".join(f" ({s} {self.sort(t)})" for s, t in made.selectors)
        return f"({made.name}{fields})"


def literal(e: Expr) -> int | None:
    """The number that an expression is by its form."""
    if e.kind == "nat":
        return e.number
    if e.head == "OfNat.ofNat" and len(e.operands) == 3:
        return literal(e.operands[1])
    return 0 if e.head == "Nat.zero" else None
