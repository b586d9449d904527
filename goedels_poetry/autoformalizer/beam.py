"""`BeamSearchExecutor` and `RetryPolicyExecutor`: a beam of formal texts, and attempts until a compiler takes one."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from goedels_poetry import languages
from goedels_poetry.autoformalizer.executor import AutoformalizationExecutor, models_of, on_one_loop
from goedels_poetry.autoformalizer.items import Item, read_item
from goedels_poetry.autoformalizer.outcome import AttemptError
from goedels_poetry.errors import InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Request
from goedels_poetry.models.schedule import RetryConfig
from goedels_poetry.protocol.base import Formalizable, Language, Outcome, Theorem
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
    ) -> list[CandidateLean]:
        """The distinct texts among ``beam_size`` replies, in their order; replies that hold none are left out.

        Args:
            item: see :func:`read_item`.
            error_context: what was wrong with the last text: an `AttemptError`, a `LeanError` or words.
            beam_size: samples asked for at the same time.
            temperature: of the model, unless its role has one of its own.
            attempt: 0-based; another attempt with the same words is another question.
        """
        given = read_item(item)
        claim = Claim(given.statement, given.context, steps=given.steps)
        failed = [("", str(getattr(error_context, "message", error_context)))] if error_context is not None else []
        variables = questions(claim, self._language, failed)
        request = Request("formalizer", "formalizer", variables, attempt, beam_size, temperature)
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


class RetryPolicyExecutor:
    """Attempts under a schedule until a compiler of the caller's takes a text. The state machine makes them.

    Args:
        model_client, settings: see `AutoformalizationExecutor`. A chat model serves the formalizer alone; with
            `Models` that have a judge, the judge is asked, too.
    """

    def __init__(self, model_client: ModelClient, *, settings: Settings | None = None) -> None:
        lone = not isinstance(model_client, Models | Mapping)
        self._client: Any = {"formalizer": model_client} if lone else model_client
        self._settings = settings

    def execute_with_retries(
        self, item: Mapping[str, Any] | str | Item, config: RetryConfig, compile_fn: Compile
    ) -> tuple[list[CandidateLean], int, float, list[AttemptError]]:
        """Candidates (the accepted one last), attempts, seconds and errors; no candidate compiled when it ends bare.

        ``compile_fn`` is called with each distinct text, in a thread unless it is a coroutine function. The first
        text of an attempt that it takes ends the attempts.
        """
        began = time.monotonic()
        compiler = _Compiler(compile_fn)
        executor = AutoformalizationExecutor(
            self._client,
            config=config,
            language=cast(Language, compiler),
            settings=self._settings,
            prove=False,
            round_trip=False,
        )
        with executor:
            result = executor.autoformalize(item, fresh=True)
        texts = [*compiler.refused, *([result.final_code] if result.final_code is not None else [])]
        candidates = [
            CandidateLean(text, number, config.step(result.attempts - 1).temperature)
            for number, text in enumerate(texts)
        ]
        return candidates, result.attempts, time.monotonic() - began, list(result.errors_encountered)


class _Compiler:
    """A compiler as a language in which claims can be stated, and nothing be proved."""

    name = "lean"
    suffixes = (".lean",)

    def __init__(self, compile_fn: Compile) -> None:
        from goedels_poetry.lean.formalize import FORMAL_FORMAT, FORMAL_TAGS

        self._compile = compile_fn
        self.formal_language = "Lean 4"
        self.formal_format = FORMAL_FORMAT
        self.formal_tags = FORMAL_TAGS
        self.accepted: set[str] = set()
        self.refused: list[str] = []

    async def read(self, text: str, options: dict[str, Any]) -> Theorem:
        if text not in self.accepted:
            ok, message = await self._compiled(text)
            if not ok:
                self.refused.append(text)
                raise InvalidInput(message or "it does not compile")
            self.accepted.add(text)
        return Theorem(self.name, text, options, " ".join(text.split()))

    async def _compiled(self, text: str) -> tuple[bool, str]:
        compiled = await asyncio.to_thread(self._compile, text)
        if inspect.isawaitable(compiled):
            compiled = await compiled
        ok, message = compiled
        return bool(ok), str(message)

    async def judge(self, theorem: Theorem) -> Outcome:
        return Outcome(True, {"verdict": "open"})

    async def canonical(self, theorem: Theorem, statement: str) -> str:
        return f"compiled:{hashlib.sha256(theorem.text.encode()).hexdigest()[:20]}"

    async def aclose(self) -> None:
        """Nothing is open."""
