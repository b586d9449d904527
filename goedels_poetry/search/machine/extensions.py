"""What a caller brings from Python: agents, strategies and languages of one framework, and of no other.

They go the same way as those of installed packages: the same names, policies and queues are refused, the same graph
shows them, and what they say is as little evidence. Nothing of them is registered anywhere. Checkers are no part of it:
who decides about a language is installed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any, Self

from goedels_poetry import languages
from goedels_poetry.languages import BroughtLanguage
from goedels_poetry.plugins import RefusedPlugin
from goedels_poetry.search import strategies
from goedels_poetry.search.agents.registry import AgentSpec, Registry, given_agents, load_registry
from goedels_poetry.search.strategies import Strategy


@dataclass(frozen=True, slots=True)
class Extensions:
    """Agents serve runs about theorems and claims, strategies and languages all runs."""

    agents: tuple[AgentSpec, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    languages: tuple[BroughtLanguage, ...] = ()

    @classmethod
    def of(cls, agents: Iterable[Any] = (), strategies_: Iterable[Any] = (), languages_: Iterable[Any] = ()) -> Self:
        """From what a caller has: marked functions, modules of some, language classes or instances.

        Raises:
            RefusedPlugin: one is not what it should be; the words say what to change.
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
    inside = [_facts(c) if isinstance(c, CodeType) else _stable(c) for c in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, inside]


def _stable(constant: Any) -> str:
    """Sets of constants have no order."""
    return str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant)
