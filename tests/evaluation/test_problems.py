"""Collections of theorems in the layouts in which they are passed on."""

import json
from pathlib import Path
from typing import Any

import pytest

from goedels_poetry.evaluation import BadData
from goedels_poetry.evaluation.problems import (
    Problem,
    holds_problems,
    read_problems,
    with_answer,
)


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
