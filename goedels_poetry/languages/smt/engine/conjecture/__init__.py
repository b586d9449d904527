"""Statements that nobody has made: lemmas from goals, from failed proofs and from values, and witnesses.

* `failed_steps`: equations that the step of an induction lacks; goals with a term made a variable.
* `critics`: the same for the cases of any induction, with the conditions that a lemma needs.
* `templates`: properties that functions often have.
* `accumulators`: the equation for every start of an accumulator.
* `mutual`: a goal together with laws of the functions that its own calls.
* `catamorphisms`: what a function makes of constructors and of other functions.
* `continuations`: the goal with a rest behind what is produced, and any state.
* `fields`: what numbers inside of results are at least.
* `loops`: the goal for every state of a loop that keeps an invariant.
* `indices`: what loops along a list by an index come to when it moves.
* `starts`: what loops over numbers make of any start, where the goal has a constant.
* `states`: what is seen of a container that a loop builds.
* `closures`: what constants of sorts of functions do.
* `explore`: equations between small terms that agree on values, which `tables` holds.
* `witness`: terms for existential conclusions.
* `library`: tests candidates, proves them, keeps what is proved and tries again what is not.
"""

from __future__ import annotations

from goedels_poetry.languages.smt.engine.conjecture.accumulators import general_statements
from goedels_poetry.languages.smt.engine.conjecture.catamorphisms import catamorphisms, fusions
from goedels_poetry.languages.smt.engine.conjecture.closures import closure_lemmas
from goedels_poetry.languages.smt.engine.conjecture.critics import critic_lemmas
from goedels_poetry.languages.smt.engine.conjecture.explore import Explorer
from goedels_poetry.languages.smt.engine.conjecture.failed_steps import from_failed_step, generalisations
from goedels_poetry.languages.smt.engine.conjecture.indices import shift_laws, step_laws
from goedels_poetry.languages.smt.engine.conjecture.library import Library
from goedels_poetry.languages.smt.engine.conjecture.loops import accumulations, loop_statements, natural_results
from goedels_poetry.languages.smt.engine.conjecture.mutual import together
from goedels_poetry.languages.smt.engine.conjecture.starts import plans_along, scalings, start_laws
from goedels_poetry.languages.smt.engine.conjecture.states import advance_laws, builder_laws, state_laws
from goedels_poetry.languages.smt.engine.conjecture.templates import templates
from goedels_poetry.languages.smt.engine.conjecture.witness import likely_witnesses, witness_plans

__all__ = [
    "Explorer",
    "Library",
    "accumulations",
    "advance_laws",
    "builder_laws",
    "catamorphisms",
    "closure_lemmas",
    "critic_lemmas",
    "from_failed_step",
    "fusions",
    "general_statements",
    "generalisations",
    "likely_witnesses",
    "loop_statements",
    "natural_results",
    "plans_along",
    "scalings",
    "shift_laws",
    "start_laws",
    "state_laws",
    "step_laws",
    "templates",
    "together",
    "witness_plans",
]
