"""The reference of the language: every program in it has its answer, every expression its meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.printer import show
from goedels_poetry.questions.json.operators import OPERATORS
from goedels_poetry.questions.json.reader import read_json
from goedels_poetry.reasoning.backends import JSONBackend

DOCUMENT = (Path(__file__).parents[2] / "docs" / "json_logic.md").read_text("utf-8")
PROGRAMS = re.findall(r"^```json\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
ANSWERS = re.findall(r"[Aa]nswer: `(.*?)`", DOCUMENT)
WORLD = json.loads(PROGRAMS[0])


def rows(heading: str) -> Iterator[tuple[str, str]]:
    """The first cell of each row of the first table below a heading, and the second."""
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    yield from re.findall(r"^\| `(.*?)` \| (.*) \|$", section, re.MULTILINE)


def test_every_program_has_its_answer(backend: JSONBackend) -> None:
    assert len(PROGRAMS) == len(ANSWERS) == 3
    found = [backend.execute(program).answer for program in PROGRAMS]
    assert found == [{"True": True}.get(answer) or json.loads(answer) for answer in ANSWERS]


@pytest.mark.parametrize(("expression", "meaning"), list(rows("Expressions")))
def test_every_expression_has_its_meaning(expression: str, meaning: str) -> None:
    (goal,) = read_json(json.dumps({**WORLD, "goal": expression})).goals
    assert f"`{show(goal.formula)}`" == meaning


@pytest.mark.parametrize(("expression", "instead"), list(rows("What is refused")))
def test_what_is_refused_is_refused_and_what_to_write_instead_is_not(expression: str, instead: str) -> None:
    with pytest.raises(InvalidInput):
        read_json(json.dumps({**WORLD, "goal": expression}))
    alternatives = re.findall(r"`(.*?)`", instead)
    assert alternatives
    for alternative in alternatives:
        assert read_json(json.dumps({**WORLD, "goal": alternative})).goals


def test_every_operator_is_mentioned() -> None:
    assert not [name for name in OPERATORS if not re.search(rf"\b{name}\b", DOCUMENT)]
