"""Names of a package that are imported when they are first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package (PEP 562), which has what its file imports for type checkers.

    A name that was asked for stays in it.
    """

    @cache
    def home_of() -> dict[str, str]:
        import ast  # few ask for such a name

        tree = ast.parse(Path(str(sys.modules[package].__file__)).read_text("utf-8"))
        inside = [each for node in tree.body if isinstance(node, ast.If) for each in node.body]
        found = [each for each in inside if isinstance(each, ast.ImportFrom)]
        return {alias.name: str(each.module) for each in found for alias in each.names}

    def get(name: str) -> Any:
        if name.startswith("__") or name not in home_of():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home_of()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of()})

    return get, names
