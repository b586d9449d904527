"""One question, one or several answers, over real HTTP."""

from typing import Any

import pytest
from asking import MakeModels, goal
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI
from model_server import FAULTS, Answer, Server, rate_limit, refusal, server_error
from pydantic import SecretStr

from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.models.accounting import Ledger
from goedels_poetry.models.client import Models
from goedels_poetry.settings.declared import Budgets, Settings

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
