"""Lines are a cost: each folder of the package has a budget, which says what is there."""

from __future__ import annotations

from functools import cache

import count_lines
import pytest


@cache
def lines_by_folder() -> dict[str, int]:
    return dict(count_lines.counted(count_lines.all_lines))


@pytest.mark.parametrize("folder", count_lines.BUDGETS)
def test_a_folder_has_at_most_its_budget_and_hardly_less(folder: str) -> None:
    lines = lines_by_folder()[folder]
    assert 0.95 * count_lines.BUDGETS[folder] <= lines <= count_lines.BUDGETS[folder], (
        "set it in scripts/count_lines.py"
    )


def test_every_folder_has_a_budget() -> None:
    assert lines_by_folder().keys() == count_lines.BUDGETS.keys()


def test_no_file_is_longer_than_the_longest() -> None:
    paths = count_lines.PACKAGE.rglob("*.py")
    assert [str(p) for p in paths if p.read_text("utf-8").count("\n") > count_lines.LONGEST] == []


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    text = '"""A module."""\n\n# why\nx = """a\nb"""\n\n\ndef f():\n    """It."""\n    return (\n        1\n    )\n'
    assert count_lines.code_lines(text) == 6
