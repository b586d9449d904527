"""The table of `docs/python.md` says what becomes of each construct: it is made here, from the translation."""

import asyncio
from functools import cache
from pathlib import Path

import pytest
from named_texts import named

from goedels_poetry.python.testing.candidate import test_candidate as tested
from goedels_poetry.python.testing.checks import checks_of
from goedels_poetry.python.translate.contracts import OutsideFragment
from goedels_poetry.python.translate.program import read_program, with_contracts
from goedels_poetry.python.translate.translate import translate

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "docs" / "python.md"
CLASSES = named(HERE / "support.txt")
ROWS = [line.split(" :: ") for line in (HERE / "support.txt").read_text("utf-8").split("### ")[0].splitlines()]
HEAD = """from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from goedels_poetry.contracts import *
"""


@cache
def verdict(signature: str, body: str) -> str:
    """What is the best that can come of it: proved; tested; refused, where no inputs can be made."""
    if signature == "class":
        text = HEAD + CLASSES[body]
    else:
        parameters, _, returns = signature.rpartition(" -> ")
        lines = "\n".join(f"    {line}" for line in body.replace(" ;", "\n").replace("\n ", "\n").split("\n"))
        other = "" if "g(n)" not in body or "def g" in body else "def g(n: int) -> Iterator[int]:\n    yield n\n"
        text = f"{HEAD}{other}@ensures(lambda result: True)\ndef f({parameters}) -> {returns}:\n{lines}\n"
    program = read_program(text)
    names = with_contracts(program)
    try:
        assert all(translate(program, name).text for name in names)
    except OutsideFragment:
        ran = [asyncio.run(tested(text, checks_of(program, name), effort="quick")) for name in names]
        return "tested" if all(one.inputs_tried or one.passed for one in ran) else "refused"
    return "proved"


@pytest.mark.parametrize("row", ROWS, ids=[row[1] for row in ROWS])
def test_each_construct_has_a_verdict(row: list[str]) -> None:
    assert verdict(*row[2:]) in ("proved", "tested", "refused")


def test_the_table_of_the_manual_is_that_of_the_translation() -> None:
    lines = ["| | proved | at best `tested` | neither |", "|---|---|---|---|"]
    for topic in dict.fromkeys(row[0] for row in ROWS):
        cells = {"proved": "", "tested": "", "refused": ""}
        for _, construct, *snippet in (row for row in ROWS if row[0] == topic):
            known = verdict(*snippet)
            cells[known] = f"{cells[known]}; {construct}".removeprefix("; ")
        lines.append(
            f"| {topic} | {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells.values())} |".replace(
                "  ", " "
            )
        )
    table = "\n".join(lines)
    assert table in DOCUMENT.read_text("utf-8"), f"put it into the manual:\n{table}"
