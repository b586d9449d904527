"""What a model is told of a goal's past: each thing once, in words, with how it ended."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from scripted_models import (
    FIBONACCI,
    GOOD_SKETCH,
    RIGHT_ZERO,
    Answer,
    Server,
    WithModel,
    fenced,
    prompt_of,
    role_of,
)

from goedels_poetry import Verdict
from goedels_poetry.cli.inspect import show_run
from goedels_poetry.search.agents.sharing import is_case
from goedels_poetry.search.agents.story import bans, reported, story

SKETCH = {"strategy": "model-lemmas", "children": [{"statement": "(sequent …)", "words": "P(x)"}]}


def sketched(fingerprint: str = "model:0123456789abcdef") -> dict[str, Any]:
    return {"kind": "sketch", "fingerprint": fingerprint, "sketch": SKETCH}


def rejected(reason: str, fingerprint: str = "model:0123456789abcdef") -> dict[str, Any]:
    return {"kind": "rejected", "fingerprint": fingerprint, "reason": reason}


def test_what_came_to_the_same_end_twice_stands_there_once() -> None:
    told = story([sketched(), rejected("false at 0"), sketched(), rejected("false at 0")])
    assert told == "- lemmas with the subgoals P(x)\n  rejected: false at 0 (2 times)"


def test_what_the_prompt_shows_as_its_report_is_not_told_again() -> None:
    history = [{"kind": "attempt", "reason": "no proof"}, sketched(), rejected("false at 0")]
    assert story(history, "the report: false at 0") == "- a direct proof: no proof"


def test_an_open_case_that_the_report_shows_at_length_is_not_told_again_in_one_line() -> None:
    earlier, last = rejected("open: (= a b)"), rejected("open: (= x y)")
    told = story([sketched(), earlier, sketched(), last], "open:\n1. show x = y")
    assert "(= x y)" not in told
    assert "(= a b)" in told, "of another sketch"


def test_the_reason_of_a_rejected_reply_is_told_with_its_sketch_alone() -> None:
    reply = {"kind": "model", "role": "sketcher", "prompt": "decomposer-initial", "reasons": ["false at 0", "not JSON"]}
    told = story([reply, sketched(), rejected("false at 0")])
    assert told.count("false at 0") == 1
    assert "could not be used: not JSON" in told


def test_how_a_theorem_was_found_is_no_way_to_prove_it() -> None:
    history = [{"kind": "model", "role": "formalizer", "prompt": "formalizer", "reasons": ["it does not parse"]}]
    assert story(history) == "(nothing)"


def test_no_hash_and_no_id_reaches_a_model() -> None:
    given_up = {"kind": "backtrack", "reason": "subgoal 0.0_0000 failed: false for x = 1", "statement": "Q(x)"}
    ban = {"kind": "ban", "fingerprint": "model:0123456789abcdef", "strategy": "model-lemmas", "failures": 2}
    history = [sketched(), rejected("false at 0"), given_up, {**ban, "reason": "subgoal 0.0_0000 failed: no"}]
    told = story(history) + bans(history)
    assert "0123456789abcdef" not in told
    assert "0.0_0000" not in told
    assert "given up, for it led to Q(x): false for x = 1" in told
    assert "failed 2 times: last because no" in told


def test_a_ban_whose_reason_the_story_gives_only_points_there() -> None:
    ban = {"kind": "ban", "fingerprint": "model:0123456789abcdef", "strategy": "model-lemmas", "failures": 2}
    assert "see above" in bans([sketched(), rejected("false at 0"), {**ban, "reason": "false at 0"}])


@pytest.mark.parametrize(
    ("reason", "report", "told"),
    [
        ("no proof", None, "no proof"),
        ("no proof", {"report": "no proof in 3 s"}, "no proof in 3 s"),
        ("no proof in 3 s", {"report": "3 s"}, "no proof in 3 s"),
        ("no proof", {"report": "case 1 stays open"}, "no proof\ncase 1 stays open"),
        ("open: (= x y)", {"report": "open:\n1. show x = y"}, "open:\n1. show x = y"),
        ("open: (= x y); not repaired: no", {"report": "open:\n1. show x"}, "open:\n1. show x\nnot repaired: no"),
    ],
)
def test_a_reason_and_a_report_are_told_once_each(reason: str, report: Any, told: str) -> None:
    assert reported(reason, report) == told


async def test_a_reply_that_cannot_be_read_is_sent_back_once_and_costs_no_attempt(with_model: WithModel) -> None:
    asked_again: list[list[str]] = []

    def mumbling(asked: dict[str, Any]) -> Answer:
        if role_of(asked) in ("decider", "search_query"):
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


@pytest.mark.parametrize("model_first", [True, False])
async def test_a_prompt_says_that_other_methods_have_failed_only_where_they_have(
    with_model: WithModel, model_first: bool
) -> None:
    with Server(lambda _: fenced(GOOD_SKETCH)) as server:
        await with_model(server, model_first=model_first, symbolic_queries=1).arun(FIBONACCI, name="f.smt2")
    first = prompt_of(server.requests[0])
    assert ("Automatic methods have failed on it" in first, "Nothing else has tried it" in first) == (
        not model_first,
        model_first,
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


BOUNDED = """
(define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
(prove (forall ((n Int)) (=> (and (>= n 0) (<= n 100)) (not (= (sum n) 41616)))))
"""
TOO_GENERAL = {"lemmas": ["(forall ((n Int)) (=> (>= n 0) (not (= (sum n) 41616))))"]}
CLOSED_FORM = {"lemmas": ["(forall ((n Int)) (=> (>= n 0) (= (* 2 (sum n)) (* n (+ n 1)))))"]}


async def test_the_next_sketch_is_told_at_which_values_a_subgoal_of_the_last_one_is_false(
    with_model: WithModel,
) -> None:
    """The 288th sum is a square, which no test with small values finds; the model does."""
    prompts: list[str] = []

    def learning(asked: dict[str, Any]) -> Answer:
        prompt = prompt_of(asked)
        if "(<= n 100)" not in prompt.partition("Goal:")[2].partition("## ")[0]:
            return fenced({"refuted": {"at": {"n": "288"}}})
        prompts.append(prompt)
        return fenced(CLOSED_FORM if "n = 288" in prompt else TOO_GENERAL)

    with Server(learning) as server:
        result = await with_model(server, model_first=True).arun(BOUNDED, name="bounded.smt2")
    assert result.verdict is Verdict.PROVED, result.reason
    assert any("false for n = 288" in prompt for prompt in prompts)


async def test_the_cases_of_a_lemmas_induction_are_no_facts_to_offer_beside_the_lemma(with_model: WithModel) -> None:
    with Server(lambda _: fenced(GOOD_SKETCH)) as server:
        framework = with_model(server, model_first=True)
        result = await framework.arun(FIBONACCI, name="f.smt2")
    with framework.open_store(result.run_id) as store:
        below = [node for node in store.nodes() if node.parent is not None]
        cases = [node.id for node in below if is_case(store, node.id)]
        lemmas = [node.id for node in below if not is_case(store, node.id)]
    assert len(lemmas) == len(GOOD_SKETCH["lemmas"])
    assert cases
    assert all(case.rpartition(".")[0] in lemmas for case in cases if case.count(".") == 2)


FALSE_LEMMA = {"lemmas": ["(forall ((n Nat)) (= (fib n) n))", RIGHT_ZERO]}


async def test_a_repair_shows_the_reply_whole_and_a_run_can_be_read_under_other_templates(
    with_model: WithModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = fenced(FALSE_LEMMA)
    with Server(lambda asked: fenced({"queries": []}) if role_of(asked) == "search_query" else reply) as server:
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


HORNER = """
(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
(define-fun-rec app ((x List) (y List)) List (match x ((nil y) ((cons h t) (cons h (app t y))))))
(define-fun-rec rev ((x List)) List (match x ((nil nil) ((cons h t) (app (rev t) (cons h nil))))))
(define-fun-rec low ((b Int) (l List)) Int (match l ((nil 0) ((cons h t) (+ h (* b (low b t)))))))
(define-fun-rec high ((b Int) (l List) (a Int)) Int (match l ((nil a) ((cons h t) (high b t (+ (* a b) h))))))
(prove (forall ((b Int) (l List)) (= (high b l 0) (low b (rev l)))))
"""
ONE_MORE_DIGIT = {
    "lemmas": ["(forall ((b Int) (x List)) (= (low b (app x (cons 0 nil))) (low b x)))"],
    "generalise": {
        "statement": "(forall ((b Int) (l List) (a Int)) (= (high b l a) (low b (app (rev l) (cons a nil)))))",
        "induction": {"on": ["l"]},
    },
}
TWO_DIGITS = {
    "lemmas": [
        "(forall ((x List) (y List) (z List)) (= (app (app x y) z) (app x (app y z))))",
        "(forall ((b Int) (x List) (h Int) (a Int)) (= (low b (app x (cons h (cons a nil)))) "
        "(low b (app x (cons (+ h (* b a)) nil)))))",
    ],
    "induction": {"on": ["l"]},
}


@pytest.mark.whole(
    "model_loop/test_replies_smt.py::test_a_report_has_the_open_case_what_was_tried_and_how_each_lemma_ended"
)
async def test_who_goes_on_with_a_lemma_is_told_what_its_own_rule_leaves_open(with_model: WithModel) -> None:
    replies = iter([ONE_MORE_DIGIT, TWO_DIGITS])
    with Server(lambda asked: fenced(next(replies, {}))) as server:
        result = await with_model(server, symbolic_queries=0, budgets={"wall_seconds": 100}).arun(
            HORNER, name="horner.smt2"
        )
        second = prompt_of(server.requests[1])
    assert result.verdict is Verdict.PROVED, result.reason
    assert result.metrics["models"]["calls"] == 2
    assert "The rule that came with it was tried as well: " in second
    assert "to show: (= (high b (cons l_head l1) a)" in second
