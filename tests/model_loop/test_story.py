"""What a model is told of a goal's past: each thing once, in words, with how it ended."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, Server
from scripted_models import FIBONACCI, GOOD_SKETCH, RIGHT_ZERO, WithModel, fenced, prompt_of, role_of

from goedels_poetry import Verdict
from goedels_poetry.cli.inspect import show_run


async def test_a_reply_that_cannot_be_read_is_sent_back_once_and_costs_no_attempt(with_model: WithModel) -> None:
    asked_again: list[list[str]] = []

    def mumbling(asked: dict[str, Any]) -> Answer:
        if role_of(asked) == "decider":
            return Answer("no idea")
        if len(asked["messages"]) > 2:
            asked_again.append([message["content"] for message in asked["messages"][1:]])
            return fenced(GOOD_SKETCH)
        return Answer("The lemma is that fibit n (fib m) (fib (m+1)) = fib (n+m).")

    with Server(mumbling) as server:
        result = await with_model(server).arun(FIBONACCI, name="f.smt2")
    assert result.verdict is Verdict.PROVED
    prompt, reply, fault = asked_again[0]
    assert "(fibit n zero (succ zero))" in prompt
    assert reply.startswith("The lemma is")
    assert "no complete JSON object" in fault
    assert result.metrics["attempts"] <= 2 + result.metrics["proved_nodes"], (
        "the symbolic attempt, and that of the root"
    )


async def test_a_reader_is_told_that_a_model_called_the_goal_false_and_why_it_is_not(
    with_model: WithModel, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, good = fenced({"refuted": {"at": {"n": "zero"}}}), fenced(GOOD_SKETCH)
    with Server(lambda asked: wrong if len(server.requests) < 2 else good) as server:
        framework = with_model(server, model_first=True)
        result = await framework.arun(FIBONACCI, name="f.smt2")
    assert result.verdict is Verdict.PROVED
    assert show_run(result.run_id, as_json=False, at=None) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "refutation by a model rejected: this does not refute the goal: at n = zero the goal holds" in told
    with framework.open_store(result.run_id) as store:
        entries = [entry for entry in store.history("0") if entry.kind == "refutation"]
        claimed = store.load(entries[0].entry["claimed_ref"])
    assert (len(entries), claimed["values"]) == (1, {"n": "zero"}), "the run page shows every entry of the history"


FALSE_LEMMA = {"lemmas": ["(forall ((n Nat)) (= (fib n) n))", RIGHT_ZERO]}


async def test_a_repair_shows_the_reply_whole_and_a_run_can_be_read_under_other_templates(
    with_model: WithModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = fenced(FALSE_LEMMA)
    with Server(lambda asked: reply) as server:
        framework = with_model(server, budgets={"wall_seconds": 60, "model_calls": 3})
        result = await framework.arun(FIBONACCI, name="f.smt2")
        repair = next(text for asked in server.requests if "## Rejected sketch" in (text := prompt_of(asked)))
    assert reply.text.strip() in repair, "the model's own words, not ours about them"
    assert result.run_dir is not None
    (tmp_path / "repair-false-lemma.md").write_text("Goal: {{ statement }}\nRejected: {{ candidate }}\n")
    spec = importlib.util.spec_from_file_location("replay", Path(__file__).parents[2] / "scripts" / "replay_prompts.py")
    assert spec is not None
    assert spec.loader is not None
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    assert replay.main([str(result.run_dir), "--prompts", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "corrector · repair-false-lemma · goal 0 ·" in printed
    assert "    -## The verifier's report" in printed
    assert "those that can be compared" in printed
    assert replay.main([str(tmp_path / "none")]) == 2
