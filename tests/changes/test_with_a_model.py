"""Changes by a model over the real wire: what it is told, what it may decide, what no words of it bring about."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import EMPTY, HUGE, Answer, Server, server_error
from scripted_changes import MEND, STATS, Scripted, change, work

MENDED = STATS.replace("    return sum(xs)", "    if not xs:\n        return 0\n    return sum(xs)")
BROKEN = (
    "I guard it.\n\n```python\ndef mean(xs):\n    return sum(xs) / len(xs) if xs else 0\n\n\n"
    "def spread(xs):\n    return 0\n```\n"
)
DIFF = f"The list may be empty.\n\n```diff\n{MEND}```\n"


@pytest.mark.parametrize(
    ("reply", "form"),
    [
        (DIFF, "diff"),
        (
            "```\n<<<<<<< SEARCH\n    return sum(xs) / len(xs)\n=======\n    if not xs:\n        return 0\n"
            "    return sum(xs) / len(xs)\n>>>>>>> REPLACE\n```",
            "blocks",
        ),
        (f"<think>```python\nno\n```</think>Here is the whole file:\n````python\n{MENDED}````\nDone.", "file"),
    ],
)
async def test_a_change_is_read_in_whatever_form_it_comes(reply: str, form: str, tmp_path: Path) -> None:
    model = Scripted([reply])
    with Server(model) as server:
        done = await work(change(), tmp_path, server)
    assert done.text == MENDED and done.moves == ["keep by table"] and done.claims_tested
    assert model.asked_for_decisions == []  # where nothing is amiss there is nothing to choose
    prompt = model.asked_for_changes[0]
    for part in ("`stats.py`", STATS, "python -m unittest", "test_empty", "ZeroDivisionError"):
        assert part in prompt


async def test_nothing_that_breaks_what_worked_is_kept_though_the_model_says_keep(tmp_path: Path) -> None:
    model = Scripted([BROKEN], ["keep"])
    with Server(model) as server:
        done = await work(change(max_attempts=2), tmp_path, server)
    assert done.text == STATS and not done.claims_tested
    assert done.moves == ["refine by table", "roll_back by table"]
    assert "the model's choice cannot be used: 'keep' is not one of" in done.told["steps"][1]["why"]


async def test_the_model_may_go_back_to_a_state_by_its_number_and_to_no_other(tmp_path: Path) -> None:
    first = "```python\ndef last(xs):\n    return xs[-1] if xs else None\n```"
    wrong = "```python\ndef mean(xs):\n    return None\n```"
    model = Scripted([first, wrong, wrong, DIFF], ["refine", "roll back to step 9", "Roll back to step 1."])
    with Server(model) as server:
        done = await work(change(), tmp_path, server)
    assert done.moves == ["refine by model", "different by table", "roll_back by model", "keep by table"]
    assert done.text == MENDED.replace("xs[-1]", "xs[-1] if xs else None")
    assert "there is no state after step 9" in done.told["steps"][2]["why"]
    assert "rolled back to the state after step 1" in model.asked_for_changes[3]
    assert "xs[-1] if xs else None" in model.asked_for_changes[3]


HOSTILE = [
    Answer("I am sorry, I cannot do that."),
    EMPTY,
    Answer("```python\ndef mean(xs):\n    return", finish="length"),
    Answer("```diff\n--- a/test_stats.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-import unittest\n-\n```"),
    Answer("```\n<<<<<<< SEARCH\nnot there\n=======\nx\n>>>>>>> REPLACE\n```"),
    HUGE,
    server_error(),
]


async def test_what_cannot_be_used_costs_one_attempt_each_and_the_run_goes_on(tmp_path: Path) -> None:
    model = Scripted([DIFF], ["refine"])
    waiting = list(HOSTILE)

    def script(asked: dict[str, object]) -> Answer:
        is_decision = "Decide what to do next" in str(asked["messages"])[-4000:]
        return waiting.pop(0) if waiting and not is_decision else model(asked)  # type: ignore[arg-type]

    with Server(script) as server:
        done = await work(change(max_attempts=len(HOSTILE) + 1), tmp_path, server)
    assert done.text == MENDED and done.claims_tested
    steps = done.told["steps"][1:]
    assert [step["goal"] for step in steps] == ["not applied"] * len(HOSTILE) + ["reached"]
    assert "the diff is about test_stats.py, and not about stats.py" in steps[3]["reason"]
    assert "has no place in the file" in steps[4]["reason"]
