"""Data sets: every form that is understood, and a message with the line for what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from goedels_poetry.autoformalizer import BadItems, Item, load_items, read_item


def test_an_item_is_a_statement_with_steps_nested_or_flat_or_a_text() -> None:
    nested = {"id": "a", "english": {"statement": "S", "steps": ["one", "two"]}, "tags": ["x"]}
    flat = {"id": "a", "statement": "S", "steps": ["one", "two"]}
    assert read_item(nested) == read_item(flat) == Item("a", "S", ("one", "two"))
    assert read_item("S", "7") == Item("7", "S")
    assert read_item({"id": 3, "english": "S", "context": "def x := 1"}) == Item("3", "S", (), "def x := 1")


BAD = {
    "{}": 'no "statement"',
    '{"statement": " "}': "empty",
    '{"statement": 3}': "a number",
    '{"statement": null}': "null",
    '{"english": [1]}': '"english" is an object',
    '{"statement": "S", "steps": [1]}': '"steps" is a text',
    '{"statement": "S", "steps": {"a": 1}}': "list of at most",
    '{"statement": "S", "id": true}': '"id"',
    '{"statement": "%s"}' % ("x" * 30_000): "longer than",
    "[1]": "an object or a text",
    "{'statement': 1}": "not JSON",
    '{"statement": "half': "not JSON",
}


@pytest.mark.parametrize("row", BAD, ids=range(len(BAD)))
def test_a_bad_line_is_named_with_its_number_and_what_is_wrong(tmp_path: Path, row: str) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text(f'{{"statement": "good"}}\n\n{row}\n')
    with pytest.raises(BadItems) as problem:
        load_items(file)
    assert str(problem.value).startswith(f"{file}:3:")
    assert BAD[row] in str(problem.value)


def test_ids_are_given_once_and_a_file_has_items(tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text('{"id": "a", "statement": "S"}\n"T"\n{"id": "a", "statement": "U"}\n')
    with pytest.raises(BadItems, match=r":3: the id 'a' stands in line 1 already"):
        load_items(file)
    file.write_text("\n\n")
    with pytest.raises(BadItems, match="no items"):
        load_items(file)
    file.write_bytes(b'{"statement": "S"}\n{"statement": "\xff"}\n')
    with pytest.raises(BadItems, match=r":2: not text in UTF-8"):
        load_items(file)
    with pytest.raises(BadItems, match="No such file"):
        load_items(tmp_path / "none.jsonl")
