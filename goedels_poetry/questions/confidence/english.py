"""How English is rendered: the tables of the prompts, from ``english.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

Kind = Literal["text", "case", "world"]
"""What a question comes with: a text, rules and a case that they are applied to, or nothing."""
Row = dict[str, Any]
"""``english``, ``kinds`` and, where there are such, ``smt2``, ``json``, ``remark`` and ``where``."""


@cache
def rows() -> dict[str, list[Row]]:
    """The rows about ``sentences`` and about ``questions``."""
    return tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))


def table(kind: Kind, backend: Literal["smt2", "json"], text: str = "") -> str:
    """The rows for questions of a kind, and those that words of ``text`` call for, as a table in Markdown."""
    return _markdown("| English | formula |", "sentences", kind, backend, text)


def goals(kind: Kind, question: str = "") -> str:
    """What questions of a kind ask, likewise, and what this one does."""
    return _markdown("| asked | goal |", "questions", kind, "", question)


def _markdown(head: str, part: str, kind: Kind, formula: str, text: str) -> str:
    found = [row for row in rows()[part] if kind in row["kinds"] or _stands_in(row.get("where", ""), text)]
    lines = [f"| {row['english']} | {_cell(row.get(formula, ''), row.get('remark', ''))} |" for row in found]
    return "\n".join((head, "|---|---|", *lines))


def _stands_in(pattern: str, text: str) -> bool:
    return bool(pattern) and re.search(pattern, text, re.IGNORECASE) is not None


def _cell(formula: str, remark: str) -> str:
    return "; ".join(filter(None, (f"`{formula}`" if formula else "", remark)))
