"""The JSON logic language as JSON Schema: all of it, and the part that a model is held to by structured output."""

from __future__ import annotations

from typing import Any

from goedels_poetry.questions.json.stating import ACTIONS

_TEXT: dict[str, Any] = {"type": "string"}
_EXPRESSION: dict[str, Any] = {"$ref": "#/$defs/expression"}
_SORT: dict[str, Any] = {"$ref": "#/$defs/sort_name"}
_NAME: dict[str, Any] = {"$ref": "#/$defs/identifier"}


def _object(properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    known = {**properties, "comment": {}}
    return {"type": "object", "properties": known, "required": list(required), "additionalProperties": False}


def _list(element: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": element}


def _some(*options: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": list(options)}


def _optional(*options: dict[str, Any]) -> dict[str, Any]:
    return _some(*options, {"type": "null"})


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value}


_REMARK = {"description": _optional(_TEXT)}
_SENTENCES = _optional({"type": "integer", "minimum": 1}, _list({"type": "integer", "minimum": 1}))
_NOTES = {
    "name": _optional(_TEXT),
    "sentence": _SENTENCES,
    "sentences": _SENTENCES,
    "world": _optional(_TEXT),
    "derived": _optional(_TEXT),
    **_REMARK,
}
_VARIABLES = _optional(_list(_some(_object({"name": _NAME, "sort": _SORT, **_REMARK}, ("name", "sort")), _NAME)))
_IMPLIES = _optional(
    _object({"antecedent": _EXPRESSION, "consequent": _EXPRESSION}, ("antecedent", "consequent")),
)
_SORTED = _object({"name": _NAME, "sort": _SORT, **_REMARK}, ("name", "sort"))
_FIELDS = _optional(_list(_SORTED), _by_name(_SORT))
_VERIFICATION = _some(
    _EXPRESSION,
    _object(
        {
            "name": _optional(_TEXT),
            "constraint": _optional(_EXPRESSION),
            "exists": _VARIABLES,
            "forall": _VARIABLES,
            "implies": _IMPLIES,
            **_REMARK,
        }
    ),
)
_VERIFICATIONS = _optional(_list(_VERIFICATION), _by_name(_VERIFICATION))

PROGRAM_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "JSON logic program",
    "description": "Every program that is read. What the strings mean is said in docs/json_logic.md.",
    **_object(
        {
            "sorts": _optional(_list({"$ref": "#/$defs/sort"})),
            "functions": _optional(
                _list(
                    _object(
                        {"name": _NAME, "domain": _list(_SORT), "range": _SORT, **_REMARK}, ("name", "domain", "range")
                    )
                )
            ),
            "constants": _optional(
                _by_name(
                    _some(
                        _SORT,
                        _object(
                            {"sort": _SORT, "members": _some(_list(_NAME), {"type": "object"}), **_REMARK},
                            ("sort", "members"),
                        ),
                    )
                ),
                _list(_SORTED),
            ),
            "variables": _VARIABLES,
            "knowledge_base": _optional(
                _list(
                    _some(
                        _EXPRESSION,
                        _object(
                            {"assertion": _EXPRESSION, "value": {"type": ["boolean", "null"]}, **_NOTES}, ("assertion",)
                        ),
                    )
                )
            ),
            "rules": _optional(
                _list(
                    _some(
                        _EXPRESSION,
                        _object(
                            {
                                "forall": _VARIABLES,
                                "implies": _IMPLIES,
                                "constraint": _optional(_EXPRESSION),
                                **_NOTES,
                            }
                        ),
                    )
                )
            ),
            "verifications": _VERIFICATIONS,
            "goals": _VERIFICATIONS,
            "goal": _optional(_VERIFICATION, {"const": ""}),
            "optimization": _optional(
                _object(
                    {
                        "variables": _VARIABLES,
                        "constraints": _optional(
                            _list(
                                _some(
                                    _EXPRESSION,
                                    _object(
                                        {"constraint": _EXPRESSION, "name": _optional(_TEXT), **_REMARK},
                                        ("constraint",),
                                    ),
                                )
                            )
                        ),
                        "objectives": _optional(
                            _list(
                                _object(
                                    {
                                        "type": {"enum": ["maximize", "minimize"]},
                                        "expression": _EXPRESSION,
                                        "name": _optional(_TEXT),
                                        **_REMARK,
                                    },
                                    ("type", "expression"),
                                )
                            )
                        ),
                        **_REMARK,
                    }
                )
            ),
            "actions": _optional(_list({"enum": list(ACTIONS)})),
            **_REMARK,
        }
    ),
    "$defs": {
        "expression": {"type": "string", "minLength": 1, "description": "A formula or term, e.g. `age(soc) >= 18`."},
        "identifier": {
            "type": "string",
            "pattern": r"^[A-Za-z_\u0080-\uffff][0-9A-Za-z_\u0080-\uffff]*$",
            "maxLength": 200,
        },
        "sort_name": {
            "type": "string",
            "minLength": 1,
            "description": "Bool, Int, Real, String, BitVecSort(8), ArraySort(Int, Bool), or a declared sort.",
        },
        "sort": _object(
            {
                "name": _NAME,
                "type": {
                    "type": "string",
                    "minLength": 1,
                    "description": "DeclareSort, EnumSort, Record, Datatype, or the name of a sort.",
                },
                "values": _optional(_list(_NAME)),
                "fields": _FIELDS,
                "constructor": _optional(_TEXT),
                "constructors": _optional(
                    _list(_some(_NAME, _object({"name": _NAME, "fields": _FIELDS, **_REMARK}, ("name",)))),
                    _by_name(_FIELDS),
                ),
                **_REMARK,
            },
            ("name", "type"),
        ),
    },
}


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
