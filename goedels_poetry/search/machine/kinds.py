"""The table of tasks: what a run may be about, and which agents serve it. A further task is one more line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from goedels_poetry.errors import UnknownRun
from goedels_poetry.models.client import Models
from goedels_poetry.search.agents.registry import Registry, load_registry
from goedels_poetry.search.code import code_registry
from goedels_poetry.search.machine.extensions import Extensions
from goedels_poetry.search.questions import question_registry
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.search.tasks.claim import Claim
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.search.tasks.theorem import FormalTheorem
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.runs import identity


class Kind(NamedTuple):
    """One kind of task."""

    again: Callable[[str, dict[str, Any]], Task]
    """The task of a run that goes on, from its text and its identity."""
    registry: Callable[[], Registry]
    """The agents that serve it."""
    is_proof: bool = False
    """Whether the agents of a proof serve it, and so those that a caller brings."""


CHANGE = "change"


def _change_again(text: str, identity: dict[str, Any]) -> Task:
    from goedels_poetry.search.tasks.change import Change  # brings the sandbox: not at the cost of proofs

    return Change.again(text, identity)


def _change_registry() -> Registry:
    from goedels_poetry.search.changes import change_registry

    return change_registry()


KINDS: dict[str, Kind] = {
    FormalTheorem.kind: Kind(FormalTheorem.again, load_registry, is_proof=True),
    Claim.kind: Kind(Claim.again, load_registry, is_proof=True),
    Question.kind: Kind(Question.again, question_registry),
    CodeTask.kind: Kind(CodeTask.again, code_registry),
    CHANGE: Kind(_change_again, _change_registry),
}


def registry_of(kind: str, extensions: Extensions) -> Registry:
    """The agents that serve a kind of task, with what the caller has brought.

    Raises:
        KeyError: there is no such kind.
    """
    return extensions.added_to(KINDS[kind].registry(), agents=KINDS[kind].is_proof)


def id_of(task: Task, language: str, options: dict[str, Any], models: Models | None, brought: str = "") -> str:
    """How the ids of all runs begin that do the same: a hash of everything that determines them."""
    # With other models it is another run: what the symbolic agents gave up on is not settled for them.
    more: dict[str, Any] = {} if models is None else {"models": models.fingerprint}
    more |= {"brought": brought} if brought else {}
    more |= {task.kind: task.identity} if task.kind != FormalTheorem.kind else {}
    return identity(task.text, language, {**options, **more})


def as_stored(task: Task) -> tuple[str, dict[str, Any]]:
    """What the store keeps of a task, besides its text."""
    return task.kind, task.identity


def task_of(store: StoreReader) -> Task | None:
    """The task of a run; None when it stopped before its first commit.

    Raises:
        UnknownRun: it is of a kind that is not in the table.
    """
    stored = store.meta("task")
    if stored is None:
        return None
    kind, facts = stored
    if kind not in KINDS:
        raise UnknownRun(f"the run is about a {kind}; here a run may be about a {', a '.join(KINDS)}")
    return KINDS[kind].again(store.meta("theorem"), facts)
