"""JSON values as a program wants them: objects with known keys, lists, names, expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from goedels_poetry.kernel.reading.nearest import nearest
from goedels_poetry.questions.json.syntax import ExpressionError
from goedels_poetry.questions.json.text import Node, Text

Result = TypeVar("Result")

REMARKS = ("comment",)
"""Keys that every object may have and that are passed over."""


def members(text: Text, node: Node, known: Collection[str], what: str) -> dict[str, Node]:
    """The members of an object that are not null.

    Raises:
        InvalidInput: no object, or a key that is not known.
    """
    if not isinstance(node.value, dict):
        text.refuse(node, f"{what} is an object, not {node.kind}")
    for key in node.value:
        if key not in known and key not in REMARKS:
            hint = nearest(key, known) or f"known are {', '.join(known)}"
            text.refuse_key(node, key, f"unknown key {key[:60]!r}", hint)
    return {key: member for key, member in node.value.items() if member.value is not None and key not in REMARKS}


def items(text: Text, node: Node | None, what: str) -> list[Node]:
    """The elements of a list; none where there is no list."""
    if node is None:
        return []
    if not isinstance(node.value, list):
        text.refuse(node, f"{what} is a list, not {node.kind}", f"write [{'...'}]")
    elements: list[Node] = node.value
    return elements


def string(text: Text, node: Node, what: str) -> str:
    """A string that is not empty."""
    if not isinstance(node.value, str):
        hint = "join formulas by And(p, q), or Or(p, q)" if isinstance(node.value, list) else ""
        text.refuse(node, f"{what} is a string, not {node.kind}", hint)
    if not node.value.strip():
        text.refuse(node, f"{what} is empty")
    value: str = node.value
    return value


def required(text: Text, node: Node, found: dict[str, Node], key: str, what: str) -> Node:
    """The member ``key``, which must be there."""
    if key not in found:
        text.refuse(node, f"{what} lacks {key!r}", f'add "{key}"')
    return found[key]


def pairs(text: Text, node: Node, what: str, value: str) -> Iterator[tuple[str, Node, Node]]:
    """Name, its node and the value's of ``{name: value}`` or of ``[{"name": ..., value: ...}]``."""
    if isinstance(node.value, dict):
        for name, member in node.value.items():
            yield name, member, member
        return
    for item in items(text, node, what):
        found = members(text, item, ("name", value, "description"), f"an element of {what}")
        name = required(text, item, found, "name", "it")
        yield string(text, name, "a name"), name, required(text, item, found, value, "it")


def parsed_in(text: Text, node: Node, read: Callable[[str], Result], what: str = "an expression") -> Result:
    """What ``read`` makes of a string.

    Raises:
        InvalidInput: ExpressionError of ``read``, at its place in the JSON text.
    """
    expression = string(text, node, what)
    try:
        return read(expression)
    except ExpressionError as error:
        at = min(error.at, len(expression))
        message = f"{node.path}, character {at + 1}: {error.message}"
        text.fail(message, text.inside(node, at), error.hint, node.path)
