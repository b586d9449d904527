"""The part of the JSON logic language that a model is held to by structured output, as JSON Schema."""

from __future__ import annotations

from typing import Any

_TEXT: dict[str, Any] = {"type": "string"}


def _list(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": element}


def _strict(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object as servers with structured output want it: every key required, no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TYPED = _list(_strict(name=_TEXT, sort=_TEXT))

STRUCTURED_SCHEMA: dict[str, Any] = {
    "title": "logic_program",
    **_strict(
        sorts=_list(_strict(name=_TEXT, type=_TEXT, values=_list(_TEXT), fields=_TYPED)),
        functions=_list(_strict(name=_TEXT, domain=_list(_TEXT), range=_TEXT)),
        constants=_TYPED,
        knowledge_base=_list(
            _strict(name=_TEXT, assertion=_TEXT, sentences=_list({"type": "integer"}), world=_TEXT, derived=_TEXT)
        ),
        goal=_TEXT,
        goals=_list(_strict(name=_TEXT, constraint=_TEXT)),
        optimization=_strict(
            constraints=_list(_TEXT),
            objectives=_list(_strict(type={"type": "string", "enum": ["maximize", "minimize"]}, expression=_TEXT)),
        ),
    ),
}
"""Programs of a form with few choices: every key is there, what is not needed is an empty list or string.

Rules stand in the knowledge base; ``goal`` is what is asked, ``goals`` are the options of a multiple-choice question.
"""
