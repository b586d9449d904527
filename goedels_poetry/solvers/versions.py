"""Which solvers answer here; written into certificates and run reports."""

from __future__ import annotations

import subprocess
from importlib.metadata import PackageNotFoundError, version

from goedels_poetry.solvers.z3_process import z3_binary


def solver_versions() -> dict[str, str]:
    """Versions by solver name; a solver that is not installed is left out."""
    found = {}
    if binary := z3_binary():
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=20, check=False)
        found["z3"] = said.stdout.removeprefix("Z3 version").split(" - ")[0].strip()
    for name, package in (("z3", "z3-solver"), ("cvc5", "cvc5")):
        try:
            found.setdefault(name, version(package))
        except PackageNotFoundError:
            continue
    return found
