"""Data sets and problems in their own formats: every question comes in, and what is wrong is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from named_texts import tables

from goedels_poetry.evaluation import BadData, Data, load, sample
from goedels_poetry.evaluation.outcome import gold_label
from goedels_poetry.evaluation.problems import (
    Problem,
    holds_problems,
    read_problems,
    with_answer,
)

TABLES = tables(__file__)

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


@pytest.mark.parametrize(("row", "dataset", "gold"), TABLES["test_known_variants_of_the_formats_are_read"])
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
    assert (question.tags, question.conditions) == (("conditional",), ("- it is longer than 3 m",))
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


def rows_in(folder: Path, *rows: dict[str, Any], name: str = "problems.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file


def read_one(folder: Path, row: dict[str, Any]) -> Problem:
    (problem,), left_out = read_problems(rows_in(folder, row))
    assert not left_out
    return problem


def test_a_row_of_minif2f_is_its_header_its_words_and_its_statement(tmp_path: Path) -> None:
    row = {
        "name": "mathd_algebra_1",
        "split": "test",
        "informal_prefix": "/-- Two and two. -/\n",
        "formal_statement": "theorem mathd_algebra_1 : 2 + 2 = 4 := by\n",
        "goal": "⊢ 2 + 2 = 4",
        "header": "import Mathlib\nopen Nat\n",
    }
    problem = read_one(tmp_path, row)
    header, words = "import Mathlib\nopen Nat", "/-- Two and two. -/"
    assert problem.text == f"{header}\n\n{words}\ntheorem mathd_algebra_1 : 2 + 2 = 4 := by sorry\n"
    assert (problem.name, problem.file, problem.gold) == ("mathd_algebra_1", "mathd_algebra_1.lean", "true")
    assert problem.tags == ("split:test",)


def test_a_problem_of_putnambench_gets_the_answer_that_stands_below_it(tmp_path: Path) -> None:
    statement = (
        "abbrev putnam_1_solution : Set Nat := sorry\n-- {n |\n--   n = 1}\n"
        "theorem putnam_1 : {n : Nat | n = 1} = putnam_1_solution := sorry"
    )
    problem = read_one(tmp_path, {"problem_name": "putnam_1", "lean4_statement": statement})
    assert "abbrev putnam_1_solution : Set Nat := {n |\n   n = 1}\n" in problem.text
    assert problem.text.count("sorry") == 1
    without_one = "abbrev putnam_2_solution : Nat := sorry\ntheorem putnam_2 : 1 = 1 := sorry\n"
    assert with_answer(without_one) == without_one


@pytest.mark.parametrize("end", ["", " := by sorry", " := sorry", " :=", " := by"])
def test_whatever_a_statement_ends_with_a_proof_is_asked_for_once(tmp_path: Path, end: str) -> None:
    problem = read_one(tmp_path, {"name": "t", "formal_statement": f"theorem t (x : Nat := 1) : x = x{end}"})
    assert problem.text.count("sorry") == 1 and problem.text.count(":=") == 2


def test_a_split_is_chosen_and_lean_3_and_doubles_are_left_out_openly(tmp_path: Path) -> None:
    valid = {"name": "a", "split": "valid", "formal_statement": "theorem a : True"}
    test = {"name": "b", "split": "test", "formal_statement": "theorem b : True"}
    old = {"name": "c", "split": "test", "formal_statement": "theorem c : true :=\nbegin\n  trivial\nend"}
    problems, left_out = read_problems(rows_in(tmp_path, valid, test, test, old), split="test")
    assert [problem.name for problem in problems] == ["b"]
    assert left_out == {
        "problems: not of the split test": 1,
        "problems: the same row again": 1,
        "problems: written for Lean 3": 1,
    }
    with pytest.raises(BadData, match="there is no problem in it"):
        read_problems(rows_in(tmp_path, valid), split="test")


@pytest.mark.parametrize("rest", [b'{"name": "b", "te', b"\xff", b"[]"])
def test_a_file_that_is_damaged_after_its_first_row_is_no_other_file(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(b'{"name": "a", "text": "(prove true)"}\n' + rest)
    assert holds_problems(file)
    with pytest.raises(BadData, match=r"p\.jsonl:2"):
        read_problems(file)
