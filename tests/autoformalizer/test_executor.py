"""The executor over real solvers and a real server: statements, proofs, round trips, budgets, batches, policies."""

import json
from pathlib import Path
from typing import Any

import pytest
from kept_languages import KeptSmt
from scripted_claims import (
    CLAIM,
    NAT,
    PLUS,
    WORDS,
    ZERO,
    Answer,
    Script,
    Server,
    block,
    executor,
    in_words,
    same,
    settings,
)

from goedels_poetry.autoformalizer import (
    BeamSearchExecutor,
    autoformalize_all,
    load_items,
    summarize,
)
from goedels_poetry.models.client import Models

FALSE = f"{NAT}{PLUS}(prove (forall ((x Nat)) (= (plus x x) x)))"


def formal(text: str) -> Answer:
    return block(text, "smt2")


ITEM = {"id": "zero", "english": {"statement": CLAIM, "steps": ["induction on the number"]}}


async def test_a_statement_comes_with_what_was_tested_and_the_proof_goes_on_from_it(
    smt: KeptSmt, tmp_path: Path
) -> None:
    script = Script([formal(ZERO)])
    with Server(script) as server:
        async with executor(server, smt, tmp_path) as stating:
            stated = await stating.aautoformalize(ITEM)
        assert (stated.success, stated.final_code, stated.attempts, stated.verdict) == (True, ZERO, 1, "unknown")
        assert (stated.judged, stated.round_trip, stated.confirmed) == (True, WORDS, None)
        assert [(test["test"], test["outcome"]) for test in stated.tests] == [
            ("says something", "passed"),
            ("counterexample", "passed"),
        ]
        assert "induction on the number" in script.asked["formalizer"][0]
        assert json.loads(json.dumps(stated.to_json()))["id"] == "zero"
        assert server.calls == 4
        async with executor(server, smt, tmp_path, prove=True) as proving:
            proved = await proving.aautoformalize(ITEM)
        assert (proved.run_id, proved.success, proved.verdict) == (stated.run_id, True, "proved")
        assert proved.certificate is not None
        assert server.calls == 4, "what is stated is not asked for again"


@pytest.mark.parametrize(
    ("words", "compared", "said"),
    [
        (
            in_words("every number is its double"),
            same(False, "doubling is no claim of it"),
            "doubling is no claim of it",
        ),
        (Answer("It says something nice."), same(True), "round trip failed"),
        (in_words(WORDS), Answer("ACCEPT"), "round trip failed"),
    ],
    ids=["says something else", "no words", "no verdict"],
)
async def test_a_text_that_does_not_come_back_is_stated_anew(
    smt: KeptSmt, tmp_path: Path, words: Answer, compared: Answer, said: str
) -> None:
    script = Script([formal(FALSE), formal(ZERO)], words=[words, in_words(WORDS)], round_trip=[compared, same(True)])
    # Where there are no words nothing is compared, and the next comparison is the first one.
    script = (
        script if words.text.startswith("{") else Script([formal(FALSE), formal(ZERO)], words=[words, in_words(WORDS)])
    )
    with Server(script) as server:
        async with executor(server, smt, tmp_path) as stating:
            result = await stating.aautoformalize(ITEM)
    assert (result.success, result.final_code, result.attempts) == (True, ZERO, 2)
    assert [error.category for error in result.errors_encountered] == ["round_trip"]
    assert said in script.asked["formalizer"][1]


async def test_without_a_statement_there_is_no_success_and_every_error_has_its_category(
    smt: KeptSmt, tmp_path: Path
) -> None:
    script = Script([Answer(""), formal("(prove (= 1 true))"), Answer("prose"), formal(ZERO)], judge=[same(False)])
    with Server(script) as server:
        schedule = {"beam": (1,), "max_attempts": 4}
        async with executor(server, smt, tmp_path, schedule=schedule) as stating:
            result = await stating.aautoformalize(ITEM)
    assert (result.success, result.final_code, result.attempts, result.exit_code) == (False, None, 4, 1)
    categories = [error.category for error in result.errors_encountered]
    assert categories == ["no_reply", "unreadable", "unreadable", "unfaithful"]
    assert result.errors_encountered[1].line_number == 1
    assert [entry["kind"] for entry in result.generation_log].count("formalization") == 4


@pytest.mark.parametrize("goal", ["true", "(= x x)", "(=> (= x zero) (and true (= x x)))", "(or (= x zero) true)"])
async def test_a_statement_that_says_nothing_is_no_success(smt: KeptSmt, tmp_path: Path, goal: str) -> None:
    with Server(Script([formal(f"{NAT}; {CLAIM}\n(prove (forall ((x Nat)) {goal}))")])) as server:
        async with executor(server, smt, tmp_path) as stating:
            result = await stating.aautoformalize(ITEM)
        assert (result.success, result.final_code, server.calls) == (False, None, 2), "no judge is asked about it"
    assert "it says nothing" in result.reason
    assert [error.category for error in result.errors_encountered] == ["tests", "tests"]


async def test_a_false_statement_is_no_success_and_shows_its_counterexample(smt: KeptSmt, tmp_path: Path) -> None:
    with Server(Script([formal(FALSE)])) as server:
        async with executor(server, smt, tmp_path) as stating:
            result = await stating.aautoformalize(ITEM)
    assert (result.success, result.verdict, result.exit_code) == (False, "refuted", 3)
    assert result.tests[-1]["outcome"] == "failed"
    assert "x = " in result.tests[-1]["words"]


async def test_a_budget_that_ends_in_between_can_be_raised(smt: KeptSmt, tmp_path: Path) -> None:
    with Server(Script([formal(ZERO)])) as server:
        async with executor(server, smt, tmp_path, budgets={"model_calls": 3}) as poor:
            stopped = await poor.aautoformalize(ITEM)
        assert (stopped.success, stopped.verdict, stopped.exit_code) == (False, "out_of_budget", 5)
        async with executor(server, smt, tmp_path) as rich:
            went_on = await rich.aautoformalize(ITEM)
        assert (went_on.success, went_on.run_id) == (True, stopped.run_id)
        assert server.calls <= 5, "only the question that the budget broke off"


async def test_a_data_set_is_worked_on_several_at_a_time_and_goes_on_where_it_was_stopped(
    smt: KeptSmt, tmp_path: Path
) -> None:
    file = tmp_path / "items.jsonl"
    rows = [{"id": f"i{n}", "statement": f"claim {n}: {CLAIM}"} for n in range(4)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    items = load_items(file)

    def model(asked: dict[str, Any]) -> Answer:
        text = str(asked["messages"][-1]["content"])
        return Answer("prose") if "claim 2" in text and "State the claim" in text else Script([formal(ZERO)])(asked)

    with Server(model) as server:
        seen: list[str] = []
        async with executor(server, smt, tmp_path) as stating:

            def stop_after_one(result: Any) -> None:
                seen.append(result.item_id)
                stating.interrupt()

            part = await autoformalize_all(stating, items, on_result=stop_after_one)
        assert [result.success for result in part] == [True, False, False, False]
        assert {result.verdict for result in part[1:]} == {"out_of_budget"}
        async with executor(server, smt, tmp_path) as stating:
            whole = await autoformalize_all(stating, items, concurrency=3)
            calls = server.calls
            again = await autoformalize_all(stating, items, concurrency=3)
        assert server.calls == calls, "what is done is not asked for again"
    assert [(r.item_id, r.success) for r in whole] == [("i0", True), ("i1", True), ("i2", False), ("i3", True)]
    assert [r.success for r in again] == [r.success for r in whole]
    total = summarize(whole)
    assert (total.items, total.successes, total.rate, total.attempts) == (4, 3, 0.75, 5)
    assert total.errors == {"unreadable": 2}
    assert (total.calls, total.cache_hits) == (12, 2), "the same text is put into words once"
    assert (total.tokens > 100, total.money) == (True, 0.0)
    assert total.to_json()["rate"] == 0.75


async def test_a_beam_gives_distinct_texts_and_the_error_stands_in_the_prompt(smt: KeptSmt, tmp_path: Path) -> None:
    script = Script([formal(ZERO), formal(ZERO), Answer("```smt2\n(half"), formal(FALSE)])
    with Server(script) as server:
        models = Models(settings=settings(server, tmp_path))
        beam = BeamSearchExecutor(models, language=smt)
        found = await beam.agenerate_candidates(ITEM, "zero has no sort", beam_size=4, temperature=0.7)
        await models.aclose()
    assert sorted(candidate.code for candidate in found) == sorted([ZERO, FALSE])
    assert "zero has no sort" in script.asked["formalizer"][0]
    assert all(asked["temperature"] == 0.7 for asked in server.requests)
