"""`BeamSearchExecutor` and `RetryPolicyExecutor`: a beam of formal texts, and attempts until a compiler takes one."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goedels_poetry import languages
from goedels_poetry.autoformalizer.executor import models_of, on_one_loop
from goedels_poetry.autoformalizer.items import Item, read_item
from goedels_poetry.autoformalizer.outcome import AttemptError, errors_of
from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Request
from goedels_poetry.models.schedule import RetryConfig
from goedels_poetry.protocol.base import Formalizable, Language
from goedels_poetry.search.agents.formalizer import formal_text, questions
from goedels_poetry.search.tasks.claim import Claim
from goedels_poetry.settings.declared import Settings

if TYPE_CHECKING:
    from goedels_poetry.autoformalizer.executor import ModelClient

Compile = Callable[[str], tuple[bool, str] | Awaitable[tuple[bool, str]]]
"""Whether a text compiles, and what the compiler says about it."""


@dataclass(frozen=True, slots=True)
class CandidateLean:
    """One text by a model. Nobody has compiled it."""

    code: str
    sample: int
    """Its number in the beam, from 0."""
    temperature: float
    tokens: int = 0
    cached: bool = False
    """Nobody was asked for it now."""


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
        self,
        item: Mapping[str, Any] | str | Item,
        error_context: Any = None,
        beam_size: int = 1,
        temperature: float = 0.3,
    ) -> list[CandidateLean]:
        """Synchronous :meth:`agenerate_candidates`, outside of any event loop."""
        return on_one_loop(self.agenerate_candidates(item, error_context, beam_size, temperature))

    async def agenerate_candidates(
        self,
        item: Mapping[str, Any] | str | Item,
        error_context: Any = None,
        beam_size: int = 1,
        temperature: float = 0.3,
        *,
        attempt: int = 0,
        max_tokens: int | None = None,
    ) -> list[CandidateLean]:
        """The distinct texts among ``beam_size`` replies, in their order; replies that hold none are left out.

        Args:
            item: see :func:`read_item`.
            error_context: what was wrong with the last text: an `AttemptError`, a `LeanError` or words.
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
            if reply.error:
                continue
            try:
                text = formal_text(reply, self._language.formal_tags)
            except UnusableReply:
                continue
            tokens = reply.usage.input_tokens + reply.usage.output_tokens
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
        self, item: Mapping[str, Any] | str | Item, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        """Candidates (the accepted one last), attempts, seconds and errors.

        ``compile_fn`` is called with each distinct text, in a thread unless it is a coroutine function. The first
        text that it takes ends the attempts.
        """
        return on_one_loop(self._closing(item, config, compile_fn))

    async def _closing(
        self, item: Mapping[str, Any] | str | Item, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        try:
            return await self._attempts(item, config, compile_fn)
        finally:
            await self._beam.aclose()

    async def _attempts(
        self, item: Mapping[str, Any] | str | Item, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        began = time.monotonic()
        candidates: dict[str, CandidateLean] = {}
        errors: list[AttemptError] = []
        for attempt in range(config.max_attempts):
            step = config.step(attempt)
            last = errors[-1] if errors else None
            beam = await self._beam.agenerate_candidates(
                item, last, step.beam, step.temperature, attempt=attempt, max_tokens=config.max_tokens
            )
            for candidate in beam:
                if candidate.code in candidates:
                    continue
                candidates[candidate.code] = candidate
                ok, message = await _compiled(compile_fn, candidate.code)
                if ok:
                    return list(candidates.values()), attempt + 1, time.monotonic() - began, errors
                errors += errors_of(message or "it does not compile", "formalizer", attempt, candidate.code, "lean")
        return list(candidates.values()), config.max_attempts, time.monotonic() - began, errors


async def _compiled(compile_fn: Compile, text: str) -> tuple[bool, str]:
    compiled = await asyncio.to_thread(compile_fn, text)
    ok, message = await compiled if inspect.isawaitable(compiled) else compiled
    return bool(ok), str(message)
