"""Models that are asked, and services that fail."""

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asking import MakeModels, goal
from kept_languages import KeptSmt
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from model_server import FAULTS, Answer, Server, rate_limit, refusal, server_error
from pydantic import SecretStr
from scripted_code import Scripted, model_at, run
from scripted_models import DOUBLE, Script, every_role

from goedels_poetry import GoedelsPoetryFramework, RunResult, Settings, Verdict
from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.models.accounting import Ledger
from goedels_poetry.models.client import Models
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.settings.declared import Budgets

SCHEMA = {
    "type": "object",
    "properties": {"move": {"enum": ["keep", "refine"]}},
    "required": ["move"],
    "additionalProperties": False,
}


async def test_a_reply_with_its_usage(models: MakeModels) -> None:
    with Server([Answer("by reflexivity", cached_tokens=2)]) as server:
        (reply,) = await models(server).ask(goal(temperature=0.3, max_tokens=99))
    assert (reply.text, reply.error, reply.finish, reply.calls, reply.cached) == (
        "by reflexivity",
        "",
        "stop",
        1,
        False,
    )
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (8, 2, 2)
    (asked,) = server.requests
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Prove 1 = 1 with \\frac{a}{b}."},
    ]
    assert (asked["model"], asked["temperature"], asked["max_completion_tokens"]) == ("scripted", 0.3, 99)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_prompt_is_sent_on_to_another_address(models: MakeModels, status: int) -> None:
    with Server([Answer("never asked")]) as other:
        there = (("location", f"{other.url}/chat/completions"),)
        with Server([Answer(status=status, headers=there, body="moved")]) as server:
            (reply,) = await models(server).ask(goal())
        assert other.calls == 0
        assert f"HTTP {status}" in reply.error and f"{other.url}/chat/completions" in reply.error


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("schema", [None, SCHEMA])
async def test_every_fault_is_one_reply_with_a_reason(
    models: MakeModels, fault: str, schema: dict[str, Any] | None
) -> None:
    with Server([FAULTS[fault], Answer('{"move": "keep"}')]) as server:
        asking = models(server, timeout_seconds=0.5 if fault == "30 s delay" else 20)
        (reply,) = await asking.ask(goal(schema=schema))
        assert reply.error and "\n" not in reply.error and len(reply.error) < 500
        assert reply.calls == server.calls == 1
        (after,) = await asking.ask(goal(schema=schema))  # a fault is not kept
    assert after.text == '{"move": "keep"}' and not after.error


async def test_a_passing_fault_is_retried_after_the_time_that_the_server_says(models: MakeModels) -> None:
    with Server([rate_limit(0.2), server_error(), Answer("late but right")]) as server:
        ledger = Ledger()
        (reply,) = await models(server, retries=2).ask(goal(), ledger)
    assert (reply.text, reply.error, reply.calls) == ("late but right", "", 3)
    assert reply.seconds >= 0.2
    assert ledger.spent["model_calls"] == 3


async def test_json_by_schema_where_the_server_has_it(models: MakeModels) -> None:
    with Server([Answer('{"move": "refine"}')]) as server:
        (reply,) = await models(server).ask(goal(schema=SCHEMA))
    assert reply.parsed == {"move": "refine"}
    assert server.requests[0]["response_format"]["json_schema"] == {"name": "reply", "schema": SCHEMA, "strict": True}


async def test_json_out_of_prose_where_the_server_does_not_have_it(models: MakeModels) -> None:
    text = 'I think <i>so</i>:\n```json\n{"move": "keep"}\n```\nThat is all.'
    script = [refusal("response_format"), Answer(text), Answer(text)]
    with Server(script) as server:
        asking = models(server)
        (reply,) = await asking.ask(goal(schema=SCHEMA))
        await asking.ask(goal("2 = 2", schema=SCHEMA))
    assert reply.parsed == {"move": "keep"}
    assert ["response_format" in asked for asked in server.requests] == [True, False, False]  # it is remembered


@pytest.mark.parametrize("parameter", ["temperature", "reasoning_effort"])
async def test_a_parameter_that_the_model_does_not_know_is_left_out(models: MakeModels, parameter: str) -> None:
    with Server([refusal(parameter), Answer("fine")]) as server:
        (reply,) = await models(server, reasoning_effort="high").ask(goal(temperature=0.5))
    assert reply.text == "fine"
    assert [parameter in asked for asked in server.requests] == [True, False]


async def test_the_key_goes_to_the_server_and_nowhere_else(models: MakeModels, monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-outside")
    with Server([Answer("ok")]) as server:
        asking = models(server, extra_headers={"x-title": "proofs"}, extra_body={"top_k": 5})
        await asking.ask(goal())
    assert server.headers[0]["authorization"] == "Bearer sk-from-outside"
    assert server.headers[0]["x-title"] == "proofs"
    assert server.requests[0]["top_k"] == 5
    assert "sk-from-outside" not in str(asking.fingerprint)


async def test_a_prompt_that_cannot_fit_is_not_sent(models: MakeModels) -> None:
    with Server([Answer("ok")]) as server:
        (reply,) = await models(server, context=100).ask(goal("x" * 1000))
    assert "does not fit" in reply.error and server.calls == 0


async def test_budgets_stop_before_a_request_too_many(models: MakeModels) -> None:
    with Server([Answer("four words in it")]) as server:
        asking = models(server)
        ledger = Ledger(Budgets(model_calls=3))
        replies = await asking.ask(goal(samples=5), ledger)
        assert sorted(bool(reply.error) for reply in replies) == [False] * 3
        with pytest.raises(BudgetExceeded, match="3 model calls"):
            await asking.ask(goal("2 = 2"), ledger)
        few = Ledger(Budgets(model_tokens=10))
        await asking.ask(goal("3 = 3"), few)
        with pytest.raises(BudgetExceeded, match="10 model tokens"):
            await asking.ask(goal("4 = 4"), few)
    assert server.calls == 4


async def test_any_chat_model_given_from_python(prompts: Any) -> None:
    chat = FakeListChatModel(responses=["given", "from python"])
    settings = Settings(prompts_dir=prompts)
    asking = Models({"prover": chat}, settings=settings)
    first, second = await asking.ask(goal(samples=2))
    assert {first.text, second.text} == {"given", "from python"}
    assert asking.roles == ("prover",)
    (nobody,) = await asking.ask(goal(role="judge"))
    assert "no model is configured for the role judge" in nobody.error
    await asking.aclose()


async def _given(server: Server, prompts: Any, **chosen: Any) -> Any:
    chat = ChatOpenAI(model="own", base_url=server.url, api_key=SecretStr("none"), max_retries=0, **chosen)
    asking = Models({"default": chat}, settings=Settings(prompts_dir=prompts))
    (reply,) = await asking.ask(goal())
    await asking.aclose()
    return reply


async def test_a_stream_that_breaks_off_is_no_reply(prompts: Any) -> None:
    with Server([Answer("four words in it", cut_after=0.5)]) as server:
        reply = await _given(server, prompts, streaming=True)
    assert server.requests[0]["stream"]
    assert reply.error == "the stream broke off before the reply was complete"


AWAY: dict[str, Answer | None] = {
    "nothing listens": None,
    "HTTP 500 all through": server_error(),
    "HTTP 503": Answer(status=503, body="{}"),
    "the key is not accepted": Answer(status=401, body='{"error": {"message": "bad key"}}'),
    "every connection is reset": Answer(cut_after=0),
    "no reply in time": Answer("late", delay=5),
}


@pytest.fixture(scope="module")
def language() -> Iterator[KeptSmt]:
    kept = KeptSmt()
    yield kept
    asyncio.run(kept.finish())


@dataclass
class Place:
    """One data directory, and one address at which a server may be."""

    home: Path
    port: int
    language: KeptSmt
    calls: int = 0
    """Requests that the last call has sent to the server."""

    @property
    def settings(self) -> Settings:
        model = model_at(f"http://127.0.0.1:{self.port}/v1") | {"timeout_seconds": 1.0}
        budgets = {"wall_seconds": 60}
        return Settings(home=self.home, models={"default": model}, symbolic_queries=0, budgets=budgets)

    async def prove(self, script: Script | None, theorem: str = DOUBLE, *, again: str = "") -> RunResult:
        """With the server answering by ``script``, or away. ``again``: a run to resume."""
        server = Server(script, self.port) if script is not None else None
        with server or nullcontext():
            async with GoedelsPoetryFramework(self.settings, language=self.language) as framework:
                result = await (framework.aresume(again) if again else framework.arun(theorem, name="t.smt2"))
        self.calls = server.calls if server is not None else 0
        return result

    def listed(self, run_id: str) -> tuple[str, Verdict | None]:
        """Status and verdict in the list of runs."""
        with GoedelsPoetryFramework(self.settings) as framework:
            return next((run.status, run.verdict) for run in framework.runs() if run.run_id == run_id)


@pytest.fixture
def place(tmp_path: Path, language: KeptSmt) -> Place:
    with Server([]) as server:
        return Place(tmp_path / "home", server.port, language)


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", AWAY)
async def test_what_was_not_decided_while_the_server_was_away_is_asked_again(place: Place, how: str) -> None:
    answer = AWAY[how]
    without = await place.prove(None if answer is None else [answer])
    assert without.verdict is Verdict.UNKNOWN
    assert without.away and without.exit_code == 69 and "the same command goes on" in without.reason
    assert without.to_json()["verdict"] is None and RunResult.from_json(without.to_json()) == without
    assert place.listed(without.run_id) == ("stopped", None)
    answered = await place.prove(every_role)
    assert (answered.verdict, place.calls > 0) == (Verdict.PROVED, True)
    kept = await place.prove(every_role)
    assert (kept.verdict, kept.run_id, place.calls) == (Verdict.PROVED, answered.run_id, 0)


async def test_a_run_that_could_not_ask_is_resumed_by_asking(place: Place) -> None:
    without = await place.prove(None)
    answered = await place.prove(every_role, again=without.run_id)
    assert (answered.verdict, place.calls > 0) == (Verdict.PROVED, True)


async def test_a_function_that_could_not_be_written_is_asked_for_again(tmp_path: Path) -> None:
    task = CodeTask("The double of x.", "def double(x: int) -> int", examples=(("double(2)", "4"),), model_first=True)
    with Server([]) as server:
        url, port = server.url, server.port
    settings = Settings(home=tmp_path, models={"default": model_at(url)})
    done = await run(task, settings)
    assert done.result.verdict in (Verdict.UNKNOWN, Verdict.TESTED), "small functions are enumerated"
    script = Scripted("def double(x: int) -> int:\n    return 2 * x")
    with Server(script, port):
        again = await run(task, settings)
    assert (again.result.verdict, len(script.asked)) == (Verdict.TESTED, 1)


async def test_a_server_that_has_come_back_leaves_a_verdict_which_is_not_kept(place: Place) -> None:
    replies = iter([server_error()] * 3)  # the retries, too
    none = Answer("I do not know.")
    found = await place.prove(lambda asked: next(replies, none))
    assert (found.verdict, found.away, found.exit_code) == (Verdict.UNKNOWN, "", 1)
    assert "the same command asks it again" in found.reason and "could not be asked for a while" in found.reason
    assert place.listed(found.run_id) == ("stopped", None)
