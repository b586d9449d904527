"""Prompts stay short: bounds on what is sent about goals of known kinds, whatever is said of the goal itself."""

from __future__ import annotations

import pytest
from scripted_models import FIBONACCI, REVERSE

from goedels_poetry.models.prompts import Prompts
from goedels_poetry.protocol.base import Goal
from goedels_poetry.search.agents.guidance import bans, failed_subgoal, story
from goedels_poetry.smt.language import SmtLanguage

MANY = (
    "".join(f"(define-fun-rec g{i} ((n Int)) Int (ite (<= n 0) {i} (+ {i} (g{i} (- n 1)))))" for i in range(60))
    + "(prove (forall ((n Int)) (=> (>= n 0) (= (g7 n) (+ 7 (* 7 n))))))"
)

HISTORY = (
    {"kind": "sketch", "fingerprint": "1", "sketch": {"strategy": "model-lemmas", "children": [{"statement": "L"}]}},
    {"kind": "rejected", "fingerprint": "1", "reason": "R" * 5_000, "report": {"report": "R" * 5_000}},
    {"kind": "ban", "fingerprint": "1", "strategy": "model-lemmas", "reason": "R" * 5_000, "failures": 2},
    {"kind": "backtrack", "statement": "S" * 5_000, "reason": "subgoal 0.0 failed: R", "report": {"report": "R"}},
)
BESIDE = {"candidate": "C" * 800, "report": "R" * 1_500, "moves": '- "resketch": another\n- "backtrack": go back'}


def length(prompt: str, described: dict[str, str], history: tuple[dict[str, object], ...] = ()) -> int:
    goal = Goal(REVERSE, {}, "0", "", history=history)
    told = {**described, **BESIDE, "history": story(history), "banned": bans(history)} | failed_subgoal(goal)
    told["answer_format"] = described["sketch_format"]
    return sum(len(text) for _, text in Prompts().get(prompt).messages(told))


@pytest.mark.parametrize(
    ("theorem", "prompt", "most"),
    [
        pytest.param(REVERSE, "prover-initial", 7_000, id="data"),
        pytest.param(MANY, "prover-initial", 7_600, id="sixty definitions"),
        pytest.param(FIBONACCI, "repair-gap", 8_300, id="a repair"),
        pytest.param(FIBONACCI, "post-modification-decision", 3_700, id="a decision"),
    ],
)
async def test_a_prompt_about_an_smt_goal_is_short(smt: SmtLanguage, theorem: str, prompt: str, most: int) -> None:
    assert length(prompt, await smt.describe(Goal(theorem, {}, "0", ""))) <= most


async def test_a_prompt_with_a_long_past_stays_bounded(smt: SmtLanguage) -> None:
    assert length("decomposer-backtrack", await smt.describe(Goal(REVERSE, {}, "0", "")), HISTORY) <= 11_500
