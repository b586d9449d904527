"""What a run is about, what the machine and a task say to each other, and the transitions that tasks share.

A task is frozen data: it can be made anew from what the store keeps of it, so that any process goes on with a run.
Which agents serve it stands in the machine's table of tasks; nothing else there asks what kind of task a run has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from goedels_poetry.errors import GoedelsPoetryError, InvalidInput
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.models.client import Models
from goedels_poetry.protocol.base import Language, Theorem
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader, Txn
from goedels_poetry.store.results import RunResult
from goedels_poetry.store.state import ROOT, NodeStatus, ProofNode, Queue

# The loop write -> check -> decide -> correct

CONVERSATION, REPORT, ANSWERED = "conversation", "report", "answered"
"""References of the root: the turns so far; the report on the last attempt; the last report that the conversation
shows."""
REPLY, NO_REPLY = "reply", "no reply"
"""Kinds of reports: a reply without what was asked for; nothing that could be shown again."""

Turn = tuple[str, str]
"""``("system" | "user" | "assistant", text)``."""
Report = Mapping[str, Any]
"""``{"kind", "words" (for the model), "reason" (one line for people), ...}``."""
Refs = dict[str, str]


@dataclass(frozen=True, slots=True)
class Loop:
    """What one kind of task adds to the loop."""

    artifact: str
    """Reference of the root to what was written last."""
    stale: tuple[str, ...]
    """References that a new artifact makes obsolete, besides the report."""
    entry: str
    """Kind of the history entry of an attempt."""
    queues: Mapping[str, str]
    """move -> queue; other moves end the run."""
    noted: Callable[[Txn, ProofNode, Refs, Report], dict[str, Any]]
    """What the entry of an attempt says of its report besides outcome and reason; may add references."""


def without(refs: Mapping[str, str], *names: str) -> Refs:
    """References without some."""
    return {name: ref for name, ref in refs.items() if name not in names}


def with_turns(txn: Txn, refs: Mapping[str, str], turns: Iterable[Turn] | None) -> Refs:
    """References with the conversation; None leaves that as it was."""
    saved = {CONVERSATION: txn.save([list(turn) for turn in turns])} if turns is not None else {}
    return {**refs, **saved}


def attempted(txn: Txn, node: ProofNode, refs: Mapping[str, str]) -> ProofNode:
    """The node after one more attempt."""
    txn.spent["attempts"] += 1
    return replace(node, attempts=node.attempts + 1, refs=dict(refs))


def set_written(txn: Txn, node: ProofNode, loop: Loop, artifact: Any, turns: Iterable[Turn] | None) -> str:
    """There is a program, a function: it is checked next."""
    refs = without(node.refs, REPORT, *loop.stale) | {loop.artifact: txn.save(artifact)}
    txn.put(replace(attempted(txn, node, with_turns(txn, refs, turns)), queue=Queue.VERIFY))
    return "written"


def set_unusable_reply(txn: Txn, node: ProofNode, loop: Loop, reason: str, turns: Iterable[Turn] | None) -> str:
    """The reply holds nothing to check: one attempt. ``turns``: None leaves the conversation as it was."""
    report = {"kind": NO_REPLY if turns is None else REPLY, "words": reason, "reason": reason, "queue": str(node.queue)}
    refs = with_turns(txn, without(node.refs, loop.artifact, *loop.stale), turns)
    return set_report(txn, attempted(txn, node, refs), loop, report)


def set_report(txn: Txn, node: ProofNode, loop: Loop, report: Report) -> str:
    """The last attempt has been checked: the decider is next."""
    ref = txn.save(dict(report))
    refs = {**node.refs, REPORT: ref} | ({ANSWERED: ref} if report["kind"] != NO_REPLY else {})
    reason = str(report["reason"])
    noted = loop.noted(txn, node, refs, report)
    txn.log(node.id, loop.entry, attempt=node.attempts, outcome=report["kind"], reason=reason, **noted)
    to_decide(txn, node, refs, reason)
    return str(report["kind"])


def to_decide(txn: Txn, node: ProofNode, refs: Mapping[str, str], reason: str) -> None:
    """The decider is next."""
    txn.reason = reason
    txn.put(replace(node, queue=Queue.DECIDE, reason=reason, refs=dict(refs)))


def decided(txn: Txn, node: ProofNode, move: str, reason: str) -> None:
    """Record a decision before it takes effect."""
    txn.log(node.id, "decision", move=move, reason=reason)
    txn.reason = reason


def ended(txn: Txn, node: ProofNode, reason: str) -> None:
    """The run ends without an answer."""
    txn.put(replace(node, queue=None, status=NodeStatus.FAILED, reason=reason))
    txn.set_verdict(Verdict.UNKNOWN, reason)


T = TypeVar("T")

FORMAL = "formal"
"""Reference of the root to the formal text that a model wrote last, where it is a model that writes it."""

TITLE_LENGTH = 80
"""Characters of a task in a list of runs."""


def headline(text: str) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"


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

    @property
    def interrupted(self) -> str:
        """Why the run was asked to stop; "" while it was not."""

    async def root(self) -> ProofNode:
        """The root as it is now."""

    async def commit(self, name: str, move: Callable[[Txn], str]) -> None:
        """One move of the framework's own; ``name`` says what it is in the commit's key."""

    async def unless_interrupted(self, work: Awaitable[T]) -> T:
        """Wait for something outside of the run; raises CancelledError when the run is asked to stop meanwhile."""

    def warn(self, text: str) -> None:
        """One line for the result's warnings."""


class Task:
    """What a run is about: a frozen dataclass with a ``text``, which states of itself only what differs from this."""

    kind: ClassVar[str]
    """Its name in the machine's table of tasks."""
    learns: ClassVar[bool] = False
    """Whether its runs use what earlier ones proved, and leave what they prove to later ones."""

    text: str
    """What the user gave, byte for byte."""

    @property
    def title(self) -> str:
        """The name of the run where the user gives it none."""
        return ""

    @property
    def first_queue(self) -> str:
        """The queue in which the root begins."""
        return Queue.FORMALIZE

    @property
    def identity(self) -> dict[str, Any]:
        """The fields besides the text that make it another run than that of the same text, as JSON.

        It is hashed under :attr:`kind` into the run's id, unless it is {}, and the task is made from it again.
        """
        named = [each for each in fields(self) if each.name != "text" and each.compare]  # type: ignore[arg-type]
        facts = {each.name: getattr(self, each.name) for each in named if getattr(self, each.name) != each.default}
        return {name: _plain(value) for name, value in facts.items()}

    @classmethod
    def again(cls, text: str, identity: dict[str, Any]) -> Self:
        """The task of a run that goes on."""
        known = {each.name for each in fields(cls)}  # type: ignore[arg-type]  # each task is a dataclass
        return cls(text, **{name: frozen(value) for name, value in identity.items() if name in known})  # type: ignore[call-arg]

    def check(self, language: Language, models: Models | None) -> None:
        """Raise InvalidInput, with what to do about it, when it cannot be worked on here."""

    async def read(self, language: Language, options: dict[str, Any]) -> Theorem:
        """The theorem as it is before the first step; while there is none, what stands for it.

        Raises InvalidInput: the text is none. TimeoutError, Unavailable: that cannot be known now.
        """
        return Theorem(language.name, self.text, options, " ".join(self.text.split()))

    async def prepare(self, language: Language, theorem: Theorem) -> ProofNode:
        """The root before the first step, in :attr:`first_queue`."""
        return ProofNode(id=ROOT, language=language.name, queue=self.first_queue)

    def plant(self, txn: Txn) -> None:
        """Keep, in the transaction of the root, what its proof may use."""

    async def settle(self, stop: Stop, session: Session) -> Stop:
        """What the end of a search means; `GO_ON` to search on."""
        return stop

    def submission(self, store: StoreReader) -> str:
        """The formal text that the checker gets: as it was written, not what became of it in the search.

        Raises GoedelsPoetryError: there is none.
        """
        formal = store.root().refs.get(FORMAL)
        if formal is None:
            raise GoedelsPoetryError("there is no formal text")
        return str(store.load(formal))

    def conclude(self, result: RunResult, store: StoreReader, theorem: Theorem, suffix: str) -> RunResult:
        """The result with what the task adds to it.

        Args:
            theorem: as it was read last.
            suffix: of files in its language.
        """
        return result


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def frozen(value: Any) -> Any:
    """A JSON value with tuples for lists."""
    return tuple(frozen(each) for each in value) if isinstance(value, list) else value


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
