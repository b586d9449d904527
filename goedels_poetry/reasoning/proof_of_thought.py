"""`ProofOfThought`: a question in, an answer with everything that it rests on out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal

from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions.result import Semantics, World
from goedels_poetry.reasoning.backends import models_of, settings_with
from goedels_poetry.reasoning.postprocessors import post_processors
from goedels_poetry.reasoning.solving import solve_with
from goedels_poetry.reasoning.steps import PostProcessor, QueryResult
from goedels_poetry.search.machine.background import BackgroundLoop
from goedels_poetry.search.machine.runner import MachineRunner
from goedels_poetry.search.tasks.question import NO_MODEL, Question
from goedels_poetry.settings.declared import ScheduleSettings, Settings
from goedels_poetry.store.results import OnEvent

_ASKED = frozenset(field.name for field in fields(Question)) - {"text", "context", "task", "most"}


class ProofOfThought:
    """Answers questions in plain language: a model writes a program, a solver decides it, the checker confirms.

    Any number of threads may ask at once; all runs share one event loop in a thread of its own. Close it after use, or
    use it as a context manager.

    Args:
        llm: a model's name, :class:`~goedels_poetry.models.client.Models`, a LangChain chat model, chat models by
            role, or a client of OpenAI's (also Azure's, also asynchronous); None: the models that the settings name.
        model: the model's name, where ``llm`` does not say it.
        backend: language of the programs, ``smt2`` or ``json``.
        max_attempts: replies of the model that one question may cost.
        verify_timeout: milliseconds for all checks of one program.
        optimize_timeout: milliseconds for all objectives of one program.
        semantics: ``entailment``: does it follow?, or ``satisfiability``: the older reading, can it be true?
        world: ``open``, or ``closed``: what cannot be derived is false.
        world_knowledge: whether a program may assume what is not in the text.
        judged: whether a model puts the program into words and compares them with the question (three more requests):
            it changes no verdict, but the result says how far the formalisation can be trusted.
        postprocessors: ways of asking more than once, in their order: ``self_refine``, ``self_consistency``,
            ``decomposed``, ``least_to_most``, or instances; the first one stands next to the machine.
        postprocessor_configs: name -> configuration, e.g. ``{"self_refine": {"iterations": 2}}``.
        temperature: of all replies; None: the schedule of the settings.
        max_tokens: of one reply; None: as the settings say.
        cache_dir: data directory, with all runs and the cache of replies; None: that of the settings.
        settings: budgets and the rest; None: file and environment.

    Raises:
        InvalidInput: there is no model, or no such post-processor; the message says what to configure.
        UnusableClient: ``llm`` is nothing that can be asked.
    """

    def __init__(
        self,
        llm: Any = None,
        model: str | None = None,
        *,
        backend: Literal["smt2", "json"] = "smt2",
        max_attempts: int = 3,
        verify_timeout: int = 10_000,
        optimize_timeout: int = 100_000,
        semantics: Semantics = "entailment",
        world: World = "open",
        world_knowledge: bool = True,
        judged: bool = True,
        postprocessors: Iterable[str | PostProcessor] = (),
        postprocessor_configs: Mapping[str, Mapping[str, Any]] | None = None,
        temperature: float | None = None,
        max_tokens: int | None = None,
        cache_dir: str | Path | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._processors = post_processors(postprocessors, postprocessor_configs)
        in_force = settings or Settings()
        if cache_dir is not None:
            in_force = in_force.model_copy(update={"home": Path(cache_dir)})
        self._settings = settings_with(in_force, llm, model)
        self._models = models_of(llm, model, self._settings)
        if self._models is None or not self._models.has("formalizer"):
            raise InvalidInput(NO_MODEL)
        self._defaults: dict[str, Any] = {
            "backend": backend,
            "max_attempts": max_attempts,
            "verify_timeout": verify_timeout,
            "optimize_timeout": optimize_timeout,
            "semantics": semantics,
            "world": world,
            "world_knowledge": world_knowledge,
            "judged": judged,
        }
        self._warmth = temperature, max_tokens
        self._frameworks: dict[ScheduleSettings, MachineRunner] = {}
        self._background = BackgroundLoop(type(self).__name__)

    @property
    def settings(self) -> Settings:
        """What is in force, with the model that ``llm`` stands for."""
        return self._settings

    @property
    def setup(self) -> dict[str, Any]:
        """What answers depend on besides question, text and settings: options and models, as JSON without secrets."""
        models = self._models.fingerprint if self._models is not None else {}
        processors = [{"name": each.name, **_config(each)} for each in self._processors]
        options: dict[str, Any] = {"postprocessors": processors} if processors else {}
        return {**self._defaults, "warmth": list(self._warmth), "models": models, **options}

    def query(self, question: str, context: str | None = None, **overrides: Any) -> QueryResult:
        """Synchronous :meth:`aquery`; from any thread, and in a notebook."""
        return self._background.run(self._answer(question, context, overrides))

    async def aquery(self, question: str, context: str | None = None, **overrides: Any) -> QueryResult:
        """Answer one question.

        Args:
            question: what is asked; it may tell of a case first ("Scenario: ... Question: ...").
            context: the text to rely on; None: what is known about the world, which the result then lists.
            overrides: arguments of the constructor for this question (``backend``, ``max_attempts``, ``temperature``,
                ``postprocessors``, ...), ``choices`` (texts, or letters with texts), ``sample``, ``fresh=True`` to
                begin anew, ``out`` (folder for the certificate), ``on_event``.

        Raises:
            TypeError: an unknown override. InvalidInput: nothing is asked. RunLocked: another process is at it.
            Closed: after :meth:`close`.
        """
        return await self._background.wait(self._answer(question, context, overrides))

    def query_many(self, questions: Iterable[str], context: str | None = None, **overrides: Any) -> list[QueryResult]:
        """Answers to several questions about one text, in order, two at once; see :meth:`aquery`."""
        limit = asyncio.Semaphore(2)

        async def one(question: str) -> QueryResult:
            async with limit:
                return await self._answer(question, context, overrides)

        async def every() -> list[QueryResult]:
            return list(await asyncio.gather(*map(one, questions)))

        return self._background.run(every())

    async def aclose(self) -> None:
        """Stop what is under way and close models, solvers and files."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Synchronous :meth:`aclose`."""
        self._background.close(self._finish())

    def __enter__(self) -> ProofOfThought:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> ProofOfThought:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    # -- inside --------------------------------------------------------------------------------------------
    async def _answer(self, text: str, context: str | None, overrides: Mapping[str, Any]) -> QueryResult:
        options = dict(overrides)
        warmth = options.pop("temperature", self._warmth[0]), options.pop("max_tokens", self._warmth[1])
        fresh, out = bool(options.pop("fresh", False)), options.pop("out", None)
        on_event: OnEvent | None = options.pop("on_event", None)
        processors, configs = options.pop("postprocessors", None), options.pop("postprocessor_configs", None)
        around = self._processors if processors is None else post_processors(processors, configs)
        question = self._question(text, context, options)
        framework = self._framework(*warmth)
        place = Path(out) if out is not None else None
        return await solve_with(framework, question, around, fresh=fresh, out=place, on_event=on_event)

    def _question(self, text: str, context: str | None, options: dict[str, Any]) -> Question:
        unknown = sorted(options.keys() - _ASKED)
        if unknown:
            raise TypeError(f"query() knows no {', '.join(unknown)}; it knows {', '.join(sorted(_ASKED))}")
        if "choices" in options:
            options["choices"] = lettered(options["choices"])
        return Question(text, context or "", **{**self._defaults, **options})

    def _framework(self, temperature: float | None, max_tokens: int | None) -> MachineRunner:
        """The framework for a schedule; all share one set of models."""
        options: dict[str, Any] = {} if temperature is None else {"temperature": (temperature,)}
        options |= {} if max_tokens is None else {"max_tokens": max_tokens}
        schedule = self._settings.schedule.model_copy(update=options)
        if schedule not in self._frameworks:
            settings = self._settings.model_copy(update={"schedule": schedule})
            self._frameworks[schedule] = MachineRunner(settings, models=self._models)
        return self._frameworks[schedule]

    async def _finish(self) -> None:
        for framework in self._frameworks.values():
            await framework.aclose()
        if not self._frameworks and self._models is not None:
            await self._models.aclose()


def _config(processor: PostProcessor) -> dict[str, Any]:
    return {name: getattr(processor, name) for name in getattr(processor, "__dataclass_fields__", ())}


def lettered(choices: Mapping[str, str] | Iterable[str | Sequence[str]]) -> tuple[tuple[str, str], ...]:
    """Choices with their letters: those given, else A, B, C and so on.

    Raises:
        InvalidInput: fewer than two, more than there are letters, or two with one letter.
    """
    items = list(choices.items()) if isinstance(choices, Mapping) else list(choices)
    if len(items) > len(ascii_uppercase):
        raise InvalidInput(f"at most {len(ascii_uppercase)} choices")
    pairs = tuple(
        (ascii_uppercase[n], item) if isinstance(item, str) else (str(item[0]), str(item[1]))
        for n, item in enumerate(items)
    )
    if len(pairs) < 2 or len({letter for letter, _ in pairs}) < len(pairs):
        raise InvalidInput("a multiple-choice question needs at least two choices with different letters")
    return pairs
