"""`ProofOfThought` as a user meets it: clients of all kinds, several threads, a judge, a kill in the middle."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from model_server import Answer, Server

from goedels_poetry import Settings, Verdict
from goedels_poetry.errors import InvalidInput
from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.models.client import Models
from goedels_poetry.reasoning import ProofOfThought, QueryResult
from goedels_poetry.reasoning.backends import UnusableClient
from goedels_poetry.reasoning.proof_of_thought import lettered

ROOT = Path(__file__).parents[2]
TEXT = "Every cat is soft. {} is a cat."
PROGRAM = """```smt2
(declare-sort T 0)
(declare-const {name} T)
(declare-fun cat (T) Bool)
(declare-fun soft (T) Bool)
(assert (! (forall ((x T)) (=> (cat x) (soft x))) :named p1 :sentence 1))
(assert (! (cat {name}) :named p2 :sentence 2))
(define-fun goal () Bool {goal})
```"""
pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


def program(name: str = "sam", goal: str = "") -> Answer:
    return Answer(PROGRAM.format(name=name, goal=goal or f"(soft {name})"))


def settings(server: Server, **more: Any) -> Settings:
    return Settings(models={"default": {"model": "scripted", "base_url": server.url, "retries": 0}, **more})


def test_without_a_model_one_clear_error_says_what_to_configure() -> None:
    with pytest.raises(InvalidInput, match=r"needs a language model.*--base-url.*ProofOfThought\(llm=\.\.\.\)"):
        ProofOfThought()


@pytest.mark.parametrize("llm", [42, object(), SimpleNamespace(chat=None)])
def test_what_cannot_be_asked_is_refused_at_once(llm: Any) -> None:
    with pytest.raises(UnusableClient, match="llm must be"):
        ProofOfThought(llm)


def test_a_client_of_openais_needs_the_models_name() -> None:
    with pytest.raises(UnusableClient, match="which model is meant"):
        ProofOfThought(openai.OpenAI(api_key="k", base_url="http://127.0.0.1:1/v1"))


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_a_client_of_openais_is_taken_for_its_address_key_and_headers(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server([Answer("Yes, he is.")]) as server:
        monkeypatch.setenv("GOEDELS_POETRY__MODELS__FORMALIZER__MODEL", "another")
        client = kind(api_key="secret-key", base_url=server.url, default_headers={"X-Team": "logic"})
        with ProofOfThought(client, "scripted", max_attempts=1) as pot:
            result = pot.query("Is Sam soft?", TEXT.format("Sam"))
        (headers,) = server.headers
    assert result.history[0]["reason"] == "the reply holds no program"
    assert (headers["authorization"], headers["x-team"]) == ("Bearer secret-key", "logic")
    assert server.requests[0]["model"] == "scripted"
    assert "secret-key" not in str(pot.setup)


def test_any_object_with_chat_completions_can_be_asked() -> None:
    def create(**asked: Any) -> Any:
        assert asked["model"] == "mine" and asked["messages"][-1]["role"] == "user"
        message = SimpleNamespace(content="Yes, he is.")
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")], usage=None)

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    with ProofOfThought(client, "mine", max_attempts=1) as pot:
        result = pot.query("Is Sam soft?", TEXT.format("Sam"))
    assert result.history[0]["reason"] == "the reply holds no program"


def test_unknown_overrides_and_useless_choices_are_errors() -> None:
    with Server([program()]) as server, ProofOfThought(settings=settings(server)) as pot:
        with pytest.raises(TypeError, match="knows no atempts"):
            pot.query("Is Sam soft?", atempts=2)
        with pytest.raises(InvalidInput, match="at least two choices"):
            pot.query("Who?", choices=["Sam"])
        assert server.calls == 0
    with pytest.raises(RuntimeError, match="closed"):
        pot.query("Is Sam soft?")
    assert lettered(["x", "y"]) == (("A", "x"), ("B", "y"))
    assert lettered({"a": "x", "b": "y"}) == (("a", "x"), ("b", "y"))


def test_threads_and_coroutines_ask_at_once_and_nobody_gets_anothers_answer() -> None:
    names = [f"n{number}" for number in range(8)]

    def model(asked: dict[str, Any]) -> Answer:
        text = str(asked["messages"][-1]["content"])
        name = next(name for name in names if f"{name} is a cat" in text)
        return program(name, f"(not (soft {name}))" if int(name[1:]) % 2 else "")

    with Server(model) as server, ProofOfThought(settings=settings(server), judged=False) as pot:

        def ask(name: str) -> QueryResult:
            return pot.query(f"Is it so with {name}?", TEXT.format(name))

        async def four() -> list[QueryResult]:
            return await asyncio.gather(*(pot.aquery(f"Is it so with {n}?", TEXT.format(n)) for n in names[4:]))

        with ThreadPoolExecutor(5) as threads:
            others = threads.submit(lambda: asyncio.run(four()))
            results = [*threads.map(ask, names[:4]), *others.result()]
    assert [result.answer for result in results] == [True, False] * 4
    for name, result in zip(names, results, strict=True):
        assert name in result.question and name in (result.program or "") and name in result.sentences[-1]["text"]
    assert len({result.run_id for result in results}) == 8


def test_an_override_of_temperature_is_sent() -> None:
    with Server([Answer("Yes.")]) as server, ProofOfThought(settings=settings(server), max_attempts=1) as pot:
        pot.query("Is Sam soft?", TEXT.format("Sam"), temperature=0.9)
        pot.query("Is Sam soft?", TEXT.format("Sam"), sample=1)
        assert [request["temperature"] for request in server.requests] == [0.9, 0.5]


# -- kill -9 -----------------------------------------------------------------------------------------------------


def test_after_kill_9_the_same_question_goes_on_and_no_attempt_is_asked_for_twice(tmp_path: Path) -> None:
    broken = Answer(PROGRAM.format(name="sam", goal="(soft nobody)"))
    script = (
        "import sys; from goedels_poetry import Settings; from goedels_poetry.reasoning import ProofOfThought\n"
        "told = {'default': {'model': 'scripted', 'base_url': sys.argv[1], 'retries': 0}}\n"
        f"ProofOfThought(settings=Settings(models=told), judged=False).query('Is Sam soft?', {TEXT.format('Sam')!r})\n"
    )
    replies = [broken, Answer("late", delay=60), program()]
    with Server(replies) as server:
        victim = subprocess.Popen([sys.executable, "-c", script, server.url], cwd=ROOT, start_new_session=True)
        try:
            while server.calls < 2:
                assert victim.poll() is None
                time.sleep(0.02)
        finally:
            os.killpg(victim.pid, signal.SIGKILL)
            victim.wait()
        with ProofOfThought(settings=settings(server), judged=False) as pot:
            result = pot.query("Is Sam soft?", TEXT.format("Sam"))
        assert server.calls == 3
        again = server.requests[2]["messages"]
    assert (result.answer, result.attempts) == (True, 2)
    assert [entry["outcome"] for entry in result.history] == ["unreadable", "answer"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]


async def test_models_can_be_given_and_a_framework_shows_the_run_like_any_other() -> None:
    with Server([program()]) as server:
        chosen = settings(server)
        async with ProofOfThought(Models(settings=chosen), settings=chosen, judged=False) as pot:
            result = await pot.aquery("Is Sam soft?", TEXT.format("Sam"))
    async with GoedelsPoetryFramework(Settings()) as framework:
        (summary,) = framework.runs()
        assert (summary.run_id, summary.language, summary.verdict) == (result.run_id, "logic", Verdict.PROVED)
        with framework.open_store(result.run_id) as store:
            agents = [event.agent for event in store.events()]
    assert agents[1:-1] == ["formalizer", "verifier", "decider", "judge", "decider"]
