"""Whatever a caller has that can be asked: names, models by role, LangChain chat models, OpenAI-like clients.

Clients are known by their shape, so none of their packages need be installed.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.requests import ROLES
from goedels_poetry.settings.declared import ModelSettings, Settings

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

NEEDS_A_NAME = (
    "an OpenAI client does not say which model is meant: ProofOfThought(llm=client, model=NAME), or for "
    "GoedelsPoetryFramework(models=client) the setting models.default.model"
)
UNKNOWN_CLIENT = (
    "{} must be a model's name, Models, a LangChain chat model, a mapping from roles to chat models, or a "
    "client with chat.completions.create, not {}"
)


class OpenAIClient(Protocol):
    """A client with ``chat.completions.create``; `NEEDS_A_NAME` says what it needs besides."""

    @property
    def chat(self) -> Any:
        """With ``completions.create``."""
        ...


class UnusableClient(GoedelsPoetryError):
    """What was given as ``llm`` cannot be asked."""


def settings_with(settings: Settings, llm: Any, model: str | None) -> Settings:
    """The settings with the model that is meant, in every role, where a name and an address say all that is needed."""
    own: dict[str, Any] = {"model": llm if isinstance(llm, str) else model}
    if _is_openai(llm):
        from pydantic import SecretStr

        key = SecretStr(str(llm.api_key)) if llm.api_key else None
        headers = {name: str(value) for name, value in (getattr(llm, "_custom_headers", None) or {}).items()}
        own |= {"base_url": str(llm.base_url).rstrip("/"), "api_key": key, "extra_headers": headers}
    if own == {"model": None}:
        return settings
    default = settings.models.default.model_copy(update=own)
    everywhere = {"default": default, **{role: ModelSettings() for role in ROLES}}
    return settings.model_copy(update={"models": settings.models.model_copy(update=everywhere)})


def models_of(llm: Any, model: str | None, settings: Settings, what: str = "llm") -> Models | None:
    """The models that ``llm`` stands for; None when there is none, neither here nor in the settings.

    Args:
        llm: see :class:`goedels_poetry.reasoning.ProofOfThought`.
        model: the model's name, where ``llm`` does not say it.
        settings: as :func:`settings_with` made them.
        what: how the caller calls ``llm``.

    Raises:
        UnusableClient: nothing that can be asked.
    """
    if isinstance(llm, Models):
        return llm
    if llm is None or isinstance(llm, str):
        return models_from(settings)
    if _completions(llm) is not None:
        if not model:
            raise UnusableClient(NEEDS_A_NAME)
        if _is_openai(llm):
            return models_from(settings)
        return Models({"default": _client_chat(llm, model)}, settings=settings)
    if isinstance(llm, Mapping):
        return Models(dict(llm), settings=settings)
    if callable(getattr(llm, "ainvoke", None)):
        return Models({"default": llm}, settings=settings)
    raise UnusableClient(UNKNOWN_CLIENT.format(what, type(llm).__name__))


def _completions(llm: Any) -> Any:
    create = getattr(getattr(getattr(llm, "chat", None), "completions", None), "create", None)
    return create if callable(create) else None


def _is_openai(llm: Any) -> bool:
    """Whether it names an address and a key, so that it can be asked without it; Azure's has an address of its own."""
    named = _completions(llm) is not None and all(hasattr(llm, name) for name in ("base_url", "api_key"))
    return named and not getattr(llm, "_api_version", "")


def _client_chat(llm: Any, name: str) -> BaseChatModel:
    """A chat model around any object with ``chat.completions.create``; a blocking one is called in a thread."""
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.messages.utils import convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult

    class ClientChat(BaseChatModel):
        """The caller's client."""

        model_name: str
        temperature: float | None = None
        max_tokens: int | None = None

        @property
        def _llm_type(self) -> str:
            return type(llm).__name__

        def _generate(
            self,
            messages: list[BaseMessage],
            stop: list[str] | None = None,
            run_manager: CallbackManagerForLLMRun | None = None,
            **arguments: Any,
        ) -> ChatResult:
            return _read(_completions(llm)(**_asked(messages, arguments)))

        async def _agenerate(
            self,
            messages: list[BaseMessage],
            stop: list[str] | None = None,
            run_manager: AsyncCallbackManagerForLLMRun | None = None,
            **arguments: Any,
        ) -> ChatResult:
            answer = await asyncio.to_thread(_completions(llm), **_asked(messages, arguments))
            return _read(await answer if inspect.isawaitable(answer) else answer)

    def _asked(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {"temperature": arguments.get("temperature"), "max_completion_tokens": arguments.get("max_tokens")}
        own = {name: value for name, value in wanted.items() if value is not None}
        return {"model": name, "messages": convert_to_openai_messages(messages), **own}

    def _read(answer: Any) -> ChatResult:
        choice, usage = answer.choices[0], getattr(answer, "usage", None)
        counts = [getattr(usage, name, 0) for name in ("prompt_tokens", "completion_tokens")]
        sent, got = (count if isinstance(count, int) else 0 for count in counts)
        message = AIMessage(
            content=choice.message.content or "",
            usage_metadata={"input_tokens": sent, "output_tokens": got, "total_tokens": sent + got},
            response_metadata={"finish_reason": str(getattr(choice, "finish_reason", "") or "")},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    return ClientChat(model_name=name)
