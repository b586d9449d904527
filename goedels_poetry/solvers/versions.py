"""Which solvers answer here; written into certificates and run reports."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}
"""The program ``z3`` is the one that its package has installed."""


@cache
def _version(package: str) -> str | None:
    return _stated(package) or _found(package)


def _stated(package: str) -> str | None:
    """What the package's own folder of facts says, where it lies open as wheels are installed.

    Loading the library that looks for packages takes as long as proving a small theorem.
    """
    for place in sys.path:
        for facts in Path(place or ".").glob(f"{package.replace('-', '_')}-*.dist-info/METADATA"):
            for line in facts.read_text("utf-8", "replace").splitlines():
                name, _, value = line.partition(":")
                if name == "Version":
                    return value.strip()
    return None


def _found(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def solver_versions() -> dict[str, str]:
    """Versions by solver name; a solver that is not installed is left out."""
    found = {name: _version(package) for name, package in _PACKAGES.items()}
    return {name: installed for name, installed in found.items() if installed is not None}
