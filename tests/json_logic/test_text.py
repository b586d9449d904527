"""The text of a program in JSON, and its published schema."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from named_texts import tables
from small_world import WORLD

from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.endpoint import response_format
from goedels_poetry.models.replies import problem_with
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.questions.json.sections import SECTIONS
from goedels_poetry.questions.json.text import MAX_BYTES, Node, Text, decode, read
from goedels_poetry.search.questions.writer import STRUCTURED_SCHEMA

TABLES = tables(__file__)

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)


def plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: plain(member) for key, member in node.value.items()}
    return [plain(member) for member in node.value] if isinstance(node.value, list) else node.value


@settings(max_examples=50)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_it_reads_what_json_writes(value: Any, ascii_only: bool, indent: int | None) -> None:
    assert plain(read(Text(json.dumps(value, ensure_ascii=ascii_only, indent=indent)))) == value


@settings(max_examples=100)
@given(VALUES, st.data())
def test_it_refuses_what_json_refuses(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    place = data.draw(st.integers(0, len(text)))
    damaged = text[:place] + data.draw(st.sampled_from('{}[]",:0-x')) + text[place + data.draw(st.integers(0, 2)) :]

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    def finite(number: str) -> float:
        if float(number) in (float("inf"), float("-inf")):
            raise ValueError
        return float(number)

    try:
        expected = json.loads(damaged, object_pairs_hook=once, parse_float=finite)
    except ValueError:
        with pytest.raises(InvalidInput) as refusal:
            read(Text(damaged))
        assert refusal.value.line is not None
        return
    assert plain(read(Text(damaged))) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "word", "hint"),
    [
        ("", 1, 1, "empty", "JSON object"),
        ('{"a": 1,\n "a": 2}', 2, 2, "given twice", "once"),
        ('{"a": NaN}', 1, 7, "NaN", ""),
        ('{"a": -Infinity}', 1, 7, "Infinity", ""),
        ('{"a": 1e999}', 1, 7, "too large", ""),
        ('{"a": [1, 2,]}', 1, 13, "comma", "remove"),
        ('{"a": 1\n "b": 2}', 2, 2, "expected", "comma"),
        ("{\n// note\n}", 2, 1, "key", "comments"),
        ("{'a': 1}", 1, 2, "key", "double quotes"),
        ('```json\n{"a": 1}\n```', 1, 1, "value", "fence"),
        ('{"a": 1} and so on', 1, 10, "follows", "alone"),
        ('{"a": "b', 1, 7, "never closed", '"'),
        ('{"a": "b\nc"}', 1, 9, "U+000A", "\\n"),
        ('{"a": {"b": 1}', 1, 1, "never closed", "}"),
        ('{"a": "\\ud800"}', 1, 7, "surrogate", ""),
        ('{"a": "\\q"}', 1, 8, "escape", "\\\\"),
        ('{"a": True}', 1, 7, "True", "true"),
        ("[" * 100, 1, 61, "deep", ""),
        ('{"a": ' + "9" * 2000 + "}", 1, 7, "digits", ""),
    ],
)
def test_a_refusal_says_where_and_what_to_change(text: str, line: int, column: int, word: str, hint: str) -> None:
    with pytest.raises(InvalidInput, match=word.replace("+", r"\+")) as refusal:
        read(Text(text))
    assert (refusal.value.line, refusal.value.column) == (line, column)
    assert hint in (refusal.value.hint or "")


def test_bytes_are_utf_8_and_bounded() -> None:
    assert decode("\ufeff{}".encode()) == "{}"
    with pytest.raises(InvalidInput, match="0xff is not UTF-8") as refusal:
        decode(b'{\n "a": "\xff"}')
    assert (refusal.value.line, refusal.value.column) == (2, 8)
    with pytest.raises(InvalidInput, match="larger"):
        decode(" " * (MAX_BYTES + 1))
    with pytest.raises(InvalidInput, match="surrogate"):
        decode('{"a": "\ud800"}')


def test_the_place_of_a_character_behind_escapes() -> None:
    text = Text('["ab\\n\\u00e9\\ud83d\\ude00\\"xy"]')
    (string,) = read(text).value
    assert string.value == 'ab\né😀"xy'
    assert [text.text[text.inside(string, offset)] for offset in (0, 1, 6, 7)] == ["a", "b", "x", "y"]
    assert string.path == "[0]"


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
STRUCTURED: dict[str, Any] = TABLES["STRUCTURED"]


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
