"""Theorems that are out of reach alone, each with its lemmas and its hint: the hint gives the goal from these at once.

Most are not found within a minute without them. How lemmas are proved first is shown in `tests/cli`.
"""

from pathlib import Path

import pytest
from named_texts import named

from goedels_poetry.smt.jobs import replies, symbolic
from goedels_poetry.smt.notation.goals import excerpts

THEOREMS = named(Path(__file__).with_suffix(".smt2s"))


@pytest.mark.parametrize("name", THEOREMS)
def test_with_its_lemmas_and_its_hint_the_goal_is_proved(name: str) -> None:
    text = THEOREMS[name]
    assert [goal for goal, _ in excerpts(text)][-1] == "goal"
    stated = symbolic.goals({"theorem": text, "name": "goal", "lemmas": ""})["goals"]
    sketch = symbolic.read({"theorem": text, "name": "goal"})["hint"]["sketch"]
    scope = [[f"L{number}", lemma["statement"]] for number, lemma in enumerate(stated[:-1])]
    found = replies.verify_idea({"theorem": text, "statement": "", "scope": scope, "sketch": sketch})
    assert found["ok"], found["reason"]
    assert all("candidate" in child or "sketch" in child for child in found["value"]["sketch"]["children"])
