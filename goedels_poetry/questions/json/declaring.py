"""The sections of a program that declare: sorts, functions, constants, variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.kernel.terms import Sort
from goedels_poetry.questions.json import grammar, syntax
from goedels_poetry.questions.json.expressions import ExpressionParser
from goedels_poetry.questions.json.names import identifier_hint, is_identifier
from goedels_poetry.questions.json.objects import items, members, pairs, parsed_in, required, string
from goedels_poetry.questions.json.sorts import BUILT_IN, MAKERS, Constructor, Declaration, SortError, SortManager
from goedels_poetry.questions.json.symbols import NameTaken, Symbol
from goedels_poetry.questions.json.syntax import Expression, ExpressionError
from goedels_poetry.questions.json.text import Node, Text

_KEYS = {
    "DeclareSort": (),
    "EnumSort": ("values",),
    "Record": ("fields", "constructor"),
    "Datatype": ("constructors",),
}
_ALL_KEYS = ("name", "type", "values", "fields", "constructor", "constructors", "description")


def read_sorts(text: Text, node: Node | None) -> tuple[SortManager, dict[str, Node]]:
    """The sorts of a program, and where each is declared.

    Raises:
        InvalidInput: malformed, unknown, taken, or made of each other.
    """
    places: dict[str, Node] = {}
    declarations = []
    for item in items(text, node, "sorts"):
        declaration = _declaration(text, item)
        if declaration.name in places:
            text.refuse(item, f"the sort `{declaration.name}` is declared twice", "declare it once, or rename one")
        places[declaration.name] = item
        declarations.append(declaration)
    try:
        return SortManager(declarations), places
    except SortError as error:
        text.refuse(places[error.name], error.message, error.hint)


def _declaration(text: Text, item: Node) -> Declaration:
    found = members(text, item, _ALL_KEYS, "a sort")
    name_node = required(text, item, found, "name", "a sort")
    name = string(text, name_node, "the name of a sort")
    if not is_identifier(name):
        text.refuse(name_node, f"`{name[:60]}` cannot be the name of a sort", identifier_hint(name))
    type_node = required(text, item, found, "type", f"the sort `{name}`")
    kind = string(text, type_node, "the type of a sort")
    for key, member in found.items():
        empty = isinstance(member.value, list | dict | str) and not member.value
        if key not in ("name", "type", "description", *_KEYS.get(kind, ())) and not empty:
            owner = next(maker for maker, keys in _KEYS.items() if key in keys)
            text.refuse_key(item, key, f"{key!r} belongs to a sort of type {owner}", f'write "type": "{owner}"')
    if kind == "DeclareSort":
        return Declaration(name, "declared")
    if kind == "EnumSort":
        values = items(text, required(text, item, found, "values", f"the enumeration `{name}`"), "values")
        if not values:
            text.refuse(item, f"the enumeration `{name}` has no values", "name at least one")
        return Declaration(name, "enumeration", tuple(Constructor(string(text, v, "a value")) for v in values))
    if kind == "Record":
        fields = tuple(_fields(text, required(text, item, found, "fields", f"the record `{name}`")))
        if not fields:
            text.refuse(item, f"the record `{name}` has no fields", "give at least one, or declare a constant")
        builder = string(text, found["constructor"], "a name") if "constructor" in found else name
        return Declaration(name, "record", (Constructor(builder, fields),))
    if kind == "Datatype":
        node = required(text, item, found, "constructors", f"the datatype `{name}`")
        constructors = tuple(_constructors(text, node))
        if not constructors:
            text.refuse(item, f"the datatype `{name}` has no constructors", "give at least one")
        return Declaration(name, "datatype", constructors)
    return Declaration(name, "alias", alias=parsed_in(text, type_node, _alias, "a type"))


def _alias(kind: str) -> Expression:
    tree = grammar.parse(kind)
    if isinstance(tree, syntax.Name | syntax.Call):
        return tree
    hint = nearest(kind, (*BUILT_IN, *MAKERS)) or f"use {', '.join(MAKERS)}, BitVecSort(8) or ArraySort(Int, Bool)"
    raise ExpressionError(f"unknown type `{kind[:60]}`", 0, hint)


def _fields(text: Text, node: Node) -> Iterator[tuple[str, Expression]]:
    for name, _, sort in pairs(text, node, "fields", "sort"):
        yield name, parsed_in(text, sort, grammar.parse, "a sort")


def _constructors(text: Text, node: Node) -> Iterator[Constructor]:
    if isinstance(node.value, dict):
        for name, fields in node.value.items():
            yield Constructor(name, tuple(_fields(text, fields)) if fields.value is not None else ())
        return
    for item in items(text, node, "constructors"):
        if isinstance(item.value, str):
            yield Constructor(string(text, item, "the name of a constructor"))
            continue
        found = members(text, item, ("name", "fields", "description"), "a constructor")
        name = string(text, required(text, item, found, "name", "a constructor"), "the name of a constructor")
        yield Constructor(name, tuple(_fields(text, found["fields"])) if "fields" in found else ())


def declare_values(text: Text, parser: ExpressionParser, places: Mapping[str, Node]) -> None:
    """Enter the values, constructors and fields that come with sorts.

    Raises:
        InvalidInput: a name that is taken, or that no symbol can have.
    """
    symbols, sorts = parser.symbols, parser.sorts
    for group in sorts.groups:
        for declaration in group:
            sort = sorts.sorts[declaration.name]
            kind = "value" if declaration.kind == "enumeration" else "constructor"
            try:
                for constructor in declaration.constructors:
                    fields = tuple((name, sorts.sort_of(written)) for name, written in constructor.fields)
                    symbols.declare_constructor(constructor.name, kind, fields, sort)
                if declaration.kind == "datatype":
                    for constructor in declaration.constructors:
                        symbols.declare_tester(constructor.name, sort)
            except NameTaken as error:
                text.refuse(places[declaration.name], error.message, error.hint)
            if declaration.kind == "enumeration":
                symbols.values[sort] = tuple(symbols.table[c.name] for c in declaration.constructors)


def read_symbols(text: Text, parser: ExpressionParser, sections: Mapping[str, Node]) -> list[Symbol]:
    """Functions, constants and variables.

    Raises:
        InvalidInput: malformed, an unknown sort, or a name that is taken.
    """
    declared = []
    for item in items(text, sections.get("functions"), "functions"):
        found = members(text, item, ("name", "domain", "range", "description"), "a function")
        name = required(text, item, found, "name", "a function")
        domain = items(text, required(text, item, found, "domain", "a function"), "domain")
        params = tuple(sort_named(text, parser, sort) for sort in domain)
        result = sort_named(text, parser, required(text, item, found, "range", "a function"))
        declared.append(declare(text, parser, name, string(text, name, "a name"), "function", params, result))
    if "constants" in sections:
        for name_text, name, sort in _constants(text, parser, sections["constants"]):
            declared.append(declare(text, parser, name, name_text, "constant", (), sort))
    for name_text, name, sort in read_variables(text, parser, sections.get("variables"), "variables"):
        declared.append(declare(text, parser, name, name_text, "variable", (), sort))
    return declared


def _constants(text: Text, parser: ExpressionParser, node: Node) -> Iterator[tuple[str, Node, Sort]]:
    """Of ``{category: {"sort", "members"}}``, ``{name: sort}`` or ``[{"name", "sort"}]``."""
    if not isinstance(node.value, dict):
        for name, at, named in pairs(text, node, "constants", "sort"):
            yield name, at, sort_named(text, parser, named)
        return
    for key, value in node.value.items():
        if isinstance(value.value, str):
            yield key, value, sort_named(text, parser, value)
            continue
        found = members(text, value, ("sort", "members", "description"), "a category of constants")
        sort = sort_named(text, parser, required(text, value, found, "sort", "a category of constants"))
        listed = required(text, value, found, "members", "a category of constants")
        if isinstance(listed.value, dict):
            for name in listed.value:
                yield name, listed, sort
        else:
            for member in items(text, listed, "members"):
                yield string(text, member, "the name of a constant"), member, sort


def read_variables(
    text: Text, parser: ExpressionParser, node: Node | None, what: str
) -> Iterator[tuple[str, Node, Sort]]:
    """Name, place and sort of variables; a name alone stands for a declared variable."""
    for item in items(text, node, what):
        if isinstance(item.value, str):
            name = string(text, item, "the name of a variable")
            symbol = parser.symbols.table.get(name)
            if symbol is None or symbol.params:
                hint = f'write {{"name": "{name}", "sort": "..."}}' if is_identifier(name) else ""
                text.refuse(item, f"the sort of `{name[:60]}` is not said", hint)
            yield name, item, symbol.result
            continue
        found = members(text, item, ("name", "sort", "description"), "a variable")
        at = required(text, item, found, "name", "a variable")
        yield (
            string(text, at, "the name of a variable"),
            at,
            sort_named(text, parser, required(text, item, found, "sort", "a variable")),
        )


def sort_named(text: Text, parser: ExpressionParser, node: Node) -> Sort:
    """The sort that a string names.

    Raises:
        InvalidInput: unknown, or malformed.
    """
    return parsed_in(text, node, parser.sorts.sort, "a sort")


def declare(
    text: Text, parser: ExpressionParser, at: Node, name: str, kind: str, params: tuple[Sort, ...], result: Sort
) -> Symbol:
    """A new symbol.

    Raises:
        InvalidInput: the name is taken, or no symbol can have it.
    """
    try:
        return parser.symbols.declare(name, kind, params, result)
    except NameTaken as error:
        text.refuse(at, error.message, error.hint)
