"""Texts that tests are about, kept in files of their own."""

from pathlib import Path


def named(path: Path) -> dict[str, str]:
    """The texts of a file, each by the name that is after ``###`` on the line before it."""
    return dict(part.split("\n", 1) for part in path.read_text("utf-8").split("### ")[1:])
