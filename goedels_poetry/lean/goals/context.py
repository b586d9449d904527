"""What is known in one reading of one goal, and what every part of the reading builds on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from goedels_poetry.lean.goals.facts import (
    INT_EQUATIONS,
    NAT_EQUATIONS,
    PROP,
    RELATIONS,
    Expr,
    Facts,
    apply,
    const,
    is_instance,
    joined,
    plain,
    telescope,
)
from goedels_poetry.lean.goals.sorts import NAT, Case, Names, Script, Sorts, Unreadable, literal

# -- Patterns of Lean, numerals among them, as constructors and what they are applied to ---------------------------


def constructor_of(pattern: Expr, sorts: Sorts) -> tuple[str, tuple[Expr, ...]] | None:
    """The constructor of a pattern and what it is applied to, None for a variable; raises :class:`Unreadable`."""
    pattern = apply(pattern, ())
    if pattern.kind == "free":
        return None
    number = literal(pattern)
    if pattern.kind == "nat" or pattern.head in ("OfNat.ofNat", "Nat.zero"):
        if number is None:
            raise Unreadable("a pattern that is a numeral of another type")
        if pattern.head == "OfNat.ofNat" and pattern.operands[0].head == "Int":
            return f"={number}", ()
        if number > MOST_UNARY:
            raise Unreadable("a pattern that is a large number")
        return ("Nat.succ", (Expr("nat", number=number - 1),)) if number else ("Nat.zero", ())
    if pattern.head == "HAdd.hAdd" and (added := literal(pattern.operands[5])):
        below = pattern.operands[4]
        for _ in range(added - 1):
            below = joined(const("Nat.succ"), (below,))
        return "Nat.succ", (below,)
    if pattern.head in ("Bool.true", "Bool.false"):
        return pattern.head, ()
    if pattern.head in ("Nat.succ", "Int.ofNat", "Int.negSucc"):
        return pattern.head, pattern.operands
    if pattern.head == "namedPattern":
        raise Unreadable("a named pattern")
    built = sorts.constructor(pattern.head, pattern.operands)
    if built is None:
        raise Unreadable(f"the pattern {pattern.head or pattern.kind}")
    fields = len(built[1].selectors)
    return pattern.head, pattern.operands[len(pattern.operands) - fields :] if fields else ()


# -- A match as nested tests: rows of patterns, the first that fits counts -----------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """One alternative: a pattern for each value, what its variables have been found to be, its result."""

    patterns: tuple[Expr, ...]
    found: tuple[tuple[str, str], ...]
    """Variables with terms."""
    result: Expr


def compiled(sorts: Sorts, values: Sequence[tuple[str, Expr]], rows: Sequence[Row], leaf: Callable[[Row], str]) -> str:
    """The term for the match of ``values`` (terms with types) by ``rows``.

    Raises:
        Unreadable: nothing fits, or a pattern is of no form that is known here.
    """
    if not rows:
        raise Unreadable("a match without an alternative")
    first = rows[0]
    shapes = [constructor_of(p, sorts) for p in first.patterns]
    column = next((i for i, shape in enumerate(shapes) if shape is not None), None)
    if column is None:
        bound = [(p.name, v) for p, (v, _) in zip(first.patterns, values, strict=True) if p.kind == "free"]
        return leaf(Row((), (*first.found, *bound), first.result))
    value, type_ = values[column]
    shape = shapes[column]
    assert shape is not None
    key, before, after = shape[0], values[:column], values[column + 1 :]
    cases = sorts.cases(value, type_)
    if key.startswith("="):  # the value is that number, or it is not
        cases = (Case(key, f"(= {value} {key[1:]})", ()),)
    made: list[tuple[str, str]] = []
    for case in cases:
        kept = [row for r in rows if (row := _with(sorts, r, column, value, case)) is not None]
        if kept:
            made.append((case.test, compiled(sorts, (*before, *case.fields, *after), kept, leaf)))
    if key.startswith("=") and (other := [r for r in rows if _key(sorts, r.patterns[column]) != key]):
        made.append(("", compiled(sorts, values, other, leaf)))
    if not made:
        raise Unreadable("a match that nothing fits")
    result = made[-1][1]
    for test, text in reversed(made[:-1]):
        result = f"(ite {test} {text} {result})"
    return result


def _key(sorts: Sorts, pattern: Expr) -> str:
    """The constructor or number of a pattern; "" for a variable."""
    shape = constructor_of(pattern, sorts)
    return shape[0] if shape is not None else ""


def _with(sorts: Sorts, row: Row, column: int, value: str, case: Case) -> Row | None:
    """The row when the value in its column is of this case; None when it does not fit."""
    pattern = row.patterns[column]
    shape = constructor_of(pattern, sorts)
    before, after = row.patterns[:column], row.patterns[column + 1 :]
    if shape is None:
        found = (*row.found, (pattern.name, value))
        return Row((*before, *(_ANY for _ in case.fields), *after), found, row.result)
    if shape[0].startswith("=") != case.key.startswith("="):
        raise Unreadable("numbers and constructors in one match")
    if shape[0] != case.key:
        return None
    return Row((*before, *shape[1], *after), row.found, row.result)


_ANY = Expr("free", "_")


# -- What is known in one reading of one goal, and what every part of the reading builds on ------------------------


MOST_UNFOLDED = 10
HETEROGENEOUS_INSTANCES = frozenset(
    {"instHAdd", "instHSub", "instHMul", "instHDiv", "instHMod", "instHAppendOfAppend", "instHPow"}
)


@dataclass(frozen=True, slots=True)
class Instances:
    """As the definitions of a file say what they are."""

    facts: Facts
    _lawful: set[str] = field(default_factory=set)

    def note_lawful(self, statement: Expr) -> None:
        """Instances whose `==` is equality, as another instance says."""
        for _, type_, _ in telescope(statement)[0]:
            if type_.head == "LawfulBEq":
                self._lawful.add(plain(type_.operands[1].name))

    def is_equality(self, instance: Expr) -> bool:
        """Whether the `==` of an instance is equality."""
        if instance.head == "instBEqOfDecidableEq":
            return True
        if instance.kind == "free":
            return plain(instance.name) in self._lawful
        if instance.head in ("List.instBEq", "instBEqOption", "Option.instBEq", "instBEqProd"):
            return all(
                self.is_equality(i)
                for i in instance.operands
                if "BEq" in i.head or (i.kind == "free" and "inst" in i.name)
            )
        return False

    def operation(self, operation: str, instance: Expr, operands: Sequence[Expr]) -> Expr:
        """An operation of a class, as its instance says what it is; raises :class:`Unreadable`."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            if instance.head.endswith(".mk") and instance.operands:
                field_ = instance.operands[-1]
                return apply(field_, operands)
            if instance.head in HETEROGENEOUS_INSTANCES and instance.operands:
                instance = instance.operands[-1]
                continue
            value = self.facts.values.get(instance.head)
            if value is None:
                break
            instance = apply(value, instance.operands)
        raise Unreadable(f"the operation {operation} of {instance.head or 'an instance'}")

    def unfolded(self, instance: Expr) -> Expr:
        """An instance as its constructor applied, where definitions of the file say so."""
        for _ in range(MOST_UNFOLDED):
            instance = apply(instance, ())
            value = self.facts.values.get(instance.head)
            if value is None or not is_instance(instance.head):
                break
            instance = apply(value, instance.operands)
        return instance


# -- What stands behind a colon ------------------------------------------------------------------------------------


_PROPOSITIONS = frozenset(
    {"Eq", "Ne", "And", "Or", "Not", "Iff", "Exists", "True", "False", *RELATIONS, "Dvd.dvd", "Membership.mem", "HEq"}
)

Kind = Literal["proof", "static", "data"]
"""A proof is left out, a static argument is part of the function, data are handed to it."""


@dataclass(slots=True)
class Kinds:
    """By the types of the free variables."""

    facts: Facts
    sorts: Sorts
    types: dict[str, Expr] = field(default_factory=dict)

    def of(self, type_: Expr, info: str) -> Kind:
        """What an argument of this type is."""
        if self.is_proof(type_) or (info == "instImplicit" and type_.head.startswith("Decidable")):
            return "proof"
        if info == "instImplicit" or self.is_type(type_) or self.sorts.unfolded(type_).kind == "pi":
            return "static"
        return "data"

    def is_type(self, type_: Expr) -> bool:
        """Whether it is the type of types, or of functions to types."""
        return type_.result.kind == "sort" and type_.result != PROP

    def is_proof(self, type_: Expr) -> bool:
        """Whether it is a proposition, so that what has this type is a proof."""
        type_ = apply(type_, ())
        while type_.kind == "pi":
            type_ = apply(type_.args[1], ())
        first = type_.args[0] if type_.kind == "app" else type_
        known = self.types.get(first.name) if first.kind == "free" else self.facts.types.get(type_.head)
        return type_.head in _PROPOSITIONS or (known is not None and known.result == PROP)


# -- Numerals and operations on numbers ----------------------------------------------------------------------------


MOST_UNARY = 12
"""The largest number that is written with constructors."""
_BITS = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "/": "bvudiv", "%": "bvurem", "neg": "bvneg"}
_BITS |= {"<=": "bvule", "<": "bvult", ">=": "bvuge", ">": "bvugt"}
_WORDS = {"+": "plus", "*": "times", "-": "minus", "^": "power", "≤": "leq", "/": "quotient", "%": "modulo"}


@dataclass(frozen=True, slots=True)
class Numbers:
    """Of one script."""

    script: Script
    sorts: Sorts
    names: Names
    unary: bool
    """Natural numbers are zero and successors."""

    def numeral(self, number: int, type_: Expr) -> str:
        """A number of the type Nat, Int or BitVec; raises :class:`Unreadable`."""
        if type_.head == "BitVec":
            width = literal(type_.operands[0]) or 0
            return f"(_ bv{number % (1 << width)} {width})"
        if type_.head == "Int" or not self.unary:
            self.sorts.sort(type_)
            return str(number)
        if number > MOST_UNARY:
            raise Unreadable("a large number")
        zero, _ = (m.name for m in self.sorts.made(NAT))
        text = zero
        for _ in range(number):
            text = self.successor(text)
        return text

    def successor(self, text: str) -> str:
        """Of a natural number."""
        if not self.unary:
            return f"(+ {text} 1)"
        return f"({self.sorts.made(NAT)[1].name} {text})"

    def operation(self, sign: str, type_: Expr, operands: list[str]) -> str:
        """On numbers of the type; raises :class:`Unreadable`."""
        if type_.head == "BitVec":
            if sign not in _BITS:
                raise Unreadable(f"the operation {sign} on bit-vectors")
            return f"({_BITS[sign]} {' '.join(operands)})"
        if sign in (">=", ">"):
            return self.operation("<=" if sign == ">=" else "<", type_, operands[::-1])
        if type_.head == "Nat" and self.unary:
            return self._unary(sign, operands)
        if sign in ("+", "*", "<=", "<") or (sign == "-" and type_.head == "Int"):
            return f"({sign} {' '.join(operands)})"
        if sign == "neg":
            return f"(- {operands[0]})"
        if sign == "^" and operands[1].isdigit() and int(operands[1]) <= 4:
            return f"(* {' '.join([operands[0]] * int(operands[1]))})" if int(operands[1]) > 1 else operands[0]
        name = self._defined(sign, INT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _unary(self, sign: str, operands: list[str]) -> str:
        zero, successor = (m.name for m in self.sorts.made(NAT))
        if sign == "+" and operands[1] == f"({successor} {zero})":
            return f"({successor} {operands[0]})"
        if sign == "<":
            return self._unary("≤", [f"({successor} {operands[0]})", operands[1]])
        name = self._defined("≤" if sign == "<=" else sign, NAT_EQUATIONS)
        return f"({name} {' '.join(operands)})"

    def _defined(self, sign: str, table: Mapping[str, str]) -> str:
        """The function that stands for an operation; it is defined when it is first wanted."""
        name = next((n for n, s in self.script.operations.items() if s == sign), "")
        if name:
            return self.script.call(name)
        if sign not in table:
            raise Unreadable(f"the operation {sign} on natural numbers")
        name = self.names.give(_WORDS.get(sign, sign))
        self.script.operations[name] = sign
        self.script.definitions[name] = ""
        parts = {"0": name, "N": "Int"}
        if self.unary:
            zero, successor = self.sorts.made(NAT)
            parts |= {"N": self.sorts.sort(NAT), "z": zero.name, "s": successor.name, "p": successor.selectors[0][0]}
            for other in ("+", "*"):
                if f"{{{other}}}" in table[sign]:
                    parts[other] = self.script.call(self._defined(other, table), name)
        text = table[sign]
        for key, value in parts.items():
            text = text.replace(f"{{{key}}}", value)
        self.script.definitions[name] = text
        return self.script.call(name)


# -- What is known in one reading of one goal, and what every part of the reading builds on ------------------------


PROOF = const("gp_proof")
"""Stands for every proof: which one it is makes no difference."""


@dataclass(slots=True)
class Context(ABC):
    """One reading; terms are read by :meth:`term`, which functions and matches call again for their parts."""

    facts: Facts
    unary: bool
    names: Names = field(default_factory=Names)
    script: Script = field(default_factory=Script)
    sorts: Sorts = field(init=False)
    kinds: Kinds = field(init=False)
    numbers: Numbers = field(init=False)
    instances: Instances = field(init=False)

    def __post_init__(self) -> None:
        self.sorts = Sorts(self.facts, self.names, self.unary)
        self.kinds = Kinds(self.facts, self.sorts)
        self.numbers = Numbers(self.script, self.sorts, self.names, self.unary)
        self.instances = Instances(self.facts)

    @abstractmethod
    def term(self, e: Expr, env: Mapping[str, str]) -> str:
        """A term or formula; ``env``: terms for the variables that are values. Raises :class:`Unreadable`."""

    def all(self, es: Sequence[Expr], env: Mapping[str, str]) -> str:
        """Several terms, side by side."""
        return " ".join(self.term(e, env) for e in es)

    def tables(self) -> list[dict[Any, Any]]:
        """All that reading a term may add to."""
        return [*self.script.tables(), *self.sorts.tables()]

    def restore(self, before: Sequence[dict[Any, Any]]) -> None:
        """As it was: a term that cannot be read leaves nothing behind."""
        for table, old in zip(self.tables(), before, strict=True):
            table.clear()
            table.update(old)
