"""Before any search: is the theorem false, are its premises contradictory, do its definitions mean anything?

* `checks`: these questions one after the other.
* `falsify`: values that make the premises true and the goal false.
* `interpret`: what declared functions and sorts are, too, where premises speak of them.
* `facts`: premises that no values decide, proved from the definitions.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.preflight.checks import EVALUATED, check_problem
from goedels_poetry.languages.smt.engine.preflight.facts import closed_context, facts_of, proof_of, proved_steps
from goedels_poetry.languages.smt.engine.preflight.falsify import Counterexample, counterexample, interpreted
from goedels_poetry.languages.smt.engine.preflight.interpret import interpreted_counterexample

__all__ = [
    "EVALUATED",
    "Counterexample",
    "check_problem",
    "closed_context",
    "counterexample",
    "facts_of",
    "interpreted",
    "interpreted_counterexample",
    "proof_of",
    "proved_steps",
]
