"""Backends: a logic program in, a result out. One for each program language, behind one protocol.

``SMT2Backend(verify_timeout=3000).execute("(declare-const p Bool) …")`` decides a text, ``execute(Path("a.smt2"))`` a
file. A backend may be used from many threads at once; its solver processes are bounded in number, time and memory, and
end with it.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import queue
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, get_args

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.faults import EncodingError
from goedels_poetry.kernel.reading.reader import MAX_BYTES
from goedels_poetry.models.client import Models, models_from
from goedels_poetry.models.requests import ROLES
from goedels_poetry.questions.abduction import with_conditions
from goedels_poetry.questions.entailment.entailment import decide
from goedels_poetry.questions.entailment.findings import MEMORY_MB
from goedels_poetry.questions.entailment.models import Encoder
from goedels_poetry.questions.entailment.program import LogicProgram
from goedels_poetry.questions.query_runner import SolverPair, read_program
from goedels_poetry.questions.readings import with_readings
from goedels_poetry.questions.result import Semantics, VerificationResult, World, invalid_result, result_of
from goedels_poetry.settings.declared import ModelSettings, Settings
from goedels_poetry.solvers.limits import SolverError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


_RETRY_SECONDS = 0.02
TEXT_ERRORS = (InvalidInput, EncodingError)
"""What a bad program raises while it is read or put into the words of solvers."""


class SolverPairs:
    """A bounded number of solver pairs for any number of threads. The one used last is lent first."""

    def __init__(self, size: int) -> None:
        if size < 1:
            raise ValueError("a pool has at least one pair of solvers")
        self._pairs = [SolverPair() for _ in range(size)]  # their processes begin with the first query
        self._free: queue.LifoQueue[SolverPair] = queue.LifoQueue()
        for pair in reversed(self._pairs):
            self._free.put(pair)
        self._closed = threading.Event()

    @contextmanager
    def lend(self) -> Iterator[SolverPair]:
        """A pair that nobody else uses meanwhile; waits for one. Raises SolverError when the pool is closed."""
        pair = None
        while pair is None and not self._closed.is_set():
            with suppress(queue.Empty):
                pair = self._free.get(timeout=_RETRY_SECONDS)
        try:
            if pair is None or self._closed.is_set():
                raise SolverError("the backend is closed")
            yield pair
        finally:
            if pair is not None:
                self._free.put(pair)

    def close(self) -> None:
        """End every process, when what is under way has ended as unknown."""
        self._closed.set()
        while self._free.qsize() < len(self._pairs):
            for pair in self._pairs:
                pair.stop()
            time.sleep(_RETRY_SECONDS)  # a kill may come just before there is something to kill
        for pair in self._pairs:
            pair.close()


class _LogicBackend:
    """What the backends share; they differ in the dialect that they read, which is their name."""

    name: ClassVar[str]
    suffix: ClassVar[str]

    def __init__(
        self,
        verify_timeout: float = 10_000,
        optimize_timeout: float | None = None,
        *,
        semantics: Semantics = "entailment",
        world: World = "open",
        confirm: bool = False,
        memory_mb: int = MEMORY_MB,
        processes: int | None = None,
        conditional: bool = False,
    ) -> None:
        """Nothing is started yet.

        Args:
            verify_timeout: milliseconds for all checks of a program together.
            optimize_timeout: milliseconds for its objectives; None: as ``verify_timeout``.
            semantics: "entailment": does it follow? "satisfiability": is it consistent? See `decide`.
            world: "closed": what does not follow is false.
            confirm: have verdicts confirmed by a fresh z3 and by cvc5, for the trust level.
            memory_mb: for each solver process, MiB.
            processes: programs that are decided at once, each by a z3 (and, when needed, a cvc5) of its own;
                None: one more than there are processors, so that one is read while others are decided.
            conditional: of a goal that stays open, look for facts with which it would not, see `abduction`.
        """
        if verify_timeout <= 0 or (optimize_timeout is not None and optimize_timeout <= 0):
            raise ValueError("a timeout is a positive number of milliseconds")
        if semantics not in get_args(Semantics) or world not in get_args(World):
            raise ValueError(f"unknown semantics or world: {semantics!r}, {world!r}")
        self.verify_timeout = verify_timeout
        self.optimize_timeout = optimize_timeout
        self.semantics = semantics
        self.world = world
        self.confirm = confirm
        self.memory_mb = memory_mb
        self.conditional = conditional
        self._solvers = SolverPairs(processes or (os.cpu_count() or 1) + 1)

    def read(self, text: str | bytes) -> LogicProgram:
        """Read a program. Raises InvalidInput."""
        return read_program(text, self.name)

    def execute(self, program: str | os.PathLike[str]) -> VerificationResult:
        """Decide a program: its text (str) or its file (a path).

        Never raises for a bad program: then the verdict is ``invalid``. Raises SolverError after ``close``.
        """
        try:
            text = program if isinstance(program, str) else _content(program)
            read = self.read(text)
            encoder = Encoder(read)
        except (*TEXT_ERRORS, OSError) as error:
            return self._invalid(error)
        with self._solvers.lend() as solvers:
            try:
                found = decide(
                    read,
                    milliseconds=self.verify_timeout,
                    optimize_milliseconds=self.optimize_timeout,
                    solvers=solvers,
                    semantics=self.semantics,
                    world=self.world,
                    confirm=self.confirm,
                    memory_mb=self.memory_mb,
                    encoder=encoder,
                )
                found = with_conditions(read, found, solvers) if self.conditional else found
            except TEXT_ERRORS as error:  # what the closed world adds may be too much
                return self._invalid(error)
            result = result_of(read, found, semantics=self.semantics, world=self.world)
            return with_readings(read, found, result, solvers, milliseconds=self.verify_timeout)

    def _invalid(self, error: Exception) -> VerificationResult:
        return invalid_result(error, semantics=self.semantics, world=self.world)

    def close(self) -> None:
        """End the solver processes."""
        self._solvers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class SMT2Backend(_LogicBackend):
    """Programs in SMT-LIB 2, see `languages.logic.read_smt2`."""

    name = "smt2"
    suffix = ".smt2"


class JSONBackend(_LogicBackend):
    """Programs in the JSON logic language, see `questions.json.reader.read_json`."""

    name = "json"
    suffix = ".json"


BACKENDS: dict[str, type[SMT2Backend] | type[JSONBackend]] = {"smt2": SMT2Backend, "json": JSONBackend}


def _content(path: os.PathLike[str]) -> bytes:
    """The bytes of a file, one more than may be at most."""
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


# Whatever a caller has that can be asked

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
