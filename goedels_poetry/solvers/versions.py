"""Which solvers answer here; written into certificates and run reports."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}
"""The program ``z3`` is the one that its package has installed."""


@cache
def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def solver_versions() -> dict[str, str]:
    """Versions by solver name; a solver that is not installed is left out."""
    found = {name: _version(package) for name, package in _PACKAGES.items()}
    return {name: installed for name, installed in found.items() if installed is not None}


__all__ = ["solver_versions"]
