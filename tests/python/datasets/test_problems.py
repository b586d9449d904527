"""Problems in the layouts of HumanEval and MBPP, from files of two lines that are written here."""

import json

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.datasets import load_problems

HUMAN_EVAL = {
    "task_id": "HumanEval/0",
    "prompt": "from typing import List\n\n\ndef twice(xs: List[int], by: int = 2) -> List[int]:\n"
    '    """ Every element,\n    multiplied. """\n',
    "entry_point": "twice",
    "canonical_solution": "    return [by * x for x in xs]\n",
    "test": "METADATA = {}\n\ndef check(candidate):\n    assert candidate([1]) == [2]\n",
}
MBPP = {
    "task_id": 11,
    "text": "Write a function to add.",
    "code": "def helper(a):\r\n    return a\r\ndef add(a, b):\r\n    return helper(a) + b",
    "test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"],
    "test_setup_code": "one = 1",
    "challenge_test_list": ["assert add(one, 1) == 2"],
}


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def file(tmp_path):
    def write(text, name="problems.jsonl"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_row_of_human_eval_becomes_a_problem(file):
    problem, second = load_problems(file(lines(HUMAN_EVAL, {**HUMAN_EVAL, "task_id": "HumanEval/1"})))
    assert (problem.name, second.name) == ("HumanEval/0", "HumanEval/1")
    assert problem.signature == "def twice(xs: List[int], by: int=2) -> List[int]"
    assert problem.task == "Every element,\nmultiplied."
    assert problem.assertions == (HUMAN_EVAL["test"].rstrip() + "\n\ncheck(twice)\n",)
    assert problem.reference == HUMAN_EVAL["prompt"] + HUMAN_EVAL["canonical_solution"]


def test_a_row_of_mbpp_becomes_a_problem(file):
    (problem,) = load_problems(file(lines(MBPP)))
    assert (problem.name, problem.function, problem.signature) == ("MBPP/11", "add", "def add(a, b)")
    assert problem.assertions == ("assert add(1, 2) == 3", "assert add(0, 0) == 0", "assert add(one, 1) == 2")
    assert (problem.setup, problem.prompt) == ("one = 1", "")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("{", "not JSON"),
        ("[1]", "no object"),
        ("{}", "neither HumanEval"),
        (json.dumps({**HUMAN_EVAL, "test": 3}), "test: "),
        (json.dumps({**HUMAN_EVAL, "entry_point": "other"}), "no function 'other'"),
        (json.dumps({**HUMAN_EVAL, "prompt": "def twice(:"}), "not Python"),
        (json.dumps({**MBPP, "test_list": "assert 1"}), "test_list: "),
        (json.dumps({**MBPP, "test_list": [], "challenge_test_list": None}), "no tests"),
        (json.dumps({**MBPP, "text": ""}), "text: "),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(file, second, words):
    with pytest.raises(InvalidInput) as caught:
        load_problems(file(lines(HUMAN_EVAL) + second))
    assert caught.value.line == 2 and words in str(caught.value)
