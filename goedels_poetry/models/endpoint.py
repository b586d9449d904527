"""One model on one server: how it is asked. Chat completions through ``langchain-openai``, or any chat model."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from goedels_poetry.settings.declared import ModelSettings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

OPENAI = "https://api.openai.com/v1"
NO_KEY = (
    "there is no API key: set OPENAI_API_KEY in the environment, or api_key under [models.default] in the "
    "configuration file; for a server of your own, set base_url there"
)
"""Why the server of OpenAI is not asked."""
_DROPPABLE = ("temperature", "reasoning_effort", "response_format", "max_completion_tokens")
"""Parameters that a server may not know; the first refusal is remembered."""
_ALSO_CALLED = {"response_format": ("json_schema", "structured output", "guided"), "reasoning_effort": ("reasoning",)}


@dataclass
class Pace:
    """At most so many requests a second. One event loop uses it."""

    per_second: float | None
    _next: float = 0.0

    async def wait(self) -> None:
        """Until it is this request's turn."""
        if self.per_second is None:
            return
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + 1 / self.per_second
        await asyncio.sleep(turn - now)


@dataclass
class Endpoint:
    """A role's model as it is really asked."""

    settings: ModelSettings
    chat: BaseChatModel
    name: str
    server: str
    """Base URL; "" for a chat model given from Python."""
    facts: dict[str, Any]
    """Everything about the model that its answers depend on; JSON."""
    pace: Pace
    refused: set[str] = field(default_factory=set)
    """Parameters that the server did not take."""
    answered: bool = False
    """Whether any request has brought a message."""
    fault: str = ""
    """Why the last request that failed did."""
    outage: str = ""
    """Why the server could not be asked the last time, retries included; "" since it has answered."""
    lacks: str = ""
    """What is missing, so that nothing need be sent; "" when it can be asked."""

    @property
    def speaks_openai(self) -> bool:
        """Whether the parameters of chat completions can be sent."""
        return bool(self.server)

    async def send(
        self,
        messages: Sequence[tuple[str, str]],
        temperature: float | None,
        max_tokens: int | None,
        schema: dict[str, Any] | None,
    ) -> BaseMessage:
        """One request, one message. Raises whatever the chat model raises."""
        arguments = self._arguments(temperature, max_tokens, schema)
        return await self.chat.ainvoke(list(messages), **arguments)

    def adapt(self, words: str) -> bool:
        """Leave out a parameter that the server's ``words`` complain about; False when there is none to leave out."""
        lower = words.lower()
        for name in _DROPPABLE:
            mentioned = any(word in lower for word in (name, *_ALSO_CALLED.get(name, ())))
            kept = name == "response_format" and self.settings.structured == "on"
            if mentioned and not kept and self.speaks_openai and name not in self.refused:
                self.refused.add(name)
                return True
        return False

    def _arguments(
        self, temperature: float | None, max_tokens: int | None, schema: dict[str, Any] | None
    ) -> dict[str, Any]:
        if not self.speaks_openai:
            # A chat model of the user's own: only what it says that it has.
            known = {"temperature": temperature, "max_tokens": max_tokens}
            return {name: value for name, value in known.items() if value is not None and hasattr(self.chat, name)}
        body = dict(self.settings.extra_body)
        arguments: dict[str, Any] = {}
        if temperature is not None and "temperature" not in self.refused:
            arguments["temperature"] = temperature
        if self.settings.reasoning_effort is not None and "reasoning_effort" not in self.refused:
            arguments["reasoning_effort"] = self.settings.reasoning_effort
        if max_tokens is not None and "max_completion_tokens" not in self.refused:
            arguments["max_tokens"] = max_tokens  # sent as max_completion_tokens
        elif max_tokens is not None:
            body["max_tokens"] = max_tokens
        if schema is not None and self.settings.structured != "off" and "response_format" not in self.refused:
            # In the body, because the client's own way raises on a reply that does not fit and loses its text.
            body["response_format"] = response_format(schema)
        return arguments | ({"extra_body": body} if body else {})


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The parameter that asks for an object by schema; strict where the schema allows it."""
    wanted = {"name": str(schema.get("title", "reply")), "schema": schema, "strict": _is_strict(schema)}
    return {"type": "json_schema", "json_schema": wanted}


def _is_strict(schema: Any) -> bool:
    """Strict mode needs closed objects in which everything is required."""
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("properties", {})) != set(schema.get("required", ())):
            return False
    return all(_is_strict(value) for value in schema.values())


def server_of(settings: ModelSettings) -> str:
    """Base URL in force, without a slash at its end."""
    return (settings.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI).rstrip("/")


def public_address(server: str) -> str:
    """A URL without the name and the password that it may carry."""
    scheme, mark, rest = server.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def key_of(settings: ModelSettings) -> str:
    """API key in force; "" when there is none."""
    return settings.api_key.get_secret_value() if settings.api_key else os.environ.get("OPENAI_API_KEY", "")


def openai_endpoint(settings: ModelSettings, http: Any, pace: Pace) -> Endpoint:
    """The endpoint of a role with a model name. Nothing is sent yet.

    Args:
        settings: of the role, with ``model`` set.
        http: client of :func:`goedels_poetry.models.http.http_client`.
        pace: shared by the roles that ask the same model.
    """
    from langchain_openai.chat_models.base import ChatOpenAI
    from pydantic import SecretStr

    server, name = server_of(settings), settings.model or ""
    is_known = bool(key_of(settings)) or "authorization" in map(str.lower, settings.extra_headers)
    lacks = NO_KEY if server == OPENAI and not is_known else ""
    chat = ChatOpenAI(
        model=name,
        base_url=server,
        api_key=SecretStr(key_of(settings) or "none"),  # the client insists on a key, most local servers on none
        timeout=settings.timeout_seconds,
        max_retries=0,  # ours count, and know the budgets
        default_headers=settings.extra_headers or None,
        http_async_client=http,
        use_responses_api=None if server == OPENAI else False,
    )
    facts = {
        "server": public_address(server),
        "model": name,
        "reasoning_effort": settings.reasoning_effort,
        "extra_body": settings.extra_body,
        "structured": settings.structured,
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
    }
    return Endpoint(settings, chat, name, server, facts, pace, lacks=lacks)


def given_endpoint(chat: BaseChatModel, settings: ModelSettings) -> Endpoint:
    """The endpoint of a chat model that the user brought."""
    name = str(getattr(chat, "model_name", None) or getattr(chat, "model", None) or type(chat).__name__)
    parameters = getattr(chat, "_identifying_params", {})
    facts = {
        "server": type(chat).__qualname__,
        "model": name,
        "parameters": {k: str(v) for k, v in parameters.items()},
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
    }
    return Endpoint(settings, chat, name, "", facts, Pace(settings.requests_per_second))
