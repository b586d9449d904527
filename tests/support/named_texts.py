"""Texts and tables that tests are about, kept in files of their own."""

import json
from pathlib import Path
from typing import Any


def named(path: Path) -> dict[str, str]:
    """The texts of a file, each by the name that is after ``###`` on the line before it."""
    return dict(part.split("\n", 1) for part in path.read_text("utf-8").split("### ")[1:])


def tables(module: str) -> dict[str, Any]:
    """The tables of cases of a test file, from the JSON file of its name; one row a line."""
    return json.loads(Path(module).with_suffix(".json").read_text("utf-8"))
