"""`AutoformalizationExecutor`: items in, results out; every item is a run of the state machine."""

from __future__ import annotations

import time
from collections.abc import Coroutine, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from goedels_poetry import languages
from goedels_poetry.autoformalizer.items import Item, read_item
from goedels_poetry.autoformalizer.outcome import AutoformalizationResult, outcome
from goedels_poetry.models.cache import ExecutorCache
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.schedule import RetryConfig
from goedels_poetry.protocol.base import Configurable, Language
from goedels_poetry.search.machine.background import BackgroundLoop
from goedels_poetry.search.machine.runner import MachineRunner
from goedels_poetry.search.tasks.claim import Confirm
from goedels_poetry.settings.declared import ScheduleSettings, Settings
from goedels_poetry.store.results import OnEvent

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    ModelClient = Models | BaseChatModel | Mapping[str, BaseChatModel]

T = TypeVar("T")
_LOOP = BackgroundLoop("autoformalizer")


class AutoformalizationExecutor:
    """States claims formally, tests what was stated and, where that is wanted, proves it.

    Every item is a durable run in the data directory: what was interrupted goes on with the same call, what is done
    is not asked for again. One event loop uses an executor; close it after use, or use it as a context manager.

    Args:
        model_client: :class:`Models`, a LangChain chat model for all roles, or chat models by role; None: the models
            that the settings name.
        cache: kept replies and compilations; None: the one of ``model_client``, else that of the data directory.
        config: attempts, beams and temperatures; None: as the settings say.
        language: a proof language, by name or an instance (which is closed with the executor).
        settings: budgets, data directory and the rest; None: file and environment.
        prove: whether a result is a success only with a proof, or as soon as there is a statement.
        round_trip: whether the formal text is put back into words and these are compared with the claim.
        confirm: asked about each formal statement.

    Raises:
        ValueError: a cache beside :class:`Models`, which have one.
    """

    def __init__(
        self,
        model_client: ModelClient | None = None,
        cache: ExecutorCache | None = None,
        config: RetryConfig | None = None,
        *,
        language: str | Language = "lean",
        settings: Settings | None = None,
        prove: bool = True,
        round_trip: bool = True,
        confirm: Confirm | None = None,
    ) -> None:
        self._settings = settings or Settings()
        self._language = languages.get(language) if isinstance(language, str) else language
        if isinstance(language, str) and isinstance(self._language, Configurable):
            self._language.configure(self._settings)
        self._models = models_of(model_client, cache, self._settings)
        self._config = config or _config(self._settings)
        self._prove, self._round_trip, self._confirm = prove, round_trip, confirm
        self._by_schedule: list[tuple[ScheduleSettings, MachineRunner]] = []
        self.interrupted = False

    @property
    def can_formalize(self) -> bool:
        """Whether there is a model that states claims."""
        return self._models is not None and self._models.has("formalizer")

    @property
    def suffix(self) -> str:
        """Of files in the language."""
        return self._language.suffixes[0]

    def autoformalize(
        self, item: Mapping[str, Any] | str | Item, config: RetryConfig | None = None, **more: Any
    ) -> AutoformalizationResult:
        """Synchronous :meth:`aautoformalize`."""
        return on_one_loop(self.aautoformalize(item, config, **more))

    async def aautoformalize(
        self,
        item: Mapping[str, Any] | str | Item,
        config: RetryConfig | None = None,
        *,
        fresh: bool = False,
        out: Path | None = None,
        on_event: OnEvent | None = None,
    ) -> AutoformalizationResult:
        """One item, from English to a formal text.

        Args:
            item: see :func:`read_item`.
            config: another schedule than the executor's; a run that is done is not done again for it.
            fresh: begin anew even if there is a run of this item.
            out: folder for the certificate.
            on_event: called after every commit of the run.

        Raises:
            BadItems: the item cannot be read.
            GoedelsPoetryError: the language or the run cannot be used now. Whatever a model answers is a result.
        """
        claim = read_item(item)
        framework = self._framework(config or self._config)
        began = time.monotonic()
        run = await framework.arun(
            claim.statement,
            name=claim.id,
            language=self._language.name,
            options={"assume_definitions": False},
            fresh=fresh,
            out=out,
            on_event=on_event,
            informal=True,
            context=claim.context,
            steps=claim.steps,
            confirm=self._confirm,
            round_trip=self._round_trip,
            only_state=not self._prove,
        )
        log = framework.conversation(run.run_id) if run.run_id else []
        seconds = time.monotonic() - began
        return outcome(run, claim.id, claim.statement, log, seconds, self.get_cache_stats(), prove=self._prove)

    def get_cache_stats(self) -> dict[str, Any]:
        """Hits, misses and hit rates since the executor was made; {} without models."""
        return self._models.cache.info() if self._models is not None else {}

    def interrupt(self, reason: str = "interrupted") -> None:
        """Ask every run to stop at its next step, and a batch to begin no further item. Safe in a signal handler."""
        self.interrupted = True
        for _, framework in self._by_schedule:
            framework.interrupt(reason)

    async def aclose(self) -> None:
        """Close the language, the models and all that was opened for runs."""
        for _, framework in self._by_schedule:
            await framework.aclose()
        await self._language.aclose()
        if self._models is not None:
            await self._models.aclose()

    def close(self) -> None:
        """Synchronous :meth:`aclose`."""
        on_one_loop(self.aclose())

    def __enter__(self) -> AutoformalizationExecutor:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> AutoformalizationExecutor:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    def _framework(self, config: RetryConfig) -> MachineRunner:
        """The framework for a schedule; all share one language and one set of models."""
        schedule = _schedule(config)
        for known, framework in self._by_schedule:
            if known == schedule:
                return framework
        settings = self._settings.model_copy(update={"schedule": schedule})
        made = MachineRunner(settings, language=self._language, models=self._models)
        self._by_schedule.append((schedule, made))
        return made


def autoformalize_item(
    item: Mapping[str, Any] | str | Item, model_client: ModelClient | None = None, **kwargs: Any
) -> AutoformalizationResult:
    """One item with an executor of its own.

    Args:
        item: see :func:`read_item`.
        model_client: see :class:`AutoformalizationExecutor`.
        kwargs: fields of :class:`RetryConfig` and arguments of the executor, e.g. ``max_attempts=3, language="smt"``.
    """
    scheduled = {field.name: kwargs.pop(field.name) for field in fields(RetryConfig) if field.name in kwargs}
    if scheduled:
        kwargs["config"] = RetryConfig(**scheduled)
    with AutoformalizationExecutor(model_client, **kwargs) as executor:
        return executor.autoformalize(item)


def on_one_loop(work: Coroutine[Any, Any, T]) -> T:
    """Wait for something on the loop that all synchronous calls share, which ends with the process.

    A chat model of the caller's keeps its connections: they would be of no use on another loop.
    """
    return _LOOP.run(work)


def models_of(client: ModelClient | None, cache: ExecutorCache | None, settings: Settings) -> Models | None:
    """The models that a client stands for."""
    if client is None:
        return models_from(settings, cache)
    if isinstance(client, Models):
        if cache is not None:
            raise ValueError("Models have a cache: give it to them, Models(..., cache=cache)")
        return client
    given = dict(client) if isinstance(client, Mapping) else {"default": client}
    return Models(given, settings=settings, cache=cache)


def _config(settings: Settings) -> RetryConfig:
    defaults = settings.schedule
    return RetryConfig(defaults.max_attempts, defaults.beam, defaults.temperature, defaults.max_tokens)


def _schedule(config: RetryConfig) -> ScheduleSettings:
    return ScheduleSettings(
        max_attempts=config.max_attempts,
        beam=tuple(config.beam_schedule),
        temperature=tuple(config.temperature_schedule),
        max_tokens=config.max_tokens,
    )
