"""The published schemas: those of the code, true to the language, and such that servers take the strict one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from small_world import WORLD

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.endpoint import response_format
from goedels_poetry.models.replies import problem_with
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.json.schema import STRUCTURED_SCHEMA
from goedels_poetry.questions.json.sections import SECTIONS

FOLDER = Path(__file__).parents[2] / "docs" / "schema"
PROGRAM_SCHEMA = json.loads((FOLDER / "json-logic-v1.json").read_text("utf-8"))
WHOLE = jsonschema.Draft202012Validator(PROGRAM_SCHEMA)

EVERYTHING: dict[str, Any] = {
    **WORLD,
    "description": "Everything that may stand in a program.",
    "knowledge_base": ["p", {"assertion": "q", "value": False, "sentence": 1, "name": "second", "comment": [1]}],
    "rules": [
        {"forall": ["X"], "constraint": "human(X)", "world": "All are human.", "sentences": [1, 2]},
        {"forall": [{"name": "z", "sort": "Person"}], "implies": {"antecedent": "human(z)", "consequent": "mortal(z)"}},
    ],
    "verifications": [{"name": "v", "exists": ["X"], "constraint": "mortal(X)", "description": "Somebody is mortal."}],
    "optimization": {
        "variables": [{"name": "n", "sort": "Int"}],
        "constraints": ["n < 3", {"constraint": "n < 4", "name": "c"}],
        "objectives": [{"type": "maximize", "expression": "n"}],
    },
    "actions": ["verify_conditions", "optimize"],
}
STRUCTURED: dict[str, Any] = {
    "sorts": [
        {"name": "P", "type": "DeclareSort", "values": [], "fields": []},
        {"name": "Kind", "type": "EnumSort", "values": ["cat", "dog"], "fields": []},
        {"name": "Pair", "type": "Record", "values": [], "fields": [{"name": "first", "sort": "Int"}]},
    ],
    "functions": [{"name": "kind", "domain": ["P"], "range": "Kind"}],
    "constants": [{"name": "tom", "sort": "P"}],
    "knowledge_base": [
        {"name": "p1", "assertion": "kind(tom) == cat", "sentences": [2], "world": "", "derived": ""},
        {
            "name": "",
            "assertion": "ForAll([x: P], kind(x) in [cat, dog])",
            "sentences": [],
            "world": "There are cats and dogs only.",
            "derived": "",
        },
    ],
    "goal": "",
    "goals": [{"name": "A", "constraint": "kind(tom) == dog"}, {"name": "B", "constraint": "kind(tom) == cat"}],
    "optimization": {"constraints": [], "objectives": []},
}


def test_what_is_published_is_what_the_code_has() -> None:
    assert json.loads((FOLDER / "json-logic-structured-v1.json").read_text("utf-8")) == STRUCTURED_SCHEMA
    for schema in (PROGRAM_SCHEMA, STRUCTURED_SCHEMA):
        jsonschema.Draft202012Validator.check_schema(schema)


def test_a_program_with_all_there_is_fits_and_is_read() -> None:
    WHOLE.validate(EVERYTHING)
    assert read_json(json.dumps(EVERYTHING)).objectives
    assert set(EVERYTHING) | {"goal", "goals"} == set(SECTIONS)
    assert set(PROGRAM_SCHEMA["properties"]) == {*SECTIONS, "comment"}


@pytest.mark.parametrize(
    "change",
    [
        {"actions": ["run"]},
        {"verification": []},
        {"goal": 3},
        {"constants": {"c": 3}},
        {"functions": [{"name": "f", "domain": []}]},
        {"rules": [{"forall": ["X"], "constrain": "p"}]},
        {"knowledge_base": [{"assertion": "p", "value": "false"}]},
        {"sorts": [{"name": "S", "type": "EnumSort", "value": ["a"]}]},
        {"optimization": {"objectives": [{"type": "max", "expression": "i"}]}},
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(change: dict[str, Any]) -> None:
    changed = {**EVERYTHING, **change}
    assert not WHOLE.is_valid(changed)
    with pytest.raises(InvalidInput):
        read_json(json.dumps(changed))


def test_the_structured_form_is_strict_a_part_of_the_language_and_read() -> None:
    assert response_format(STRUCTURED_SCHEMA)["json_schema"]["strict"] is True
    assert problem_with(STRUCTURED, STRUCTURED_SCHEMA) == ""
    WHOLE.validate(STRUCTURED)
    found = read_json(json.dumps(STRUCTURED))
    assert [goal.name for goal in found.goals] == ["A", "B"]
    assert [(p.name, p.sentences, p.words) for p in found.premises] == [
        ("p1", (2,), ""),
        ("kb-2", (), "There are cats and dogs only."),
    ]
    one = {**STRUCTURED, "goal": "kind(tom) == cat", "goals": []}
    assert problem_with(one, STRUCTURED_SCHEMA) == ""
    assert [goal.name for goal in read_json(json.dumps(one)).goals] == ["goal"]
