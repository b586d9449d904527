"""What there is, for people and programs: which run a caller means, and what plug-ins add to the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goedels_poetry import languages
from goedels_poetry.checker.registry import Checkers
from goedels_poetry.errors import UnknownRun
from goedels_poetry.search.agents.registry import load_registry
from goedels_poetry.search.machine.extensions import Extensions
from goedels_poetry.store.results import RunResult, RunSummary


def run_id_of(run: Any) -> str:
    """The id of the run that somebody names by its id, a result, a line of ``runs()`` or the config of a snapshot.

    Raises:
        UnknownRun: it names none; the words say what does.
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
