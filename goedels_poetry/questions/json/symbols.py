"""Sorts of a program, and what the names in its expressions stand for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from goedels_poetry.kernel.printer import show_symbol
from goedels_poetry.kernel.problem import components
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.terms import BOOL, INT, REAL, STRING, Sort, array, bitvec
from goedels_poetry.kernel.theory import is_theory_symbol
from goedels_poetry.questions.json.syntax import WORDS, ExpressionError, function, parse

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
        """A new symbol. Raises NameTaken: the name has another meaning, or cannot stand in an expression."""
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
        """``is_constructor(x)``: whether a value was built by it. Raises NameTaken: the name is taken."""
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


# The sorts of a program

MAX_WIDTH = 65_536
MAX_NESTING = 20
MAX_PARTS = 200
"""Of a sort, names of other sorts written out."""

BUILT_IN: dict[str, Sort] = {
    **{name: sort for sort in (BOOL, INT, REAL, STRING) for name in (sort.name, f"{sort.name}Sort")},
    "bool": BOOL,
    "int": INT,
    "float": REAL,
    "str": STRING,
}
_BIT_VECTORS = ("BitVecSort", "BitVec")
_ARRAYS = ("ArraySort", "Array")
MAKERS = ("DeclareSort", "EnumSort", "Record", "Datatype")
_HINT = "Bool, Int, Real, String, BitVecSort(8), ArraySort(Int, Bool), or the name of a sort of the program"


def show(sort: Sort) -> str:
    """A sort as it is written in programs."""
    if sort.name == "BitVec":
        return f"BitVecSort({sort.indices[0]})"
    if sort.args:
        return f"ArraySort({', '.join(map(show, sort.args))})"
    return sort.name


def smt_sort(sort: Sort) -> str:
    """A sort as it is written in SMT-LIB."""
    if sort.name == "BitVec" and sort.indices:
        return f"(_ BitVec {sort.indices[0]})"
    if sort.args:
        return f"(Array {' '.join(map(smt_sort, sort.args))})"
    return sort.name if sort in (BOOL, INT, REAL, STRING) else smt_name(sort.name)


@dataclass(frozen=True, slots=True)
class Constructor:
    """A way to build values of a datatype; an enumeration's values and a record's only one are such, too."""

    name: str
    fields: tuple[tuple[str, ast.expr], ...] = ()
    """Name and sort, the sort as written."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A sort as a program declares it."""

    name: str
    kind: str
    """``declared``, ``enumeration``, ``record``, ``datatype`` or ``alias`` (also of a bit-vector or array sort)."""
    constructors: tuple[Constructor, ...] = ()
    alias: ast.expr | None = None

    def mentions(self) -> Iterator[str]:
        """Names of sorts that it is made of."""
        if self.alias is not None:
            yield from _mentioned(self.alias)
        for constructor in self.constructors:
            for _, sort in constructor.fields:
                yield from _mentioned(sort)


def _mentioned(expression: ast.expr) -> Iterator[str]:
    if isinstance(expression, ast.Name):
        yield expression.id
    elif isinstance(expression, ast.Call):
        for argument in expression.args:
            yield from _mentioned(argument)


class SortError(ValueError):
    """A declaration that cannot stand: ``name`` is the sort's."""

    def __init__(self, name: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.name, self.message, self.hint = name, message, hint


class SortManager:
    """Sorts by name, ordered so that each stands behind those it is made of.

    ``groups`` are the datatypes (enumerations and records too) that have to be declared together.

    Raises:
        SortError: a name that is taken, a sort that is unknown or malformed, sorts that are made of each other, a
            datatype without finite values.
    """

    def __init__(self, declarations: Iterable[Declaration] = ()) -> None:
        self.declarations: dict[str, Declaration] = {}
        self.sorts: dict[str, Sort] = dict(BUILT_IN)
        self._parts: dict[Sort, int] = {}  # of arrays
        self.declared: list[Sort] = []
        self.groups: list[tuple[Declaration, ...]] = []
        for declaration in declarations:
            self._enter(declaration)
        for group in components(self.declarations, self._made_of):
            try:
                self._define([self.declarations[name] for name in group])
            except ExpressionError as error:
                raise SortError(group[0], f"the sort `{group[0]}`: {error.message}", error.hint) from error

    def sort(self, text: str) -> Sort:
        """The sort that ``text`` names, e.g. ``ArraySort(Int, Color)``.

        Raises:
            ExpressionError: unknown, or malformed.
        """
        found = self.sorts.get(text)
        return found if found is not None else self.sort_of(parse(text))

    def sort_of(self, expression: ast.expr, depth: int = 0) -> Sort:
        """The sort that an expression names. Raises ExpressionError: unknown, or malformed."""
        if depth > MAX_NESTING:
            raise ExpressionError(f"a sort nested more than {MAX_NESTING} deep", expression.col_offset)
        if isinstance(expression, ast.Name):
            found = self.sorts.get(expression.id)
            if found is None:
                known = (*self.sorts, *_BIT_VECTORS, *_ARRAYS)
                hint = nearest(expression.id, known) or f"use {_HINT}"
                raise ExpressionError(f"unknown sort `{expression.id}`", expression.col_offset, hint)
            return found
        if isinstance(expression, ast.Call):
            return self._applied(expression, depth)
        raise ExpressionError("a sort was expected here", expression.col_offset, f"use {_HINT}")

    def _applied(self, call: ast.Call, depth: int) -> Sort:
        name = function(call)
        if name in _BIT_VECTORS:
            width = call.args[0] if len(call.args) == 1 else call
            if not isinstance(width, ast.Constant) or type(width.value) is not int:
                raise ExpressionError(f"`{name}` takes a number of bits", call.col_offset, "write BitVecSort(8)")
            if not 1 <= width.value <= MAX_WIDTH:
                raise ExpressionError(f"a bit-vector has 1 to {MAX_WIDTH:,} bits", width.col_offset)
            return bitvec(width.value)
        if name in _ARRAYS:
            if len(call.args) != 2:
                raise ExpressionError(f"`{name}` takes two sorts", call.col_offset, "write ArraySort(Int, Bool)")
            index, element = (self.sort_of(argument, depth + 1) for argument in call.args)
            parts = 1 + self._parts.get(index, 1) + self._parts.get(element, 1)
            if parts > MAX_PARTS:
                raise ExpressionError(
                    f"a sort of more than {MAX_PARTS} parts", call.col_offset, "declare a sort for a part"
                )
            sort = array(index, element)
            self._parts[sort] = parts
            return sort
        if name in self.sorts and not call.args:
            return self.sorts[name]
        raise ExpressionError(f"`{name}(...)` is no sort", call.col_offset, f"use {_HINT}")

    def _enter(self, declaration: Declaration) -> None:
        name = declaration.name
        if name in BUILT_IN or name in (*_BIT_VECTORS, *_ARRAYS, *MAKERS) or is_theory_symbol(name):
            raise SortError(name, f"`{name}` is a built-in sort and cannot be declared anew", "rename it")
        if name in self.declarations:
            raise SortError(name, f"the sort `{name}` is declared twice", "declare it once, or rename one")
        self.declarations[name] = declaration

    def _made_of(self, name: str) -> list[str]:
        return [other for other in self.declarations[name].mentions() if other in self.declarations]

    def _define(self, group: list[Declaration]) -> None:
        first = group[0]
        cyclic = len(group) > 1 or first.name in self._made_of(first.name)
        if cyclic and not (
            all(d.kind in ("record", "datatype") for d in group) and any(d.kind == "datatype" for d in group)
        ):
            cycle = _cycle({d.name: self._made_of(d.name) for d in group}, {d.name for d in group})
            shown = " -> ".join(cycle)
            raise SortError(first.name, f"sorts are made of each other: {shown}", "only a Datatype may be recursive")
        if first.kind == "alias" and first.alias is not None:
            self.sorts[first.name] = self._aliased(first.alias)
            return
        for declaration in group:
            self.sorts[declaration.name] = Sort(declaration.name)
        if first.kind == "declared":
            self.declared.append(self.sorts[first.name])
            return
        empty = self._uninhabited(group)
        if empty:
            raise SortError(
                empty, f"the sort `{empty}` has no finite value", "add a constructor whose fields do not need it"
            )
        self.groups.append(tuple(group))

    def _aliased(self, written: ast.expr) -> Sort:
        if isinstance(written, ast.Name) and written.id not in self.sorts:
            hint = nearest(written.id, (*self.sorts, *MAKERS)) or f"use {', '.join(MAKERS)}, or the name of a sort"
            raise ExpressionError(f"unknown type `{written.id}`", written.col_offset, hint)
        return self.sort_of(written)

    def _uninhabited(self, group: list[Declaration]) -> str:
        """A datatype of the group that has no finite value, or ""."""
        needed = {  # of each constructor, the sorts that must have values
            d.name: [{_root(self.sort_of(sort)).name for _, sort in c.fields} for c in d.constructors] for d in group
        }
        while True:
            inhabited = [name for name, ways in needed.items() if any(way.isdisjoint(needed) for way in ways)]
            if not inhabited:
                return next(iter(needed), "")
            for name in inhabited:
                del needed[name]


def _root(sort: Sort) -> Sort:
    """The sort whose values are needed to have one of ``sort``: of an array, that of its elements."""
    while sort.name == "Array":
        sort = sort.args[1]
    return sort


def _cycle(successors: Mapping[str, list[str]], members: set[str]) -> list[str]:
    """A way from a sort back to itself, inside one strongly connected component."""
    path = [next(iter(successors))]
    while True:
        following = next(name for name in successors[path[-1]] if name in members)
        if following in path:
            return [*path[path.index(following) :], following]
        path.append(following)
