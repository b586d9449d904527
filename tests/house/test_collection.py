"""Tests can be run in any combination of folders: what they share stands in one place, under names of its own."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SHARED = (TESTS / "support", TESTS / "lean" / "kernel_cases")
"""The folders that ``pythonpath`` of pyproject.toml names."""
PLUGIN = TESTS / "solvers" / "plugin"
"""A package of another's, which only the processes of one test import."""
NOT_IMPORTED = ("conftest", "test_", "__init__")


def helpers() -> list[Path]:
    return [
        path for path in TESTS.rglob("*.py") if not path.name.startswith(NOT_IMPORTED) and "plugin" not in path.parts
    ]


def test_what_tests_share_stands_in_the_folders_that_pytest_is_told_of() -> None:
    assert [path for path in helpers() if path.parent not in SHARED] == []


def test_no_two_shared_modules_have_one_name_nor_that_of_an_installed_one() -> None:
    names = [path.stem for path in helpers()]
    assert sorted(set(names)) == sorted(names)
    for path in helpers():
        found = find_spec(path.stem)
        assert found is not None and found.origin is not None and Path(found.origin) == path


def test_no_test_imports_a_conftest_or_changes_the_path() -> None:
    for path in TESTS.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "conftest" in text or ("sys" in text and ".path" in text) else ():
            if isinstance(node, ast.ImportFrom):
                assert node.module != "conftest", path
            if isinstance(node, ast.Attribute) and node.attr == "path" and isinstance(node.value, ast.Name):
                assert node.value.id != "sys" or isinstance(node.ctx, ast.Load), path


@pytest.mark.parametrize(
    "folders",
    [
        ("serve", "code", "autoformalizer"),
        pytest.param(
            (),
            id="all",
            marks=pytest.mark.whole("test_no_two_shared_modules_have_one_name_nor_that_of_an_installed_one"),
        ),
    ],
)
def test_folders_are_collected_together_in_whatever_order(folders: tuple[str, ...]) -> None:
    every = folders or sorted((path.name for path in TESTS.iterdir() if any(path.glob("test_*.py"))), reverse=True)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", *(str(TESTS / name) for name in every)]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "error" not in done.stdout.splitlines()[-1], done.stdout[-2000:]
