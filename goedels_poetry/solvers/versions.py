"""Which solvers answer here; written into certificates and run reports."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}
"""The program ``z3`` is the one that its package has installed."""


@cache
def _version(package: str) -> str | None:
    """By the name of its folder of facts; to load `importlib.metadata` takes as long as a small proof."""
    pattern = f"{package.replace('-', '_')}-*.dist-info"
    found = (facts for place in sys.path for facts in Path(place or ".").glob(pattern))
    return next((facts.name.removesuffix(".dist-info").rpartition("-")[2] for facts in found), None)


def solver_versions() -> dict[str, str]:
    """Versions by solver name; a solver that is not installed is left out."""
    found = {name: _version(package) for name, package in _PACKAGES.items()}
    return {name: installed for name, installed in found.items() if installed is not None}
