"""The sections of a program that state and ask: knowledge base, rules, verifications, goals, optimization."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Sort
from goedels_poetry.questions.entailment.program import Origin
from goedels_poetry.questions.json.content import Aim, Content, Statement
from goedels_poetry.questions.json.contract import Scope
from goedels_poetry.questions.json.declaring import declare, read_variables
from goedels_poetry.questions.json.expressions import ExpressionParser
from goedels_poetry.questions.json.fitting import is_bits, negation
from goedels_poetry.questions.json.objects import items, members, parsed_in, required, string
from goedels_poetry.questions.json.sorts import show
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.text import Node, Text
from goedels_poetry.questions.json.typed import Typed, apply
from goedels_poetry.questions.json.typer import NOTHING

ACTIONS = ("verify_conditions", "optimize")
MAX_SENTENCE = 999_999

_Reading: TypeAlias = Callable[[Text, ExpressionParser, Node], tuple[dict[str, Node], Typed]]
"""How an element of a section is read: its members and its formula."""

_NOTES = ("name", "description", "sentence", "sentences", "world", "derived")


def read_premises(text: Text, content: Content, sections: Mapping[str, Node]) -> None:
    """Knowledge base and rules.

    Raises:
        InvalidInput: malformed, ill-sorted, or two premises of one name.
    """
    names: dict[str, Node] = {}
    for number, node in enumerate(items(text, sections.get("knowledge_base"), "knowledge_base"), 1):
        _add(text, content, names, node, f"kb-{number}", _fact)
    for number, node in enumerate(items(text, sections.get("rules"), "rules"), 1):
        _add(text, content, names, node, f"rule-{number}", _rule)


def _add(text: Text, content: Content, names: dict[str, Node], node: Node, default: str, read: _Reading) -> None:
    try:
        found, formula = read(text, content.parser, node)
    except ExpressionError as error:  # what is put around the expressions makes them too large
        text.refuse(node, error.message, error.hint)
    statement = _statement(text, node, found, formula, default, names)
    if not formula.speaks:
        content.warnings.append(f"{node.path} speaks of nothing in the program: it is always true, or always false")
    content.premises.append(statement)


def _fact(text: Text, parser: ExpressionParser, node: Node) -> tuple[dict[str, Node], Typed]:
    """An element of the knowledge base: an expression, or ``{"assertion", "value"}``."""
    if isinstance(node.value, str):
        return {}, parsed_in(text, node, parser.formula)
    if isinstance(node.value, dict) and "implies" in node.value:
        text.refuse_key(node, "implies", "an element of knowledge_base has no 'implies'", "put it into rules")
    found = members(text, node, ("assertion", "value", *_NOTES), "an element of knowledge_base")
    formula = parsed_in(text, required(text, node, found, "assertion", "it"), parser.formula)
    value = found.get("value")
    if value is not None and not isinstance(value.value, bool):
        text.refuse(value, f"a value is true or false, not {value.kind}", "write true or false without quotes")
    return found, negation(formula, 0) if value is not None and value.value is False else formula


def _rule(text: Text, parser: ExpressionParser, node: Node) -> tuple[dict[str, Node], Typed]:
    """``{"forall"?, "implies" | "constraint"}``, or an expression."""
    if isinstance(node.value, str):
        return {}, parsed_in(text, node, parser.formula)
    found = members(text, node, ("forall", "implies", "constraint", *_NOTES), "a rule")
    bound, scope = _bound(text, parser, found.get("forall"), "forall")
    return found, parser.closed("forall", bound, _body(text, parser, node, found, scope, "a rule"))


def _bound(
    text: Text, parser: ExpressionParser, node: Node | None, what: str
) -> tuple[tuple[tuple[str, Sort], ...], Scope]:
    if node is None or node.value == []:
        return (), NOTHING
    variables = list(read_variables(text, parser, node, what))
    try:
        return parser.bind([(name, sort) for name, _, sort in variables])
    except ExpressionError as error:
        text.refuse(node, error.message, error.hint)


def _body(text: Text, parser: ExpressionParser, node: Node, found: dict[str, Node], scope: Scope, what: str) -> Typed:
    """``implies`` or ``constraint``, whichever is there."""
    if ("implies" in found) == ("constraint" in found):
        both = "both 'implies' and 'constraint'" if "implies" in found else "neither 'implies' nor 'constraint'"
        text.refuse(node, f"{what} has {both}", "give one of them")
    if "constraint" in found:
        return parsed_in(text, found["constraint"], lambda stated: parser.formula(stated, scope))
    implication = found["implies"]
    parts = members(text, implication, ("antecedent", "consequent"), "implies")
    sides = [
        parsed_in(
            text, required(text, implication, parts, key, "implies"), lambda stated: parser.formula(stated, scope)
        )
        for key in ("antecedent", "consequent")
    ]
    return apply("=>", tuple(sides), BOOL, 0)


def _statement(
    text: Text, node: Node, found: dict[str, Node], formula: Typed, default: str, names: dict[str, Node]
) -> Statement:
    name = _name(text, node, found, default, names)
    sentences = tuple(dict.fromkeys(_sentences(text, found)))
    world, derived = (found[key] if key in found and found[key].value != "" else None for key in ("world", "derived"))
    if world is not None and derived is not None:
        text.refuse(derived, "both 'world' and 'derived'", "a premise comes from one of them")
    source = world or derived
    words = string(text, source, "world" if world is not None else "derived") if source is not None else ""
    if not words and "description" in found and found["description"].value != "":
        words = string(text, found["description"], "a description")
    otherwise = Origin.TEXT if sentences else Origin.UNSAID
    origin = Origin.WORLD if world is not None else Origin.DERIVED if derived is not None else otherwise
    return Statement(name, formula, node, origin, sentences, words)


def _name(text: Text, node: Node, found: dict[str, Node], default: str, names: dict[str, Node]) -> str:
    given = found.get("name")
    if given is None or given.value == "":
        name = default
        while name in names:
            name += "'"
    else:
        name = string(text, given, "a name").strip()
        if name in names:
            hint = "give each a name of its own"
            text.refuse(given, f"the name {name[:60]!r} is given twice (first by {names[name].path})", hint)
    names[name] = node
    return name


def _sentences(text: Text, found: dict[str, Node]) -> Iterator[int]:
    for key in ("sentence", "sentences"):
        if key not in found:
            continue
        node = found[key]
        for item in node.value if isinstance(node.value, list) else [node]:
            if not isinstance(item.value, int) or isinstance(item.value, bool) or not 1 <= item.value <= MAX_SENTENCE:
                text.refuse(item, "the number of a sentence is a whole number from 1", 'write "sentences": [2, 5]')
            yield item.value


# ------------------------------------------------------------------------------------------ questions


def read_goals(text: Text, content: Content, sections: Mapping[str, Node]) -> None:
    """Verifications, ``goal`` and ``goals``.

    Raises:
        InvalidInput: malformed, ill-sorted, or two of one name.
    """
    names: dict[str, Node] = {}
    if "goal" in sections and sections["goal"].value != "":
        _ask(text, content, names, sections["goal"], "goal")
    for section, default in (("goals", "goal"), ("verifications", "verification")):
        node = sections.get(section)
        if node is not None and isinstance(node.value, dict):
            for name, member in node.value.items():
                _ask(text, content, names, member, name)
        else:
            for number, item in enumerate(items(text, node, section), 1):
                _ask(text, content, names, item, f"{default}-{number}")


def _ask(text: Text, content: Content, names: dict[str, Node], node: Node, default: str) -> None:
    parser = content.parser
    found: dict[str, Node] = {}
    if isinstance(node.value, str):
        formula = parsed_in(text, node, parser.formula)
    else:
        found = members(
            text, node, ("name", "constraint", "exists", "forall", "implies", "description"), "a verification"
        )
        try:
            formula = _asked(text, parser, node, found)
        except ExpressionError as error:
            text.refuse(node, error.message, error.hint)
    if not formula.speaks:
        text.refuse(node, "this asks nothing about the program: it speaks of none of its symbols", "name what is asked")
    content.goals.append(_statement(text, node, found, formula, default, names))


def _asked(text: Text, parser: ExpressionParser, node: Node, found: dict[str, Node]) -> Typed:
    quantifiers = [key for key in ("exists", "forall") if key in found and found[key].value != []]
    if len(quantifiers) > 1:
        hint = "give one of them, and write the other into the constraint: ForAll([x: S], Exists([y: S], ...))"
        text.refuse(node, "a verification has both 'exists' and 'forall'", hint)
    head = quantifiers[0] if quantifiers else "forall"
    if head == "exists" and "implies" in found:
        hint = "write a constraint: And(p, q), or Implies(p, q) if that is meant"
        text.refuse(node, "a verification has both 'exists' and 'implies'", hint)
    bound, scope = _bound(text, parser, found.get(head), head)
    return parser.closed(head, bound, _body(text, parser, node, found, scope, "a verification"))


def read_optimization(text: Text, content: Content, node: Node) -> None:
    """Objectives, with constraints and variables of their own.

    Raises:
        InvalidInput: malformed, ill-sorted, or an objective that is no number.
    """
    found = members(text, node, ("variables", "constraints", "objectives", "description"), "optimization")
    parser = content.parser
    for name, at, sort in read_variables(text, parser, found.get("variables"), "variables"):
        known = parser.symbols.table.get(name)
        if known is None or known.params or known.result is not sort or known.kind not in ("variable", "constant"):
            content.functions.append(declare(text, parser, at, name, "constant", (), sort))
    names: dict[str, Node] = {}
    for number, item in enumerate(items(text, found.get("constraints"), "constraints"), 1):
        notes: dict[str, Node] = {}
        stated = item
        if not isinstance(item.value, str):
            notes = members(text, item, ("constraint", "name", "description"), "a constraint")
            stated = required(text, item, notes, "constraint", "a constraint")
        formula = parsed_in(text, stated, parser.formula)
        content.constraints.append(_statement(text, item, notes, formula, f"constraint-{number}", names))
    for item in items(text, found.get("objectives"), "objectives"):
        content.aims.append(_aim(text, parser, item))
    if content.constraints and not content.aims:
        text.refuse(node, "optimization has constraints, but no objectives", 'add "objectives"')


def _aim(text: Text, parser: ExpressionParser, node: Node) -> Aim:
    found = members(text, node, ("type", "expression", "name", "description"), "an objective")
    kind_node = required(text, node, found, "type", "an objective")
    kind = string(text, kind_node, "the type of an objective")
    if kind not in ("maximize", "minimize"):
        text.refuse(kind_node, f"an objective is of type maximize or minimize, not {kind[:60]!r}")
    expression = required(text, node, found, "expression", "an objective")
    term = parsed_in(text, expression, parser.term)
    if term.sort not in (INT, REAL) and not is_bits(term.sort):
        text.refuse(expression, f"an objective is a number, not {show(term.sort)}")
    return Aim(kind == "maximize", term, node)


# -------------------------------------------------------------------------------------------- actions


def read_actions(text: Text, content: Content, node: Node | None) -> None:
    """Leave aside what the actions do not ask for; without actions everything is done.

    Raises:
        InvalidInput: an action that is not known, or nothing that is asked.
    """
    wanted = set()
    for item in items(text, node, "actions"):
        action = string(text, item, "an action")
        if action not in ACTIONS:
            hint = nearest(action, ACTIONS) or f"known are {' and '.join(ACTIONS)}"
            text.refuse(item, f"unknown action {action[:60]!r}", hint)
        wanted.add(action)
    if wanted and "verify_conditions" not in wanted and content.goals:
        content.warnings.append("left aside: verifications, since the actions do not say verify_conditions")
        content.goals = []
    if wanted and "optimize" not in wanted and content.aims:
        content.warnings.append("left aside: optimization, since the actions do not say optimize")
        content.aims, content.constraints = [], []
    if not content.goals and not content.aims:
        hint = 'add "goal": "formula", verifications, or an optimization with objectives'
        text.fail("the program asks nothing", 0, hint)
