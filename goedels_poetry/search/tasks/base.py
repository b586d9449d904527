"""What a run is about, behind one small protocol, and what the machine and a task say to each other.

A task is frozen data: it can be made anew from what the store keeps of it, so that any process goes on with a run. It
knows its first queue, what stands on the root before the first step, and what the end of a run makes of the tree. Which
agents serve it stands in the machine's table of tasks; nothing else there asks what kind of task a run has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, ProofNode
from goedels_poetry.store.txn import Txn

T = TypeVar("T")

FORMAL = "formal"
"""Reference of the root to the formal text that a model wrote last, where it is a model that writes it."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a search ended."""

    status: str
    """"proved", "finished", "exhausted", "out_of_budget", or a word of the task's own."""
    reason: str = ""
    budget: str = ""
    retry: bool = False
    """Whether the same call goes on with the run, although what it ended with is final."""


GO_ON = Stop("go_on")
"""What a task says when the search is not over: it has moved something into a queue that an agent serves."""


class Session(Protocol):
    """The run as its task sees it when a search has ended."""

    @property
    def store(self) -> ProofStore:
        """The tree."""
        ...

    @property
    def interrupted(self) -> str:
        """Why the run was asked to stop; "" while it was not."""
        ...

    async def root(self) -> ProofNode:
        """The root as it is now."""
        ...

    async def commit(self, name: str, move: Callable[[Txn], str]) -> None:
        """One move of the framework's own; ``name`` says what it is in the commit's key."""
        ...

    async def unless_interrupted(self, work: Awaitable[T]) -> T:
        """Wait for something outside of the run; raises CancelledError when the run is asked to stop meanwhile."""
        ...

    def warn(self, text: str) -> None:
        """One line for the result's warnings."""
        ...


class Task(Protocol):
    """What a run is about."""

    @property
    def kind(self) -> str:
        """Its name in the machine's table of tasks."""
        ...

    @property
    def text(self) -> str:
        """What the user gave, byte for byte."""
        ...

    @property
    def title(self) -> str:
        """What to call the run where the user gives it no name."""
        ...

    @property
    def identity(self) -> dict[str, Any]:
        """What besides text, language and options makes it another run than that of the same text, as JSON.

        It is hashed under :attr:`kind` into the run's id, unless it is {}, and the task is made from it again.
        """
        ...

    @property
    def first_queue(self) -> str:
        """The queue in which the root begins."""
        ...

    @property
    def learns(self) -> bool:
        """Whether its runs use what earlier ones proved, and leave what they prove to later ones."""
        ...

    def check(self, language: Language, models: Models | None) -> None:
        """Raise InvalidInput, with what to do about it, when it cannot be worked on here."""
        ...

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """The theorem as it is before the first step.

        Raises:
            InvalidInput: the text is none. TimeoutError, Unavailable: that cannot be known now.
        """
        ...

    async def prepare(self, language: Language, theorem: Theorem) -> ProofNode:
        """The root before the first step, in :attr:`first_queue`."""
        ...

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """What the end of a search means; `GO_ON` to search on."""
        ...

    def submission(self, store: StoreReader) -> str:
        """The formal text that the checker gets: whoever wrote it, not what became of it in the search.

        Raises:
            GoedelsPoetryError: there is none.
        """
        ...

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """The result with what the task has to say in it.

        Args:
            theorem: as it was read last.
            suffix: of files in its language.
        """
        ...


class Statement:
    """The theorem that a run is about now: the given one, or the formal text that a model wrote, read once."""

    def __init__(self, language: Language, given: Theorem) -> None:
        """``given``: the theorem, or what stands for it while there is no formal text."""
        self._language = language
        self._ref = ""
        self.latest = given
        """What :meth:`now` gave last."""

    async def now(self, store: ProofStore) -> Theorem:
        """The theorem as the store has it; raises GoedelsPoetryError when its text cannot be read again."""
        root = await store.on_thread(store.root)
        ref = root.refs.get(FORMAL)
        if ref is not None and ref != self._ref:
            text = str(await store.on_thread(store.load, ref))
            try:
                self.latest = await self._language.read(text, self.latest.options)
            except InvalidInput as error:
                raise GoedelsPoetryError(f"the accepted formal statement cannot be read: {error}") from error
            self._ref = ref
        return self.latest


def stand_in(text: str, language: Language, options: dict[str, Any]) -> Theorem:
    """What stands for the theorem while a model has not written it."""
    return Theorem(language.name, text, options, " ".join(text.split()))


def bare_root(language: Language, queue: str) -> ProofNode:
    """A root of which nothing is known yet."""
    return ProofNode(id=ROOT, language=language.name, queue=queue)


def text_by_model(store: StoreReader) -> str:
    """The formal text on the root; raises GoedelsPoetryError when no model has written one."""
    formal = store.root().refs.get(FORMAL)
    if formal is None:
        raise GoedelsPoetryError("there is no formal text")
    return str(store.load(formal))
