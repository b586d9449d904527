"""Which functions come to an end, and by which measure.

* `terminating`: how functions call themselves that are known to end, see `languages.smt.termination`.
* `measured`: measures for the others, which the search has to prove to fall.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.termination.measured import with_measures
from goedels_poetry.languages.smt.engine.termination.terminating import Recursion, recursions

__all__ = [
    "Recursion",
    "recursions",
    "with_measures",
]
