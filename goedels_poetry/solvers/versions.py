"""Which solvers answer here, written into certificates and reports, and the published faults of their versions.

A fault makes a false theorem seem proved. Of two versions that were tried and are wrong, those between them count as
wrong, too.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
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


@dataclass(frozen=True)
class SolverFault:
    """A published fault: ``script`` is satisfiable, and from one version to another ``solver`` answers ``unsat``.

    ``words``: a theorem of its ``theory`` has one of these in it.
    """

    solver: str
    issue: str
    theory: str
    words: tuple[str, ...]
    wrong: tuple[str, str]
    script: str

    def is_in(self, version: str) -> bool:
        """Whether that version of the solver is one of those."""
        first, last = map(_parts, self.wrong)
        return first <= _parts(version)[:3] <= last

    def __str__(self) -> str:
        return f"{self.theory}, {self.solver} {' to '.join(dict.fromkeys(self.wrong))} ({self.issue})"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def published_faults() -> tuple[SolverFault, ...]:
    """All of the table."""
    rows = json.loads(Path(__file__).with_name("faults.json").read_text("utf-8"))
    return tuple(SolverFault(**{**row, "words": tuple(row["words"]), "wrong": tuple(row["wrong"])}) for row in rows)


def faults_here(text: str | None = None) -> list[SolverFault]:
    """Those that the solvers installed here have; ``text``: as far as they concern a theorem."""
    versions = solver_versions()
    found = [f for f in published_faults() if f.is_in(versions.get(f.solver, ""))]
    return [f for f in found if text is None or any(word in text for word in f.words)]
