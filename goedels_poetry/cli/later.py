"""Packages that LangGraph and LangChain load whole for one name in one of their files, and that no run of ours uses.

Together they are a third of what a short run takes to load, and four tenths of what a model adds to that: the
descriptions of services' replies, and clients for what we never ask. In their place stands the package with its files
and nothing loaded: whoever imports one of the files gets it, and whoever asks the package itself for a name has it
loaded then. Only the program does so: in somebody else's process imports are not ours to change.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

PACKAGES = (
    "langsmith.types",
    "langgraph_sdk",
    "openai.types",
    "openai.types.responses",
    "langchain_openai",
    "langchain_openai.chat_models",
)

_loading = RLock()


class _Later(ModuleType):
    """A package whose own file is run when it is asked for what it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        package: ModuleType = self
        with _loading:  # others wait until all of it is there
            if isinstance(package, _Later):
                loader: Any = package.__spec__.loader if package.__spec__ is not None else None
                if not isinstance(loader, _LaterLoader) or loader.begun:
                    raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
                loader.begun = True
                loader.own.exec_module(package)
                package.__class__ = ModuleType  # type: ignore[assignment]
        return getattr(package, name)


class _LaterLoader:
    """Loads nothing yet. ``own``: what will."""

    def __init__(self, own: Any) -> None:
        self.own = own
        self.begun = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)  # resources of the package and the like

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        made: ModuleType | None = self.own.create_module(spec)
        return made

    def exec_module(self, module: ModuleType) -> None:
        module.__class__ = _Later


class _Finder:
    """Finds the packages where they are, and has them loaded later."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = frozenset(packages)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`; None for all other modules."""
        spec = PathFinder.find_spec(name, path, target) if name in self._packages else None
        if spec is None or spec.loader is None or spec.submodule_search_locations is None:
            return None
        spec.loader = _LaterLoader(spec.loader)  # type: ignore[assignment]  # it has what is asked of one
        return spec


def load_later(*packages: str) -> None:
    """Have these packages loaded on first use; those that are loaded already, or not to be had, are as ever."""
    sys.meta_path.insert(0, _Finder(packages))


__all__ = ["PACKAGES", "load_later"]
