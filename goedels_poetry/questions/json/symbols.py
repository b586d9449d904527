"""What the names in expressions stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from goedels_poetry.kernel.printer import show_symbol
from goedels_poetry.kernel.terms import BOOL, Sort
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.questions.json.syntax import WORDS

MAX_LENGTH = 200
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
LOGICAL = frozenset(("And", "Or", "Not", "Implies", "Iff", "Xor", "If", "Distinct", "ForAll", "Exists", "all", "any"))
RESERVED_NAMES = frozenset({"true", "false", "null", *WORDS, *LOGICAL})
"""What nothing may be called. Other operators only mean something when they are called: a constant may be `Max`."""


def is_identifier(name: str) -> bool:
    """Whether an expression can speak of ``name``: letters, digits and underscores, no digit in front."""
    return len(name) <= MAX_LENGTH and _IDENTIFIER.fullmatch(name) is not None


def identifier_hint(name: str) -> str:
    """What a name that is no identifier could be replaced by."""
    words = re.sub(r"\W+", "_", name[:MAX_LENGTH]).strip("_")
    if words[:1].isdigit():
        words = f"n{words}"
    return f"for example `{words}`" if is_identifier(words) else "use letters, digits and underscores"


def smt_name(name: str) -> str:
    """``name`` as a symbol of SMT-LIB text; names that mean something there get a dash behind them.

    Injective on identifiers, since no identifier has a dash.
    """
    return f"{name}-" if is_theory_symbol(name) else show_symbol(name)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function (a constant when it has no parameters), a value of an enumeration, a constructor or a field."""

    name: str
    kind: str
    """In the words of messages: function, constant, variable, value, constructor, field, tester."""
    params: tuple[Sort, ...]
    result: Sort
    smt: str
    """What stands for it in SMT-LIB."""


class NameTaken(ValueError):
    """A name that cannot be declared, and what to do instead."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass
class Symbols:
    """All symbols of a program. Fields are found by name and record, since records may share names of fields."""

    operators: frozenset[str]
    """Names that mean something when they are called, so that no function may have them."""
    table: dict[str, Symbol] = field(default_factory=dict)
    fields: dict[str, dict[Sort, Symbol]] = field(default_factory=dict)
    values: dict[Sort, tuple[Symbol, ...]] = field(default_factory=dict)
    """Of each enumeration, its values in order."""

    def declare(self, name: str, kind: str, params: tuple[Sort, ...], result: Sort) -> Symbol:
        """A new symbol.

        Raises:
            NameTaken: the name has another meaning, or cannot stand in an expression.
        """
        self.check(name, kind, called=bool(params))
        if name in self.fields and params:
            raise NameTaken(f"the {kind} `{name}` has the name of a field", "rename one of them")
        symbol = Symbol(name, kind, params, result, smt_name(name))
        self.table[name] = symbol
        return symbol

    def declare_constructor(self, name: str, kind: str, fields: tuple[tuple[str, Sort], ...], sort: Sort) -> None:
        """A constructor, with its fields and, unless it is the only one, its tester ``is_name``.

        Raises:
            NameTaken: a name is taken, or cannot stand in an expression.
        """
        self.declare(name, kind, tuple(s for _, s in fields), sort)
        for field_name, field_sort in fields:
            self.check(field_name, "field")
            same = self.fields.setdefault(field_name, {})
            if sort in same:
                raise NameTaken(f"`{sort.name}` has two fields `{field_name}`", "rename one of them")
            same[sort] = Symbol(field_name, "field", (sort,), field_sort, smt_name(f"{sort.name}.{field_name}"))

    def declare_tester(self, constructor: str, sort: Sort) -> None:
        """``is_constructor(x)``: whether a value was built by it.

        Raises:
            NameTaken: the name is taken.
        """
        name = f"is_{constructor}"
        if name in self.table or name in self.fields:
            raise NameTaken(f"`{name}` is the test for the constructor `{constructor}`", f"rename `{name}`")
        self.table[name] = Symbol(name, "tester", (sort,), BOOL, f"(_ is {smt_name(constructor)})")

    def check(self, name: str, kind: str, called: bool = True) -> None:
        """Raise NameTaken unless ``name`` is an identifier without a meaning yet (fields aside).

        ``called``: whether arguments may follow it.
        """
        if not is_identifier(name):
            raise NameTaken(f"`{name[:60]}` cannot be the name of a {kind}", identifier_hint(name))
        if name in LOGICAL or (called and name in self.operators):
            raise NameTaken(f"`{name}` is an operator and no name for a {kind}", f"for example `{name}_`")
        if name in RESERVED_NAMES:
            raise NameTaken(f"`{name}` is a word of the language and no name for a {kind}", f"for example `{name}_`")
        if name in self.table:
            raise NameTaken(
                f"`{name}` is declared twice: it is a {self.table[name].kind} already", "rename one of them"
            )

    def known(self) -> Iterator[str]:
        """All names."""
        yield from self.table
        yield from self.fields
