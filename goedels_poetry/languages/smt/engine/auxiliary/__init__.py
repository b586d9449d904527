"""Functions that proofs may speak of besides the problem's own; the same problem gets the same ones.

* `standard`: which functions a problem gets; what values of datatypes come to as integers.
* `folds`: what the elements of containers come to: how often, how large, in which order.
* `orders`: what a problem compares elements by.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.auxiliary.folds import (
    APART,
    BELOW,
    HIGH,
    INVERSIONS,
    KINDS,
    LOW,
    OCCURRENCES,
    SEARCH,
    SORTED,
    Containers,
    containers_of,
    list_shape,
    sum_of,
)
from goedels_poetry.languages.smt.engine.auxiliary.standard import (
    SIZE,
    VALUE,
    is_auxiliary,
    standard_auxiliaries,
    with_standard_auxiliaries,
)

__all__ = [
    "APART",
    "BELOW",
    "HIGH",
    "INVERSIONS",
    "KINDS",
    "LOW",
    "OCCURRENCES",
    "SEARCH",
    "SIZE",
    "SORTED",
    "VALUE",
    "Containers",
    "containers_of",
    "is_auxiliary",
    "list_shape",
    "standard_auxiliaries",
    "sum_of",
    "with_standard_auxiliaries",
]
