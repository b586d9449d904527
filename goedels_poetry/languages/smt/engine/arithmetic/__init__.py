"""Goals and lemmas about integers.

* `numeric`: lemmas about functions of numbers, read off a table of their values.
* `remaining_goals`: what an induction along the calls of such a function leaves to be shown.
* `interpret`: what functions on datatypes come to in integers, and goals proved there; `expressions`: read off tables.
* `divisors`: what a function of numbers gives divides its arguments.
* `guarded`: measured functions, whose guards are proved in integers.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.arithmetic.divisors import (
    COMBINATION,
    MULTIPLE,
    combination_by_multiple,
    common_divisors,
    divides,
)
from goedels_poetry.languages.smt.engine.arithmetic.guarded import open_guards
from goedels_poetry.languages.smt.engine.arithmetic.interpret import interpreted
from goedels_poetry.languages.smt.engine.arithmetic.numeric import numeric_lemmas
from goedels_poetry.languages.smt.engine.arithmetic.remaining_goals import remaining_goals

__all__ = [
    "COMBINATION",
    "MULTIPLE",
    "combination_by_multiple",
    "common_divisors",
    "divides",
    "interpreted",
    "numeric_lemmas",
    "open_guards",
    "remaining_goals",
]
