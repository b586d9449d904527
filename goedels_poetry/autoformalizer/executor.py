"""Executors: what is to be formalized comes in, from a file or a dict, and results go out.

`BeamSearchExecutor` and `RetryPolicyExecutor` ask the formalizer alone, for callers with a compiler of their own.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from goedels_poetry import languages
from goedels_poetry.autoformalizer.outcome import AttemptError, AutoformalizationResult, errors_of, outcome
from goedels_poetry.autoformalizer.rows import BadRows, read_rows
from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.cache import ExecutorCache
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Request, RetryConfig
from goedels_poetry.protocol.base import Configurable, Formalizable, Language
from goedels_poetry.search.agents.formalizer import formal_text, questions
from goedels_poetry.search.machine.background import BackgroundLoop
from goedels_poetry.search.machine.runner import MachineRunner
from goedels_poetry.search.tasks.claim import MAX_CLAIM, Claim, Confirm
from goedels_poetry.settings.declared import ScheduleSettings, Settings
from goedels_poetry.store.results import Event, OnEvent

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    ModelClient = Models | BaseChatModel | Mapping[str, BaseChatModel]


# What is to be formalized

MAX_STEPS = 200
_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", type(None): "null"}


class BadItems(GoedelsPoetryError):
    """A data set, or an item of it, cannot be used; the message begins with the place."""


@dataclass(frozen=True, slots=True)
class Item:
    """One claim."""

    id: str
    statement: str
    """What is claimed, in English."""
    steps: tuple[str, ...] = ()
    """Steps of a proof, in English: hints for the models."""
    context: str = ""
    """Formal definitions that stand before what a model writes."""


def read_item(value: Mapping[str, Any] | str | Item, default_id: str = "item") -> Item:
    """An item from ``{"id", "english": {"statement", "steps"}}``, ``{"id", "statement", "steps"}`` or a text.

    ``context`` may stand beside them; keys of other uses are passed over.

    Raises:
        BadItems: a part is missing, empty, too long or of another type.
    """
    if isinstance(value, Item):
        return value
    if isinstance(value, str):
        value = {"statement": value}
    if not isinstance(value, Mapping):
        raise BadItems(f"an item is an object or a text, not {_kind(value)}")
    english = value.get("english", value)
    if isinstance(english, str):
        english = {"statement": english}
    if not isinstance(english, Mapping):
        raise BadItems(f'"english" is an object with a statement, not {_kind(english)}')
    name = value.get("id", default_id)
    if not isinstance(name, str | int) or isinstance(name, bool) or not str(name).strip():
        raise BadItems(f'"id" is a text or a number, not {_kind(name)}')
    if "statement" not in english:
        there = ", ".join(map(str, value)) or "nothing"
        raise BadItems(f'there is no "statement", neither in "english" nor beside it; the item has: {there}')
    statement = _text(english["statement"], "statement")
    if not statement.strip():
        raise BadItems('"statement" is empty')
    steps = english.get("steps") or ()
    steps = [steps] if isinstance(steps, str) else steps
    if not isinstance(steps, list | tuple) or len(steps) > MAX_STEPS:
        raise BadItems(f'"steps" is a list of at most {MAX_STEPS} texts')
    hints = tuple(_text(step, "steps") for step in steps)
    return Item(str(name), statement, hints, _text(value.get("context") or "", "context"))


def load_items(path: Path | str) -> list[Item]:
    """The items of a file: JSON Lines (one object a line), or JSON (a list, or an object with ``items``).

    Items without an ``id`` are called by their number, from 1.

    Raises:
        BadItems: the file cannot be read, or a line cannot be used: ``FILE:LINE: what is wrong``.
    """
    path = Path(path)
    try:
        rows = read_rows(path)
    except BadRows as problem:
        raise BadItems(str(problem)) from problem
    places: dict[str, int] = {}
    items: list[Item] = []
    for number, (line, value) in enumerate(rows, 1):
        try:
            item = read_item(value, str(number))
        except BadItems as problem:
            raise BadItems(f"{path}:{line}: {problem}") from None
        if item.id in places:
            raise BadItems(f"{path}:{line}: the id {item.id!r} stands in line {places[item.id]} already")
        places[item.id] = line
        items.append(item)
    if not items:
        raise BadItems(f"{path}: there are no items in it")
    return items


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise BadItems(f'"{name}" is a text, not {_kind(value)}')
    if len(value) > MAX_CLAIM:
        raise BadItems(f'"{name}" is longer than {MAX_CLAIM} characters')
    return value


def _kind(value: Any) -> str:
    return _NAMES.get(type(value), f"a {type(value).__name__}")


T = TypeVar("T")
ItemLike = Mapping[str, Any] | str | Item
"""See :func:`read_item`."""
_LOOP = BackgroundLoop("autoformalizer")


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


class AutoformalizationExecutor:
    """States claims formally, tests the statements and, where that is wanted, proves them.

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
        self._schedule = self._settings.schedule if config is None else _schedule(config)
        self._prove, self._round_trip, self._confirm = prove, round_trip, confirm
        self._frameworks: dict[ScheduleSettings, MachineRunner] = {}
        self.interrupted = False

    @property
    def can_formalize(self) -> bool:
        """Whether there is a model that states claims."""
        return self._models is not None and self._models.has("formalizer")

    @property
    def suffix(self) -> str:
        """Of files in the language."""
        return self._language.suffixes[0]

    def autoformalize(self, item: ItemLike, config: RetryConfig | None = None, **more: Any) -> AutoformalizationResult:
        """Synchronous :meth:`aautoformalize`."""
        return on_one_loop(self.aautoformalize(item, config, **more))

    async def aautoformalize(
        self,
        item: ItemLike,
        config: RetryConfig | None = None,
        *,
        fresh: bool = False,
        out: Path | None = None,
        on_event: OnEvent | None = None,
    ) -> AutoformalizationResult:
        """One item, from English to a formal text.

        Args:
            config: another schedule than the executor's; a run that is done is not done again for it.
            fresh: begin anew even if there is a run of this item.
            on_event: called after every commit of the run.

        Raises:
            BadItems: the item cannot be read.
            GoedelsPoetryError: the language or the run cannot be used now. Whatever a model answers is a result.
        """
        claim, began = read_item(item), time.monotonic()
        framework = self._framework(self._schedule if config is None else _schedule(config))
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
        for framework in self._frameworks.values():
            framework.interrupt(reason)

    async def aclose(self) -> None:
        """Close the language, the models and all that was opened for runs."""
        for framework in self._frameworks.values():
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

    def _framework(self, schedule: ScheduleSettings) -> MachineRunner:
        """The framework for a schedule; all share one language and one set of models."""
        if schedule not in self._frameworks:
            settings = self._settings.model_copy(update={"schedule": schedule})
            self._frameworks[schedule] = MachineRunner(settings, language=self._language, models=self._models)
        return self._frameworks[schedule]


def autoformalize_item(
    item: ItemLike, model_client: ModelClient | None = None, **kwargs: Any
) -> AutoformalizationResult:
    """One item with an executor of its own.

    Args:
        model_client: see :class:`AutoformalizationExecutor`.
        kwargs: fields of :class:`RetryConfig` and arguments of the executor, e.g. ``max_attempts=3, language="smt"``.
    """
    scheduled = {each.name: kwargs.pop(each.name) for each in fields(RetryConfig) if each.name in kwargs}
    if scheduled:
        kwargs["config"] = RetryConfig(**scheduled)
    with AutoformalizationExecutor(model_client, **kwargs) as executor:
        return executor.autoformalize(item)


def _schedule(config: RetryConfig) -> ScheduleSettings:
    return ScheduleSettings(
        max_attempts=config.max_attempts,
        beam=tuple(config.beam_schedule),
        temperature=tuple(config.temperature_schedule),
        max_tokens=config.max_tokens,
    )


# -- data sets ---------------------------------------------------------------------------------------------------

OnResult = Callable[[AutoformalizationResult], None]
NOT_STARTED = "not started: interrupted"


async def autoformalize_all(
    executor: AutoformalizationExecutor,
    items: Iterable[Item],
    *,
    concurrency: int = 1,
    fresh: bool = False,
    on_result: OnResult | None = None,
    on_event: Callable[[Item, Event], None] | None = None,
) -> list[AutoformalizationResult]:
    """Every item's result, in the order of the items; a bad one does not stop the rest.

    The same call goes on with what was interrupted: items that are done cost no model and no solver again. After
    ``executor.interrupt()`` no further item is begun.

    Args:
        concurrency: items worked on at once.
        fresh: begin every item anew.
        on_result: called with each result as it comes.
        on_event: called after every commit of an item's run.
    """
    queue: Iterator[tuple[int, Item]] = iter(enumerate(items))
    done: dict[int, AutoformalizationResult] = {}

    async def work() -> None:
        for number, item in queue:
            listen = partial(on_event, item) if on_event is not None else None
            done[number] = await _one(executor, item, fresh, listen)
            if on_result is not None:
                on_result(done[number])

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, concurrency)):
            group.create_task(work())
    return [done[number] for number in sorted(done)]


async def _one(
    executor: AutoformalizationExecutor, item: Item, fresh: bool, listen: OnEvent | None
) -> AutoformalizationResult:
    verdict, reason = Verdict.OUT_OF_BUDGET, NOT_STARTED
    if not executor.interrupted:
        try:
            return await executor.aautoformalize(item, fresh=fresh, on_event=listen)
        except (GoedelsPoetryError, OSError) as problem:
            verdict, reason = Verdict.UNKNOWN, str(problem)
    return AutoformalizationResult(
        False, None, 0, 0.0, item_id=item.id, statement=item.statement, verdict=str(verdict), reason=reason
    )


@dataclass(frozen=True, slots=True)
class Summary:
    """The sums over the items of a data set."""

    items: int = 0
    successes: int = 0
    attempts: int = 0
    """Rounds of the formalizer."""
    errors: dict[str, int] = field(default_factory=dict)
    """Rejections by category, most frequent first."""
    verdicts: dict[str, int] = field(default_factory=dict)
    calls: int = 0
    """Requests that were sent to models."""
    cache_hits: int = 0
    """Replies without a request."""
    tokens: int = 0
    money: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    """Sum over the items; less has passed where several were worked on at once."""

    @property
    def rate(self) -> float:
        """Successes among the items, 0 to 1."""
        return self.successes / self.items if self.items else 0.0

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return {**asdict(self), "rate": round(self.rate, 4)}


def summarize(results: Iterable[AutoformalizationResult]) -> Summary:
    """The sums over results."""
    every = list(results)
    categories = Counter(error.category for result in every for error in result.errors_encountered)

    def total(name: str) -> float:
        return sum(result.metrics.get(name, 0.0) for result in every)

    return Summary(
        items=len(every),
        successes=sum(result.success for result in every),
        attempts=sum(result.attempts for result in every),
        errors=dict(categories.most_common()),
        verdicts=dict(Counter(result.verdict for result in every).most_common()),
        calls=int(total("calls")),
        cache_hits=int(total("cache_hits")),
        tokens=int(total("tokens")),
        money=total("money"),
        seconds=sum(result.total_time for result in every),
    )


# -- texts for a compiler of the caller's --------------------------------------------------------------------------

Compile = Callable[[str], tuple[bool, str] | Awaitable[tuple[bool, str]]]
"""Whether a text compiles, and the compiler's message."""


@dataclass(frozen=True, slots=True)
class CandidateLean:
    """One text by a model. Nobody has compiled it."""

    code: str
    sample: int
    """Its number in the beam, from 0."""
    temperature: float
    tokens: int = 0
    cached: bool = False


class BeamSearchExecutor:
    """Asks for several formal texts at once.

    Args:
        model_client, settings: see `AutoformalizationExecutor`.
        language: the proof language, by name or an instance; nothing is read in it.
    """

    def __init__(
        self, model_client: ModelClient, *, language: str | Language = "lean", settings: Settings | None = None
    ) -> None:
        models = models_of(model_client, None, settings or Settings())
        assert models is not None  # there is a client
        self._models: Models = models
        spoken = languages.get(language) if isinstance(language, str) else language
        if not isinstance(spoken, Formalizable):
            raise InvalidInput(f"the language {spoken.name} does not say how claims are stated in it")
        self._language = spoken

    def generate_candidates(
        self, item: ItemLike, error_context: Any = None, beam_size: int = 1, temperature: float = 0.3
    ) -> list[CandidateLean]:
        """Synchronous :meth:`agenerate_candidates`."""
        return on_one_loop(self.agenerate_candidates(item, error_context, beam_size, temperature))

    async def agenerate_candidates(
        self,
        item: ItemLike,
        error_context: Any = None,
        beam_size: int = 1,
        temperature: float = 0.3,
        *,
        attempt: int = 0,
        max_tokens: int | None = None,
    ) -> list[CandidateLean]:
        """The distinct texts among ``beam_size`` replies, in their order; replies that hold none are left out.

        Args:
            error_context: the fault of the last text: an `AttemptError`, a `LeanError` or words.
            beam_size: samples asked for at the same time.
            temperature: of the model, unless its role has one of its own.
            attempt: 0-based; another attempt with the same words is another question.
            max_tokens: of one reply; None: as the settings say.
        """
        given = read_item(item)
        claim = Claim(given.statement, given.context, steps=given.steps)
        failed = [("", str(getattr(error_context, "message", error_context)))] if error_context is not None else []
        variables = questions(claim, self._language, failed)
        request = Request("formalizer", "formalizer", variables, attempt, beam_size, temperature, max_tokens=max_tokens)
        found: dict[str, CandidateLean] = {}
        for reply in await self._models.ask(request):
            try:
                text = "" if reply.error else formal_text(reply, self._language.formal_tags)
            except UnusableReply:
                continue
            tokens = reply.usage.input_tokens + reply.usage.output_tokens
            if text:
                found.setdefault(text, CandidateLean(text, reply.sample, temperature, tokens, reply.cached))
        return list(found.values())

    async def aclose(self) -> None:
        """Close connections and files of the models."""
        await self._models.aclose()


class RetryPolicyExecutor:
    """Attempts under a schedule until a compiler of the caller's takes a text.

    Args:
        model_client, settings: see `AutoformalizationExecutor`; only the formalizer is asked.
    """

    def __init__(self, model_client: ModelClient, *, settings: Settings | None = None) -> None:
        self._beam = BeamSearchExecutor(model_client, settings=settings)

    def execute_with_retries(
        self, item: ItemLike, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        """Candidates (the accepted one last), attempts, seconds and errors.

        ``compile_fn`` is called with each distinct text, in a thread unless it is a coroutine function. The first
        text that it takes ends the attempts.
        """
        return on_one_loop(self._attempts(item, config, compile_fn))

    async def _attempts(
        self, item: ItemLike, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        began, candidates, errors = time.monotonic(), dict[str, CandidateLean](), list[AttemptError]()
        try:
            for attempt in range(config.max_attempts):
                step, last = config.step(attempt), errors[-1] if errors else None
                beam = await self._beam.agenerate_candidates(
                    item, last, step.beam, step.temperature, attempt=attempt, max_tokens=config.max_tokens
                )
                for candidate in beam:
                    if candidates.setdefault(candidate.code, candidate) is not candidate:
                        continue
                    compiled = await asyncio.to_thread(compile_fn, candidate.code)
                    ok, message = await compiled if inspect.isawaitable(compiled) else compiled
                    if ok:
                        return list(candidates.values()), attempt + 1, time.monotonic() - began, errors
                    reason = str(message) or "it does not compile"
                    errors += errors_of(reason, "formalizer", attempt, candidate.code, "lean")
            return list(candidates.values()), config.max_attempts, time.monotonic() - began, errors
        finally:
            await self._beam.aclose()
