"""The worked examples of the prompts are programs that the system itself accepts and decides as it should."""

from __future__ import annotations

import pytest

from goedels_poetry.models.prompts import Prompts
from goedels_poetry.models.replies import blocks
from goedels_poetry.reasoning.backends import BACKENDS


@pytest.mark.parametrize("dialect", ["smt2", "json"])
def test_every_example_is_decided_as_its_text_says_and_names_where_each_premise_comes_from(dialect: str) -> None:
    kinds = [Prompts().get(f"question-{dialect}-{kind}").text for kind in ("text", "case", "world")]
    examples = [block.text for kind in kinds for block in blocks(kind) if block.tag == dialect]
    with BACKENDS[dialect]() as backend:
        results = [backend.execute(example) for example in examples]
    assert [result.answer for result in results] == [False, True, False], [result.reason for result in results]
    assert [[premise["name"] for premise in result.core or ()] for result in results] == [
        ["p1", "p2", "p3"],
        ["p1", "p2", "w2"],
        ["w1", "w2", "w3"],
    ]
    assert all(premise["origin"] in ("text", "world") for result in results for premise in result.core or ())
    assert not any(result.warnings for result in results)
