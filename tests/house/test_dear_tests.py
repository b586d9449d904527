"""What is left out of a plain run has something cheaper that stands in for it on every run."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
MARK = "pytest.mark.whole"


@cache
def in_file(path: Path) -> dict[str, bool]:
    """The tests of a file, and whether all cases of each are left out."""
    return {
        node.name: any(ast.unparse(mark).startswith(f"{MARK}(") for mark in node.decorator_list)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


def stand_ins() -> Iterator[tuple[Path, str]]:
    """Files that leave something out, and what they name: a test of theirs, or FOLDER/FILE.py::TEST."""
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if f"{MARK}(" in text else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == MARK:
                yield path, ast.literal_eval(node.args[0])


def test_what_stands_in_for_a_test_that_is_left_out_is_run() -> None:
    named = list(stand_ins())
    assert named
    for path, stand_in in named:
        file, _, test = stand_in.rpartition("::")
        assert in_file(TESTS / file if file else path).get(test) is False, f"{path}: {stand_in}"
