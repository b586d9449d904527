"""`Models`: ask the model of a role; whatever goes wrong is an answer with its reason."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from goedels_poetry.errors import BudgetExceeded
from goedels_poetry.models.accounting import Ledger, Prices, amounts
from goedels_poetry.models.cache import Asked, ExecutorCache
from goedels_poetry.models.endpoint import Endpoint, Pace, given_endpoint, openai_endpoint, public_address, server_of
from goedels_poetry.models.http import Fault, fault_of, http_client
from goedels_poetry.models.prompts import PromptError, Prompts
from goedels_poetry.models.record import Recorder, Recording
from goedels_poetry.models.replies import UnusableReply, parse_json_reply, text_of, without_thinking
from goedels_poetry.models.requests import ROLES, Reply, Request, Usage
from goedels_poetry.settings.declared import ModelSettings, ModelsSettings, Settings
from goedels_poetry.telemetry import span

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

MOST_PATIENCE = 60.0
"""Seconds; a server that asks to wait longer has refused."""
FIRST_PAUSE = 0.5
"""Seconds before the first retry where the server does not say; doubled for each further one."""
CHARACTERS_PER_TOKEN = 3
"""A cautious guess, to find prompts that cannot fit a model's context before they are paid for."""
QUESTION_VERSION = 1
_ENDINGS = ("finish_reason", "stop_reason", "done_reason")
"""What the makers of chat models call the note that a reply has ended; a stream without it was cut off."""

Messages = tuple[tuple[str, str], ...]


class Models:
    """The models of all roles. Close it with :meth:`aclose`.

    Args:
        role_to_chat_model: any LangChain chat models, by role; these stand above the settings. The key
            ``"default"`` serves every role without one.
        settings: models by name and address, prompts, record and replay.
        cache: kept replies, not closed by us; None: ``cache.db`` of the data directory when there are settings
            that say so, else none are kept beyond this object.
        prices: price table; None: ours.

    Raises:
        RecordingError: the file to record to or to replay from is none.
    """

    def __init__(
        self,
        role_to_chat_model: Mapping[str, BaseChatModel] | None = None,
        *,
        settings: Settings | None = None,
        cache: ExecutorCache | None = None,
        prices: Prices | None = None,
    ) -> None:
        # Without settings nothing comes from the environment: the caller said which models are meant.
        in_force = settings.models if settings is not None else ModelsSettings()
        self._owns_cache = cache is None
        self.cache = cache if cache is not None else _cache(settings)
        self.prices = prices if prices is not None else Prices.load()
        self.prompts = Prompts(settings.prompts_dir if settings is not None else None)
        self._http: Any = None
        self._recording = Recording.load(in_force.replay) if in_force.replay is not None else None
        self.endpoints: dict[str, Endpoint] = {}
        """The models that are really asked, by role."""
        if self._recording is None:
            self.endpoints = self._build(dict(role_to_chat_model or {}), in_force)
        self._facts = self._recording.roles if self._recording else {r: e.facts for r, e in self.endpoints.items()}
        self._recorder = (
            Recorder(in_force.record, self._facts, in_force.record_note) if in_force.record is not None else None
        )
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def has(self, role: str) -> bool:
        """Whether the role has a model."""
        return role in self._facts

    @property
    def roles(self) -> tuple[str, ...]:
        """Roles that have a model."""
        return tuple(role for role in ROLES if role in self._facts)

    def name(self, role: str) -> str:
        """The name of a role's model; "" without one."""
        return str(self._facts.get(role, {}).get("model", ""))

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What the answers depend on, by role: JSON without any secret."""
        return {role: self._facts[role] for role in self.roles}

    def unpriced(self) -> tuple[str, ...]:
        """Names of models that the price table does not know: they count as free."""
        names = {self.name(role) for role in self.roles}
        return tuple(sorted(name for name in names if self.prices.of(name) is None))

    def troubles(self) -> tuple[str, ...]:
        """Models that were asked and have not once answered, each with the last reason; a recording that broke off."""
        silent = [_no_answer(e, e.fault) for e in self._distinct() if e.fault and not e.answered]
        broken = self._recorder.problem if self._recorder is not None else ""
        return (*silent, broken) if broken else tuple(silent)

    def outages(self) -> tuple[str, ...]:
        """Models that could not be asked, each with its server and the last reason."""
        return tuple(_no_answer(endpoint, endpoint.outage) for endpoint in self._distinct() if endpoint.outage)

    def _distinct(self) -> Iterable[Endpoint]:
        return {id(endpoint): endpoint for endpoint in self.endpoints.values()}.values()

    async def ask(
        self, request: Request, ledger: Ledger | None = None, cost: dict[str, float] | None = None
    ) -> list[Reply]:
        """All samples of a request, in their order. A fault is a reply with an ``error``, never an exception.

        Args:
            ledger: accounts and limits of the run that asks.
            cost: counters of the job that asks; what is spent is added while it is spent.

        Raises:
            BudgetExceeded: the run's limit allows not even one more request. Where it allows some of the
                samples, fewer replies come.
        """
        replies = [reply async for reply in self.each(request, ledger, cost)]
        return sorted(replies, key=lambda reply: reply.sample)

    async def each(
        self, request: Request, ledger: Ledger | None = None, cost: dict[str, float] | None = None
    ) -> AsyncGenerator[Reply, None]:
        """Like :meth:`ask`, one reply at a time as they come. Closing the iterator cancels the others.

        Use it inside ``contextlib.aclosing``.
        """
        ledger, cost = ledger if ledger is not None else Ledger(), cost if cost is not None else {}
        try:
            messages, version = self._messages(request)
        except PromptError as problem:
            messages, version = (), ""
            unusable = str(problem)
        else:
            unusable = self._unusable(request, messages)
        if unusable:
            for number in range(request.samples):
                yield Reply(error=unusable, sample=number)
            return
        questions = [self._question(request, messages, version, number) for number in range(request.samples)]
        kept = [number for number, question in enumerate(questions) if self._is_kept(question)]

        def sample(number: int) -> Coroutine[Any, Any, Reply]:
            return self._sample(request, questions[number], number, ledger, cost)

        for number in kept:  # first, and one at a time: the caller may find what it looks for and call nobody
            yield await sample(number)
        refused: list[BudgetExceeded] = []
        tasks = [asyncio.ensure_future(sample(number)) for number in range(request.samples) if number not in kept]
        try:
            for done in asyncio.as_completed(tasks):
                try:
                    yield await done
                except BudgetExceeded as problem:
                    refused.append(problem)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if refused and len(refused) == request.samples:
            raise refused[0]

    async def aclose(self) -> None:
        """Close connections and files."""
        if self._http is not None:
            await self._http.aclose()
        if self._recorder is not None:
            self._recorder.close()
        if self._owns_cache:
            self.cache.close()

    # -- set up --------------------------------------------------------------------------------------------
    def _build(self, given: dict[str, BaseChatModel], in_force: ModelsSettings) -> dict[str, Endpoint]:
        unknown = sorted(set(given) - {*ROLES, "default"})
        if unknown:
            raise ValueError(f"no such role: {', '.join(unknown)}; the roles are {', '.join(ROLES)}")
        wanted = {role: in_force.role(role) for role in ROLES}
        paces: dict[tuple[str, str], Pace] = {}
        built: dict[str, Endpoint] = {}
        named = [settings for settings in wanted.values() if settings.model is not None]
        if named and set(given) < {*ROLES, "default"} and "default" not in given:
            self._http = http_client(max(settings.max_reply_bytes for settings in named))
        for role, settings in wanted.items():
            chat = given.get(role) or given.get("default")
            if chat is not None:
                built[role] = given_endpoint(chat, settings)
            elif settings.model is not None:
                place = (server_of(settings), settings.model)
                pace = paces.setdefault(place, Pace(settings.requests_per_second))
                same = next((e for e in built.values() if e.settings == settings and e.speaks_openai), None)
                built[role] = same or openai_endpoint(settings, self._http, pace)
        return built

    # -- one sample ----------------------------------------------------------------------------------------
    def _messages(self, request: Request) -> tuple[Messages, str]:
        """System message, earlier conversation, the prompt; and the version of the template."""
        template = self.prompts.get(request.prompt)
        filled = template.messages(request.variables)
        system = tuple(message for message in filled if message[0] == "system")
        return (*system, *request.messages, *filled[len(system) :]), template.version

    def _unusable(self, request: Request, messages: Messages) -> str:
        """Why a request is not worth sending; "" when it is."""
        if request.role not in self._facts:
            return f"no model is configured for the role {request.role}"
        settings = self._settings(request.role)
        if settings.context is not None:
            tokens = sum(len(text) for _, text in messages) // CHARACTERS_PER_TOKEN
            if tokens + (settings.max_tokens or request.max_tokens or 0) > settings.context:
                return f"the prompt of about {tokens} tokens does not fit the model's context of {settings.context}"
        return ""

    def _settings(self, role: str) -> ModelSettings:
        endpoint = self.endpoints.get(role)
        return endpoint.settings if endpoint is not None else ModelSettings()

    async def _sample(
        self,
        request: Request,
        question: Asked,
        number: int,
        ledger: Ledger,
        cost: dict[str, float],
    ) -> Reply:
        if self._recording is not None:
            ledger.may_call()
            reply = self._recording.answer(request, question)
            reply = replace(reply, sample=number)
            counted = {"model_calls": float(reply.calls), f"model_calls:{request.role}": float(reply.calls)}
            ledger.charge(counted | amounts(request.role, reply), cost)
            return _parsed(reply, request)
        # Two goals with the same question: the second waits and finds the first one's answer.
        here = id(asyncio.get_running_loop())  # two loops cannot wait for each other
        lock = self._asking.setdefault(f"{here} {question.key}", asyncio.Lock())
        async with lock:
            kept = self.cache.get("generation", question)
            if kept is None:
                reply = await self._call(self.endpoints[request.role], request, question.value, ledger, cost)
                if not reply.error:
                    self.cache.put("generation", question, {"text": reply.text, "finish": reply.finish})
            else:
                text, finish = str(kept.get("text", "")), str(kept.get("finish", ""))
                reply = Reply(text=text, finish=finish, cached=True, model=self.name(request.role))
        reply = replace(reply, sample=number)
        if self._recorder is not None:
            self._recorder.write(request, question.value, reply)
        reply = _parsed(reply, request)
        ledger.charge(amounts(request.role, reply), cost)
        return reply

    def _is_kept(self, question: Asked) -> bool:
        """Whether a sample is in the cache, so that nobody need be called for it."""
        return self._recording is None and self.cache.holds("generation", question)

    def _question(self, request: Request, messages: Messages, version: str, number: int) -> Asked:
        """Everything that the answer depends on; JSON, and so the key of caches and recordings."""
        facts = self._facts[request.role]
        own = facts.get("temperature"), facts.get("max_tokens")
        about = {
            "version": QUESTION_VERSION,
            "model": facts,
            "temperature": own[0] if own[0] is not None else request.temperature,
            "max_tokens": own[1] if own[1] is not None else request.max_tokens,
            "messages": [list(message) for message in messages],
            "schema": request.schema,
            "prompt": [request.prompt, version],
            "attempt": request.attempt,
            "sample": number,
            "seed": request.seed,
        }
        return Asked(about)

    async def _call(
        self,
        endpoint: Endpoint,
        request: Request,
        question: dict[str, Any],
        ledger: Ledger,
        cost: dict[str, float],
    ) -> Reply:
        """Send, and send again where that may help, within the retries and the budgets."""
        began, calls, retries = time.monotonic(), 0, 0
        if endpoint.lacks:
            endpoint.fault = endpoint.outage = endpoint.lacks
            return Reply(error=endpoint.lacks, model=endpoint.name, away=True)
        while True:
            await endpoint.pace.wait()
            ledger.may_call()
            calls += 1
            answer = await self._send(endpoint, request, question, ledger, cost)
            if not isinstance(answer, Fault):
                endpoint.answered, endpoint.outage = True, ""
                return replace(answer, calls=calls, seconds=time.monotonic() - began)
            endpoint.fault = answer.reason
            if answer.refused and endpoint.adapt(answer.refused):
                continue
            pause = answer.retry_after if answer.retry_after is not None else FIRST_PAUSE * 2**retries
            if not answer.retryable or retries >= endpoint.settings.retries or pause > MOST_PATIENCE:
                seconds = time.monotonic() - began
                endpoint.outage = answer.reason if answer.away else endpoint.outage
                return Reply(error=answer.reason, calls=calls, seconds=seconds, model=endpoint.name, away=answer.away)
            retries += 1
            await asyncio.sleep(pause)

    async def _send(
        self,
        endpoint: Endpoint,
        request: Request,
        question: dict[str, Any],
        ledger: Ledger,
        cost: dict[str, float],
    ) -> Reply | Fault:
        """One request on the wire. It is counted however it ends, also when it is cancelled."""
        limit = endpoint.settings.timeout_seconds
        counted = {"model_calls": 1.0, f"model_calls:{request.role}": 1.0}
        counted["model_seconds"] = ledger.begin()
        ledger.charge(counted, cost)
        about = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": endpoint.name,
            "gen_ai.request.temperature": question["temperature"],
            "gen_ai.request.max_tokens": question["max_tokens"],
            "server.address": public_address(endpoint.server),
            "role": request.role,
        }
        with span(f"chat {endpoint.name}", about, client=True) as attributes:
            try:
                async with asyncio.timeout(limit):
                    message = await endpoint.send(
                        question["messages"], question["temperature"], question["max_tokens"], request.schema
                    )
            except Exception as problem:  # noqa: BLE001  whatever a client raises is one failed request
                attributes["error.type"] = type(problem).__name__
                return fault_of(problem, limit, f"models.{request.role}.timeout_seconds")
            finally:
                ledger.charge({"model_seconds": ledger.end()}, cost)
            reply, usage = self._read(endpoint, message), "gen_ai.usage"
            attributes |= {f"{usage}.input_tokens": reply.usage.input_tokens}
            attributes |= {f"{usage}.output_tokens": reply.usage.output_tokens, "money": reply.usage.money}
        return reply

    def _read(self, endpoint: Endpoint, message: BaseMessage) -> Reply:
        text = text_of(message.content).encode("utf-8", "replace").decode()
        usage = self._usage(endpoint, message)
        finish = str(message.response_metadata.get("finish_reason") or "")
        reply = Reply(text=text, usage=usage, finish=finish, model=endpoint.name)
        tools = getattr(message, "tool_calls", None) or getattr(message, "invalid_tool_calls", None)
        if tools:
            return replace(reply, error=f"the model called a tool that nobody offered: {tools[0].get('name')!s:.60}")
        if len(text.encode()) > endpoint.settings.max_reply_bytes:
            too_large = f"the reply is larger than {endpoint.settings.max_reply_bytes} bytes"
            return replace(reply, text="", error=too_large)
        if getattr(endpoint.chat, "streaming", False) and not any(message.response_metadata.get(n) for n in _ENDINGS):
            return replace(reply, error="the stream broke off before the reply was complete")
        if not text.strip():
            spent = " (its tokens went into reasoning: raise max_tokens)" if finish == "length" else ""
            return replace(reply, error=f"the reply is empty{spent}")
        if not without_thinking(text).strip():
            return replace(reply, error="the reply holds no text beside its thinking")
        return reply

    def _usage(self, endpoint: Endpoint, message: BaseMessage) -> Usage:
        metadata = getattr(message, "usage_metadata", None) or {}
        cached = (metadata.get("input_token_details") or {}).get("cache_read") or 0
        usage = Usage(metadata.get("input_tokens") or 0, metadata.get("output_tokens") or 0, cached)
        price = self.prices.of(endpoint.name)
        return replace(usage, unpriced=True) if price is None else replace(usage, money=price.of(usage))


def _no_answer(endpoint: Endpoint, why: str) -> str:
    return f"no answer from {endpoint.name}{f' at {public_address(endpoint.server)}' if endpoint.server else ''}: {why}"


def _cache(settings: Settings | None) -> ExecutorCache:
    on_disk = settings is not None and settings.models.cache and settings.models.replay is None
    return ExecutorCache(settings.data_dir / "cache.db" if settings is not None and on_disk else None)


def _parsed(reply: Reply, request: Request) -> Reply:
    """With the object that the request asked for, or the reason why there is none."""
    if request.schema is None or reply.error:
        return reply
    try:
        return replace(reply, parsed=parse_json_reply(reply.text, request.schema))
    except UnusableReply as problem:
        return replace(reply, error=str(problem))


def models_from(settings: Settings, cache: ExecutorCache | None = None) -> Models | None:
    """The models that the settings name, or None when they name none (and no recording).

    Raises:
        RecordingError, PriceError, PromptError: a file or folder that the settings name cannot be used.
    """
    in_force = settings.models
    if in_force.replay is None and all(in_force.role(role).model is None for role in ROLES):
        return None
    Prompts(settings.prompts_dir).check()
    prices = Prices.load(in_force.prices or settings.data_dir / "prices.toml")
    return Models(settings=settings, cache=cache, prices=prices)
