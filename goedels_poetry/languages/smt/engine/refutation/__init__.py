"""Values at which a goal is false.

* `refute`: small values in order, then random ones; counterexamples made simpler.
* `narrow`: values chosen only as far as the goal asks for them; `lazy`: its evaluator.
* `models`: values that a solver suggests.
* `functions`: fixed values of declared functions. `interpretations`: terms for them, under which premises hold;
  `solver_functions`: those of a solver's model.
* `counterexample`: values in the problem's own terms.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.refutation.counterexample import (
    show_assignment,
    show_calls,
    show_value,
    show_values,
)
from goedels_poetry.languages.smt.engine.refutation.functions import interpretation
from goedels_poetry.languages.smt.engine.refutation.interpretations import (
    open_things,
    suggested_functions,
    templates,
)
from goedels_poetry.languages.smt.engine.refutation.models import suggested_values
from goedels_poetry.languages.smt.engine.refutation.narrow import Narrowing
from goedels_poetry.languages.smt.engine.refutation.refute import Refuter

__all__ = [
    "Narrowing",
    "Refuter",
    "interpretation",
    "open_things",
    "show_assignment",
    "show_calls",
    "show_value",
    "show_values",
    "suggested_functions",
    "suggested_values",
    "templates",
]
