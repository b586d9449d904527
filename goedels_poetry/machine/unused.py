"""Packages that LangGraph loads whole for the sake of one name in one of their files, and no run of ours has a use for.

Together they are a third of what a short run takes to load: the descriptions of a service's replies, and a client with
its web library. In their place stands the package with its files and nothing loaded: whoever imports one of the files
gets it, and whoever asks the package itself for a name has it loaded then.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import ModuleType
from typing import Any

PACKAGES = ("langsmith.types", "langgraph_sdk")

_loading = RLock()


class _Later(ModuleType):
    """A package whose own file is run when it is asked for what it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        package: ModuleType = self
        with _loading:
            if isinstance(package, _Later):
                package.__class__ = ModuleType  # type: ignore[assignment]
                assert package.__spec__ is not None and package.__spec__.loader is not None
                package.__spec__.loader.exec_module(package)
        return getattr(package, name)


def load_later(*packages: str) -> None:
    """Have these packages loaded on first use; those that are loaded, or not to be had, are left as they are."""
    for package in packages:
        if package in sys.modules:
            continue
        try:
            spec = find_spec(package)
        except ImportError:  # what it is a part of is not to be had, either
            continue
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is not None:
            module = module_from_spec(spec)
            module.__class__ = _Later
            sys.modules[package] = module


__all__ = ["PACKAGES", "load_later"]
