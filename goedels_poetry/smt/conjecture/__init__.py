"""Conjectures: lemmas from goals, from failed proofs and from values, and witnesses.

A source of lemmas is a function of the prover's context and a goal, and a row of `SOURCES` in `smt.search.search`.

* `failed_steps`: what the step of an induction lacks; goals with a term made a variable.
* `critics`: the same for the cases of any induction, with the conditions that a lemma needs.
* `data`: the linear equations that terms satisfy at all values tried.
* `interpret`: datatype functions as integer arithmetic.
* `core_form`: the goal with functions of numbers in one form.
* `relations`: goals about numbers from such equations among the calls of loops; closed forms.
* `accumulators`: the equation for every start of an accumulator, and bounds of numbers inside of results.
* `indices`: goals taken apart into clauses about single indices.
* `loop_calls`: the loops of a goal.
* `loops`: the goal for every state of a loop that keeps an invariant.
* `continuations`: the goal with a rest behind what a loop is given.
* `observers`: what is seen of the containers that functions make.
* `explore`: equations between small terms that agree on values.
* `witness`: terms for existential conclusions.
* `library`: tests candidates, proves them, keeps what is proved and tries again what is not.
"""
