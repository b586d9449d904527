"""The names of ProofOfThought, extracted programs, and the benchmark of questions."""

import asyncio
import contextlib
import json
import os
import re
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
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply
from goedels_poetry.reasoning import ProofOfThought, QueryResult
from goedels_poetry.reasoning.backends import UnusableClient
from goedels_poetry.reasoning.proof_of_thought import lettered
from goedels_poetry.search.questions.writer import program_in

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


DECLARED = "(declare-sort T 0)\n(declare-const sam T)\n(declare-fun soft (T) Bool)"
ASKED = "(assert (! (soft sam) :named p1 :sentence 1))\n(define-fun goal () Bool (soft sam))"
WHOLE = f"{DECLARED}\n{ASKED}"
JSON = '{"constants": {"f": {"sort": "Bool", "members": ["p"]}}, "knowledge_base": ["p"], "goal": "p"}'


def fenced(text: str, tag: str = "smt2") -> str:
    return f"```{tag}\n{text}\n```"


def test_the_last_whole_program_counts_not_a_draft_nor_a_piece_after_it() -> None:
    draft = WHOLE.replace("(soft sam))\n", "(not (soft sam)))\n")
    piece = "(assert\n  (! (soft sam) :named p1 :sentence 1))"
    reply = "\n".join([fenced(draft), "Better:", fenced(WHOLE), "Its main part:", fenced(piece)])
    assert program_in(Reply(reply), "smt2") == WHOLE


def test_a_premise_behind_the_program_is_not_lost_without_a_word() -> None:
    reply = f"{fenced(WHOLE)}\nAnd one more premise:\n{fenced('(assert (! (soft sam) :named p9 :sentence 2))')}"
    with pytest.raises(UnusableReply, match="put the whole program into one block"):
        program_in(Reply(reply), "smt2")


def test_pieces_that_are_a_program_only_together_are_put_together() -> None:
    reply = f"First the sorts:\n{fenced(DECLARED)}\nThen the rest:\n{fenced(ASKED)}"
    assert program_in(Reply(reply), "smt2") == WHOLE


@pytest.mark.parametrize("reply", ["", "I cannot answer this.", "```smt2\n```", "<think>(assert true)"])
@pytest.mark.parametrize("backend", ["smt2", "json"])
def test_a_reply_without_a_program_says_so(reply: str, backend: str) -> None:
    with pytest.raises(UnusableReply, match="holds no"):
        program_in(Reply(reply), backend)


def test_a_reply_cut_off_in_the_middle_is_no_program() -> None:
    with pytest.raises(UnusableReply, match="cut off"):
        program_in(Reply(f"```smt2\n{DECLARED}\n(assert (so"), "smt2")
    with pytest.raises(UnusableReply, match="cut off"):
        program_in(Reply(WHOLE, finish="length"), "smt2")
    assert program_in(Reply(f"{fenced(WHOLE)}\nAnd in wor", finish="length"), "smt2") == WHOLE


@pytest.mark.parametrize("reply", [fenced(JSON, "json"), fenced(JSON, ""), f"So: {JSON} That is all."])
def test_json_is_found_in_a_fence_or_bare(reply: str) -> None:
    assert program_in(Reply(reply), "json") == JSON


def test_of_two_json_objects_the_last_one_that_is_a_program_counts() -> None:
    example = '{"name": "p1", "assertion": "p"}'
    reply = "\n".join([fenced(JSON, "json"), "where a premise is", fenced(example, "json")])
    assert program_in(Reply(reply), "json") == JSON


@pytest.mark.timeout(20)
@pytest.mark.parametrize("reply", ["(" * 100_000, '"' * 100_001, "```smt2\n(\n```\n" * 20_000, "{" * 100_000])
def test_a_huge_reply_is_read_in_the_time_of_a_small_one(reply: str) -> None:
    for backend in ("smt2", "json"):
        with contextlib.suppress(UnusableReply):
            assert len(program_in(Reply(reply), backend)) <= len(reply)


@pytest.mark.parametrize(
    "reply",
    [
        fenced(JSON, "json"),
        f"Here it is: {JSON} Does {{this}} help?",
        fenced(JSON.replace('"p"], "goal"', '"p",], "goal"'), "json"),
        fenced(JSON.replace('"goal"', '/* asked */ "goal"'), "jsonc"),
        fenced(f"// the program\n{JSON}", "json"),
        fenced(JSON.replace('"', "'"), "json5"),
        fenced(f"program = {JSON}", "python"),
        fenced(f'{{"program": {JSON}}}', "json"),
        f"{fenced(JSON, 'json')}\nOf it:\n{fenced('{}', 'json')}",
    ],
)
def test_a_program_in_json_is_read_past_what_programmers_add_to_it(reply: str) -> None:
    assert json.loads(program_in(Reply(reply), "json")) == json.loads(JSON)


SCRIPTS = Path(__file__).parents[2] / "scripts"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=100, cwd=SCRIPTS, env=environment
    )


def test_our_verdicts_are_those_of_solver_processes_that_share_nothing_with_us() -> None:
    done = run("bench_questions.py", "--programs", "16", "--rounds", "1", "--bar", "0", "--threads", "4", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert len(found["programs_per_second"]) == 4


def test_threads_whose_solvers_are_killed_get_no_wrong_answer_and_leave_nothing_behind() -> None:
    done = run("soak_questions.py", "--threads", "4", "--seconds", "1", "--kill")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong: 0; raised: 0; grown: False; processes left: 0" in done.stdout
    (killed,) = re.findall(r"killed: (\d+)", done.stdout)
    assert int(killed) >= 3
