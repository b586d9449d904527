"""The sections of a program: what it declares, states and asks, read from JSON and typed.

What is malformed, ill-sorted or taken is refused as `InvalidInput` at its place in the JSON text.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Sort
from goedels_poetry.questions.entailment.program import SAID, Origin
from goedels_poetry.questions.json.symbols import (
    BUILT_IN,
    MAKERS,
    Constructor,
    Declaration,
    NameTaken,
    SortError,
    SortManager,
    Symbol,
    identifier_hint,
    is_identifier,
    show,
)
from goedels_poetry.questions.json.syntax import ExpressionError, parse
from goedels_poetry.questions.json.terms import Typed, apply, is_bits, negation, quantify
from goedels_poetry.questions.json.text import Node, Text
from goedels_poetry.questions.json.typer import NOTHING, Scope, Typer

Result = TypeVar("Result")

REMARKS = ("comment",)
"""Keys that every object may have and that are passed over."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise, a constraint of the objectives, or a goal."""

    name: str
    formula: Typed
    node: Node
    origin: Origin = Origin.UNSAID
    sentences: tuple[int, ...] = ()
    words: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Aim:
    """An objective."""

    maximize: bool
    term: Typed
    node: Node


SECTIONS = (
    "sorts",
    "functions",
    "constants",
    "variables",
    "knowledge_base",
    "rules",
    "verifications",
    "goal",
    "goals",
    "optimization",
    "actions",
    "description",
)
_KEYS = {
    "DeclareSort": (),
    "EnumSort": ("values",),
    "Record": ("fields", "constructor"),
    "Datatype": ("constructors",),
}
_ALL_KEYS = ("name", "type", "values", "fields", "constructor", "constructors", "description")


def _alias(kind: str) -> ast.expr:
    tree = parse(kind)
    if isinstance(tree, ast.Name | ast.Call):
        return tree
    hint = nearest(kind, (*BUILT_IN, *MAKERS)) or f"use {', '.join(MAKERS)}, BitVecSort(8) or ArraySort(Int, Bool)"
    raise ExpressionError(f"unknown type `{kind[:60]}`", 0, hint)


ACTIONS = ("verify_conditions", "optimize")
MAX_SENTENCE = 999_999

_Reading: TypeAlias = Callable[[Node], tuple[dict[str, Node], Typed]]
"""How an element of a section is read: its members and its formula."""

_NOTES = ("name", "description", "sentence", "sentences", *SAID, "instead")


class Content:
    """A program, read section by section and typed."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.functions: list[Symbol] = []
        self.premises: list[Statement] = []
        self.goals: list[Statement] = []
        self.aims: list[Aim] = []
        self.constraints: list[Statement] = []
        self.warnings: list[str] = []
        self.sorts = SortManager()
        self.typer = Typer(self.sorts)

    def read(self, root: Node) -> None:
        """All sections, those that declare before those that state and ask."""
        sections = self.members(root, SECTIONS, "a program")
        self.sorts, places = self.read_sorts(sections.get("sorts"))
        self.typer = Typer(self.sorts)
        self.declare_values(places)
        self.functions = self.read_symbols(sections)
        self.read_premises(sections)
        self.read_goals(sections)
        if self.typer.loose:
            names = ", ".join(self.typer.loose)
            self.warnings.append(f"outside ForAll and Exists a variable stands for one unknown value: {names}")
        if "optimization" in sections:
            self.read_optimization(sections["optimization"])
        self.warnings += self.typer.warnings
        self.read_actions(sections.get("actions"))

    def members(self, node: Node, known: Collection[str], what: str) -> dict[str, Node]:
        """The members of an object that are not null."""
        if not isinstance(node.value, dict):
            self.text.refuse(node, f"{what} is an object, not {node.kind}")
        for key in node.value:
            if key not in known and key not in REMARKS:
                hint = nearest(key, known) or f"known are {', '.join(known)}"
                self.text.refuse_key(node, key, f"unknown key {key[:60]!r}", hint)
        return {key: member for key, member in node.value.items() if member.value is not None and key not in REMARKS}

    def items(self, node: Node | None, what: str) -> list[Node]:
        """The elements of a list; none where there is no list."""
        if node is None:
            return []
        if not isinstance(node.value, list):
            self.text.refuse(node, f"{what} is a list, not {node.kind}", f"write [{'...'}]")
        elements: list[Node] = node.value
        return elements

    def string(self, node: Node, what: str) -> str:
        """A string that is not empty."""
        if not isinstance(node.value, str):
            hint = "join formulas by And(p, q), or Or(p, q)" if isinstance(node.value, list) else ""
            self.text.refuse(node, f"{what} is a string, not {node.kind}", hint)
        if not node.value.strip():
            self.text.refuse(node, f"{what} is empty")
        value: str = node.value
        return value

    def required(self, node: Node, found: dict[str, Node], key: str, what: str) -> Node:
        """The member ``key``, which must be there."""
        if key not in found:
            self.text.refuse(node, f"{what} lacks {key!r}", f'add "{key}"')
        return found[key]

    def pairs(self, node: Node, what: str, value: str) -> Iterator[tuple[str, Node, Node]]:
        """Name, its node and the value's of ``{name: value}`` or of ``[{"name": ..., value: ...}]``."""
        if isinstance(node.value, dict):
            for name, member in node.value.items():
                yield name, member, member
            return
        for item in self.items(node, what):
            found = self.members(item, ("name", value, "description"), f"an element of {what}")
            name = self.required(item, found, "name", "it")
            yield self.string(name, "a name"), name, self.required(item, found, value, "it")

    def parsed_in(self, node: Node, read: Callable[[str], Result], what: str = "an expression") -> Result:
        """What ``read`` makes of a string."""
        expression = self.string(node, what)
        try:
            return read(expression)
        except ExpressionError as error:
            at = min(error.at, len(expression))
            message = f"{node.path}, character {at + 1}: {error.message}"
            self.text.fail(message, self.text.inside(node, at), error.hint, node.path)

    def read_sorts(self, node: Node | None) -> tuple[SortManager, dict[str, Node]]:
        """The sorts of a program, and where each is declared."""
        places: dict[str, Node] = {}
        declarations = []
        for item in self.items(node, "sorts"):
            declaration = self._declaration(item)
            if declaration.name in places:
                self.text.refuse(
                    item, f"the sort `{declaration.name}` is declared twice", "declare it once, or rename one"
                )
            places[declaration.name] = item
            declarations.append(declaration)
        try:
            return SortManager(declarations), places
        except SortError as error:
            self.text.refuse(places[error.name], error.message, error.hint)

    def _declaration(self, item: Node) -> Declaration:
        found = self.members(item, _ALL_KEYS, "a sort")
        name_node = self.required(item, found, "name", "a sort")
        name = self.string(name_node, "the name of a sort")
        if not is_identifier(name):
            self.text.refuse(name_node, f"`{name[:60]}` cannot be the name of a sort", identifier_hint(name))
        type_node = self.required(item, found, "type", f"the sort `{name}`")
        kind = self.string(type_node, "the type of a sort")
        for key, member in found.items():
            empty = isinstance(member.value, list | dict | str) and not member.value
            if key not in ("name", "type", "description", *_KEYS.get(kind, ())) and not empty:
                owner = next(maker for maker, keys in _KEYS.items() if key in keys)
                self.text.refuse_key(
                    item, key, f"{key!r} belongs to a sort of type {owner}", f'write "type": "{owner}"'
                )
        if kind == "DeclareSort":
            return Declaration(name, "declared")
        if kind == "EnumSort":
            values = self.items(self.required(item, found, "values", f"the enumeration `{name}`"), "values")
            if not values:
                self.text.refuse(item, f"the enumeration `{name}` has no values", "name at least one")
            return Declaration(name, "enumeration", tuple(Constructor(self.string(v, "a value")) for v in values))
        if kind == "Record":
            fields = tuple(self._fields(self.required(item, found, "fields", f"the record `{name}`")))
            if not fields:
                self.text.refuse(item, f"the record `{name}` has no fields", "give at least one, or declare a constant")
            builder = self.string(found["constructor"], "a name") if "constructor" in found else name
            return Declaration(name, "record", (Constructor(builder, fields),))
        if kind == "Datatype":
            node = self.required(item, found, "constructors", f"the datatype `{name}`")
            constructors = tuple(self._constructors(node))
            if not constructors:
                self.text.refuse(item, f"the datatype `{name}` has no constructors", "give at least one")
            return Declaration(name, "datatype", constructors)
        return Declaration(name, "alias", alias=self.parsed_in(type_node, _alias, "a type"))

    def _fields(self, node: Node) -> Iterator[tuple[str, ast.expr]]:
        for name, _, sort in self.pairs(node, "fields", "sort"):
            yield name, self.parsed_in(sort, parse, "a sort")

    def _constructors(self, node: Node) -> Iterator[Constructor]:
        if isinstance(node.value, dict):
            for name, fields in node.value.items():
                yield Constructor(name, tuple(self._fields(fields)) if fields.value is not None else ())
            return
        for item in self.items(node, "constructors"):
            if isinstance(item.value, str):
                yield Constructor(self.string(item, "the name of a constructor"))
                continue
            found = self.members(item, ("name", "fields", "description"), "a constructor")
            name = self.string(self.required(item, found, "name", "a constructor"), "the name of a constructor")
            yield Constructor(name, tuple(self._fields(found["fields"])) if "fields" in found else ())

    def declare_values(self, places: Mapping[str, Node]) -> None:
        """Enter the values, constructors and fields that come with sorts."""
        symbols, sorts = self.typer.symbols, self.typer.sorts
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
                    self.text.refuse(places[declaration.name], error.message, error.hint)
                if declaration.kind == "enumeration":
                    symbols.values[sort] = tuple(symbols.table[c.name] for c in declaration.constructors)

    def read_symbols(self, sections: Mapping[str, Node]) -> list[Symbol]:
        """Functions, constants and variables."""
        declared = []
        for item in self.items(sections.get("functions"), "functions"):
            found = self.members(item, ("name", "domain", "range", "description"), "a function")
            name = self.required(item, found, "name", "a function")
            domain = self.items(self.required(item, found, "domain", "a function"), "domain")
            params = tuple(self.sort_named(sort) for sort in domain)
            result = self.sort_named(self.required(item, found, "range", "a function"))
            declared.append(self.declare(name, self.string(name, "a name"), "function", params, result))
        if "constants" in sections:
            for name_text, name, sort in self._constants(sections["constants"]):
                declared.append(self.declare(name, name_text, "constant", (), sort))
        for name_text, name, sort in self.read_variables(sections.get("variables"), "variables"):
            declared.append(self.declare(name, name_text, "variable", (), sort))
        return declared

    def _constants(self, node: Node) -> Iterator[tuple[str, Node, Sort]]:
        """Of ``{category: {"sort", "members"}}``, ``{name: sort}`` or ``[{"name", "sort"}]``."""
        if not isinstance(node.value, dict):
            for name, at, named in self.pairs(node, "constants", "sort"):
                yield name, at, self.sort_named(named)
            return
        for key, value in node.value.items():
            if isinstance(value.value, str):
                yield key, value, self.sort_named(value)
                continue
            found = self.members(value, ("sort", "members", "description"), "a category of constants")
            sort = self.sort_named(self.required(value, found, "sort", "a category of constants"))
            listed = self.required(value, found, "members", "a category of constants")
            if isinstance(listed.value, dict):
                for name in listed.value:
                    yield name, listed, sort
            else:
                for member in self.items(listed, "members"):
                    yield self.string(member, "the name of a constant"), member, sort

    def read_variables(self, node: Node | None, what: str) -> Iterator[tuple[str, Node, Sort]]:
        """Name, place and sort of variables; a name alone stands for a declared variable."""
        for item in self.items(node, what):
            if isinstance(item.value, str):
                name = self.string(item, "the name of a variable")
                symbol = self.typer.symbols.table.get(name)
                if symbol is None or symbol.params:
                    hint = f'write {{"name": "{name}", "sort": "..."}}' if is_identifier(name) else ""
                    self.text.refuse(item, f"the sort of `{name[:60]}` is not said", hint)
                yield name, item, symbol.result
                continue
            found = self.members(item, ("name", "sort", "description"), "a variable")
            at = self.required(item, found, "name", "a variable")
            yield (
                self.string(at, "the name of a variable"),
                at,
                self.sort_named(self.required(item, found, "sort", "a variable")),
            )

    def sort_named(self, node: Node) -> Sort:
        """The sort that a string names."""
        return self.parsed_in(node, self.typer.sorts.sort, "a sort")

    def declare(self, at: Node, name: str, kind: str, params: tuple[Sort, ...], result: Sort) -> Symbol:
        """A new symbol."""
        try:
            return self.typer.symbols.declare(name, kind, params, result)
        except NameTaken as error:
            self.text.refuse(at, error.message, error.hint)

    def read_premises(self, sections: Mapping[str, Node]) -> None:
        """Knowledge base and rules."""
        names: dict[str, Node] = {}
        for number, node in enumerate(self.items(sections.get("knowledge_base"), "knowledge_base"), 1):
            self._add(names, node, f"kb-{number}", self._fact)
        for number, node in enumerate(self.items(sections.get("rules"), "rules"), 1):
            self._add(names, node, f"rule-{number}", self._rule)

    def _add(self, names: dict[str, Node], node: Node, default: str, read: _Reading) -> None:
        try:
            found, formula = read(node)
        except ExpressionError as error:  # what is put around the expressions makes them too large
            self.text.refuse(node, error.message, error.hint)
        statement = self._statement(node, found, formula, default, names)
        if not formula.speaks:
            self.warnings.append(f"{node.path} speaks of nothing in the program: it is always true, or always false")
        self.premises.append(statement)

    def _fact(self, node: Node) -> tuple[dict[str, Node], Typed]:
        """An element of the knowledge base: an expression, or ``{"assertion", "value"}``."""
        if isinstance(node.value, str):
            return {}, self.parsed_in(node, self.typer.formula)
        if isinstance(node.value, dict) and "implies" in node.value:
            self.text.refuse_key(node, "implies", "an element of knowledge_base has no 'implies'", "put it into rules")
        found = self.members(node, ("assertion", "value", *_NOTES), "an element of knowledge_base")
        formula = self.parsed_in(self.required(node, found, "assertion", "it"), self.typer.formula)
        value = found.get("value")
        if value is not None and not isinstance(value.value, bool):
            self.text.refuse(value, f"a value is true or false, not {value.kind}", "write true or false without quotes")
        return found, negation(formula, 0) if value is not None and value.value is False else formula

    def _rule(self, node: Node) -> tuple[dict[str, Node], Typed]:
        """``{"forall"?, "implies" | "constraint"}``, or an expression."""
        if isinstance(node.value, str):
            return {}, self.parsed_in(node, self.typer.formula)
        found = self.members(node, ("forall", "implies", "constraint", *_NOTES), "a rule")
        bound, scope = self._bound(found.get("forall"), "forall")
        body = self._body(node, found, scope, "a rule")
        return found, quantify("forall", bound, body, body.at) if bound else body

    def _bound(self, node: Node | None, what: str) -> tuple[tuple[tuple[str, Sort], ...], Scope]:
        if node is None or node.value == []:
            return (), NOTHING
        variables = list(self.read_variables(node, what))
        try:
            return self.typer.bind([(name, sort, 0) for name, _, sort in variables], NOTHING)
        except ExpressionError as error:
            self.text.refuse(node, error.message, error.hint)

    def _body(self, node: Node, found: dict[str, Node], scope: Scope, what: str) -> Typed:
        """``implies`` or ``constraint``, whichever is there."""
        if ("implies" in found) == ("constraint" in found):
            both = "both 'implies' and 'constraint'" if "implies" in found else "neither 'implies' nor 'constraint'"
            self.text.refuse(node, f"{what} has {both}", "give one of them")
        if "constraint" in found:
            return self.parsed_in(found["constraint"], lambda stated: self.typer.formula(stated, scope))
        implication = found["implies"]
        parts = self.members(implication, ("antecedent", "consequent"), "implies")
        sides = [
            self.parsed_in(
                self.required(implication, parts, key, "implies"), lambda stated: self.typer.formula(stated, scope)
            )
            for key in ("antecedent", "consequent")
        ]
        return apply("=>", tuple(sides), BOOL, 0)

    def _statement(
        self, node: Node, found: dict[str, Node], formula: Typed, default: str, names: dict[str, Node]
    ) -> Statement:
        name = self._name(node, found, default, names)
        sentences = tuple(dict.fromkeys(self._sentences(found)))
        said = [origin for origin in SAID if origin in found and found[origin].value != ""]
        if len(said) > 1:
            self.text.refuse(found[said[1]], f"both '{said[0]}' and '{said[1]}'", "a premise comes from one of them")
        words = self.string(found[said[0]], said[0]) if said else ""
        instead = self.string(found["instead"], "instead") if "instead" in found and found["instead"].value else ""
        if instead and said != [Origin.READING]:
            self.text.refuse(found["instead"], "'instead' without 'reading'", "say how the words are taken")
        if not words and "description" in found and found["description"].value != "":
            words = self.string(found["description"], "a description")
        origin = said[0] if said else Origin.TEXT if sentences else Origin.UNSAID
        return Statement(name, formula, node, origin, sentences, words, instead)

    def _name(self, node: Node, found: dict[str, Node], default: str, names: dict[str, Node]) -> str:
        given = found.get("name")
        if given is None or given.value == "":
            name = default
            while name in names:
                name += "'"
        else:
            name = self.string(given, "a name").strip()
            if name in names:
                hint = "give each a name of its own"
                self.text.refuse(given, f"the name {name[:60]!r} is given twice (first by {names[name].path})", hint)
        names[name] = node
        return name

    def _sentences(self, found: dict[str, Node]) -> Iterator[int]:
        for key in ("sentence", "sentences"):
            if key not in found:
                continue
            node = found[key]
            for item in node.value if isinstance(node.value, list) else [node]:
                if (
                    not isinstance(item.value, int)
                    or isinstance(item.value, bool)
                    or not 1 <= item.value <= MAX_SENTENCE
                ):
                    self.text.refuse(
                        item, "the number of a sentence is a whole number from 1", 'write "sentences": [2, 5]'
                    )
                yield item.value

    def read_goals(self, sections: Mapping[str, Node]) -> None:
        """Verifications, ``goal`` and ``goals``."""
        names: dict[str, Node] = {}
        if "goal" in sections and sections["goal"].value != "":
            self._ask(names, sections["goal"], "goal")
        for section, default in (("goals", "goal"), ("verifications", "verification")):
            node = sections.get(section)
            if node is not None and isinstance(node.value, dict):
                for name, member in node.value.items():
                    self._ask(names, member, name)
            else:
                for number, item in enumerate(self.items(node, section), 1):
                    self._ask(names, item, f"{default}-{number}")

    def _ask(self, names: dict[str, Node], node: Node, default: str) -> None:
        found: dict[str, Node] = {}
        if isinstance(node.value, str):
            formula = self.parsed_in(node, self.typer.formula)
        else:
            found = self.members(
                node, ("name", "constraint", "exists", "forall", "implies", "description"), "a verification"
            )
            try:
                formula = self._asked(node, found)
            except ExpressionError as error:
                self.text.refuse(node, error.message, error.hint)
        if not formula.speaks:
            self.text.refuse(
                node, "this asks nothing about the program: it speaks of none of its symbols", "name what is asked"
            )
        self.goals.append(self._statement(node, found, formula, default, names))

    def _asked(self, node: Node, found: dict[str, Node]) -> Typed:
        quantifiers = [key for key in ("exists", "forall") if key in found and found[key].value != []]
        if len(quantifiers) > 1:
            hint = "give one of them, and write the other into the constraint: ForAll([x: S], Exists([y: S], ...))"
            self.text.refuse(node, "a verification has both 'exists' and 'forall'", hint)
        head = quantifiers[0] if quantifiers else "forall"
        if head == "exists" and "implies" in found:
            hint = "write a constraint: And(p, q), or Implies(p, q) if that is meant"
            self.text.refuse(node, "a verification has both 'exists' and 'implies'", hint)
        bound, scope = self._bound(found.get(head), head)
        body = self._body(node, found, scope, "a verification")
        return quantify(head, bound, body, body.at) if bound else body

    def read_optimization(self, node: Node) -> None:
        """Objectives, with constraints and variables of their own."""
        found = self.members(node, ("variables", "constraints", "objectives", "description"), "optimization")
        for name, at, sort in self.read_variables(found.get("variables"), "variables"):
            known = self.typer.symbols.table.get(name)
            if known is None or known.params or known.result is not sort or known.kind not in ("variable", "constant"):
                self.functions.append(self.declare(at, name, "constant", (), sort))
        names: dict[str, Node] = {}
        for number, item in enumerate(self.items(found.get("constraints"), "constraints"), 1):
            notes: dict[str, Node] = {}
            stated = item
            if not isinstance(item.value, str):
                notes = self.members(item, ("constraint", "name", "description"), "a constraint")
                stated = self.required(item, notes, "constraint", "a constraint")
            formula = self.parsed_in(stated, self.typer.formula)
            self.constraints.append(self._statement(item, notes, formula, f"constraint-{number}", names))
        for item in self.items(found.get("objectives"), "objectives"):
            self.aims.append(self._aim(item))
        if self.constraints and not self.aims:
            self.text.refuse(node, "optimization has constraints, but no objectives", 'add "objectives"')

    def _aim(self, node: Node) -> Aim:
        found = self.members(node, ("type", "expression", "name", "description"), "an objective")
        kind_node = self.required(node, found, "type", "an objective")
        kind = self.string(kind_node, "the type of an objective")
        if kind not in ("maximize", "minimize"):
            self.text.refuse(kind_node, f"an objective is of type maximize or minimize, not {kind[:60]!r}")
        expression = self.required(node, found, "expression", "an objective")
        term = self.parsed_in(expression, self.typer.value)
        if term.sort not in (INT, REAL) and not is_bits(term.sort):
            self.text.refuse(expression, f"an objective is a number, not {show(term.sort)}")
        return Aim(kind == "maximize", term, node)

    def read_actions(self, node: Node | None) -> None:
        """Leave aside what the actions do not ask for; without actions everything is done."""
        wanted = set()
        for item in self.items(node, "actions"):
            action = self.string(item, "an action")
            if action not in ACTIONS:
                hint = nearest(action, ACTIONS) or f"known are {' and '.join(ACTIONS)}"
                self.text.refuse(item, f"unknown action {action[:60]!r}", hint)
            wanted.add(action)
        if wanted and "verify_conditions" not in wanted and self.goals:
            self.warnings.append("left aside: verifications, since the actions do not say verify_conditions")
            self.goals = []
        if wanted and "optimize" not in wanted and self.aims:
            self.warnings.append("left aside: optimization, since the actions do not say optimize")
            self.aims, self.constraints = [], []
        if not self.goals and not self.aims:
            hint = 'add "goal": "formula", verifications, or an optimization with objectives'
            self.text.fail("the program asks nothing", 0, hint)
