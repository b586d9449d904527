"""Replies that are kept, and runs with them."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import MakeModels, goal
from kept_languages import KeptSmt
from model_server import EMPTY, Answer, Server, server_error

from goedels_poetry import Budgets, GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.cli.doctor import look
from goedels_poetry.cli.report import model_costs
from goedels_poetry.models.accounting import Ledger, PriceError, Prices
from goedels_poetry.models.cache import ExecutorCache
from goedels_poetry.models.record import RecordingError
from goedels_poetry.models.requests import Usage
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings


def counting() -> Server:
    """Answers 1, 2, 3, ..."""
    server = Server([])
    server.script = lambda _: Answer(f"answer {server.calls}")
    return server


# -- caches ------------------------------------------------------------------------------------------------------
async def test_the_second_identical_run_makes_no_calls(models: MakeModels) -> None:
    with counting() as server:
        requests = [goal(f"{n} = {n}", samples=2, attempt=n % 3, temperature=0.5) for n in range(10)]
        first = [await models(server).ask(request) for request in requests]
        ledger = Ledger()
        second = models(server)  # another process would find the same file
        again = [await second.ask(request, ledger) for request in requests]
    assert [[r.text for r in replies] for replies in again] == [[r.text for r in replies] for replies in first]
    assert server.calls == 20
    assert all(reply.cached for replies in again for reply in replies)
    assert "model_calls" not in ledger.spent and "money" not in ledger.spent
    assert second.cache.info()["generation_hit_rate"] == 1.0


@pytest.mark.parametrize(
    "other",
    [
        {"statement": "2 = 2"},
        {"attempt": 1},
        {"seed": 1},
        {"temperature": 0.9},
        {"max_tokens": 7},
        {"schema": {"type": "object"}},
        {"messages": (("assistant", "no"),)},
        {"role_model": "another"},
        {"extra_body": {"top_k": 1}},
        {"reasoning_effort": "low"},
        {"prompt": True},
    ],
    ids=lambda other: next(iter(other)),
)
async def test_another_question_is_never_answered_from_the_cache(
    models: MakeModels, prompts: Path, other: dict[str, Any]
) -> None:
    own = {name: other.pop(name) for name in ("extra_body", "reasoning_effort") if name in other}
    if "role_model" in other:
        own["model"] = other.pop("role_model")
    with counting() as server:
        await models(server).ask(goal(temperature=0.5))
        if other.pop("prompt", False):
            (prompts / "test-goal.md").write_text("Be brief.\n<!-- user -->\nProve {{ statement }} with \\frac{a}{b}.")
        await models(server, **own).ask(goal(**{"temperature": 0.5, **other}))
    assert server.calls == 2


async def test_faults_are_not_kept_but_unusable_text_is(models: MakeModels) -> None:
    with Server([server_error(), EMPTY, Answer("prose")]) as server:
        asking = models(server)
        errors = [(await asking.ask(goal(schema={"type": "object"})))[0].error for _ in range(4)]
    assert server.calls == 3
    assert errors[2:] == ["the reply holds no complete JSON object"] * 2


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_broken_file_is_a_miss(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "cache.db"
    file.write_bytes(content)
    kept = ExecutorCache(file)
    assert kept.get("generation", "question") is None
    kept.put("generation", "question", "answer")
    assert kept.get("generation", "question") == "answer"
    kept.close()


def test_a_place_where_nothing_can_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    kept = ExecutorCache(tmp_path / "file" / "cache.db")
    kept.put("generation", "q", "a")
    assert kept.get("generation", "q") == "a"
    assert kept.problem


# -- record and replay -------------------------------------------------------------------------------------------
async def test_a_recording_answers_without_any_network(models: MakeModels, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    requests = [goal("1"), goal("2", samples=3), goal("2", samples=3), goal("3", role="decider")]
    with Server([Answer("one"), server_error(), Answer("two"), Answer('{"three": 3}')]) as server:
        asking = models(server, record=file, cache=False, api_key="sk-secret")
        recorded = [await asking.ask(request) for request in requests]
        await asking.aclose()
    replaying = models(replay=file)
    ledger = Ledger()
    again = [await replaying.ask(request, ledger) for request in requests]
    strip = [[replace(reply, seconds=0) for reply in replies] for replies in recorded]
    assert [[replace(reply, seconds=0) for reply in replies] for replies in again] == strip
    assert ledger.spent["model_calls"] == server.calls  # accounted as it was then
    assert "sk-secret" not in file.read_text()


async def test_a_request_that_is_not_in_the_recording(models: MakeModels, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with Server([Answer("one")]) as server:
        await models(server, record=file).ask(goal("1"))
    (reply,) = await models(replay=file).ask(goal("2", node="0.0_0001"))
    assert reply.error == (
        "not in the recording run.jsonl: role prover, prompt test-goal, goal 0.0_0001, attempt 0, sample 0"
    )


async def test_a_recording_goes_on_after_a_crash(models: MakeModels, tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with counting() as server:
        await models(server, record=file).ask(goal("1"))
        with file.open("a") as broken:
            broken.write('{"about": {"role"')
        await models(server, record=file).ask(goal("2"))
        replaying = models(replay=file)
        texts = [(await replaying.ask(goal(statement)))[0].text for statement in "12"]
    assert texts == ["answer 1", "answer 2"]


@pytest.mark.parametrize(
    "content", ["", "hello", '{"a": 1}\n{"b": 2}\n', "[1]\n", '{"format": "other", "version": 1}\n']
)
def test_a_file_that_is_no_recording(models: MakeModels, tmp_path: Path, content: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(content)
    with pytest.raises(RecordingError):
        models(replay=file)
    if content:
        with Server([Answer("x")]) as server, pytest.raises(RecordingError):
            models(server, record=file)
        assert file.read_text() == content


# -- accounts ----------------------------------------------------------------------------------------------------
async def test_tokens_and_money_by_role(models: MakeModels, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "prices.toml").write_text(
        '[models."scripted"]\ninput = 1000000\ncached_input = 500000\noutput = 2000000\n'
    )
    with Server([Answer("three words long", cached_tokens=4)]) as server:
        ledger, cost = Ledger(), dict[str, float]()
        asking = models(server)
        await asking.ask(goal(), ledger, cost)
        await asking.ask(goal(role="judge"), ledger)
    usage = Usage(8, 3, 4)
    money = 4 * 1 + 4 * 0.5 + 3 * 2
    assert cost["money"] == cost["money:prover"] == money
    assert ledger.spent["money"] == money + ledger.spent.get("money:judge", 0)
    assert ledger.spent["model_tokens:prover"] == usage.input_tokens + usage.output_tokens
    assert cost["model_tokens_cached"] == 4
    assert not asking.unpriced()


async def test_a_price_that_is_unknown_is_no_price(models: MakeModels) -> None:
    with Server([Answer("three words long")]) as server:
        ledger = Ledger()
        await models(server).ask(goal(), ledger)
    assert (ledger.spent["model_unpriced"], ledger.spent.get("money", 0)) == (1, 0)
    shown = model_costs(1, 11, 0, 2.0, ledger.spent["model_unpriced"]), model_costs(1, 11, 0, 2.0)
    assert shown == ("1 model calls, 11 tokens, price unknown, 2.0 s", "1 model calls, 11 tokens, $0.0000, 2.0 s")


@pytest.mark.parametrize("text", ["[models", '[models."m"]\ninput = "much"', '[models."m"]\nprice = 1', "models = 3"])
def test_a_price_table_that_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(PriceError, match=r"prices\.toml"):
        Prices.load(file)


ROOT = Path(__file__).parents[2]
EASY = "(declare-const p Bool) (prove (or p (not p)))"


def settings(server: Server | None, home: Path, calls: int | None = None, **files: Any) -> Settings:
    # The symbolic search is cut short: these tests are about what happens around the model.
    own = {"model": "m", "base_url": server.url, "retries": 0, "timeout_seconds": 1} if server else {}
    return Settings(
        home=home,
        symbolic_queries=0,
        use_memory=False,
        budgets=Budgets(model_calls=calls, wall_seconds=30),
        models=ModelsSettings(default=ModelSettings(**own), **files),
    )


Prove = Callable[[str, Settings], Awaitable[RunResult]]


@pytest.fixture(scope="module")
def language() -> Iterator[KeptSmt]:
    kept = KeptSmt()
    yield kept
    asyncio.run(kept.finish())


@pytest.fixture
def prove(language: KeptSmt) -> Prove:
    async def run(theorem: str, chosen: Settings) -> RunResult:
        async with GoedelsPoetryFramework(chosen, language=language) as framework:
            return await framework.arun(theorem, name="theorem.smt2")

    return run


async def test_a_model_is_not_asked_for_what_the_symbolic_agents_prove(prove: Prove, tmp_path: Path) -> None:
    with Server([Answer("ACCEPT")]) as server:
        result = await prove(EASY, settings(server, tmp_path))
    assert result.verdict is Verdict.PROVED and server.calls == 0


async def test_a_model_that_has_the_first_turn_leaves_the_symbolic_agents_theirs(prove: Prove, tmp_path: Path) -> None:
    with Server([Answer("ACCEPT")]) as server:
        chosen = settings(server, tmp_path).model_copy(update={"model_first": True})
        result = await prove(EASY, chosen)
    assert result.verdict is Verdict.PROVED and server.calls == 2, "its reply, and the same sent back"


def command(home: Path, *arguments: object) -> dict[str, Any]:
    environment = dict(os.environ) | {"GOEDELS_POETRY__HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment |= {"GOEDELS_POETRY__SYMBOLIC_QUERIES": "0"}
    return {"args": [sys.executable, "-m", "goedels_poetry", *map(str, arguments)], "env": environment}


@pytest.mark.parametrize(("call", "calls"), [(False, 0), (True, 1)])
async def test_the_examination_spends_at_most_one_tiny_call(tmp_path: Path, call: bool, calls: int) -> None:
    with Server([Answer("yes")]) as server:
        found = {seen.what: seen for seen in await look(settings(server, tmp_path), call=call)}
        assert server.calls == calls
    assert found["model of prover"].words.startswith(f"m at {server.url}")
    assert found[f"server {server.url}"].words == "can be reached"
    assert not call or found["call of m"].words == "answers 'yes'"
    gone = {seen.what: seen for seen in await look(settings(server, tmp_path), call=call)}
    assert not gone[f"server {server.url}"].ok
