"""Data sets in their own formats: every question comes in, what is left out is said, what is wrong is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.evaluation import BadData, Data, load, sample
from goedels_poetry.evaluation.outcome import gold_label

PRONTOQA = {
    "id": "ProntoQA_1",
    "context": "Every tumpus is loud. Wren is a tumpus.",
    "question": "Is the following statement true or false? Wren is loud.",
    "answer": "A",
    "options": ["A) True", "B) False"],
}
FOLIO = {
    "story_id": 7,
    "example_id": 12,
    "premises": "All larks sing.\nPip is a lark.",
    "premises-FOL": "∀x (Lark(x) → Sing(x))\nLark(pip)",
    "conclusion": "Pip sings.",
    "conclusion-FOL": "Sing(pip)",
    "label": "True",
}
PROOFWRITER = {
    "id": "AttNoneg-OWA-D1-1",
    "theory": "Ann is cold. If someone is cold then they are kind.",
    "question": "Ann is kind.",
    "answer": "Unknown",
    "QDep": 1,
}
CONDITIONALQA = {
    "url": "https://example.org/boats",
    "scenario": "I own a boat.",
    "question": "Must I register it?",
    "not_answerable": False,
    "answers": [["yes", ["<li>it is longer than 3 m</li>"]]],
    "evidences": ["<p>Boats must be registered.</p>"],
    "id": "train-1",
}
DOCUMENT = {
    "url": "https://example.org/boats",
    "title": "Boats",
    "contents": [
        "<h1>Overview</h1>",
        "<p>Boats must be <b>registered</b>\n if:</p>",
        "<li>they are longer than 3&nbsp;m</li>",
    ],
}
STRATEGYQA = {
    "qid": "a1",
    "term": "Owl",
    "description": "bird",
    "question": "Could an owl read a book by moonlight?",
    "answer": False,
    "facts": ["Owls cannot read.", "Moonlight is dim."],
    "decomposition": ["Can owls read?"],
}
GENERIC = {"id": 3, "question": "Is it so?", "context": "It is so.", "answer": "yes", "dataset": "FOLIO-Uncertain"}


def written(folder: Path, rows: Any, name: str = "data.json") -> Path:
    file = folder / name
    text = "\n".join(map(json.dumps, rows)) + "\n" if name.endswith("l") else json.dumps(rows, indent=1)
    file.write_text(text, "utf-8")
    return file


def only(data: Data) -> Any:
    (question,) = data.questions
    return question


@pytest.mark.parametrize("name", ["data.json", "data.jsonl"])
@pytest.mark.parametrize(
    ("row", "dataset", "id_", "gold", "asks", "relies_on"),
    [
        (PRONTOQA, "ProntoQA", "ProntoQA_1", "true", "Wren is loud.", "Every tumpus"),
        (FOLIO, "FOLIO", "12", "true", "Statement: Pip sings.", "All larks sing.\nPip"),
        (PROOFWRITER, "ProofWriter", "AttNoneg-OWA-D1-1", "uncertain", "Statement: Ann is kind.", "Ann is cold."),
        (STRATEGYQA, "StrategyQA", "a1", "false", "moonlight?", ""),
        (GENERIC, "FOLIO-Uncertain", "3", "true", "Is it so?", "It is so."),
    ],
)
def test_a_row_of_each_data_set_is_told_by_what_it_holds(
    tmp_path: Path, name: str, row: dict[str, Any], dataset: str, id_: str, gold: str, asks: str, relies_on: str
) -> None:
    question = only(load([written(tmp_path, [row], name)]))
    assert (question.dataset, question.id, question.gold) == (dataset, id_, gold)
    assert question.question.endswith(asks)
    assert question.context.startswith(relies_on)
    assert bool(question.context) == bool(relies_on)


@pytest.mark.parametrize(
    ("row", "dataset", "gold"),
    [
        (FOLIO | {"premises": ["All larks sing.", "Pip is a lark."], "label": "Unknown"}, "FOLIO", "uncertain"),
        ({"example_id": "9", "premises": "P.", "conclusion": "C.", "label": "False"}, "FOLIO", "false"),
        (
            {
                "id": "ProofWriter_A-OWA-D5-1_Q2",
                "context": "T.",
                "question": "Q?",
                "options": ["A) True", "B) False", "C) Unknown"],
                "answer": "C",
            },
            "ProofWriter",
            "uncertain",
        ),
        (
            {"id": "x", "question": "T.\n\nQ", "answer": True, "original_context": "T.", "original_question": "Q"},
            "ProntoQA",
            "true",
        ),
        (
            {
                "id": "x",
                "question": "T.\n\nQuestion: Q",
                "answer": False,
                "original_theory": "T.",
                "original_question": "Q",
            },
            "ProofWriter",
            "false",
        ),
        (
            {"test_example": {"question": "All a are b.", "query": "True or false: Max is b.", "answer": "True"}},
            "ProntoQA",
            "true",
        ),
    ],
)
def test_known_variants_of_the_formats_are_read(tmp_path: Path, row: Any, dataset: str, gold: str) -> None:
    question = only(load([written(tmp_path, [row])]))
    assert (question.dataset, question.gold) == (dataset, gold)


def test_conditionalqa_takes_the_document_from_the_file_beside_it(tmp_path: Path) -> None:
    written(tmp_path, [DOCUMENT], "conditionalqa_documents.json")
    question = only(data := load([written(tmp_path, [CONDITIONALQA], "train.json")]))
    assert question.question == "Scenario: I own a boat.\n\nQuestion: Must I register it?"
    assert question.context == (
        "Document - Boats:\n\n## Overview\n\nBoats must be registered if:\n\n- they are longer than 3 m"
    )
    assert question.tags == ("conditional",)
    assert any("hold under conditions" in note for note in data.notes)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        (
            "d.jsonl",
            {k: v for k, v in FOLIO.items() if k != "label"},
            r'd\.jsonl:2: there is no "answer" or "label"; the row has: story_id',
        ),
        ("d.jsonl", FOLIO | {"label": "Maybe"}, r'd\.jsonl:2: the gold answer "Maybe" is none of true, false'),
        ("d.jsonl", FOLIO | {"premises": 3}, r'd\.jsonl:2: "premises" is a text, not 3'),
        ("d.jsonl", FOLIO | {"conclusion": " "}, r'd\.jsonl:2: "conclusion" is empty'),
        ("d.jsonl", [1], r"d\.jsonl:2: a row is an object"),
        ("d.json", FOLIO | {"label": 7}, r"d\.json:\d+: the gold answer 7 is none"),
    ],
)
def test_a_bad_row_is_refused_with_file_line_and_field(tmp_path: Path, name: str, row: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        load([written(tmp_path, [FOLIO, row], name)])


@pytest.mark.parametrize(
    ("value", "options", "label"),
    [
        (True, (), "true"),
        (False, (), "false"),
        ("True", (), "true"),
        ("false", (), "false"),
        ("YES", (), "true"),
        ("no", (), "false"),
        (1, (), "true"),
        (0, (), "false"),
        ("1", (), "true"),
        ("A", (), "true"),
        ("B", (), "false"),
        ("Uncertain", (), "uncertain"),
        ("Unknown", (), "uncertain"),
        (" true. ", (), "true"),
        ("A", ("A) False", "B) True"), "false"),
        ("C", ("A) True", "B) False", "C) Uncertain"), "uncertain"),
    ],
)
def test_gold_labels_are_normalised(value: Any, options: tuple[str, ...], label: str) -> None:
    assert gold_label(value, options) == label


def test_a_folder_is_searched_and_a_file_of_another_kind_in_it_is_named(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, [FOLIO], "folio.jsonl")
    written(inner, [STRATEGYQA])
    written(inner, [{"speed": 3}], "timing.json")
    data = load([tmp_path])
    assert data.datasets == ("FOLIO", "StrategyQA")
    assert any("timing.json" in note and "no known format" in note for note in data.notes)
    with pytest.raises(BadData, match=r"timing\.json:\d+: no known format \(the row has: speed\)"):
        load([inner / "timing.json"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("d.jsonl", b'{"a": \n', r"d\.jsonl:1:\d+: not JSON"),
        ("d.jsonl", b'{"a": "\xff"}\n', r"d\.jsonl:1: not text in UTF-8"),
        ("d.json", b"[" * 100_000, r"d\.json:1: nested too deeply|not JSON"),
        ("d.json", b'[{"a": ' + b"1" * 5000 + b"}]", r"d\.json:1: "),
        ("d.json", b"[]", "there are no rows in it"),
        ("d.parquet", b"PAR1", "convert it to JSON Lines"),
        ("absent.json", None, "No such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, name: str, text: bytes | None, message: str
) -> None:
    file = tmp_path / name
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(BadData, match=message):
        load([file])


def test_a_sample_is_drawn_from_each_data_set_and_depends_only_on_the_seed(tmp_path: Path) -> None:
    rows = [GENERIC | {"id": i, "question": f"Is it {i}?", "dataset": "ab"[i % 2]} for i in range(40)]
    questions = load([written(tmp_path, rows)]).questions
    chosen = sample(questions, 5, seed=1)
    assert sorted(q.dataset for q in chosen) == ["a"] * 5 + ["b"] * 5
    assert chosen == sample(list(reversed(questions)), 5, seed=1)[::-1]
    assert chosen != sample(questions, 5, seed=2)
    assert [q for q in questions if q in chosen] == chosen
    assert len(sample(questions, 1000)) == len(sample(questions, None)) == 40
