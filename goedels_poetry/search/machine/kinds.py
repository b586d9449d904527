"""Tables of the machine: kinds of tasks and the agents that serve them, what a caller brings, and lists of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any, NamedTuple, Self

from goedels_poetry import languages
from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import UnknownRun
from goedels_poetry.languages import BroughtLanguage
from goedels_poetry.models.client import Models
from goedels_poetry.plugins import RefusedPlugin
from goedels_poetry.search import strategies
from goedels_poetry.search.agents.registry import GROUP, AgentSpec, Registry, given_agents, load_registry
from goedels_poetry.search.strategies import Strategy
from goedels_poetry.search.tasks.base import Task
from goedels_poetry.search.tasks.claim import Claim, FormalTheorem
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.question import Question
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.results import RunResult, RunSummary
from goedels_poetry.store.runs import identity


@dataclass(frozen=True, slots=True)
class Extensions:
    """Agents serve runs about theorems and claims, strategies and languages all runs."""

    agents: tuple[AgentSpec, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    languages: tuple[BroughtLanguage, ...] = ()

    @classmethod
    def of(cls, agents: Iterable[Any] = (), strategies_: Iterable[Any] = (), languages_: Iterable[Any] = ()) -> Self:
        """From what a caller has: marked functions, modules of some, language classes or instances.

        Raises RefusedPlugin: one is not what it should be; the words say what to change.
        """
        for what, given in (("agents", agents), ("strategies", strategies_), ("languages", languages_)):
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise RefusedPlugin(f"{what}= takes a list: write {what}=[...]")
        made = cls(given_agents(agents), strategies.given(strategies_), languages.brought(languages_))
        if made.agents:
            made.added_to(load_registry())
        return made

    def added_to(self, registry: Registry, *, agents: bool = True) -> Registry:
        """A registry with them; without their agents where ``agents`` is false."""
        if not (self.agents and agents) and not self.strategies:
            return registry
        return registry.with_given(self.agents if agents else (), self.strategies)

    @property
    def fingerprint(self) -> str:
        """Of the code of what is brought, "" without any: who edits a strategy wants another run, not the old answer.

        What that code calls is no part of it.
        """
        named = [(each.name, [each.run]) for each in self.agents] + [(s.name, [s.propose]) for s in self.strategies]
        for each in self.languages:
            kind = each.make if isinstance(each.make, type) else type(each.make())
            named.append((each.name, list(vars(kind).values())))
        if not named:
            return ""
        code = [(name, [_facts(f.__code__) for f in made if isinstance(f, FunctionType)]) for name, made in named]
        return sha256(repr(code).encode()).hexdigest()[:16]


def _facts(code: CodeType) -> list[Any]:
    """What a function does, without where it stands."""
    sets = [sorted(map(repr, c)) if isinstance(c, frozenset) else c for c in code.co_consts]  # they have no order
    inside = [_facts(c) if isinstance(c, CodeType) else repr(c) for c in sets]
    return [code.co_code, code.co_names, code.co_varnames, inside]


# -- kinds of tasks ----------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """One kind of task."""

    again: Callable[[str, dict[str, Any]], Task]
    """The task of a run that goes on, from its text and its identity."""
    registry: Callable[[], Registry]
    """The agents that serve it."""
    is_proof: bool = False
    """Whether the agents of a proof serve it, and so those that a caller brings."""


CHANGE = "change"

AGENTS = {
    Question.kind: "questions.writer:formalizer questions.decider:verifier questions.writer:corrector "
    "questions.decider:decider questions.decider:judge questions.decider:refiner",
    CodeTask.kind: "code.writer:generator code.decider:verifier code.writer:corrector code.decider:decider "
    "code.decider:prosecutor",
    CHANGE: "agents.changes:surveyor agents.changes:changer agents.changes:verifier agents.changes:decider",
}
"""Kind of task that has agents of its own -> each as ``module:attribute`` of `search`, the module of policies last."""


def agents_of(kind: str) -> Registry:
    """The agents of one of :data:`AGENTS`, then those of plug-ins for such tasks."""
    names = AGENTS[kind].split()
    failures = import_module(f"goedels_poetry.search.{names[-1].partition(':')[0]}").FAILURES
    return load_registry(names, GROUP.replace("agents", f"{kind}_agents"), failures)


def _change_again(text: str, identity: dict[str, Any]) -> Task:
    from goedels_poetry.search.tasks.change import Change  # brings the sandbox: not at the cost of proofs

    return Change.again(text, identity)


KINDS: dict[str, Kind] = {
    FormalTheorem.kind: Kind(FormalTheorem.again, load_registry, is_proof=True),
    Claim.kind: Kind(Claim.again, load_registry, is_proof=True),
    Question.kind: Kind(Question.again, partial(agents_of, Question.kind)),
    CodeTask.kind: Kind(CodeTask.again, partial(agents_of, CodeTask.kind)),
    CHANGE: Kind(_change_again, partial(agents_of, CHANGE)),
}


def registry_of(kind: str, extensions: Extensions) -> Registry:
    """The agents that serve a kind of task, with what the caller has brought; raises KeyError."""
    return extensions.added_to(KINDS[kind].registry(), agents=KINDS[kind].is_proof)


def id_of(task: Task, language: str, options: dict[str, Any], models: Models | None, brought: str = "") -> str:
    """How the ids of all runs begin that do the same: a hash of everything that determines them."""
    # With other models it is another run: what the symbolic agents gave up on is not settled for them.
    more: dict[str, Any] = {} if models is None else {"models": models.fingerprint}
    more |= {"brought": brought} if brought else {}
    more |= {task.kind: task.identity} if task.identity or task.kind != FormalTheorem.kind else {}
    return identity(task.text, language, {**options, **more})


def task_of(store: StoreReader) -> Task | None:
    """The task of a run; None when it stopped before its first commit; raises UnknownRun."""
    stored = store.meta("task")
    if stored is None:
        return None
    kind, facts = stored
    if kind not in KINDS:
        raise UnknownRun(f"the run is about a {kind}; here a run may be about a {', a '.join(KINDS)}")
    return KINDS[kind].again(store.meta("theorem"), facts)


# -- lists -------------------------------------------------------------------------------------------------------


def run_id_of(run: Any) -> str:
    """The id of the run that somebody names by its id, a result, a line of ``runs()`` or the config of a snapshot.

    Raises UnknownRun: it names none; the words say what does.
    """
    if isinstance(run, Mapping):
        named = run.get("configurable")
        run = named.get("thread_id") if isinstance(named, Mapping) else None
        if not isinstance(run, str):
            raise UnknownRun("this config names no run: configurable.thread_id is missing, which snapshots have")
    if isinstance(run, (RunResult, RunSummary)):
        if not run.run_id:
            raise UnknownRun("this result has no run: its text was not read")
        return run.run_id
    if not isinstance(run, str):
        words = "give its id, a RunResult, or the config of a snapshot"
        raise UnknownRun(f"{type(run).__name__} is no run: {words}")
    return run


@dataclass(frozen=True, slots=True)
class PluginList:
    """Everything that is not ours."""

    agents: dict[str, str]
    """Agent -> the package's entry point, or the module that it comes from."""
    strategies: dict[str, str]
    languages: dict[str, str]
    """Language -> who decides about it; "" where nobody does, so that nothing can be proved in it."""
    problems: tuple[str, ...]
    """What is not used, and what an agent has taken over, each in one line."""

    def __str__(self) -> str:
        lines = [f"agent {name} ({origin})" for name, origin in self.agents.items()]
        lines += [f"strategy {name} ({origin})" for name, origin in self.strategies.items()]
        for name, checker in self.languages.items():
            words = f"checked by {checker}" if checker else "nothing can be proved in it: it has no checker"
            lines.append(f"language {name}, {words}")
        return "\n".join([*lines, *self.problems]) or "no plug-ins"


def plugin_list(extensions: Extensions) -> PluginList:
    """What there is now, for runs about theorems."""
    registry, checkers = extensions.added_to(load_registry()), Checkers()
    foreign = [name for name in languages.names(extensions.languages) if name not in languages.BUILT_IN]
    return PluginList(
        {name: spec.plugin for name, spec in registry.agents.items() if spec.plugin},
        {each.name: each.plugin for each in registry.strategies},
        {name: checkers.plugin(name) for name in foreign},
        (*registry.notices, *languages.problems(), *checkers.problems),
    )
