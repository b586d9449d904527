"""Inductions: which ones are tried on a goal, and how their cases are closed.

* `structural`: on the structure of a datatype; in which variables, nested, how deep.
* `recursion`: along the calls of a terminating function.
* `descent`: on the measure of a function whose guard is proved.
* `by_size`: on the number of constructors.
* `integers`: from a bound, or on a measure of integers.
* `first`: the first of all these that closes a goal.
* `focus`: one fact at a time from the few that it rests on; `saturate`: cases without quantifiers.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.induction.descent import descents
from goedels_poetry.languages.smt.engine.induction.first import induction
from goedels_poetry.languages.smt.engine.induction.focus import Facts, prove
from goedels_poetry.languages.smt.engine.induction.integers import integer_plans, recursive_points, short_proof
from goedels_poetry.languages.smt.engine.induction.recursion import along_function, closed_along, recursion_schemes
from goedels_poetry.languages.smt.engine.induction.saturate import ground_proof
from goedels_poetry.languages.smt.engine.induction.structural import (
    constructor_split,
    general_beside,
    general_variables,
    induction_variables,
    nested_induction,
)

__all__ = [
    "Facts",
    "along_function",
    "closed_along",
    "constructor_split",
    "descents",
    "general_beside",
    "general_variables",
    "ground_proof",
    "induction",
    "induction_variables",
    "integer_plans",
    "nested_induction",
    "prove",
    "recursion_schemes",
    "recursive_points",
    "short_proof",
]
